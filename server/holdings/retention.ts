import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '../clock.ts';
import type { Store } from '../storage/store.ts';
import { RETENTION_DEFAULTS } from '../storage/workspaces.ts';

const DAY_MILLIS = 86_400_000;
/** Pause between two steps for other requests. */
const PAUSE_MILLIS = 5;

/** Deletes conversations and events that are older than their workspace keeps them. */
export async function deleteOutdated(
  { store, clock }: { readonly store: Pick<Store, 'workspaces' | 'in'>; readonly clock: Clock },
  signal: AbortSignal,
): Promise<void> {
  for (const { id, settings } of await store.workspaces.list()) {
    const { conversationDays, eventDays } = settings.retention ?? RETENTION_DEFAULTS;
    const nowMillis = clock.now();
    const cutoffs = {
      conversationsBeforeMillis: nowMillis - conversationDays * DAY_MILLIS,
      eventsBeforeMillis: nowMillis - eventDays * DAY_MILLIS,
    };
    while (!signal.aborted && (await store.in(id).holdings.deleteOlder(cutoffs)).more) {
      await pause(PAUSE_MILLIS);
    }
  }
}
