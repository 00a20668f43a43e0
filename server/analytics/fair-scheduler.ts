import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Readers of much data take turns: one page of one of them in each turn of the event loop, however many read at a time,
 * so that nobody else waits for more than a page.
 */
export function createPace(): () => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  return () => {
    last = last.then(() => nextTurn());
    return last;
  };
}
