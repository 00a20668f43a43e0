/**
 * The work of one chat turn without a framework: the answers of the service, the same events, the conversation with its owner and its past
 * turns, event rows for analytics, and a row at the start and the end that is on disk before it is acknowledged. Shared by the servers of
 * this folder and `../peers/`.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { parseAcceptLanguage } from '../../server/base/locale.ts';
import { prepareAnswer } from '../../server/chat/answer-message.ts';
import type { EngineEvent } from '../../server/engine/engine.ts';
import { createExtractiveEngine } from '../../server/engine/extractive.ts';
import { createRetriever } from '../../server/knowledge/search/retrieve.ts';
import type { Passages } from '../../server/storage/passages.ts';
import { sqlitePassages } from '../../server/storage/sqlite/passages.ts';

export type Claims = {
  sub: string;
  wid: string;
  exp: number;
  org: string;
};

export type TurnInput = {
  message: string;
  dom_digest: string;
  conversation_id: string;
  turn_idx: number;
  url: string;
};

type Rows = {
  /** Resolves once the row is on disk. Rows of one event-loop tick share a commit. */
  write(row: () => void): Promise<void>;
  /** Writes the row within 50 ms; many share a commit. */
  defer(row: () => void): void;
};

const DEFERRED_MILLIS = 50;

/** Opens the database for writing, with the durability of the service (WAL, a sync for each commit). */
export function openWriter(folder: string): { db: Database.Database; rows: Rows } {
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
  let waiting: { row: () => void; stored: () => void }[] = [];
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
            run(batch.map((entry) => entry.row));
            for (const entry of batch) entry.stored();
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
  claims: Claims;
  input: TurnInput;
  acceptLanguage: string | undefined;
  response: ServerResponse;
  /** Headers of the response, besides those of an event stream. */
  headers?: Readonly<Record<string, string>>;
};

/** Answers turns as event streams. */
export function openTurns(folder: string, { db, rows }: ReturnType<typeof openWriter>) {
  const conversations = openConversations(db);
  const retriever = createRetriever({ passages: openPassages(folder) });
  const engine = createExtractiveEngine();

  const prepare = ({ claims, input, acceptLanguage }: Turn, recentTurns: readonly PastTurn[]) =>
    prepareAnswer(
      {
        text: input.message,
        requestedLocale: LOCALE,
        sourceLocale: LOCALE,
        workspaceName: 'Bench',
        page: { title: '', url: input.url, digest: input.dom_digest, selectedText: '', targets: [] },
        recentTurns,
      },
      {
        engine,
        search: (question, context) =>
          retriever.retrieve({
            workspaceId: claims.wid,
            question,
            acceptLanguage,
            quotedMax: 1,
            ...(context ? { context } : {}),
          }),
        listTopics: () => retriever.listTopics(claims.wid, parseAcceptLanguage(acceptLanguage)),
        allowance: undefined,
      },
      NEVER_ABORTED,
    );

  return async function streamTurn(turn: Turn) {
    const { claims, input, response, headers } = turn;
    const id = randomUUID();
    const owner = conversations.findOwner(input.conversation_id);
    if (owner !== undefined && owner !== claims.sub) return void response.writeHead(409).end();
    const recentTurns = owner === undefined ? [] : conversations.listPastTurns(input.conversation_id);
    await rows.write(() => conversations.open(id, claims, input));
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
      requested_locale: LOCALE,
      ai_generated: true,
    });
    events.send('status', { phase: 'retrieving' });
    const { answer } = await prepare(turn, recentTurns);
    events.send('status', { phase: 'generating' });
    const { text, citations, end } = await sendAnswer(answer(NEVER_ABORTED), events.send);
    const last = events.format('message_end', {
      finish_reason: end.finishReason,
      answer_confidence: end.confidence,
      usage: { input_tokens: end.usage.inputTokens, output_tokens: end.usage.outputTokens },
      text_length: text.length,
      citation_count: citations.length,
      next_turn_idx: input.turn_idx + 1,
    });
    await rows.write(() =>
      conversations.close({ id, claims, answer: text, frames: events.frames, citations, end }),
    );
    events.end(last);
  };
}

const LOCALE = 'en';
const RECENT_TURNS = 3;
const NEVER_ABORTED = new AbortController().signal;

type PastTurn = Parameters<typeof prepareAnswer>[0]['recentTurns'][number];
type Citation = Extract<EngineEvent, { type: 'citation' }>;
type End = Extract<EngineEvent, { type: 'end' }>;

