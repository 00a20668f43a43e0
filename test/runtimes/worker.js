import * as client from '@guidepost/client';
import { walk } from './walk.js';

/** For workers: a request comes in, and the result is its response. */
export default {
  async fetch(request) {
    try {
      return Response.json(await walk(client, await request.json()));
    } catch (error) {
      return new Response(`${error.stack}`, { status: 500 });
    }
  },
};
