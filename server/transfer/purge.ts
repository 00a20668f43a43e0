import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '../clock.ts';
import type { Store } from '../storage/store.ts';

/** Between two steps, so that visitors are answered meanwhile. */
const PAUSE_MILLIS = 2;

/**
 * Deletes what removed workspaces hold, step by step. 'waiting' when something of it can still be read by somebody who looks at an
 * older state of the data.
 */
export async function purgeRemoved({
  store,
  clock,
}: {
  readonly store: Pick<Store, 'workspaces'>;
  readonly clock: Clock;
}): Promise<'removed' | 'waiting'> {
  for (;;) {
    const { more, waiting } = await store.workspaces.purgeRemoved(clock.now());
    if (!more) return waiting ? 'waiting' : 'removed';
    await pause(PAUSE_MILLIS);
  }
}
