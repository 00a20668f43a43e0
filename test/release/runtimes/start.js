import * as client from '@guidepost/client';
import { runScenario } from './scenario.js';

/** For runtimes with a command line: reads the target from the environment and prints the result. */
const { env } = globalThis.Deno ? { env: globalThis.Deno.env.toObject() } : globalThis.process;
console.log(JSON.stringify(await runScenario(client, JSON.parse(env.TARGET))));
