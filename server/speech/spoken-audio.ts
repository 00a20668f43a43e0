import { isMp3, mp3BytesPerSecond } from './mp3.ts';
import type { SpokenAudio } from './speech.ts';
import type { Upstream, UpstreamRequest, UpstreamStream } from './upstream.ts';

/** Speech that a provider sends as mp3, one request after the other. Resolves with the first bytes of the first one at hand. */
export async function spokenAudio(
  upstream: Upstream,
  requests: readonly [UpstreamRequest, ...UpstreamRequest[]],
  signal: AbortSignal,
): Promise<SpokenAudio> {
  const [first, ...rest] = requests;
  let part = await begun(upstream, first, signal);
  const bytesPerSecond = mp3BytesPerSecond(part.beginning);
  let beginning: Uint8Array | undefined = part.beginning;
  let isOver = false;

  async function next(): Promise<IteratorResult<Uint8Array>> {
    if (isOver) return { done: true, value: undefined };
    if (beginning) {
      const value = beginning;
      beginning = undefined;
      return { done: false, value };
    }
    const chunk = await part.stream.next();
    if (chunk) return { done: false, value: chunk };
    const request = rest.shift();
    if (!request) {
      isOver = true;
      return { done: true, value: undefined };
    }
    part = await begun(upstream, request, signal);
    // Whoever left in the meantime could not hang up on it yet.
    if (isOver) part.stream.hangUp();
    return { done: false, value: part.beginning };
  }

  // By hand, because a generator that nobody has begun to read doesn't hear that its reader leaves.
  const iterator: AsyncIterator<Uint8Array> = {
    next,
    async return() {
      isOver = true;
      part.stream.hangUp();
      return { done: true, value: undefined };
    },
  };
  return {
    mime: 'audio/mpeg',
    body: { [Symbol.asyncIterator]: () => iterator },
    ...(bytesPerSecond === undefined ? {} : { bytesPerSecond }),
  };
}

type Part = { readonly stream: UpstreamStream; readonly beginning: Uint8Array };

/** As much as it takes to tell sound from anything else. */
const BEGINNING_BYTES = 4;

async function begun(upstream: Upstream, request: UpstreamRequest, signal: AbortSignal): Promise<Part> {
  const stream = await upstream.stream(request, signal);
  let beginning: Uint8Array = new Uint8Array();
  while (beginning.length < BEGINNING_BYTES) {
    const chunk = await stream.next();
    if (!chunk) break;
    beginning = beginning.length === 0 ? chunk : Buffer.concat([beginning, chunk]);
  }
  if (isAudio(stream.mime) && isMp3(beginning)) return { stream, beginning };
  stream.hangUp();
  throw upstream.failure('upstream', 'answered with something that is not mp3');
}

function isAudio(mime: string): boolean {
  return mime.startsWith('audio/') || mime === 'application/octet-stream';
}
