import type { SpokenAudio } from './speech.ts';
import type { Upstream, UpstreamRequest, UpstreamStream } from './upstream.ts';

/** Joins the MP3 replies to several requests into one stream. Resolves once the first reply has proved to be MP3. */
export async function streamMp3(
  upstream: Upstream,
  requests: readonly [UpstreamRequest, ...UpstreamRequest[]],
  signal: AbortSignal,
): Promise<SpokenAudio> {
  const [first, ...rest] = requests;
  let part = await openPart(upstream, first, signal);
  const bytesPerSecond = readBytesPerSecond(part.beginning);
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
    part = await openPart(upstream, request, signal);
    // return() may have run while this request was opening.
    if (isOver) part.stream.cancel();
    return { done: false, value: part.beginning };
  }

  // Not a generator: return() on a generator that has not started would skip its finally block and leak the request.
  const iterator: AsyncIterator<Uint8Array> = {
    next,
    async return() {
      isOver = true;
      part.stream.cancel();
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

/** Enough to recognize an MP3 frame header or an ID3 tag. */
const BEGINNING_BYTES = 4;

async function openPart(upstream: Upstream, request: UpstreamRequest, signal: AbortSignal): Promise<Part> {
  const stream = await upstream.stream(request, signal);
  let beginning: Uint8Array = new Uint8Array();
  while (beginning.length < BEGINNING_BYTES) {
    const chunk = await stream.next();
    if (!chunk) break;
    beginning = beginning.length === 0 ? chunk : Buffer.concat([beginning, chunk]);
  }
  if (isAudio(stream.mime) && isMp3(beginning)) return { stream, beginning };
  stream.cancel();
  throw upstream.failure('upstream', 'answered with something that is not MP3');
}

function isAudio(mime: string): boolean {
  return mime.startsWith('audio/') || mime === 'application/octet-stream';
}

/** Kilobits per second of layer III, by the bit rate index of a frame header: for MPEG 1, and for MPEG 2 and 2.5. */
const KILOBITS_MPEG1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const KILOBITS_MPEG2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];

function isMp3(bytes: Uint8Array): boolean {
  return hasId3Tag(bytes) || readKilobits(bytes, 0) !== undefined;
}

/** Reads the first frame only, since providers send a constant bit rate. Undefined when the frame is not in these bytes. */
function readBytesPerSecond(bytes: Uint8Array): number | undefined {
  const kilobits = readKilobits(bytes, hasId3Tag(bytes) ? readTagBytes(bytes) : 0);
  return kilobits === undefined ? undefined : (kilobits * 1000) / 8;
}

function hasId3Tag(bytes: Uint8Array): boolean {
  return bytes[0] === 0x49 && bytes[1] === 0x44 && bytes[2] === 0x33;
}

/** The length field is four bytes of seven bits each. */
function readTagBytes(bytes: Uint8Array): number {
  const [a = 0, b = 0, c = 0, d = 0] = bytes.subarray(6, 10);
  return 10 + (((a & 127) << 21) | ((b & 127) << 14) | ((c & 127) << 7) | (d & 127));
}

function readKilobits(bytes: Uint8Array, at: number): number | undefined {
  const [first = 0, second = 0, third = 0] = bytes.subarray(at, at + 3);
  const isFrame = first === 0xff && (second & 0xe0) === 0xe0;
  const isLayer3 = (second & 0x06) === 0x02;
  if (!isFrame || !isLayer3) return undefined;
  const isMpeg1 = (second & 0x18) === 0x18;
  // Index 0 means "free format" and 15 is invalid.
  return (isMpeg1 ? KILOBITS_MPEG1 : KILOBITS_MPEG2)[third >> 4] || undefined;
}
