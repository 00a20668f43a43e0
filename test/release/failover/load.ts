import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { parseEventStream, readLines, type ServerSentEvent } from '../../../client/sdk/event-stream.ts';
import type { ArchiveLine } from '../../../contract/archive-line.ts';
import type { ChatEvent } from '../../../contract/chat-event.ts';
import { ORIGIN, question } from '../../support/harness.ts';
import { boot, type Place, post, type Visitor } from '../../support/service-process.ts';

/** Visitors and editors that keep sending during every fault, and a record of each acknowledgement. */

/** A workspace, and the headers of its owner's requests. */
export type Site = Place & { owner: Record<string, string> };

export type Observations = {
  /** Keyed by message id. */
  answers: Map<string, Answer>;
  /** The texts that visitors consented to, by version. */
  consents: Set<string>;
  /** Titles, keyed by article and revision. */
  edits: Map<string, string>;
  /** When each write was acknowledged, in milliseconds. */
  acknowledgedAt: number[];
  brokenStreams: string[];
  failures: number;
};

export type Load = { observations: Observations; stop(): Promise<void> };

type Step = (site: Site, number: number) => Promise<void>;

const CLIENT_PAUSE_MILLIS = 400;
/** Milliseconds between edits. Each edit writes twice, which stays below a member's limit of 120 a minute. */
const EDITOR_PAUSE_MILLIS = 2_000;
const FAILURE_PAUSE_MILLIS = 100;

let count = 0;

export function startLoad(
  baseUrl: string,
  sites: readonly Site[],
  { clients, streams }: { clients: number; streams: number },
): Load {
  const observations: Observations = {
    answers: new Map(),
    consents: new Set(),
    edits: new Map(),
    acknowledgedAt: [],
    brokenStreams: [],
    failures: 0,
  };
  let isOver = false;

  async function work(site: Site, step: Step, pauseMillis: number): Promise<void> {
    await wait(Math.random() * pauseMillis);
    while (!isOver) {
      count += 1;
      try {
        await step(site, count);
        await wait(pauseMillis);
      } catch (error) {
        if (error instanceof BrokenStream) observations.brokenStreams.push(error.message);
        else observations.failures += 1;
        await wait(FAILURE_PAUSE_MILLIS);
      }
    }
  }

  const acknowledge = () => observations.acknowledgedAt.push(performance.now());
  const start = (many: number, step: Step, pauseMillis: number) =>
    Array.from({ length: many }, (_, at) => work(sites[at % sites.length]!, step, pauseMillis));

  const agree: Step = async (site, number) => {
    await decide(await boot({ baseUrl }, site.appId), number);
  };

  async function decide(visitor: Visitor, number: number): Promise<void> {
    const copyVersion = `failover-${number}`;
    const decision = { url: `${ORIGIN}/`, copy_version: copyVersion, at: Date.now(), decision: 'accepted' };
    const body = { visitor_id: visitor.visitor_id, ...decision };
    const response = await post({ baseUrl }, '/consent', body, { authorization: `Bearer ${visitor.jwt}` });
    if (response.status !== 200) throw new Error(await response.text());
    if (!((await response.json()) as { recorded: boolean }).recorded) throw new Error('not recorded');
    observations.consents.add(copyVersion);
    acknowledge();
  }

  const converse: Step = async (site, number) => {
    const visitor = await boot({ baseUrl }, site.appId);
    // Only turns of visitors with consent are counted.
    await decide(visitor, number);
    const answer = await readAnswer(baseUrl, visitor, question({ conversation_id: `failover-${number}` }));
    observations.answers.set(answer.messageId, answer);
    acknowledge();
  };

  const edit: Step = async ({ tenantId, owner }, number) => {
    const base = `/api/tenants/${tenantId}/knowledge/articles`;
    const content = { title: `Topic ${number}`, answer: 'There is little to say.' };
    const created = await write('POST', base, content, owner);
    const { id } = created;
    const changed = { ...content, title: `${content.title} again`, baseRevision: created.revision };
    await write('PUT', `${base}/${id}`, changed, owner);
  };

  async function write(
    method: string,
    path: string,
    content: { title: string },
    owner: Record<string, string>,
  ) {
    const response = await post({ baseUrl }, path, content, owner, method);
    if (!response.ok) throw new Error(await response.text());
    const article = (await response.json()) as { id: string; revision: number };
    observations.edits.set(`${article.id} ${article.revision}`, content.title);
    acknowledge();
    return article;
  }

  const working = [
    ...start(clients - sites.length, agree, CLIENT_PAUSE_MILLIS),
    ...start(sites.length, edit, EDITOR_PAUSE_MILLIS),
    ...start(streams, converse, CLIENT_PAUSE_MILLIS),
  ];
  return {
    observations,
    async stop() {
      isOver = true;
      await Promise.all(working);
    },
  };
}

