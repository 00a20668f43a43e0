import { bootGuide } from '../../generated/routes.ts';
import type { BootReply, BootRequest } from '../../generated/types.ts';
import { GuideError, isGuideError } from './errors.ts';
import { abortable, type Http, type HttpCall, readJson } from './http.ts';

const RENEW_BEFORE_EXPIRY_MILLIS = 60_000;
/** Limits renewals on a device whose clock is far ahead, where every token looks expired. */
const RENEWAL_INTERVAL_MILLIS_MIN = 30_000;
/** Timers with a longer delay fire at once. */
const TIMER_MILLIS_MAX = 2 ** 31 - 1;

export type SessionDeps = {
  http: Http;
  now: () => number;
  signal: AbortSignal;
  /** Builds the request of each boot. */
  request: () => BootRequest;
  onBoot: (reply: BootReply) => void;
  /** The reply to a boot that the page has made already. */
  booted?: BootReply | undefined;
};

/** Crawlers get no token, so booting as one throws. */
export type TokenReply = BootReply & { jwt: string };

export type Session = {
  state: () => TokenReply | undefined;
  /** Boots, or joins a running boot. `restart` drops the reply of a running boot and starts a new one. */
  boot: (restart?: boolean) => Promise<TokenReply>;
  /** The response to the last boot. */
  response: () => Response;
  /** Runs `send` with a fresh token, and once more with a renewed one after a 401. */
  authorized: <T>(signal: AbortSignal, send: (token: string) => Promise<T>) => Promise<T>;
  clear: () => void;
};

/** Keeps the token of one visitor fresh. Calls that find it expired share one boot. */
export function openSession(deps: SessionDeps): Session {
  const { now } = deps;
  let state: TokenReply | undefined;
  let booting: Promise<TokenReply> | undefined;
  let response: Response;
  let renewAtMillis = 0;
  let isUsedSinceBoot = false;
  const startTimer = createTimer(deps.signal);

  function boot(restart = false): Promise<TokenReply> {
    if (booting && !restart) return booting;
    const thisBoot: Promise<TokenReply> = requestBoot(deps)
      .then((booted) => {
        // A restart dropped this boot; its callers get the reply of the new one.
        if (booting !== thisBoot) return booting ?? state ?? boot();
        response = booted.response;
        setState(booted.reply);
        return booted.reply;
      })
      .finally(() => {
        if (booting === thisBoot) booting = undefined;
      });
    booting = thisBoot;
    return thisBoot;
  }

  function setState(reply: TokenReply): void {
    state = reply;
    isUsedSinceBoot = false;
    const beforeExpiryMillis = reply.jwt_expires_at * 1000 - RENEW_BEFORE_EXPIRY_MILLIS;
    renewAtMillis = Math.max(beforeExpiryMillis, now() + RENEWAL_INTERVAL_MILLIS_MIN);
    deps.onBoot(reply);
    // Renews ahead of time while the guide is in use. An idle page renews on its next call.
    startTimer(renewAtMillis - now(), () => isUsedSinceBoot && state && boot().catch(() => {}));
  }

  async function getFreshState(): Promise<TokenReply> {
    const current = state;
    if (current && now() < renewAtMillis) return current;
    return boot().catch((error) => {
      // The old token is valid for a while longer; use it when the service is unreachable.
      if (current && now() < current.jwt_expires_at * 1000 && !isGuideError(error, 'aborted')) return current;
      throw error;
    });
  }

  async function authorized<T>(signal: AbortSignal, send: (token: string) => Promise<T>): Promise<T> {
    const { jwt } = await abortable(getFreshState(), signal);
    isUsedSinceBoot = true;
    return send(jwt).catch(async (error) => {
      if (!isGuideError(error) || error.status !== 401) throw error;
      const renewed = state && state.jwt !== jwt ? state : await abortable(boot(), signal);
      return send(renewed.jwt);
    });
  }

  function clear(): void {
    state = booting = undefined;
  }

  if (deps.booted && hasToken(deps.booted)) setState(deps.booted);
  return { state: () => state, boot, response: () => response, authorized, clear };
}

/** Returns a function that starts the timer again, until the guide is closed. */
function createTimer(closing: AbortSignal): (millis: number, act: () => unknown) => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  closing.addEventListener('abort', () => clearTimeout(timer));
  return (millis, act) => {
    clearTimeout(timer);
    if (closing.aborted) return;
    timer = setTimeout(act, Math.min(millis, TIMER_MILLIS_MAX));
    // In Node the timer would keep the process alive.
    (timer as { unref?: () => void }).unref?.();
  };
}

const hasToken = (reply: BootReply): reply is TokenReply => reply.jwt !== null;

const BOT_MESSAGE = 'The service gives crawlers no token, and takes this caller for one by its user agent.';

type Booted = { reply: TokenReply; response: Response };

function requestBoot({ http, request, signal }: SessionDeps): Promise<Booted> {
  return http({
    route: bootGuide,
    body: request(),
    // As text, pages of other origins can send it without a CORS preflight.
    headers: { 'content-type': 'text/plain' },
    signal,
    idempotent: true,
    read: async (response) => {
      const reply = await readJson<BootReply | null>(response);
      const { status, headers } = response;
      if (!reply?.visitor_id || !reply.features || !reply.config?.consent || !reply.consent_directive)
        throw new GuideError('protocol', 'The response is not a boot reply.', { status });
      if (hasToken(reply)) return { reply, response };
      const requestId = headers.get('x-request-id');
      throw new GuideError('bot', BOT_MESSAGE, { status, ...(requestId ? { requestId } : {}) });
    },
  });
}

/** Functions with which extensions of a guide, such as `withVoice`, call the service as its visitor. */
export type GuideInternals = {
  /** Aborts when the guide is closed. */
  closing: AbortSignal;
  /** Calls with a fresh token until either signal aborts. Streaming the body afterwards is up to the caller. */
  call<T>(signal: AbortSignal | undefined, call: VisitorCall<T>): Promise<T>;
  /** Sends at once with the current token, even after `close()`: for when the page is being left. */
  lastCall<T>(call: VisitorCall<T>): Promise<T>;
};
export type VisitorCall<T> = Omit<HttpCall<T>, 'signal' | 'token'>;

const internals = new WeakMap<object, GuideInternals>();

export function attachInternals<G extends object>(guide: G, guideInternals: GuideInternals): G {
  internals.set(guide, guideInternals);
  return guide;
}

export function getInternals(guide: object): GuideInternals {
  const guideInternals = internals.get(guide);
  if (!guideInternals) throw new TypeError('withVoice takes a guide that createGuide returned.');
  return guideInternals;
}
