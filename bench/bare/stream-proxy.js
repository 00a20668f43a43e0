/**
 * Measures the cost in Node of an answer's two connections, to the visitor and to the model: reads a body, asks the model, and passes its text on
 * as events. It stores and checks nothing. An https address uses HTTP/2, with a hundred answers on a connection. Usage: node
 * bench/bare/stream-proxy.js URL
 */
import { Agent, request as ask, createServer } from 'node:http';
import { connect } from 'node:http2';

const url = new URL(`${process.argv[2]}/chat/completions`);
const agent = new Agent({ keepAlive: true });
const head = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store' };

const server = createServer((request, response) => {
  if (request.method === 'GET') return void response.end();
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const body = JSON.stringify({ stream: true, messages: [{ role: 'user', content: `${chunks}` }] });
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const isShared = url.protocol === 'https:';
    const sent = isShared ? askShared(headers) : ask(url, { method: 'POST', agent, headers });
    response.writeHead(200, head);
    response.flushHeaders();
    response.on('close', () => sent.destroy());
    sent.on('error', () => response.destroy());
    if (isShared) passOn(sent, response);
    else sent.on('response', (answer) => passOn(answer, response));
    sent.end(body);
  });
});

const ANSWERS_A_CONNECTION = 100;
const shared = [];

function askShared(headers) {
  let some = shared.find(({ open }) => open < ANSWERS_A_CONNECTION);
  if (!some) {
    some = { open: 0, connection: connect(url.origin) };
    shared.push(some);
  }
  some.open += 1;
  const sent = some.connection.request({ ':method': 'POST', ':path': url.pathname, ...headers });
  sent.on('close', () => {
    some.open -= 1;
  });
  return sent;
}

function passOn(answer, response) {
  answer.setEncoding('utf8');
  answer.on('data', (text) => response.write(eventsOf(text)));
  answer.on('end', () => response.end('data: {"type":"message_end"}\n\n'));
}

/** Converts model output to events. Expects complete lines, because the simulated model sends each in one chunk. */
function eventsOf(text) {
  let events = '';
  for (const part of text.split('\n\n')) {
    if (!part.startsWith('data: {')) continue;
    const delta = JSON.parse(part.slice(6)).choices[0].delta.content;
    if (delta) events += `data: ${JSON.stringify({ type: 'text_delta', delta })}\n\n`;
  }
  return events;
}

server.listen({ port: 0, host: '127.0.0.1', backlog: 1024 }, () => {
  process.stderr.write(`listens on http://127.0.0.1:${server.address().port}\n`);
});
process.on('SIGTERM', () => process.exit(0));
