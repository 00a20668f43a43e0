import { Agent, request } from 'undici';
import { SOURCE_LIMITS } from '../../contract/limits/sources.ts';
import { VERSION } from '../base/version.ts';
import { RunFailed, type SkipCause } from './document.ts';
import { createAddressCheck, type NetworkSettings } from './public-addresses.ts';
import { createThrottle, waitFor } from './throttle.ts';
import { ENCODINGS, readBody, toSkipCause } from './website/fetch.ts';

/** Calls the APIs of services that sources are read from: public addresses only, bounded, at the pace that they ask for. */

type ApiRequest = {
  method?: 'GET' | 'POST';
  headers?: Readonly<Record<string, string>>;
  body?: string;
};
type ApiResponse = { status: number; headers: Readonly<Record<string, string>>; text: string };

export type ServiceApi = {
  /**
   * Follows no redirect, which could lead a credential elsewhere. Asks again when the service is busy.
   * @throws RunFailed when there is no response, or none after several attempts.
   */
  send(url: string, options?: ApiRequest): Promise<ApiResponse>;
  close(): void;
};

export type ServiceSettings = NetworkSettings & {
  /** Pause between two requests, if it is not that of the service. */
  intervalMillis?: number;
};

type ApiOptions = NetworkSettings & { intervalMillis: number; signal: AbortSignal };

const SECONDS_MAX = 30;
const CONNECT_MILLIS = 10_000;
const ATTEMPTS_MAX = 5;
/** The first pause before another attempt; each further one is twice as long. */
const BACKOFF_MILLIS = 500;
const BUSY = [409, 429, 500, 502, 503, 504, 529];

export function createServiceApi({ intervalMillis, signal, ...network }: ApiOptions): ServiceApi {
  const { lookup, checkLiteral } = createAddressCheck(network);
  const agent = new Agent({
    connect: { lookup, timeout: CONNECT_MILLIS },
    headersTimeout: SECONDS_MAX * 1000,
    bodyTimeout: SECONDS_MAX * 1000,
    allowH2: false,
  });
  const waitForTurn = createThrottle(intervalMillis, signal);

  async function sendOnce(
    url: URL,
    { method = 'GET', headers, body }: ApiRequest,
    timeout: AbortSignal,
  ): Promise<ApiResponse> {
    const limited = AbortSignal.any([signal, timeout]);
    const response = await request(url, {
      ...{ dispatcher: agent, method, body: body ?? null, signal: limited },
      headers: { ...headers, 'user-agent': USER_AGENT, 'accept-encoding': 'gzip, br' },
    });
    const plain = Object.fromEntries(
      Object.entries(response.headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]),
    );
    const encoding = (plain['content-encoding'] ?? '').trim().toLowerCase();
    if (!ENCODINGS.includes(encoding)) throw new Error(`unknown encoding ${encoding}`);
    const bytes = await readBody(response.body, encoding, SOURCE_LIMITS.serviceBytesMax, limited);
    return { status: response.statusCode, headers: plain, text: new TextDecoder().decode(bytes) };
  }

  async function attempt(url: URL, options: ApiRequest): Promise<ApiResponse | SkipCause> {
    await waitForTurn(url.origin, 0);
    const timeout = AbortSignal.timeout(SECONDS_MAX * 1000);
    try {
      return await sendOnce(url, options, timeout);
    } catch (error) {
      signal.throwIfAborted();
      return toSkipCause(error, timeout.aborted);
    }
  }

  return {
    async send(text, options = {}) {
      const url = new URL(text);
      const refused = checkLiteral(url);
      if (refused) throw toFailure(url, { reason: 'private_address', detail: refused.setting });
      for (let attempts = 1; ; attempts += 1) {
        const outcome = await attempt(url, options);
        const isBusy = 'reason' in outcome ? isTemporary(outcome) : BUSY.includes(outcome.status);
        if (!isBusy && !('reason' in outcome)) return outcome;
        const millis = getPauseMillis(outcome, attempts);
        if (!isBusy || attempts === ATTEMPTS_MAX || millis > SOURCE_LIMITS.retryAfterSecondsMax * 1000)
          throw toFailure(url, outcome);
        await waitFor(millis, signal);
      }
    },
    close: () => void agent.destroy(),
  };
}

const USER_AGENT = `Guidepost/${VERSION.version} (knowledge import)`;

const isTemporary = ({ reason }: SkipCause) => reason === 'unreachable' || reason === 'timeout';

function getPauseMillis(outcome: ApiResponse | SkipCause, attempts: number): number {
  const asked = 'headers' in outcome ? Number(outcome.headers['retry-after'] ?? Number.NaN) : Number.NaN;
  return Number.isFinite(asked) ? Math.max(0, asked) * 1000 : BACKOFF_MILLIS * 2 ** (attempts - 1);
}

function toFailure({ origin, pathname }: URL, outcome: ApiResponse | SkipCause): RunFailed {
  const cause: SkipCause =
    'reason' in outcome ? outcome : { reason: 'http_status', detail: String(outcome.status) };
  if (cause.reason === 'private_address')
    return new RunFailed('private_address', `${origin} ${cause.detail}`);
  const why = cause.detail === undefined ? cause.reason : `${cause.reason} ${cause.detail}`;
  return new RunFailed('start_unreachable', `${origin}${pathname} (${why})`);
}
