import type { ServerResponse } from 'node:http';
import type { Deprecated } from '../../contract/route.ts';

/** Tells the callers of a route that will go: since when it is deprecated (RFC 9745), and when it ends (RFC 8594). */
export function tellDeprecation(response: ServerResponse, { since, sunset, link }: Deprecated): void {
  response.setHeader('deprecation', `@${Date.parse(since) / 1000}`);
  response.setHeader('sunset', new Date(sunset).toUTCString());
  response.setHeader('link', `<${link}>; rel="deprecation"; type="text/html"`);
}
