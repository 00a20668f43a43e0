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
    const isHttp2 = url.protocol === 'https:';
    const modelRequest = isHttp2 ? askOverHttp2(headers) : ask(url, { method: 'POST', agent, headers });
    response.writeHead(200, head);
    response.flushHeaders();
    response.on('close', () => modelRequest.destroy());
    modelRequest.on('error', () => response.destroy());
    if (isHttp2) relay(modelRequest, response);
    else modelRequest.on('response', (answer) => relay(answer, response));
    modelRequest.end(body);
  });
});

const ANSWERS_PER_CONNECTION = 100;
const openConnections = [];

function askOverHttp2(headers) {
  let pooled = openConnections.find(({ open }) => open < ANSWERS_PER_CONNECTION);
  if (!pooled) {
    pooled = { open: 0, connection: connect(url.origin) };
    openConnections.push(pooled);
  }
  pooled.open += 1;
  const modelRequest = pooled.connection.request({
    ':method': 'POST',
    ':path': url.pathname,
    ...headers,
  });
  modelRequest.on('close', () => {
    pooled.open -= 1;
  });
  return modelRequest;
}

function relay(answer, response) {
  answer.setEncoding('utf8');
  answer.on('data', (text) => response.write(toEvents(text)));
  answer.on('end', () => response.end('data: {"type":"message_end"}\n\n'));
}

/** Converts model output to events. Expects complete lines, because the simulated model sends each in one chunk. */
function toEvents(text) {
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
