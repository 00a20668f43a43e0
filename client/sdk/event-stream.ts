import { GuideError } from './errors.ts';
import { abortable } from './http.ts';

/** One event of a Server-Sent Events stream, as the WHATWG standard reads it. */
export type ServerSentEvent = {
  /** The event type; `message` when the stream names none. */
  readonly type: string;
  readonly data: string;
  /** The last id that the stream has named so far; empty before the first. */
  readonly lastEventId: string;
  /** The wait before a reconnection that the stream has asked for last, in milliseconds. */
  readonly retryMillis?: number;
};

export type EventStreamOptions = {
  /** A stream that brings no byte for this long, not even a comment, is given up with a `timeout`. */
  readonly idleMillis?: number;
  /** Ends the wait for the next chunk with `aborted`. */
  readonly signal?: AbortSignal;
};

/** How lines are read, as different from events. */
type LineOptions = EventStreamOptions & {
  /** True where a last line without its end means that the stream was cut off. */
  readonly wholeLines?: boolean;
};

/**
 * Reads a Server-Sent Events stream: a byte order mark, any of the three line ends even when a chunk splits it, data of
 * several lines, ids, comments. Leaving the loop cancels the stream. An event that the end of the stream cuts off is not
 * dispatched.
 */
export async function* parseEventStream(
  stream: ReadableStream<Uint8Array>,
  options: EventStreamOptions = {},
): AsyncGenerator<ServerSentEvent, void, void> {
  let data: string[] = [];
  let type = '';
  let lastEventId = '';
  let retryMillis: number | undefined;
  for await (const lines of linesOf(stream, options)) {
    for (const line of lines) {
      if (line !== '') {
        const [field, value] = fieldOf(line);
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
          ...(retryMillis === undefined ? {} : { retryMillis }),
        };
      data = [];
      type = '';
    }
  }
}

/** A comment has the empty field name, which no one asks for. */
function fieldOf(line: string): [field: string, value: string] {
  const colon = line.indexOf(':');
  if (colon < 0) return [line, ''];
  return [line.slice(0, colon), line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)];
}

/** The lines that each chunk completes; one that the end cuts off is left out. */
export async function* linesOf(
  stream: ReadableStream<Uint8Array>,
  options: LineOptions,
): AsyncGenerator<string[]> {
  const reader = stream.getReader();
  // The decoder keeps a character that a chunk splits. It is not asked to swallow the byte order mark: when that comes alone,
  // some runtimes swallow a second one, too.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let isFirst = true;
  let rest = '';
  let afterCarriageReturn = false;
  try {
    for (;;) {
      const { done, value } = await nextChunk(reader, options);
      if (done && options.wholeLines && rest !== '')
        throw new GuideError('network', 'The download broke off.');
      if (done) return;
      let text = decoder.decode(value, { stream: true });
      if (text === '') continue;
      if (isFirst && text.startsWith('\uFEFF')) text = text.slice(1);
      isFirst = false;
      if (afterCarriageReturn && text.startsWith('\n')) text = text.slice(1);
      afterCarriageReturn = text.endsWith('\r');
      const lines = (rest + text).split(/\r\n|\r|\n/);
      rest = lines.pop() ?? '';
      yield lines;
    }
  } finally {
    // A stream that failed refuses to be cancelled, and that says nothing new.
    reader.cancel().catch(() => {});
  }
}

type Reading<T> = ReturnType<ReadableStreamDefaultReader<T>['read']>;

/** Waits for bytes, unless the signal or a long silence ends the wait. */
export function nextChunk<T>(
  reader: { readonly read: () => Reading<T> },
  { idleMillis, signal }: EventStreamOptions,
): Reading<T> {
  return within(idleMillis, signal ? abortable(reader.read(), signal) : reader.read());
}

async function within<T>(idleMillis: number | undefined, reading: Promise<T>): Promise<T> {
  if (idleMillis === undefined) return reading;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(reject, idleMillis, new GuideError('timeout', 'The stream fell silent.'));
  });
  try {
    return await Promise.race([reading, silence]);
  } finally {
    clearTimeout(timer);
  }
}
