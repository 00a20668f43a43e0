import * as client from '@guidepost/client';
import { walk } from './walk.js';

/** Where a runtime has a command line: the place comes in the environment, the result goes to standard output. */
const { env } = globalThis.Deno ? { env: globalThis.Deno.env.toObject() } : globalThis.process;
console.log(JSON.stringify(await walk(client, JSON.parse(env.PLACE))));
