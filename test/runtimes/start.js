import * as client from '@guidepost/client';
import { walk } from './walk.js';

/**
 * For runtimes with a command line: options come from the environment, the result goes to standard
 * output.
 */
const { env } = globalThis.Deno ? { env: globalThis.Deno.env.toObject() } : globalThis.process;
console.log(JSON.stringify(await walk(client, JSON.parse(env.PLACE))));
