import { SpeechFailure, type SpeechFailureKind, type SpeechProviderName } from './speech.ts';

/** HTTP requests to one provider, with timeouts and cancellation. Errors never contain what the provider sent. */
export type UpstreamOptions = {
  readonly provider: SpeechProviderName;
  readonly baseUrl: string;
  /** Authentication headers. */
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMillis: number;
};

export type UpstreamRequest = {
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: NonNullable<RequestInit['body']>;
  /** Sent as JSON. */
  readonly json?: unknown;
};

export type Upstream = {
  /** The whole reply as JSON, unvalidated. */
  json(request: UpstreamRequest, signal: AbortSignal, timeoutMillis?: number): Promise<unknown>;
  /** Streams the reply. */
  stream(request: UpstreamRequest, signal: AbortSignal): Promise<UpstreamStream>;
  failure(kind: SpeechFailureKind, reason: string): SpeechFailure;
};

export type UpstreamStream = {
  readonly mime: string;
  /** The next bytes, `undefined` at the end. */
  next(): Promise<Uint8Array | undefined>;
  cancel(): void;
};

/** Three times the size of a one-hour transcript with a timestamp per word. */
const JSON_BYTES_MAX = 16 * 1024 * 1024;

export function createUpstream({ provider, baseUrl, headers, timeoutMillis }: UpstreamOptions): Upstream {
  const failure = (kind: SpeechFailureKind, reason: string, retryAfterSeconds?: number) =>
    new SpeechFailure(provider, kind, reason, retryAfterSeconds);

  async function send(request: UpstreamRequest, signal: AbortSignal): Promise<Response> {
    const { path, json } = request;
    const response = await fetch(baseUrl + path, {
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
  let ended: SpeechFailure | undefined;
  const end = (failed: SpeechFailure) => {
    ended ??= failed;
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
        throw ended ?? (error instanceof SpeechFailure ? error : failure('upstream', describeError(error)));
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

/** The network error code, as in ECONNREFUSED; the message may reveal more than that. */
function describeError(error: unknown): string {
  if (error instanceof SyntaxError) return 'answered with something that is not JSON';
  const { code } = ((error as Error).cause ?? error) as { code?: unknown };
  return typeof code === 'string' && /^[A-Z_]{1,40}$/.test(code)
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
 * The error code of a reply, which is the only part that is safe to log: providers quote keys and texts beside it. It is in `error.code` for OpenAI,
 * `err_code` or `category` for Deepgram, `detail.status` for ElevenLabs, `error_code` for Cartesia.
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
