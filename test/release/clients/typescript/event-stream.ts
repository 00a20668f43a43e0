/** Yields the events of a stream, for clients that return the raw body. */
export async function* readEvents<T>(body: ReadableStream<Uint8Array> | null): AsyncGenerator<T> {
  if (!body) throw new Error('the answer has no body');
  let incomplete = '';
  for await (const piece of body.pipeThrough(
    new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>,
  )) {
    const frames = (incomplete + piece).split('\n\n');
    incomplete = frames.pop()!;
    yield* frames.flatMap((frame) => parseEvents<T>(frame));
  }
}

/** Returns the events of a text with complete frames. */
export function parseEvents<T>(text: string): T[] {
  const lines = text.split('\n').filter((line) => line.startsWith('data: '));
  return lines.map((line) => JSON.parse(line.slice('data: '.length)) as T);
}
