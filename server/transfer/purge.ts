import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '../clock.ts';
import type { Store } from '../storage/store.ts';

/** Pause between two steps for other requests. */
const PAUSE_MILLIS = 2;

/**
 * Deletes the data of removed workspaces step by step. Returns 'waiting' when a reader of an older
 * snapshot can still see some of it.
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
