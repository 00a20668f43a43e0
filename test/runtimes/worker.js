import * as client from '@guidepost/client';
import { walk } from './walk.js';

/** The same in a worker, where a request comes in and the result is its answer. */
export default {
  async fetch(request) {
    try {
      return Response.json(await walk(client, await request.json()));
    } catch (error) {
      return new Response(`${error.stack}`, { status: 500 });
    }
  },
};
