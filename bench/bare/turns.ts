/**
 * The work of one chat turn without a framework: the same search as the service, the same events, and a row at the start and the end
 * that is on disk before it is acknowledged. Shared by the servers of this folder and `../peers/`.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { createRetriever, type Retrieval } from '../../server/knowledge/search/retrieve.ts';
import type { Passages } from '../../server/storage/passages.ts';
import { sqlitePassages } from '../../server/storage/sqlite/passages.ts';

export type Claims = {
  readonly sub: string;
  readonly wid: string;
  readonly exp: number;
  readonly org: string;
};

export type TurnInput = {
  readonly message: string;
  readonly dom_digest: string;
  readonly conversation_id: string;
  readonly turn_idx: number;
  readonly url: string;
};

type Rows = {
  /** Resolves once the row is on disk. Rows of one event-loop tick share a commit. */
  write(row: () => void): Promise<void>;
  /** Writes the row within 50 ms; many share a commit. */
  defer(row: () => void): void;
};

const DEFERRED_MILLIS = 50;

/** Opens the database for writing, with the durability of the service (WAL, a sync for each commit). */
export function openWriter(folder: string): { readonly db: Database.Database; readonly rows: Rows } {
  const db = new Database(join(folder, 'guidepost.db'));
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  const begin = db.prepare('BEGIN IMMEDIATE');
  const commit = db.prepare('COMMIT');
  const run = (jobs: readonly (() => void)[]) => {
    begin.run();
    for (const job of jobs) job();
    commit.run();
  };
  let waiting: { readonly row: () => void; readonly stored: () => void }[] = [];
  let deferred: (() => void)[] = [];
  return {
    db,
    rows: {
      write: (row) =>
        new Promise((stored) => {
          if (waiting.push({ row, stored }) > 1) return;
          setImmediate(() => {
            const batch = waiting;
            waiting = [];
            run(batch.map((one) => one.row));
            for (const one of batch) one.stored();
          });
        }),
      defer(row) {
        if (deferred.push(row) > 1) return;
        setTimeout(() => {
          const batch = deferred;
          deferred = [];
          run(batch);
        }, DEFERRED_MILLIS);
      },
    },
  };
}

/** The keys that sign visitor tokens, by key id. */
export function readTokenKeys(folder: string): ReadonlyMap<string, Buffer> {
  const file = readFileSync(join(folder, 'visitor-token-keys.json'), 'utf8');
  const { keys } = JSON.parse(file) as { keys: readonly { kid: string; secret: string }[] };
  return new Map(keys.map(({ kid, secret }) => [kid, Buffer.from(secret, 'base64url')]));
}

type Turn = {
  readonly claims: Claims;
  readonly input: TurnInput;
  readonly acceptLanguage: string | undefined;
  readonly response: ServerResponse;
  /** Headers of the response, besides those of an event stream. */
  readonly headers?: Readonly<Record<string, string>>;
};

/** Answers turns as event streams. */
export function openTurns(folder: string, { db, rows }: ReturnType<typeof openWriter>) {
  db.exec(`
    CREATE TABLE IF NOT EXISTS bench_questions (id TEXT PRIMARY KEY, workspace TEXT, visitor TEXT, conversation TEXT,
      turn INTEGER, at INTEGER, question TEXT) STRICT;
    CREATE TABLE IF NOT EXISTS bench_answers (id TEXT PRIMARY KEY, at INTEGER, answer TEXT, frames TEXT) STRICT;
  `);
  const insertQuestion = db.prepare('INSERT INTO bench_questions VALUES (?, ?, ?, ?, ?, ?, ?)');
  const insertAnswer = db.prepare('INSERT INTO bench_answers VALUES (?, ?, ?, ?)');
  const retriever = createRetriever({ passages: openPassages(folder) });

  return async function streamTurn({ claims, input, acceptLanguage, response, headers }: Turn) {
    const id = randomUUID();
    const question = [claims.wid, claims.sub, input.conversation_id, input.turn_idx] as const;
    await rows.write(() => insertQuestion.run(id, ...question, Date.now(), input.message));
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      ...headers,
    });
    response.flushHeaders();
    const events = eventWriter(id, response);
    events.send('message_start', {
      protocol: 1,
      conversation_id: input.conversation_id,
      conversation_rotated: false,
      turn_idx: input.turn_idx,
      message_id: id,
      requested_locale: 'en',
      ai_generated: true,
    });
    events.send('status', { phase: 'retrieving' });
    const found = await retriever.retrieve({
      workspaceId: claims.wid,
      question: input.message,
      acceptLanguage,
    });
    events.send('status', { phase: 'generating' });
    const { answer, citations } = sendAnswer(found, events.send);
    const last = events.format('message_end', {
      finish_reason: found.found ? 'stop' : 'no_knowledge',
      answer_confidence: found.confidence,
      usage: { input_tokens: 0, output_tokens: 0 },
      text_length: answer.length,
      citation_count: citations,
      next_turn_idx: input.turn_idx + 1,
    });
    await rows.write(() => insertAnswer.run(id, Date.now(), answer, JSON.stringify(events.frames)));
    events.end(last);
  };
}

