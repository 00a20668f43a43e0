const client = require('@guidepost/client');

/** Like `start.js`, with the CommonJS modules of the package. */
const { env } = globalThis.Deno ? { env: globalThis.Deno.env.toObject() } : globalThis.process;
import('./scenario.js')
  .then(({ runScenario }) => runScenario(client, JSON.parse(env.TARGET)))
  .then((result) => console.log(JSON.stringify(result)));
