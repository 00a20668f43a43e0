/**
 * Keeps requests away from a service that fails. Closed: requests pass, and three failures in a row open the breaker.
 * Open: no request passes. Half open, after a pause: one request probes, and its outcome closes or opens the breaker
 * again.
 */
export type CircuitBreaker = {
  /** Begins an attempt. Returns undefined while no request may be sent. */
  begin(): Attempt | undefined;
  isClosed: boolean;
  /** Milliseconds until a request may probe. */
  millisLeft: number;
};

/** A request to the service. Only the first call of any of these methods counts. */
type Attempt = {
  succeed(): void;
  fail(retryAfterSeconds?: number): void;
  /** Ends an attempt that says nothing about the service, because its caller gave up. */
  giveUp(): void;
};

const FAILURES_TO_OPEN = 3;
const OPEN_MILLIS = 15_000;
const OPEN_MILLIS_MAX = 60_000;
/** After this time another request may probe, in case the attempt was never ended. */
const PROBE_MILLIS_MAX = 120_000;

/** @param openMillis how long it stays open unless the service says otherwise */
export function createCircuitBreaker(now: () => number, openMillis = OPEN_MILLIS): CircuitBreaker {
  let failures = 0;
  let opened: Pause | undefined;
  let probe: Pause | undefined;

  function open(millis: number): void {
    opened = startPause(now(), millis);
    probe = undefined;
  }

  function createAttempt(isProbe: boolean): Attempt {
    const own = probe;
    let hasEnded = false;
    const end = (apply: () => void) => () => {
      if (hasEnded) return;
      hasEnded = true;
      // Ignore a probe that another request took over, and a request from before the breaker opened.
      if (isProbe ? probe !== own : opened) return;
      apply();
    };
    return {
      succeed: end(() => {
        failures = 0;
        opened = undefined;
        probe = undefined;
      }),
      fail: (retryAfterSeconds) =>
        end(() => {
          failures += 1;
          if (retryAfterSeconds !== undefined) open(Math.min(retryAfterSeconds * 1000, OPEN_MILLIS_MAX));
          else if (isProbe || failures >= FAILURES_TO_OPEN) open(openMillis);
        })(),
      giveUp: end(() => {
        probe = undefined;
      }),
    };
  }

  return {
    begin() {
      if (!opened) return createAttempt(false);
      if (getMillisLeft(opened, now()) > 0 || (probe && getMillisLeft(probe, now()) > 0)) return undefined;
      probe = startPause(now(), PROBE_MILLIS_MAX);
      return createAttempt(true);
    },
    get isClosed() {
      return opened === undefined;
    },
    get millisLeft() {
      return opened ? getMillisLeft(opened, now()) : 0;
    },
  };
}

type Pause = { fromMillis: number; millis: number };

const startPause = (fromMillis: number, millis: number): Pause => ({ fromMillis, millis });

/** Returns the rest of a pause. If the clock was set back, the pause ends at once. */
function getMillisLeft({ fromMillis, millis }: Pause, nowMillis: number): number {
  return nowMillis < fromMillis ? 0 : Math.max(0, fromMillis + millis - nowMillis);
}
