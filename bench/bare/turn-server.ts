/**
 * The same chat turn, written by hand on node:http for nothing but speed: no framework, no contract, no checks beyond the necessary.
 * What it shares with the service is the search, the durability (two rows a turn, committed to the disk before they are acknowledged)
 * and the events that it sends.
 *
 *   node bench/bare/turn-server.ts DATA_DIR
 */
import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { createRetriever, type Retrieval } from '../../server/knowledge/search/retrieve.ts';
import type { Passages } from '../../server/storage/passages.ts';
import { sqlitePassages } from '../../server/storage/sqlite/passages.ts';

const folder = process.argv[2]!;
const writer = new Database(join(folder, 'guidepost.db'));
writer.pragma('journal_mode = WAL');
writer.pragma('synchronous = FULL');
writer.exec(`
  CREATE TABLE IF NOT EXISTS bare_questions (id TEXT PRIMARY KEY, workspace TEXT, visitor TEXT, conversation TEXT,
    turn INTEGER, at INTEGER, question TEXT) STRICT;
  CREATE TABLE IF NOT EXISTS bare_answers (id TEXT PRIMARY KEY, at INTEGER, answer TEXT, frames TEXT) STRICT;
`);
const insertQuestion = writer.prepare('INSERT INTO bare_questions VALUES (?, ?, ?, ?, ?, ?, ?)');
const insertAnswer = writer.prepare('INSERT INTO bare_answers VALUES (?, ?, ?, ?)');
const begin = writer.prepare('BEGIN IMMEDIATE');
const commit = writer.prepare('COMMIT');
const reader = new Database(join(folder, 'guidepost.db'), { readonly: true });

const shelves = new Map<string, Passages>();
const retriever = createRetriever({
  passages(workspaceId) {
    const known = shelves.get(workspaceId);
    if (known) return known;
    const shelf = sqlitePassages({ read: reader }, workspaceId);
    shelves.set(workspaceId, shelf);
    return shelf;
  },
});

/** Rows of one turn of the event loop share a commit; each is acknowledged after it. */
let waiting: { row: () => void; stored: () => void }[] = [];
function store(row: () => void): Promise<void> {
  return new Promise((stored) => {
    if (waiting.push({ row, stored }) === 1) setImmediate(commitWaiting);
  });
}
function commitWaiting(): void {
  const batch = waiting;
  waiting = [];
  begin.run();
  for (const { row } of batch) row();
  commit.run();
  for (const { stored } of batch) stored();
}

type Claims = { readonly sub: string; readonly wid: string; readonly exp: number; readonly org: string };
type KeyFile = { readonly keys: readonly { readonly kid: string; readonly secret: string }[] };
const keyFile = JSON.parse(readFileSync(join(folder, 'visitor-token-keys.json'), 'utf8')) as KeyFile;
const secrets = new Map(keyFile.keys.map(({ kid, secret }) => [kid, Buffer.from(secret, 'base64url')]));
const verified = new Map<string, Claims>();

function claimsOf(authorization: string | undefined): Claims | undefined {
  const jwt = authorization?.slice('Bearer '.length) ?? '';
  const known = verified.get(jwt);
  if (known) return known.exp * 1000 > Date.now() ? known : undefined;
  const [head, body, mac] = jwt.split('.');
  if (!head || !body || !mac) return undefined;
  const { kid } = JSON.parse(Buffer.from(head, 'base64url').toString()) as { kid: string };
  const secret = secrets.get(kid);
  if (!secret) return undefined;
  const expected = createHmac('sha256', secret).update(`${head}.${body}`).digest();
  const given = Buffer.from(mac, 'base64url');
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as Claims;
  verified.set(jwt, claims);
  return claims.exp * 1000 > Date.now() ? claims : undefined;
}

type Window = { hits: number; until: number };
const chunks: readonly {
  points: number;
  millis: number;
  kept: Map<string, Window>;
  keyOf: (claims: Claims) => string;
}[] = [
  { points: 30, millis: 60_000, kept: new Map(), keyOf: ({ sub }) => sub },
  { points: 1_000, millis: 60_000, kept: new Map(), keyOf: ({ wid }) => wid },
  { points: 100, millis: 3_600_000, kept: new Map(), keyOf: ({ sub }) => sub },
];

function mayAsk(claims: Claims): boolean {
  const now = Date.now();
  for (const { points, millis, kept, keyOf } of chunks) {
    const key = keyOf(claims);
    const window = kept.get(key);
    if (!window || window.until <= now) kept.set(key, { hits: 1, until: now + millis });
    else if (++window.hits > points) return false;
  }
  return true;
}

type HandlerInput = {
  message: string;
  dom_digest: string;
  conversation_id: string;
  turn_idx: number;
  url: string;
};

