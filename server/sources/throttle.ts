import { setTimeout as pause } from 'node:timers/promises';

/** Waits; rejects with the reason of an abort. */
export async function waitFor(millis: number, signal: AbortSignal): Promise<void> {
  await pause(millis, undefined, { signal }).catch(() => signal.throwIfAborted());
}

/** Creates a function that waits until the next request to an origin may be sent. */
export function createThrottle(intervalMillis: number, signal: AbortSignal) {
  const turns = new Map<string, number>();
  return async (origin: string, delaySeconds: number): Promise<void> => {
    const now = performance.now();
    const turn = Math.max(now, turns.get(origin) ?? 0);
    turns.set(origin, turn + Math.max(intervalMillis, delaySeconds * 1000));
    if (turn > now) await waitFor(turn - now, signal);
    signal.throwIfAborted();
  };
}
