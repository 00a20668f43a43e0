import type { ChatEvent } from '../../generated/types.ts';
import { asGuideError, GuideError } from './errors.ts';
import { abortable, abortError, backoffMillis, pause, spreadMillis } from './http.ts';

/** One event of a Server-Sent Events stream, as the WHATWG standard defines it. */
export type ServerSentEvent = {
  /** The event type; `message` when the stream names none. */
  type: string;
  data: string;
  /** The last id in the stream so far; empty before the first. */
  lastEventId: string;
  /** The reconnection delay that the stream last asked for, in milliseconds. */
  retryMillis?: number;
};

export type EventStreamOptions = {
  /** Throws `timeout` when no byte arrives for this long, not even a comment. */
  idleMillis?: number;
  /** Aborts the stream with `aborted`. */
  signal?: AbortSignal;
};

type LineOptions = EventStreamOptions & {
  /** True when an unterminated last line means that the stream was cut off. */
  wholeLines?: boolean;
};

/**
 * Parses a Server-Sent Events stream as the WHATWG standard defines it. Leaving the loop cancels the stream. An event that
 * the end of the stream cuts off is not dispatched.
 */
export async function* parseEventStream(
  stream: ReadableStream<Uint8Array>,
  options: EventStreamOptions = {},
): AsyncGenerator<ServerSentEvent, void, void> {
  let data: string[] = [];
  let type = '';
  let lastEventId = '';
  let retryMillis: number | undefined;
  for await (const lines of readLines(stream, options)) {
    for (const line of lines) {
      if (line !== '') {
        const [field, value] = parseField(line);
        if (field === 'data') data.push(value);
        else if (field === 'event') type = value;
        else if (field === 'id' && !value.includes('\0')) lastEventId = value;
        else if (field === 'retry' && /^\d+$/.test(value)) retryMillis = Number(value);
        continue;
      }
      if (data.length > 0)
        yield {
          type: type || 'message',
          data: data.join('\n'),
          lastEventId,
          retryMillis,
        };
      data = [];
      type = '';
    }
  }
}

/** Splits a line into field and value. A comment has an empty field name. */
function parseField(line: string): [field: string, value: string] {
  const colon = line.indexOf(':');
  if (colon < 0) return [line, ''];
  return [line.slice(0, colon), line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)];
}

/** Yields the lines that each chunk completes. Drops an unterminated last line, or throws with `wholeLines`. */
export async function* readLines(
  stream: ReadableStream<Uint8Array>,
  options: LineOptions,
): AsyncGenerator<string[]> {
  const reader = stream.getReader();
  // Strip the byte order mark here: when it arrives alone, the decoder of some runtimes strips a second one as well.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let isFirst = true;
  let unfinishedLine = '';
  let afterCarriageReturn = false;
  try {
    for (;;) {
      const { done, value } = await nextChunk(reader, options);
      if (done && options.wholeLines && unfinishedLine !== '')
        throw new GuideError('network', 'The download was cut off.');
      if (done) return;
      let text = decoder.decode(value, { stream: true });
      if (text === '') continue;
      if (isFirst && text.startsWith('\uFEFF')) text = text.slice(1);
      isFirst = false;
      if (afterCarriageReturn && text.startsWith('\n')) text = text.slice(1);
      afterCarriageReturn = text.endsWith('\r');
      const lines = (unfinishedLine + text).split(/\r\n|\r|\n/);
      unfinishedLine = lines.pop() ?? '';
      yield lines;
    }
  } finally {
    // Cancelling a stream that has failed rejects.
    reader.cancel().catch(() => {});
  }
}

type Reading<T> = ReturnType<ReadableStreamDefaultReader<T>['read']>;

/** Reads the next chunk. Rejects when the signal aborts, or after `idleMillis` without a byte. */
export function nextChunk<T>(
  reader: { read: () => Reading<T> },
  { idleMillis, signal }: EventStreamOptions,
): Reading<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_, reject) => {
    if (idleMillis === undefined) return;
    timer = setTimeout(reject, idleMillis, new GuideError('timeout', 'The stream went silent.'));
  });
  const reading = signal ? abortable(reader.read(), signal) : reader.read();
  return Promise.race([reading, silence]).finally(() => clearTimeout(timer));
}

export type AnswerStreamDeps = {
  /** Opens the stream of the turn, or resumes it after the frame `lastEventId`, with the same Idempotency-Key. */
  open: (lastEventId: string | undefined, deadlineSeconds: number) => Promise<Response>;
  /** Limits opening the stream, including all attempts. Each resumption has the full time again. */
  deadlineSeconds: number;
  signal: AbortSignal;
  idleMillis: number;
  /** How often in a row the stream may break without any progress. */
  resumptionsMax: number;
};

/**
 * Yields the events of one answer, each once and in order. Resumes a connection that breaks or goes silent after the
 * last frame received. Passes on unknown event types.
 */