/** The longest time without an acknowledged write, in milliseconds. */
export function longestPause({ acknowledgedAt }: Observations, from: number, to: number): number {
  const within = acknowledgedAt.filter((at) => at > from && at < to);
  const moments = [from, ...within, to];
  return Math.max(...moments.slice(1).map((at, index) => at - moments[index]!));
}

/** One answer, read through every fault: requested again with the same key, and resumed after the last frame. */

export type Answer = {
  messageId: string;
  text: string;
  /** The frames as received, in order. */
  frames: readonly string[];
  /** How often the answer was requested again. */
  repeats: number;
};

/** Thrown when a stream of events violates the contract. */
class BrokenStream extends Error {}

const ANSWER_MILLIS_MAX = 60_000;
/** Longest silence of a stream; the service sends a comment every 15 seconds. */
const SILENCE_MILLIS_MAX = 20_000;
const REPEAT_MILLIS = 150;

/** @throws BrokenStream when the answer does not end exactly once, lacks a frame, or repeats one. */
async function readAnswer(baseUrl: string, { jwt }: Visitor, body: Record<string, unknown>): Promise<Answer> {
  const key = randomUUID();
  const reader = new FrameReader();
  const until = performance.now() + ANSWER_MILLIS_MAX;
  for (let repeats = 0; ; repeats += 1) {
    await readOnce(baseUrl, reader, body, {
      authorization: `Bearer ${jwt}`,
      'idempotency-key': key,
      ...(reader.lastEventId === undefined ? {} : { 'last-event-id': reader.lastEventId }),
    });
    if (reader.isComplete) return { ...reader.answer, repeats };
    if (performance.now() > until) throw new BrokenStream('it did not end within a minute');
    await wait(REPEAT_MILLIS);
  }
}

/** Requests the answer and reads frames until the connection ends, whether or not the answer is complete. */
async function readOnce(
  baseUrl: string,
  reader: FrameReader,
  body: Record<string, unknown>,
  headers: Record<string, string>,
): Promise<void> {
  try {
    const response = await post({ baseUrl }, '/chat', body, headers);
    if (response.status !== 200) {
      const text = await response.text();
      // The slots of a killed node are released after a moment.
      const isPassing = response.status >= 500 || text.includes('chat/too_many_streams');
      if (!isPassing) throw new BrokenStream(`HTTP ${response.status}: ${text}`);
      return;
    }
    reader.connect();
    for await (const frame of parseEventStream(response.body!, { idleMillis: SILENCE_MILLIS_MAX }))
      reader.read(frame);
  } catch (error) {
    if (error instanceof BrokenStream) throw error;
  }
}

class FrameReader {
  readonly #frames: string[] = [];
  #messageId: string | undefined;
  #text = '';
  #isConnectionOver = false;
  isComplete = false;

  /** The frame after which the answer continues; undefined before the first one. */
  get lastEventId(): string | undefined {
    return this.#messageId === undefined ? undefined : `${this.#messageId}:${this.#frames.length - 1}`;
  }

