/**
 * Sends load beyond the capacity at a fixed rate, and measures how much of the capacity is still answered, how fast,
 * and whether /healthz still answers. Run `node bench/overload.ts --help`.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { benchQuestions } from './articles.ts';
import { ARTICLES, bootVisitors, fillFolder, ORIGIN } from './prepare.ts';
import { startTarget } from './target.ts';

const help = `Measures the capacity for chat turns with 16 clients that wait for each answer, then sends turns at multiples of it.

  node bench/overload.ts [--seconds N] [--times 1,3,10]

Needs dist/guidepost.js (make build). The load generator runs in this process, on a core of its own if there are two.
`;

const WORKSPACES = 40;
const VISITORS = 1600;
const CLIENTS = 16;
/** More open requests than this are not sent but counted as missed: the generator was too slow or the server did not answer. */
const CONNECTIONS_MAX = 4000;

type Answer = { status: number; millis: number; retryAfterSec: number };

/** A keep-alive connection for one request at a time. */
class Client {
  readonly #socket: Socket;
  #done: (answer: Answer) => void = () => {};
  #startedAt = 0;
  #text = '';
  isClosed = false;

  constructor(port: number) {
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.#socket.setEncoding('latin1');
    this.#socket.on('data', (chunk: string) => this.#read(chunk));
    this.#socket.on('error', () => {});
    this.#socket.on('close', () => {
      this.isClosed = true;
      this.#done({ status: 0, millis: performance.now() - this.#startedAt, retryAfterSec: 0 });
    });
  }

  send(text: string): Promise<Answer> {
    this.#startedAt = performance.now();
    this.#text = '';
    this.#socket.write(text, 'latin1');
    return new Promise((resolve) => {
      this.#done = resolve;
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #read(chunk: string): void {
    this.#text += chunk;
    const end = this.#text.indexOf('\r\n\r\n');
    if (end < 0) return;
    const head = this.#text.slice(0, end);
    const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
    const isWhole =
      length === undefined
        ? this.#text.endsWith('\r\n0\r\n\r\n')
        : this.#text.length >= end + 4 + Number(length);
    if (!isWhole) return;
    const status = Number(head.slice(9, 12));
    const retryAfterSec = Number(/\r\nretry-after: (\d+)/i.exec(head)?.[1] ?? 0);
    this.#done({ status, millis: performance.now() - this.#startedAt, retryAfterSec });
  }
}

async function main(seconds: number, times: readonly number[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'guidepost-overload-'));
  const appIds = await fillFolder(folder, WORKSPACES);
  const bundle = fileURLToPath(new URL('../dist/guidepost.js', import.meta.url));
  const env = {
    PORT: '0',
    DATA_DIR: folder,
    GUIDEPOST_DEMO: 'off',
    EMBEDDINGS: 'off',
    TRUSTED_PROXIES: 'loopback',
    LOG_LEVEL: 'warn',
    ...(process.env.LOOP_DELAY_MILLIS_MAX && {
      LOOP_DELAY_MILLIS_MAX: process.env.LOOP_DELAY_MILLIS_MAX,
    }),
  };
  const target = await startTarget('guidepost', [bundle, 'serve'], env, '/healthz');
  try {
    const { visitors } = await bootVisitors(target.port, appIds, VISITORS);
    const questions = benchQuestions(200, ARTICLES);
    let sent = 0;
    const next = () => {
      const number = sent++;
      const visitor = visitors[number % visitors.length]!;
      const body = JSON.stringify({
        message: questions[number % questions.length],
        dom_digest: 'main > h1 Pricing\nmain > p Choose a plan',
        conversation_id: `${visitor.conversationId}-${number}`,
        turn_idx: 0,
        url: `${ORIGIN}/pricing`,
      });
      const at = number % visitors.length;
      return (
        `POST /chat HTTP/1.1\r\nhost: 127.0.0.1\r\norigin: ${ORIGIN}\r\ncontent-type: application/json\r\n` +
        `x-forwarded-for: 198.18.${at >> 8}.${at & 255}\r\nauthorization: Bearer ${visitor.jwt}\r\n` +
        `content-length: ${body.length}\r\n\r\n${body}`
      );
    };
    const capacity = await measureCapacity(target.port, next);
    print('capacity', { 'answers/s': capacity });
    for (const factor of times)
      print(`${factor} x`, await overload(target.port, next, capacity * factor, seconds, capacity));
  } finally {
    await target.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measureCapacity(port: number, next: () => string): Promise<number> {
  let rate = 0;
  // The first round is a warm-up.
  for (const millis of [4000, 4000]) {
    let answers = 0;
    const until = performance.now() + millis;
    const client = async () => {
      const connection = new Client(port);
      while (performance.now() < until) if ((await connection.send(next())).status === 200) answers += 1;
      connection.close();
    };
    await Promise.all(Array.from({ length: CLIENTS }, client));
    rate = answers / (millis / 1000);
  }
  return rate;
}

async function overload(port: number, next: () => string, rate: number, seconds: number, capacity: number) {
  const idle: Client[] = [];
  const answers: Answer[] = [];
  const health: number[] = [];
  let [open, due, begun, missed] = [0, 0, 0, 0];
  const prober = new Client(port);
  const probe = setInterval(async () => {
    health.push((await prober.send('GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n')).millis);
  }, 250);
  const send = async () => {
    const client = idle.pop() ?? new Client(port);
    open += 1;
    const answer = await client.send(next());
    open -= 1;
    answers.push(answer);
    if (!client.isClosed) idle.push(client);
  };
  const startedAt = performance.now();
  while (performance.now() - startedAt < seconds * 1000) {
    due = ((performance.now() - startedAt) / 1000) * rate;
    for (let begunInStep = 0; begun < due && begunInStep < 500; begun += 1, begunInStep += 1) {
      if (open < CONNECTIONS_MAX) void send();
      else missed += 1;
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  clearInterval(probe);
  const elapsed = (performance.now() - startedAt) / 1000;
  const inTime = answers.slice();
  await new Promise((resolve) => setTimeout(resolve, 2000));
  for (const client of [...idle, prober]) client.close();
  const accepted = inTime.filter(({ status }) => status === 200);
  const refused = inTime.filter(({ status }) => status === 503);
  const others = Map.groupBy(
    inTime.filter(({ status }) => status !== 200 && status !== 503),
    ({ status }) => status,
  );
  return {
    'sent/s': begun / elapsed,
    'missed/s': missed / elapsed,
    'answers/s': accepted.length / elapsed,
    'of capacity, %': (100 * accepted.length) / elapsed / capacity,
    'p50 accepted, ms': percentile(accepted, 0.5),
    'p99 accepted, ms': percentile(accepted, 0.99),
    'p99 refused, ms': percentile(refused, 0.99),
    'retry-after, s': Math.max(0, ...refused.map(({ retryAfterSec }) => retryAfterSec)),
    'healthz p99, ms': health.sort((a, b) => a - b)[Math.floor(health.length * 0.99)] ?? Number.NaN,
    ...Object.fromEntries([...others].map(([status, list]) => [`status ${status}`, list.length])),
  };
}

function percentile(answers: readonly Answer[], share: number): number {
  const sorted = answers.map(({ millis }) => millis).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
}

function print(name: string, figures: Readonly<Record<string, number>>): void {
  const texts = Object.entries(figures).map(([label, figure]) => `${label} ${Math.round(figure)}`);
  process.stdout.write(`${name}: ${texts.join(', ')}\n`);
}

const { values } = parseArgs({
  options: {
    help: { type: 'boolean' },
    seconds: { type: 'string', default: '8' },
    times: { type: 'string', default: '1,3,10' },
  },
});
if (values.help) process.stdout.write(help);
else await main(Number(values.seconds), values.times.split(',').map(Number));
