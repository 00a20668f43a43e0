import type { z } from 'zod';
import type { ProxySettings } from '../base/proxy.ts';
import {
  type Speaker,
  SpeechFailure,
  type SpeechFailureKind,
  type SpeechProviderName,
  type SpokenAudio,
  type TokenMinter,
  type Transcriber,
} from './speech.ts';

/** HTTP requests to one provider, with timeouts and cancellation. Errors never contain what the provider sent. */
type UpstreamOptions = {
  provider: SpeechProviderName;
  baseUrl: string;
  /** Authentication headers. */
  headers: Readonly<Record<string, string>>;
  timeoutMillis: number;
  proxy: ProxySettings | undefined;
};

export type UpstreamRequest = {
  path: string;
  headers?: Readonly<Record<string, string>>;
  body?: NonNullable<RequestInit['body']>;
  /** Sent as JSON. */
  json?: unknown;
};

export type Upstream = {
  /** Returns the whole reply as JSON, unvalidated. */
  json(request: UpstreamRequest, signal: AbortSignal, timeoutMillis?: number): Promise<unknown>;
  /** Streams the reply. */
  stream(request: UpstreamRequest, signal: AbortSignal): Promise<UpstreamStream>;
  failure(kind: SpeechFailureKind, reason: string): SpeechFailure;
};

type UpstreamStream = {
  mime: string;
  /** Returns the next bytes, or `undefined` at the end. */
  next(): Promise<Uint8Array | undefined>;
  cancel(): void;
};

/** Three times the size of a one-hour transcript with a timestamp per word. */
const JSON_BYTES_MAX = 16 * 1024 * 1024;