  get answer() {
    return { messageId: this.#messageId!, text: this.#text, frames: this.#frames };
  }

  connect(): void {
    this.#isConnectionOver = false;
  }

  read({ data, lastEventId: id }: ServerSentEvent): void {
    const [, messageId, seq] = /^(.*):(\d+)$/.exec(id) ?? [];
    if (this.#isConnectionOver) throw new BrokenStream(`frame ${id} follows the last one`);
    if (messageId === undefined) throw new BrokenStream(`a frame without a number: ${data}`);
    if ((this.#messageId ?? messageId) !== messageId)
      throw new BrokenStream(`frame ${id} follows ${this.lastEventId}`);
    if (Number(seq) < this.#frames.length) throw new BrokenStream(`frame ${id} came twice`);
    if (Number(seq) > this.#frames.length)
      throw new BrokenStream(`frame ${id} follows ${this.lastEventId ?? 'none'}`);
    const event = JSON.parse(data) as ChatEvent;
    if (event.type === 'error') {
      if (!event.retryable) throw new BrokenStream(`it ended with ${event.code}`);
      // The first frame of the next attempt carries the number of that attempt.
      this.#isConnectionOver = true;
      return;
    }
    this.#messageId = messageId;
    this.#frames.push(data);
    this.#apply(event);
  }

  #apply(event: ChatEvent): void {
    if (event.type === 'text_replace') this.#text = event.text;
    if (event.type === 'text_delta') {
      const length = countCodePoints(this.#text);
      if (event.offset !== length)
        throw new BrokenStream(`text begins at ${event.offset} and not at ${length}`);
      this.#text += event.delta;
    }
    if (event.type === 'message_end') {
      const length = countCodePoints(this.#text);
      if (event.text_length !== length)
        throw new BrokenStream(`the text has ${length} characters and not ${event.text_length}`);
      this.isComplete = true;
      this.#isConnectionOver = true;
    }
  }
}

const countCodePoints = (text: string) => [...text].length;

/** Compares acknowledged writes with the workspace's export. */

export type Verdict = {
  lost: readonly string[];
  miscounted: readonly string[];
  /** Counted turns whose end was never read; they are complete. */
  unread: number;
};

type Stored = {
  turns: Map<string, Extract<ArchiveLine, { type: 'turn' }>>;
  consents: Set<string>;
  edits: Map<string, string>;
  /** How often each turn was counted, keyed by message id. */
  counts: Map<string, number>;
};

export async function judge(
  baseUrl: string,
  sites: readonly Site[],
  observations: Observations,
): Promise<Verdict> {
  const stored: Stored = { turns: new Map(), consents: new Set(), edits: new Map(), counts: new Map() };
  for (const site of sites) await readExport(baseUrl, site, stored);
  const lost: string[] = [];
  for (const [id, { text, frames }] of observations.answers) {
    const turn = stored.turns.get(id);
    if (turn?.state !== 'complete' || turn.answer !== text) lost.push(`answer ${id} (${turn?.state})`);
    else if (!isSameAttempt(turn.frames, frames)) lost.push(`frames of ${id}`);
  }
  for (const version of observations.consents)
    if (!stored.consents.has(version)) lost.push(`consent ${version}`);
  for (const [at, title] of observations.edits) if (stored.edits.get(at) !== title) lost.push(`edit ${at}`);
  const miscounted = [
    ...[...observations.answers.keys()].filter((id) => stored.counts.get(id) !== 1),
    ...[...stored.counts]
      .filter(([id, times]) => times !== 1 && !observations.answers.has(id))
      .map(([id]) => id),
  ];
  const unread = [...stored.counts.keys()].filter((id) => !observations.answers.has(id)).length;
  return { lost, miscounted, unread };
}

/** Compares the frames from the last `text_replace` on: with it, an attempt replaces frames that a killed node did not store. */
function isSameAttempt(stored: readonly string[], received: readonly string[]): boolean {
  const isRetry = (frame: string) => (JSON.parse(frame) as ChatEvent).type === 'text_replace';
  const lastRetry = Math.max(0, received.findLastIndex(isRetry));
  return (
    stored.length === received.length &&
    received.slice(lastRetry).every((frame, at) => frame === stored[lastRetry + at])
  );
}

async function readExport(baseUrl: string, { tenantId, owner }: Site, stored: Stored): Promise<void> {
  const response = await fetch(`${baseUrl}/api/tenants/${tenantId}/export`, { headers: owner });
  if (!response.ok) throw new Error(`export: ${response.status} ${await response.text()}`);
  let last: ArchiveLine | undefined;
  for await (const lines of readLines(response.body!, {}))
    for (const text of lines) {
      last = JSON.parse(text) as ArchiveLine;
      store(last, stored);
    }
  if (last?.type !== 'end') throw new Error('the export was cut off');
}

function store(line: ArchiveLine, { turns, consents, edits, counts }: Stored): void {
  if (line.type === 'turn') turns.set(line.messageId, line);
  if (line.type === 'consent_record') consents.add(JSON.parse(line.content).copyVersion);
  if (line.type === 'article_revision') edits.set(`${line.articleId} ${line.revision}`, line.title);
  if (line.type === 'event' && line.kind === 'turn') {
    const id = JSON.parse(line.data).message_id;
    counts.set(id, (counts.get(id) ?? 0) + 1);
  }
}
