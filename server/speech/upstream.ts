import { errorCodeOf } from './error-code.ts';
import { SpeechFailure, type SpeechFailureKind, type SpeechProviderName } from './speech.ts';

/** One request to a provider, from its first byte to its last: in time, given up when our caller hangs up, never answering with what came. */
export type UpstreamOptions = {
  readonly provider: SpeechProviderName;
  readonly baseUrl: string;
  /** The header that says who we are. */
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
  /** The whole answer as JSON; whoever asks checks what is in it. */
  json(request: UpstreamRequest, signal: AbortSignal, timeoutMillis?: number): Promise<unknown>;
  /** An answer that is read while it comes. */
  stream(request: UpstreamRequest, signal: AbortSignal): Promise<UpstreamStream>;
  failure(kind: SpeechFailureKind, reason: string): SpeechFailure;
};

export type UpstreamStream = {
  readonly mime: string;
  /** The next bytes, `undefined` at the end. */
  next(): Promise<Uint8Array | undefined>;
  hangUp(): void;
};

/** A transcript of an hour with a time for each word is a third of that. */
const JSON_BYTES_MAX = 16 * 1024 * 1024;

export function createUpstream({ provider, baseUrl, headers, timeoutMillis }: UpstreamOptions): Upstream {
  const failure = (kind: SpeechFailureKind, reason: string, retryAfterSeconds?: number) =>
    new SpeechFailure(provider, kind, reason, retryAfterSeconds);

  async function answerTo(request: UpstreamRequest, signal: AbortSignal): Promise<Response> {
    const { path, json } = request;
    const response = await fetch(baseUrl + path, {
      method: 'POST',
      // A key is sent to the address that was configured, and to no other.
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
    const code = await errorCodeOf(response);
    throw failure(
      kindOfStatus(response.status),
      `answered ${response.status}${code ? ` ${code}` : ''}`,
      retryAfterOf(response),
    );
  }

  return {
    failure,
    async json(request, signal, millis = timeoutMillis) {
      const call = openCall(signal, millis, failure);
      try {
        return await call.within(async (whileOpen) => {
          const text = await textOf(await answerTo(request, whileOpen));
          return JSON.parse(text) as unknown;
        });
      } finally {
        call.hangUp();
      }
    },
    async stream(request, signal) {
      const call = openCall(signal, timeoutMillis, failure);
      try {
        const response = await call.within((whileOpen) => answerTo(request, whileOpen));
        const reader = response.body?.getReader();
        return {
          mime: mimeOf(response),
          async next() {
            const read = await call.within(async () => reader?.read());
            if (!read?.done && read) return read.value;
            call.hangUp();
            return undefined;
          },
          hangUp: call.hangUp,
        };
      } catch (error) {
        call.hangUp();
        throw error;
      }
    },
  };
}

type Call = {
  /** Does one step, in time. */
  within<T>(step: (whileOpen: AbortSignal) => Promise<T>): Promise<T>;
  /** Closes what is still open; to be called at every end. */
  hangUp(): void;
};

function openCall(
  caller: AbortSignal,
  timeoutMillis: number,
  failure: (kind: SpeechFailureKind, reason: string) => SpeechFailure,
): Call {
  const open = new AbortController();
  let ended: SpeechFailure | undefined;
  const end = (why: SpeechFailure) => {
    ended ??= why;
    open.abort();
  };
  const callerLeft = () => end(failure('aborted', 'our caller hung up'));
  if (caller.aborted) callerLeft();
  else caller.addEventListener('abort', callerLeft, { once: true });

  return {
    async within(step) {
      const timer = setTimeout(
        () => end(failure('timeout', `gave no sign for ${timeoutMillis} ms`)),
        timeoutMillis,
      );
      try {
        return await step(open.signal);
      } catch (error) {
        // The message of another error may quote what was sent or what came.
        throw ended ?? (error instanceof SpeechFailure ? error : failure('upstream', reasonOf(error)));
      } finally {
        clearTimeout(timer);
      }
    },
    hangUp() {
      caller.removeEventListener('abort', callerLeft);
      open.abort();
    },
  };
}

function kindOfStatus(status: number): SpeechFailureKind {
  if (status === 401 || status === 402 || status === 403) return 'credentials';
  if (status === 429) return 'busy';
  if (status === 408) return 'timeout';
  return status >= 400 && status < 500 ? 'refused' : 'upstream';
}

const RETRY_AFTER_SECONDS_MAX = 3600;

function retryAfterOf(response: Response): number | undefined {
  const given = response.headers.get('retry-after') ?? '';
  if (!/^\d{1,9}$/.test(given)) return undefined;
  return Math.min(Math.max(Number(given), 1), RETRY_AFTER_SECONDS_MAX);
}

/** Which error of the network it was, as in ECONNREFUSED; its message may hold more than that. */
function reasonOf(error: unknown): string {
  if (error instanceof SyntaxError) return 'answered with something that is not JSON';
  const { code } = ((error as Error).cause ?? error) as { code?: unknown };
  return typeof code === 'string' && /^[A-Z_]{1,40}$/.test(code) ? `broke off: ${code}` : 'broke off';
}

async function textOf(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > JSON_BYTES_MAX) throw new SyntaxError('more than any answer can be');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function mimeOf(response: Response): string {
  const [mime = ''] = (response.headers.get('content-type') ?? '').split(';');
  return mime.trim().toLowerCase();
}
