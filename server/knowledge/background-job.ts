import type { Clock } from '../base/clock.ts';

/** Work repeated in the background: one run at a time, at least `everyMillis` after the start of the last one. */
export type BackgroundJob = {
  /** Starts a run if one is due; resolves when no run is under way. */
  tick(): Promise<void>;
  /** Aborts the run under way. */
  stop(): Promise<void>;
};

export function createBackgroundJob(
  clock: Clock,
  everyMillis: number,
  run: (signal: AbortSignal) => Promise<void>,
): BackgroundJob {
  const controller = new AbortController();
  const { signal } = controller;
  let startedAt = Number.NEGATIVE_INFINITY;
  let running: Promise<void> | undefined;
  return {
    async tick() {
      const now = clock.now();
      if (running === undefined && now - startedAt >= everyMillis && !signal.aborted) {
        startedAt = now;
        running = run(signal).finally(() => {
          running = undefined;
        });
      }
      await running;
    },
    async stop() {
      controller.abort();
      await running?.catch(() => {});
    },
  };
}