export async function* streamAnswer(deps: AnswerStreamDeps): AsyncGenerator<ChatEvent, void, void> {
  const { open, deadlineSeconds, signal, idleMillis, resumptionsMax } = deps;
  const openBeforeMillis = Date.now() + deadlineSeconds * 1000;
  let isOpened = false;
  let lastPosition: Position | undefined;
  let furthestSeq = -1;
  let waitMillis: number | undefined;
  for (let failures = 0; ; ) {
    try {
      const secondsLeft = isOpened ? deadlineSeconds : (openBeforeMillis - Date.now()) / 1000;
      const response = await open(lastPosition?.id, secondsLeft);
      isOpened = true;
      for await (const frame of parseEventStream(await getBody(response), { idleMillis, signal })) {
        if (signal.aborted) throw abortError(signal.reason);
        waitMillis = frame.retryMillis ?? waitMillis;
        const { event, position } = readFrame(frame);
        // A resumed stream may repeat frames; a different message id means that the answer restarted.
        if (position.message === lastPosition?.message && position.seq <= lastPosition.seq) continue;
        lastPosition = position;
        // An answer that keeps restarting makes no progress.
        if (position.seq > furthestSeq) {
          furthestSeq = position.seq;
          failures = 0;
        }
        yield event;
        if (event.type === 'message_end' || event.type === 'error') return;
      }
      throw new GuideError('network', 'The connection broke.');
    } catch (cause) {
      const error = asGuideError(cause);
      const { code, status = 0, retryAfterSeconds = 0 } = error;
      // A proxy responds with 502 and above while the service restarts.
      const isBroken = code === 'network' || code === 'timeout' || (isOpened && status > 501);
      if (!isBroken || ++failures > resumptionsMax) throw error;
      const delayMillis = retryAfterSeconds * 1000 || (waitMillis ?? backoffMillis(failures));
      const pauseMillis = Math.min(spreadMillis(delayMillis), 5000);
      if (!isOpened && Date.now() + pauseMillis > openBeforeMillis) throw error;
      await pause(pauseMillis, signal);
    }
  }
}

/** The position of a frame in its answer; its id is `<message_id>:<seq>`. */
type Position = { id: string; message: string; seq: number };

/** An old polyfill of `fetch` has no streams: then the answer is read when it is complete. */
async function getBody(response: Response): Promise<ReadableStream<Uint8Array>> {
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
  if (isStream) return response.body ?? (await response.blob()).stream();
  throw new GuideError('protocol', 'The response is not an answer stream.', { status: response.status });
}

/** Rejects frames without a position, which could not be distinguished from repeated ones. */
function readFrame({ data, lastEventId: id }: ServerSentEvent): { event: ChatEvent; position: Position } {
  const [, message, seq] = /(.*):(\d+)$/.exec(id) ?? [];
  try {
    const event = JSON.parse(data);
    if (message !== undefined && typeof event?.type === 'string')
      return { event, position: { id, message, seq: Number(seq) } };
  } catch {}
  throw new GuideError('protocol', 'The response is not an answer stream.');
}

export type Bytes = ReadableStream<Uint8Array<ArrayBuffer>>;

/** The service writes continuously while the client reads, so a longer silence means a lost connection. */
export const IDLE_MILLIS = 60_000;

/**
 * Yields the objects of a download, one per line, as they arrive. Leaving the loop ends the request. Throws when the
 * last object is not of type `end`: the download was cut off.
 */
export async function* streamObjects<T extends { type: string }>(
  response: Response,
  signal: AbortSignal,
): AsyncGenerator<T, void, void> {
  let isComplete = false;
  for await (const object of streamRows<T>(response, signal)) {
    isComplete = object.type === 'end';
    yield object;
  }
  if (!isComplete) throw new GuideError('network', 'The download was cut off.');
}

/** Like `streamObjects`, for downloads that have no last object of type `end`. */
export async function* streamRows<T>(response: Response, signal: AbortSignal): AsyncGenerator<T, void, void> {
  const isLines = response.headers.get('content-type')?.startsWith('application/x-ndjson');
  if (!isLines || !response.body)
    throw new GuideError('protocol', 'The response is not NDJSON.', { status: response.status });
  const options = { idleMillis: IDLE_MILLIS, signal, wholeLines: true };
  try {
    for await (const lines of readLines(response.body, options)) {
      for (const line of lines) yield parseLine<T>(line);
    }
  } catch (cause) {
    throw asGuideError(cause);
  }
}

function parseLine<T>(line: string): T {
  try {
    return JSON.parse(line) as T;
  } catch (cause) {
    throw new GuideError('protocol', 'The download contains a line that is not JSON.', { cause });
  }
}

/**
 * Returns the body of a response as a stream that reads only on demand. The stream errors with a `GuideError` when the
 * signal aborts or after a long silence. An error or a cancellation ends the request; `onEnd` runs in every case.
 */
export function readBytes(
  response: Response,
  options: EventStreamOptions,
  onEnd: () => void = () => {},
): Bytes {
  if (!response.body)
    throw new GuideError('protocol', 'The response has no body.', { status: response.status });
  const reader = response.body.getReader();
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          const { done, value } = await nextChunk(reader, options);
          if (!done) return controller.enqueue(value as Uint8Array<ArrayBuffer>);
          controller.close();
        } catch (cause) {
          controller.error(asGuideError(cause));
          reader.cancel().catch(() => {});
        }
        onEnd();
      },
      cancel: (reason) => {
        onEnd();
        return reader.cancel(reason);
      },
    },
    // Do not read ahead.
    { highWaterMark: 0 },
  );
}
