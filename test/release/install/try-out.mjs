/**
 * Starts the service in an empty folder with the command that follows, asks the demo question, and prints what it measured. Plain JavaScript
 * without packages: it runs wherever an installation is tried.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const [command, ...args] = process.argv.slice(2);
const port = await new Promise((resolve) => {
  const server = createServer().listen(0, '127.0.0.1', () => {
    const { port } = server.address();
    server.close(() => resolve(port));
  });
});
const base = `http://127.0.0.1:${port}`;
const began = performance.now();
const env = {
  ...process.env,
  DATA_DIR: process.env.DATA_DIR ?? mkdtempSync(join(tmpdir(), 'guidepost-')),
  GUIDEPOST_DEMO: 'on',
  PORT: String(port),
};
const child = spawn(command, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
const stop = () => child.kill('SIGTERM');
let printed = '';
child.stderr.on('data', (piece) => {
  printed += piece;
});
const fail = (reason) => {
  stop();
  console.error(`${reason}\n${printed}`);
  process.exit(1);
};
child.on('error', ({ message }) => fail(message));

const waitFor = async (isDone) => {
  const until = performance.now() + 60_000;
  while (!(await isDone())) {
    if (child.exitCode !== null || performance.now() > until) fail('the service did not start');
    await pause(10);
  }
};
await waitFor(() =>
  fetch(`${base}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  ),
);
const startMillis = Math.round(performance.now() - began);
await waitFor(() => printed.includes('Demo knowledge is ready'));

const headers = {
  origin: base,
  'content-type': 'application/json',
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
};
const post = async (path, body, more = {}) => {
  const response = await fetch(base + path, {
    method: 'POST',
    headers: { ...headers, ...more },
    body: JSON.stringify(body),
  });
  // Importing the demo keeps a small machine busy.
  if (response.status === 503) {
    await pause(1000);
    return post(path, body, more);
  }
  if (!response.ok) fail(`${path} answered ${response.status}: ${await response.text()}`);
  return response;
};
const { jwt } = await (await post('/boot', { app_id: 'gp_demo', origin: base, path: '/' })).json();
const question = {
  message: 'How do I change the desktop background?',
  dom_digest: 'main > h1 Help',
  turn_idx: 0,
  url: `${base}/`,
};
const isAnswered = /"type":"citation".*?"title":"(Change the appearance[^"]+)"/;
let answer = '';
// Until the demo's texts are embedded, a few seconds after the first start, the search compares words alone.
for (let tries = 0; tries < 30 && !isAnswered.test(answer); tries += 1) {
  if (tries > 0) await pause(1000);
  const body = { ...question, conversation_id: `trial-${tries}` };
  answer = await (await post('/chat', body, { authorization: `Bearer ${jwt}` })).text();
}
const [, title] = isAnswered.exec(answer) ?? fail(`no citation in ${answer}`);
const pages = {};
for (const path of [
  '/dashboard',
  '/demo',
  '/docs',
  '/docs/swagger-ui.css',
  '/guide.js',
  '/openapi.yaml',
  '/openapi.json',
  '/packages/guidepost-client.tgz',
  '/packages/guidepost-react.tgz',
])
  pages[path] = (await fetch(base + path)).status;
stop();
await new Promise((resolve) => child.once('exit', resolve));
const isStopped = () =>
  fetch(`${base}/healthz`).then(
    () => false,
    () => true,
  );
while (!(await isStopped())) await pause(50);
console.log(JSON.stringify({ startMillis, title, pages, node: process.version }));
