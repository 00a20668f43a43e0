/**
 * Measures the time to the first byte of the demo's help centre: the pages of all its articles and languages, again and again, also beside
 * chat turns.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { DEMO_APP_ID } from '../server/demo/demo.ts';
import { startTarget } from './target.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '20' },
    rate: { type: 'string', default: '200' },
  },
});
const [seconds, rate] = [Number(values.seconds), Number(values.rate)];
/** How many networks the readers come from: enough that none reaches its limit. */
const NETWORKS = 250;
const TICKS_PER_SECOND = 100;
const TURNS_PER_SECOND = 5;
const VISITORS = 50;
const QUESTIONS = ['How do I take a screenshot?', 'How can I make text larger?', 'Where are my downloads?'];

const dataDir = mkdtempSync(join(tmpdir(), 'guidepost-bench-help-'));
const service = await startTarget(
  'Guidepost',
  [fileURLToPath(new URL('../dist/guidepost.js', import.meta.url)), 'serve'],
  { DATA_DIR: dataDir, PORT: '0', TRUSTED_PROXIES: '127.0.0.1', EMBEDDINGS: 'off', LOG_LEVEL: 'info' },
  '/healthz',
);
const home = `http://127.0.0.1:${service.port}/help/${DEMO_APP_ID}`;
try {
  const pages = await listPages();
  print('pages made for the first time', await measure(pages, Math.min(seconds, pages.length / rate)));
  print('any page', await measure(pages, seconds));
  print('one page', await measure(pages.slice(0, 1), seconds));
  const visitors = await bootVisitors();
  printTurns('turns alone', await measureTurns(visitors, seconds));
  const [beside, turns] = await Promise.all([measure(pages, seconds), measureTurns(visitors, seconds)]);
  print('any page beside turns', beside);
  printTurns('turns beside pages', turns);
} finally {
  await service.stop();
  rmSync(dataDir, { recursive: true, force: true });
}

function readCpuSeconds(): number {
  return (service.cpuMicros() ?? Number.NaN) / 1e6;
}

/** Waits until the demo's articles are imported. They have a URL of their own, so the sitemap does not list them. */
async function listPages(): Promise<string[]> {
  for (let before = -1; ; await pause(1000)) {
    const start = await fetch(home).catch(() => undefined);
    const homes = start?.ok ? listLinks(await start.text(), /<li><a href="([^"]+)" lang=/g) : [];
    const pages = (await Promise.all(homes.map(listPagesIn))).flat();
    if (pages.length > 0 && pages.length === before) return pages;
    before = pages.length;
  }
}

/** Follows the list of articles of a language to its end. */
async function listPagesIn(homeInLanguage: string): Promise<string[]> {
  const pages = [homeInLanguage];
  for (let next: string | undefined = homeInLanguage; next !== undefined; ) {
    const text: string = await fetch(next).then((response) => response.text());
    pages.push(...listLinks(text, /<li[^>]*><a href="(\/help\/[^"?]+\/[^"?]+\/[^"?]+)">/g));
    [next] = listLinks(text, /href="([^"]+\?after=[^"]+)"/g);
  }
  return pages;
}

function listLinks(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, path]) => new URL(path!, home).href);
}

type Measured = { millis: number[]; failures: number; cpuShare: number };

/** Sends requests at a fixed rate, whether or not earlier ones were answered. */
async function measure(pages: readonly string[], duration: number): Promise<Measured> {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });
  const measured: Measured = { millis: [], failures: 0, cpuShare: 0 };
  const perTick = rate / TICKS_PER_SECOND;
  const cpuBefore = readCpuSeconds();
  const start = performance.now();
  let sent = 0;
  while (performance.now() - start < duration * 1000) {
    const due = ((performance.now() - start) / 1000) * TICKS_PER_SECOND * perTick;
    for (; sent < due; sent += 1) read(pages[(sent * 7919) % pages.length]!, sent, agent, measured);
    await pause(1000 / TICKS_PER_SECOND);
  }
  await pause(500);
  measured.cpuShare = (readCpuSeconds() - cpuBefore) / duration;
  agent.destroy();
  return measured;
}

function read(url: string, at: number, agent: Agent, measured: Measured): void {
  const headers = { 'accept-encoding': 'br', 'x-forwarded-for': `203.0.${at % NETWORKS}.1` };
  const start = performance.now();
  get(url, { agent, headers }, (response) => {
    if (response.statusCode === 200) measured.millis.push(performance.now() - start);
    else measured.failures += 1;
    response.resume();
  }).on('error', () => {
    measured.failures += 1;
  });
}

type Visitor = { jwt: string; headers: Readonly<Record<string, string>> };

function bootVisitors(): Promise<Visitor[]> {
  const { origin } = new URL(home);
  return Promise.all(
    Array.from({ length: VISITORS }, async (_, at) => {
      const headers = {
        origin,
        'content-type': 'application/json',
        'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
        'x-forwarded-for': `198.51.${at}.1`,
      };
      const body = JSON.stringify({ app_id: DEMO_APP_ID, origin, path: '/' });
      const reply = await fetch(`${origin}/boot`, { method: 'POST', headers, body });
      const { jwt } = (await reply.json()) as { jwt: string };
      return { jwt, headers };
    }),
  );
}

/** Asks at a fixed rate. Returns how long each first byte of an answer took. */
async function measureTurns(visitors: readonly Visitor[], duration: number): Promise<Measured> {
  const measured: Measured = { millis: [], failures: 0, cpuShare: 0 };
  const turns: Promise<void>[] = [];
  for (let at = 0; at < duration * TURNS_PER_SECOND; at += 1) {
    turns.push(ask(visitors[at % visitors.length]!, at, measured));
    await pause(1000 / TURNS_PER_SECOND);
  }
  await Promise.all(turns);
  return measured;
}

async function ask({ jwt, headers }: Visitor, at: number, measured: Measured): Promise<void> {
  const { origin } = new URL(home);
  const start = performance.now();
  const reply = await fetch(`${origin}/chat`, {
    method: 'POST',
    headers: { ...headers, authorization: `Bearer ${jwt}` },
    body: JSON.stringify({
      message: QUESTIONS[at % QUESTIONS.length],
      conversation_id: `bench-${at}`,
      turn_idx: 0,
      dom_digest: 'title Bench',
      url: `${origin}/demo`,
    }),
  });
  if (reply.ok) measured.millis.push(performance.now() - start);
  else measured.failures += 1;
  await reply.text();
}

function printTurns(name: string, { millis, failures }: Measured): void {
  console.log(`${name}: ${TURNS_PER_SECOND}/s, ${listTimes(millis)}, ${failures} failures`);
}

function print(name: string, { millis, failures, cpuShare }: Measured): void {
  console.log(
    `${name}: ${rate}/s, ${listTimes(millis)}, ${failures} failures, ${Math.round(cpuShare * 100)} % of a core`,
  );
}

function listTimes(millis: readonly number[]): string {
  const sorted = millis.toSorted((a, b) => a - b);
  const at = (share: number) => (sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN).toFixed(1);
  return `first byte p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`;
}
