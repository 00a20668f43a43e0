/**
 * What node:http costs by itself: reads a body, looks at nothing, answers JSON of the given size. Plain JavaScript, so that its start
 * is the shortest there is.
 *
 *   node bench/bare/http-server.js BYTES
 */
import { createServer } from 'node:http';

const text = JSON.stringify({ filler: 'x'.repeat(Math.max(0, Number(process.argv[2]) - 13)) });
const head = { 'content-type': 'application/json; charset=utf-8', 'content-length': text.length };

const server = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    response.writeHead(200, head);
    // A string goes out in one piece with the head, which is faster than bytes.
    response.end(text);
  });
});
server.listen(0, '127.0.0.1', () => {
  process.stderr.write(`listens on http://127.0.0.1:${server.address().port}\n`);
});
process.on('SIGTERM', () => process.exit(0));
