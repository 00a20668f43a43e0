/**
 * The abuse campaign: attacks the built service as an outsider would, and prints a table of expected and observed
 * results. QUICK=on leaves out long waits and uses small numbers. The exit code is 1 when an attack succeeds.
 */
import { runCampaign } from '../campaign/campaign.ts';
import { accountAttacks } from './accounts.ts';
import { outputAttacks } from './output.ts';
import { resourceAttacks } from './resources.ts';
import { visitorAttacks } from './visitors.ts';

process.exit(
  await runCampaign(
    [...accountAttacks, ...resourceAttacks, ...visitorAttacks, ...outputAttacks],
    process.argv[2],
  ),
);
