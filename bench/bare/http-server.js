/**
 * Measures the cost of node:http itself: reads a body, ignores it, and responds with JSON of the given size. Plain JavaScript, because that starts
 * fastest. Usage: node bench/bare/http-server.js BYTES
 */
import { createServer } from 'node:http';

const text = JSON.stringify({ filler: 'x'.repeat(Math.max(0, Number(process.argv[2]) - 13)) });
const head = { 'content-type': 'application/json; charset=utf-8', 'content-length': text.length };

const server = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    response.writeHead(200, head);
    // A string is sent in one write with the head, which is faster than bytes.
    response.end(text);
  });
});
server.listen(0, '127.0.0.1', () => {
  process.stderr.write(`listens on http://127.0.0.1:${server.address().port}\n`);
});
process.on('SIGTERM', () => process.exit(0));