export function createUpstream({
  provider,
  baseUrl,
  headers,
  timeoutMillis,
  proxy,
}: UpstreamOptions): Upstream {
  let fetchThrough: Promise<typeof fetch> | undefined;
  const openFetch = () => {
    // Loaded on demand: undici takes long to load, and most services have no proxy.
    fetchThrough ??= proxy
      ? import('../base/proxy.ts').then((adapter) => adapter.openFetch(proxy))
      : Promise.resolve(fetch);
    return fetchThrough;
  };
  const failure = (kind: SpeechFailureKind, reason: string, retryAfterSeconds?: number) =>
    new SpeechFailure(provider, kind, reason, retryAfterSeconds);

  async function send(request: UpstreamRequest, signal: AbortSignal): Promise<Response> {
    const { path, json } = request;
    const fetchFrom = await openFetch();
    const response = await fetchFrom(baseUrl + path, {
      method: 'POST',
      // A redirect would send the key to another host.
      redirect: 'error',
      signal,
      headers: {
        ...headers,
        ...request.headers,
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(json === undefined ? { body: request.body ?? null } : { body: JSON.stringify(json) }),
    });
    if (response.status === 200 || response.status === 201) return response;
    const code = await readErrorCode(response);
    throw failure(
      toFailureKind(response.status),
      `answered ${response.status}${code ? ` ${code}` : ''}`,
      parseRetryAfter(response),
    );
  }

  return {
    failure,
    async json(request, signal, millis = timeoutMillis) {
      const call = openCall(signal, millis, failure);
      const read = async (openSignal: AbortSignal): Promise<unknown> =>
        JSON.parse(await readText(await send(request, openSignal)));
      return call.within(read).finally(call.cancel);
    },
    async stream(request, signal) {
      const call = openCall(signal, timeoutMillis, failure);
      try {
        const response = await call.within((openSignal) => send(request, openSignal));
        const reader = response.body?.getReader();
        return {
          mime: readMime(response),
          async next() {
            const read = await call.within(async () => reader?.read());
            if (!read?.done && read) return read.value;
            call.cancel();
            return undefined;
          },
          cancel: call.cancel,
        };
      } catch (error) {
        call.cancel();
        throw error;
      }
    },
  };
}

type Call = {
  /** Runs one step under the timeout. */
  within<T>(step: (openSignal: AbortSignal) => Promise<T>): Promise<T>;
  /** Closes the connection; call it on every path. */
  cancel(): void;
};

function openCall(
  caller: AbortSignal,
  timeoutMillis: number,
  failure: (kind: SpeechFailureKind, reason: string) => SpeechFailure,
): Call {
  const open = new AbortController();
  let endFailure: SpeechFailure | undefined;
  const end = (failed: SpeechFailure) => {
    endFailure ??= failed;
    open.abort();
  };
  const onCallerAbort = () => end(failure('aborted', 'the caller disconnected'));
  if (caller.aborted) onCallerAbort();
  else caller.addEventListener('abort', onCallerAbort, { once: true });

  return {
    async within(step) {
      const timer = setTimeout(
        () => end(failure('timeout', `sent nothing for ${timeoutMillis} ms`)),
        timeoutMillis,
      );
      try {
        return await step(open.signal);
      } catch (error) {
        // Messages of other errors may quote the request or the reply.
        throw (
          endFailure ?? (error instanceof SpeechFailure ? error : failure('upstream', describeError(error)))
        );
      } finally {
        clearTimeout(timer);
      }
    },
    cancel() {
      caller.removeEventListener('abort', onCallerAbort);
      open.abort();
    },
  };
}

function toFailureKind(status: number): SpeechFailureKind {
  if (status === 401 || status === 402 || status === 403) return 'credentials';
  if (status === 429) return 'busy';
  if (status === 408) return 'timeout';
  return status >= 400 && status < 500 ? 'refused' : 'upstream';
}

const RETRY_AFTER_SECONDS_MAX = 3600;

function parseRetryAfter(response: Response): number | undefined {
  const header = response.headers.get('retry-after') ?? '';
  if (!/^\d{1,9}$/.test(header)) return undefined;
  return Math.min(Math.max(Number(header), 1), RETRY_AFTER_SECONDS_MAX);
}

/** Describes an error by its network error code, such as ECONNREFUSED. Its message may reveal more than that. */
function describeError(error: unknown): string {
  if (error instanceof SyntaxError) return 'answered with something that is not JSON';
  const { code } = ((error as Error).cause ?? error) as { code?: unknown };
  return typeof code === 'string' && /^[A-Z_]{1,40}\d{0,3}$/.test(code)
    ? `connection failed: ${code}`
    : 'connection failed';
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > JSON_BYTES_MAX) throw new SyntaxError('the reply is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function readMime(response: Response): string {
  const [mime = ''] = (response.headers.get('content-type') ?? '').split(';');
  return mime.trim().toLowerCase();
}

const ERROR_BYTES_MAX = 8 * 1024;

/**
 * Returns the error code of a reply, the only part that is safe to log: providers quote keys and texts beside it. It is
 * in `error.code` or `error.type` for OpenAI, `err_code` or `category` for Deepgram, `detail.status` for ElevenLabs,
 * and `error_code` for Cartesia.
 */
async function readErrorCode(response: Response): Promise<string | undefined> {
  const reply = asObject(parseJson(await readBeginning(response)));
  const { error, detail } = reply;
  const candidates = [
    asObject(error).code,
    asObject(error).type,
    reply.err_code,
    reply.category,
    asObject(detail).status,
    reply.error_code,
  ];
  // Letters and underscores only, so it cannot be a key.
  return candidates.find(
    (code) => typeof code === 'string' && /^[A-Za-z]+(_[A-Za-z]+){0,6}$/.test(code) && code.length <= 48,
  ) as string | undefined;
}

async function readBeginning(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    bytes += chunk.length;
    // Leaving the loop closes the connection.
    if (bytes > ERROR_BYTES_MAX) break;
  }
  return Buffer.concat(chunks).toString();
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

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
    bytesPerSecond,
  };
}

type Part = { stream: UpstreamStream; beginning: Uint8Array };

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

/** Reads only the first frame, since bit rates are constant. Returns undefined when the frame is not in these bytes. */
function readBytesPerSecond(bytes: Uint8Array): number | undefined {
  const kilobits = readKilobits(bytes, hasId3Tag(bytes) ? readTagBytes(bytes) : 0);
  return kilobits === undefined ? undefined : (kilobits * 1000) / 8;
}

function hasId3Tag(bytes: Uint8Array): boolean {
  return bytes[0] === 0x49 && bytes[1] === 0x44 && bytes[2] === 0x33;
}

/** Reads the length of an ID3 tag, a field of four bytes with seven bits each. */
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

/** The parts of the speech port that one provider implements. */
export type SpeechProvider = {
  minter?: TokenMinter;
  transcriber?: Transcriber;
  speaker?: Speaker;
};

/** Validates a provider's reply; unknown fields are ignored. */
export function parseReply<T>(upstream: Upstream, schema: z.ZodType<T>, reply: unknown): T {
  const parsed = schema.safeParse(reply);
  if (!parsed.success) throw upstream.failure('upstream', 'answered with JSON that lacks required fields');
  return parsed.data;
}

/** Returns `de` for `de-CH`; undefined when the locale is invalid or names no language. */
export function getLanguage(locale: string | undefined): string | undefined {
  if (locale === undefined) return undefined;
  try {
    const { language } = new Intl.Locale(locale);
    return language === 'und' ? undefined : language;
  } catch {
    return undefined;
  }
}
