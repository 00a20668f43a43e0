import * as client from '@guidepost/client';
import { runScenario } from './scenario.js';

/** For workers: the request body is the target, the response body the result. */
export default {
  async fetch(request) {
    try {
      return Response.json(await runScenario(client, await request.json()));
    } catch (error) {
      return new Response(`${error.stack}`, { status: 500 });
    }
  },
};
