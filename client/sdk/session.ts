import { bootGuide } from '../../generated/routes.ts';
import type { BootReply, BootRequest } from '../../generated/types.ts';
import { GuideError, isGuideError } from './errors.ts';
import { abortable, type Http, readJson } from './http.ts';

const RENEWED_BEFORE_EXPIRY_MILLIS = 60_000;
/** A device whose clock runs far ahead thinks every token expired; it renews this often and no more. */
const RENEWED_AT_MOST_EVERY_MILLIS = 30_000;
/** A longer timer fires at once. */
const TIMER_MILLIS_MAX = 2 ** 31 - 1;

export type SessionDeps = {
  readonly http: Http;
  readonly now: () => number;
  readonly signal: AbortSignal;
  /** What to boot with, asked for each time. */
  readonly request: () => BootRequest;
  readonly onBoot: (reply: BootReply) => void;
  /** A boot that was made already, to go on from. */
  readonly booted?: BootReply | undefined;
};

export type Session = {
  readonly state: () => BootReply | undefined;
  /** Boots, or joins the boot that is under way. Anew, when that cannot know of what changed: its answer is dropped. */
  readonly boot: (anew?: boolean) => Promise<BootReply>;
  /** What the last boot was answered with. */
  readonly answer: () => Response;
  /** Does something with a fresh token, and once more with a newer one when the service says 401. */
  readonly authorized: <T>(signal: AbortSignal, send: (token: string | null) => Promise<T>) => Promise<T>;
  readonly forget: () => void;
};

/** Keeps one visitor booted: however many calls find the token old, one boot renews it. */
export function openSession({ http, now, signal: closing, request, onBoot, booted }: SessionDeps): Session {
  let state: BootReply | undefined;
  let booting: Promise<BootReply> | undefined;
  let answer: Response;
  let renewAtMillis = 0;
  let usedSinceBoot = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  closing.addEventListener('abort', () => clearTimeout(timer));

  function boot(anew = false): Promise<BootReply> {
    if (booting && !anew) return booting;
    const mine: Promise<BootReply> = http({
      route: bootGuide,
      body: request(),
      signal: closing,
      harmlessAgain: true,
      read: async (response) => {
        const reply = await readJson<BootReply | null>(response);
        if (reply?.visitor_id && reply.features && reply.config?.consent && reply.consent_directive)
          return { reply, response };
        throw new GuideError('protocol', 'The answer is not a boot.', { status: response.status });
      },
    })
      .then(({ reply, response }) => {
        // Dropped; whoever waits for it gets that of the boot in its place.
        if (booting !== mine) return booting ?? state ?? boot();
        answer = response;
        take(reply);
        return reply;
      })
      .finally(() => {
        if (booting === mine) booting = undefined;
      });
    booting = mine;
    return mine;
  }

  function take(reply: BootReply): void {
    state = reply;
    usedSinceBoot = false;
    const aheadOfExpiryMillis = reply.jwt_expires_at * 1000 - RENEWED_BEFORE_EXPIRY_MILLIS;
    renewAtMillis = Math.max(aheadOfExpiryMillis, now() + RENEWED_AT_MOST_EVERY_MILLIS);
    onBoot(reply);
    renewLater();
  }

  /** Renews ahead of time while the guide is in use. An idle page falls silent; its next call renews. */
  function renewLater(): void {
    clearTimeout(timer);
    if (state?.jwt == null || closing.aborted) return;
    timer = setTimeout(
      () => {
        if (usedSinceBoot) boot().catch(() => {});
      },
      Math.min(renewAtMillis - now(), TIMER_MILLIS_MAX),
    );
    // Where the timer is an object it would otherwise keep the process alive.
    (timer as { unref?: () => void }).unref?.();
  }

  async function fresh(): Promise<BootReply> {
    if (state === undefined) return boot();
    if (state.jwt === null || now() < renewAtMillis) return state;
    const old = state;
    return boot().catch((error) => {
      // Renewed early on purpose: the old token still serves for a while when the service is out of reach.
      if (now() < old.jwt_expires_at * 1000 && !isGuideError(error, 'aborted')) return old;
      throw error;
    });
  }

  if (booted) take(booted);
  return {
    state: () => state,
    boot,
    answer: () => answer,
    authorized: async (signal, send) => {
      const { jwt } = await abortable(fresh(), signal);
      usedSinceBoot = true;
      try {
        return await send(jwt);
      } catch (error) {
        if (jwt === null || !isGuideError(error) || error.status !== 401) throw error;
        const renewed = state !== undefined && state.jwt !== jwt ? state : await abortable(boot(), signal);
        return send(renewed.jwt);
      }
    },
    forget: () => {
      state = booting = undefined;
      clearTimeout(timer);
    },
  };
}