function openPassages(folder: string): (workspaceId: string) => Passages {
  const read = new Database(join(folder, 'guidepost.db'), { readonly: true });
  const known = new Map<string, Passages>();
  return (workspaceId) => {
    let passages = known.get(workspaceId);
    if (!passages) {
      passages = sqlitePassages({ db: read, read: async (query) => query() }, workspaceId);
      known.set(workspaceId, passages);
    }
    return passages;
  };
}

type Send = (type: string, payload: object) => void;

/** Events of one event-loop tick leave in one write. */
function eventWriter(id: string, response: ServerResponse) {
  const frames: string[] = [];
  let ready = '';
  const format = (type: string, payload: object): string => {
    const seq = frames.length;
    const data = JSON.stringify({ type, seq, ...payload });
    frames.push(data);
    return `event: ${type}\nid: ${id}:${seq}\ndata: ${data}\n\n`;
  };
  const flush = () => {
    if (ready !== '') response.write(ready);
    ready = '';
  };
  return {
    frames,
    format,
    send(type: string, payload: object) {
      if (ready === '') setImmediate(flush);
      ready += format(type, payload);
    },
    end(last: string) {
      response.end(ready + last);
      ready = '';
    },
  };
}

function sendAnswer(found: Retrieval, send: Send): { readonly answer: string; readonly citations: number } {
  const best = found.results[0];
  const texts = found.found && best ? sendQuotes(best, send) : sendNoKnowledge(found, send);
  const titles = found.results.slice(found.found ? 1 : 0).map(({ title }) => title);
  const items = [...new Set(titles)]
    .slice(0, 3)
    .map((title, at) => ({ suggestion_id: `sug_${at + 1}`, title, message: title }));
  if (items.length > 0) send('suggestions', { items });
  return texts;
}

function sendNoKnowledge({ nearest }: Retrieval, send: Send) {
  let answer = '';
  for (const delta of [
    'I found nothing about this in the published articles.',
    `\n\nThe nearest topics are:\n${nearest.map(({ title }) => `• ${title}`).join('\n')}`,
  ]) {
    send('text_delta', { delta, offset: answer.length });
    answer += delta;
  }
  return { answer, citations: 0 };
}

function sendQuotes(best: Retrieval['results'][number], send: Send) {
  let answer = '';
  let citations = 0;
  for (const { start, end } of mergeAdjacent(best.sentences)) {
    const quote = best.answer.slice(start, end);
    const delta = answer === '' ? quote : `\n\n${quote}`;
    send('text_delta', { delta, offset: answer.length });
    answer += delta;
    citations += 1;
    send('citation', {
      citation_id: `cit_${citations}`,
      index: citations,
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
  return { answer, citations };
}

/** Adjacent sentences become one quote. */
function mergeAdjacent(sentences: Retrieval['results'][number]['sentences']) {
  const quotes: { start: number; end: number }[] = [];
  for (const { start, end } of sentences.toSorted((a, b) => a.start - b.start)) {
    const last = quotes.at(-1);
    if (last && start - last.end <= 1) last.end = end;
    else quotes.push({ start, end });
  }
  return quotes;
}