function isAsked(value: Partial<HandlerInput> | null): value is HandlerInput {
  return (
    typeof value?.message === 'string' &&
    typeof value.dom_digest === 'string' &&
    typeof value.conversation_id === 'string' &&
    typeof value.turn_idx === 'number' &&
    typeof value.url === 'string'
  );
}

async function turn(request: IncomingMessage, response: ServerResponse, text: string): Promise<void> {
  const claims = claimsOf(request.headers.authorization);
  if (!claims) return void response.writeHead(401).end();
  if (!mayAsk(claims)) return void response.writeHead(429).end();
  const asked = JSON.parse(text) as Partial<HandlerInput> | null;
  if (!isAsked(asked) || new URL(asked.url).origin !== claims.org) return void response.writeHead(400).end();

  const id = randomUUID();
  await store(() =>
    insertQuestion.run(
      id,
      claims.wid,
      claims.sub,
      asked.conversation_id,
      asked.turn_idx,
      Date.now(),
      asked.message,
    ),
  );
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
  });
  response.flushHeaders();

  const frames: string[] = [];
  let ready = '';
  const flush = () => {
    if (ready !== '') response.write(ready);
    ready = '';
  };
  const say = (type: string, payload: object) => {
    const seq = frames.length;
    const data = JSON.stringify({ type, seq, ...payload });
    frames.push(data);
    if (ready === '') setImmediate(flush);
    ready += `event: ${type}\nid: ${id}:${seq}\ndata: ${data}\n\n`;
  };
  say('message_start', {
    protocol: 1,
    conversation_id: asked.conversation_id,
    conversation_rotated: false,
    turn_idx: asked.turn_idx,
    message_id: id,
    requested_locale: 'en',
    ai_generated: true,
  });
  say('status', { phase: 'retrieving' });
  const found = await retriever.retrieve({
    workspaceId: claims.wid,
    question: asked.message,
    acceptLanguage: request.headers['accept-language'],
  });
  say('status', { phase: 'generating' });
  const { answer, cited } = answerWith(found, say);
  const end = {
    type: 'message_end',
    seq: frames.length,
    finish_reason: found.found ? 'stop' : 'no_knowledge',
    answer_confidence: found.confidence,
    usage: { input_tokens: 0, output_tokens: 0 },
    text_length: answer.length,
    citation_count: cited,
    next_turn_idx: asked.turn_idx + 1,
  };
  const last = JSON.stringify(end);
  await store(() => insertAnswer.run(id, Date.now(), answer, JSON.stringify([...frames, last])));
  response.end(`${ready}event: message_end\nid: ${id}:${frames.length}\ndata: ${last}\n\n`);
  ready = '';
}

function answerWith(found: Retrieval, say: (type: string, payload: object) => void) {
  const best = found.results[0];
  let answer = '';
  let cited = 0;
  if (!found.found || !best) {
    for (const delta of [
      'I found nothing about this in the published articles.',
      `\n\nThe nearest topics are:\n${found.nearest.map(({ title }) => `• ${title}`).join('\n')}`,
    ]) {
      say('text_delta', { delta, offset: answer.length });
      answer += delta;
    }
  } else {
    for (const { start, end } of quotesOf(best)) {
      const quote = best.answer.slice(start, end);
      const delta = answer === '' ? quote : `\n\n${quote}`;
      say('text_delta', { delta, offset: answer.length });
      answer += delta;
      cited += 1;
      say('citation', {
        citation_id: `cit_${cited}`,
        index: cited,
        article_id: best.articleId,
        revision: best.revision,
        title: best.title,
        quote,
        start: answer.length - quote.length,
        end: answer.length,
        content_locale: best.contentLocale,
        requested_locale: best.requestedLocale,
        stale: best.stale,
      });
    }
  }
  const titles = found.results.slice(found.found ? 1 : 0).map(({ title }) => title);
  const items = [...new Set(titles)]
    .slice(0, 3)
    .map((title, at) => ({ suggestion_id: `sug_${at + 1}`, title, message: title }));
  if (items.length > 0) say('suggestions', { items });
  return { answer, cited };
}

/** Neighbouring sentences are one quote. */
function quotesOf(best: Retrieval['results'][number]): { start: number; end: number }[] {
  const quotes: { start: number; end: number }[] = [];
  for (const { start, end } of [...best.sentences].sort((a, b) => a.start - b.start)) {
    const last = quotes.at(-1);
    if (last && start - last.end <= 1) last.end = end;
    else quotes.push({ start, end });
  }
  return quotes;
}

const server = createServer((request, response) => {
  if (request.method === 'GET') return void response.end();
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const text = (chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)).toString();
    turn(request, response, text).catch((error) => {
      process.stderr.write(`${error.stack}\n`);
      response.destroy();
    });
  });
});
server.listen(0, '127.0.0.1', () => {
  process.stderr.write(`listens on http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
process.on('SIGTERM', () => process.exit(0));
