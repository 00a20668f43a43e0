import { asGuideError, GuideError } from './errors.ts';
import { linesOf } from './event-stream.ts';

/** The service works all the time that it is read from; longer silence means that the connection is gone. */
export const IDLE_MILLIS = 60_000;

/**
 * The objects of a download, one a line, as they come. Leaving the loop ends the request. A download whose last object
 * has not the type `end` was cut off, which is an error and not an end.
 */
export async function* objectsOf<T extends { readonly type: string }>(
  response: Response,
  signal: AbortSignal,
): AsyncGenerator<T, void, void> {
  let isWhole = false;
  for await (const object of rowsOf<T>(response, signal)) {
    isWhole = object.type === 'end';
    yield object;
  }
  if (!isWhole) throw new GuideError('network', 'The download broke off.');
}

/** The same where no object says that it is the last: only the end of the answer does. */
export async function* rowsOf<T>(response: Response, signal: AbortSignal): AsyncGenerator<T, void, void> {
  const isLines = response.headers.get('content-type')?.startsWith('application/x-ndjson');
  if (!isLines || !response.body)
    throw new GuideError('protocol', 'The answer is no download of lines.', { status: response.status });
  const options = { idleMillis: IDLE_MILLIS, signal, wholeLines: true };
  try {
    for await (const lines of linesOf(response.body, options)) {
      for (const line of lines) yield objectIn<T>(line);
    }
  } catch (cause) {
    throw asGuideError(cause);
  }
}

function objectIn<T>(line: string): T {
  try {
    return JSON.parse(line) as T;
  } catch (cause) {
    throw new GuideError('protocol', 'The download carries a line that is not JSON.', { cause });
  }
}
