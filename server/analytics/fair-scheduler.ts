import { setImmediate as nextTick } from 'node:timers/promises';

/**
 * Serializes long reads: each tick of the event loop runs one page of one reader, however many there are, so other requests wait for one
 * page at most.
 */
export function createFairScheduler(): () => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  return () => {
    last = last.then(() => nextTick());
    return last;
  };
}
