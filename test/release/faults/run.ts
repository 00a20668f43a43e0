/**
 * The fault campaign against the built service: CYCLES kills during mixed load (default 200), COMMAND_KILLS inside each
 * command that writes much (default 25), then one fault after the other. Prints its progress and a table; the exit code is 1 when a promise is broken.
 */
import { report, runCampaign } from '../campaign/campaign.ts';
import { killCommands } from './command-kills.ts';
import { faults } from './faults.ts';
import { killCycles } from './kill-cycles.ts';

const cycles = Number(process.env.CYCLES ?? 200);
const commandKills = Number(process.env.COMMAND_KILLS ?? 25);
const kills = { name: 'kill -9 during mixed load', run: () => killCycles(cycles, report) };
process.exit(await runCampaign([kills, ...killCommands(commandKills), ...faults], process.argv[2]));
