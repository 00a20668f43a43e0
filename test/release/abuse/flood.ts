/**
 * Floods a server with boots over many connections, each from a new address, as fast as the server answers, until this
 * process is killed. Runs as a process of its own, so that it does not slow down the measurements of its caller.
 * Arguments: base URL, app id, connections.
 */
import { Agent, request } from 'node:http';
import { ORIGIN, USER_AGENT } from '../../support/harness.ts';

const [baseUrl, appId, connections] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true, maxSockets: Number(connections) });
const body = JSON.stringify({ app_id: appId, origin: ORIGIN, path: '/' });
let sent = 0;

function send(): void {
  sent += 1;
  const headers = {
    origin: ORIGIN,
    'user-agent': USER_AGENT,
    'content-type': 'application/json',
    'content-length': body.length,
    'x-forwarded-for': `10.${(sent >> 16) & 255}.${(sent >> 8) & 255}.${sent & 255}`,
  };
  const sending = request(`${baseUrl}/boot`, { method: 'POST', agent, headers }, (response) => {
    response.resume();
    response.on('close', send);
  });
  sending.on('error', () => setTimeout(send, 10));
  sending.end(body);
}

for (let at = 0; at < Number(connections); at += 1) send();