/** Stores conversations, their turns and the event rows with handwritten SQL. */
function openConversations(db: Database.Database) {
  db.exec(`
    CREATE TABLE IF NOT EXISTS bench_conversations (id TEXT PRIMARY KEY, workspace TEXT, visitor TEXT, turns INTEGER) STRICT;
    CREATE TABLE IF NOT EXISTS bench_turns (id TEXT PRIMARY KEY, conversation TEXT, turn INTEGER, at INTEGER, question TEXT,
      answer TEXT, articles TEXT, frames TEXT) STRICT;
    CREATE INDEX IF NOT EXISTS bench_turns_by_conversation ON bench_turns (conversation, at);
    CREATE TABLE IF NOT EXISTS bench_turn_events (id TEXT PRIMARY KEY, workspace TEXT, at INTEGER, type TEXT, data TEXT) STRICT;
    CREATE INDEX IF NOT EXISTS bench_turn_events_by_time ON bench_turn_events (workspace, at);
  `);
  const selectOwner = db.prepare('SELECT visitor FROM bench_conversations WHERE id = ?').pluck();
  const selectPast = db.prepare(
    'SELECT question, answer, articles FROM bench_turns WHERE conversation = ? ORDER BY at DESC LIMIT ?',
  );
  const countTurn = db.prepare(
    'INSERT INTO bench_conversations VALUES (?, ?, ?, 1) ON CONFLICT DO UPDATE SET turns = turns + 1',
  );
  const insertTurn = db.prepare("INSERT INTO bench_turns VALUES (?, ?, ?, ?, ?, '', '[]', '[]')");
  const updateTurn = db.prepare('UPDATE bench_turns SET answer = ?, articles = ?, frames = ? WHERE id = ?');
  const insertEvent = db.prepare('INSERT INTO bench_turn_events VALUES (?, ?, ?, ?, ?)');
  type PastRow = { question: string; answer: string; articles: string };
  return {
    findOwner: (id: string) => selectOwner.get(id) as string | undefined,
    listPastTurns: (id: string): PastTurn[] =>
      (selectPast.all(id, RECENT_TURNS) as PastRow[])
        .reverse()
        .map(({ question, answer, articles }) => ({ question, answer, articleIds: JSON.parse(articles) })),
    open(id: string, claims: Claims, input: TurnInput) {
      countTurn.run(input.conversation_id, claims.wid, claims.sub);
      insertTurn.run(id, input.conversation_id, input.turn_idx, Date.now(), input.message);
    },
    close({ id, claims, answer, frames, citations, end }: ClosedTurn) {
      const articleIds = [...new Set(citations.map(({ passage }) => passage.articleId))];
      updateTurn.run(answer, JSON.stringify(articleIds), JSON.stringify(frames), id);
      const addEvent = (type: string, data: object) =>
        insertEvent.run(randomUUID(), claims.wid, Date.now(), type, JSON.stringify(data));
      addEvent('turn', { message_id: id, finish_reason: end.finishReason, citations: citations.length });
      for (const { passage } of citations)
        addEvent('citation', {
          message_id: id,
          article_id: passage.articleId,
          revision: passage.revision,
          content_locale: passage.contentLocale,
        });
    },
  };
}

type ClosedTurn = {
  id: string;
  claims: Claims;
  answer: string;
  frames: readonly string[];
  citations: readonly Citation[];
  end: End;
};

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

/** Returns a function that sends events; those of one event-loop tick are sent in one write. */
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

/** Sends the events of the engine; returns the whole answer. */
async function sendAnswer(answer: AsyncIterable<EngineEvent>, send: Send) {
  const citations: Citation[] = [];
  let text = '';
  let end: End | undefined;
  for await (const event of answer) {
    if (event.type === 'end') end = event;
    if (event.type === 'text') {
      send('text_delta', { delta: event.delta, offset: text.length });
      text += event.delta;
    }
    if (event.type === 'citation') {
      citations.push(event);
      send('citation', toCitation(event, citations.length));
    }
    if (event.type === 'suggestions')
      send('suggestions', {
        items: event.items.map((item, at) => ({ suggestion_id: `sug_${at + 1}`, ...item })),
      });
  }
  return { text, citations, end: end! };
}

function toCitation({ passage, quote, start, end }: Citation, index: number) {
  return {
    citation_id: `cit_${index}`,
    index,
    article_id: passage.articleId,
    revision: passage.revision,
    title: passage.title,
    quote,
    start,
    end,
    content_locale: passage.contentLocale,
    requested_locale: LOCALE,
  };
}
