import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';

/** Runs a task for which a visitor waits; undefined when it is late, fails, or has nothing to return. */
export type LimitedWait = <Result>(
  task: (signal: AbortSignal) => Promise<Result | undefined>,
) => Promise<Result | undefined>;

export type LimitedWaitDeps = {
  clock: Clock;
  log: Log;
  onOutcome: (outcome: 'found' | 'late' | 'failed') => void;
};

const WAIT_MILLIS = 400;
/** After this many failures in a row, questions do not wait for the model for some time. */
const FAILURES_MAX = 3;
const PAUSE_MILLIS = 30_000;

export function createLimitedWait({ clock, log, onOutcome }: LimitedWaitDeps): LimitedWait {
  let failures = 0;
  let pausedUntil = 0;

  function recordFailure(error: unknown, isLate: boolean): void {
    onOutcome(isLate ? 'late' : 'failed');
    failures += 1;
    if (failures < FAILURES_MAX) return;
    failures = 0;
    pausedUntil = clock.now() + PAUSE_MILLIS;
    log.warn({ err: error, millis: PAUSE_MILLIS }, 'questions are answered without embeddings');
  }

  return async (task) => {
    if (clock.now() < pausedUntil) return undefined;
    const signal = AbortSignal.timeout(WAIT_MILLIS);
    const { promise: aborted, reject } = Promise.withResolvers<never>();
    aborted.catch(() => {});
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    try {
      const result = await Promise.race([task(signal), aborted]);
      if (result !== undefined) {
        failures = 0;
        onOutcome('found');
      }
      return result;
    } catch (error) {
      recordFailure(error, signal.aborted);
      return undefined;
    } finally {
      signal.removeEventListener('abort', abort);
    }
  };
}
