import { asGuideError, GuideError } from './errors.ts';
import { type EventStreamOptions, nextChunk } from './event-stream.ts';

export type Bytes = ReadableStream<Uint8Array<ArrayBuffer>>;

/**
 * The body of an answer, at the pace of its reader, ending with the signal or after a long silence. What goes wrong is a
 * `GuideError`, and then, or when the reader leaves, the request ends too.
 */
export function bytesOf(
  response: Response,
  options: EventStreamOptions,
  onEnd: () => void = () => {},
): Bytes {
  if (!response.body) throw new GuideError('protocol', 'The answer is empty.', { status: response.status });
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
    // Nothing is read before somebody asks for it.
    { highWaterMark: 0 },
  );
}
