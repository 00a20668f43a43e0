import { asGuideError, GuideError } from './errors.ts';
import { type EventStreamOptions, nextChunk, readLines } from './event-stream.ts';

export type Bytes = ReadableStream<Uint8Array<ArrayBuffer>>;

/** The service writes continuously while the client reads, so a longer silence means a lost connection. */
export const IDLE_MILLIS = 60_000;

/**
 * The objects of a download, one per line, as they arrive. Leaving the loop ends the request. Throws when the last object is
 * not of type `end`: the download was cut off.
 */
export async function* objectsIn<T extends { readonly type: string }>(
  response: Response,
  signal: AbortSignal,
): AsyncGenerator<T, void, void> {
  let isComplete = false;
  for await (const object of rowsIn<T>(response, signal)) {
    isComplete = object.type === 'end';
    yield object;
  }
  if (!isComplete) throw new GuideError('network', 'The download was cut off.');
}

/** Like `objectsIn`, for downloads that have no last object of type `end`. */
export async function* rowsIn<T>(response: Response, signal: AbortSignal): AsyncGenerator<T, void, void> {
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
 * The body of a response as bytes, read only on demand. It errors with a `GuideError` when the signal aborts or after a long
 * silence. The request ends on an error and when the reader leaves; `onEnd` runs in every case.
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
