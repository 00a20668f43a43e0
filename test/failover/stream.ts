import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { parseEventStream, type ServerSentEvent } from '../../client/sdk/event-stream.ts';
import type { ChatEvent } from '../../contract/chat-event.ts';
import { post, type Visitor } from '../campaign/service.ts';

/** One answer, read through every accident: asked for again with the same key, and read on after the last frame. */

export type Answer = {
  readonly messageId: string;
  readonly text: string;
  /** The frames as received, in order. */
  readonly frames: readonly string[];
  /** How often it was asked for again. */
  readonly repeats: number;
};

/** The stream broke a promise. */
export class BrokenStream extends Error {}

const ANSWER_MILLIS_MAX = 60_000;
/** The service sends a comment every 15 seconds. */
const SILENCE_MILLIS_MAX = 20_000;
const REPEAT_MILLIS = 150;

/** @throws BrokenStream when the answer does not end exactly once, has a hole, or repeats a frame. */
export async function readAnswer(
  baseUrl: string,
  { jwt }: Visitor,
  body: Record<string, unknown>,
): Promise<Answer> {
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

/** Reads until the connection ends, which it may at any time. */
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
      // The slots of a node that was killed take a moment to be free again.
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

  /** After which the answer goes on; undefined before the first frame. */
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
      // Its number belongs to the frame with which the next attempt begins.
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
