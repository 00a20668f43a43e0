import { setTimeout as pause } from 'node:timers/promises';
import type { archive } from '../../contract/archive.ts';
import type { Clock } from '../base/clock.ts';
import { throwApiError } from '../http/errors.ts';
import type { AuditTrail, Handlers } from '../http/handler.ts';
import type { Store } from '../storage/store.ts';
import { exportLines } from './export.ts';

/** How long to wait for a reader of an older snapshot of the file, such as a backup. */
const WAITS_MAX = 50;
const WAIT_MILLIS = 100;

export function archiveHandlers(deps: {
  store: Store;
  clock: Clock;
  audit: AuditTrail;
}): Handlers<typeof archive> {
  const { store, clock, audit } = deps;
  return {
    async exportTenant({ caller, ctx }) {
      const { workspace, memberId } = caller;
      const by = { workspaceId: workspace.id, id: memberId };
      await audit.record({ action: 'workspace.exported', by, subject: workspace.id }, ctx);
      const lines = exportLines(workspace, store);
      return { status: 200, lines, fileName: `guidepost-${workspace.id}.ndjson` };
    },

    async deleteTenant({ caller, query }) {
      const { workspace, userId } = caller;
      if (query.confirmName !== workspace.name) throwApiError('tenant/name_mismatch');
      if ((await store.workspaces.remove(workspace.id, clock.now())) === 'gone') {
        throwApiError('tenant/not_found', 'removed meanwhile');
      }
      await removeAll(deps);
      const isKnown = await store.users.find(userId);
      return { status: 200, body: { ok: true }, ...(isKnown ? {} : { session: 'ended' as const }) };
    },
  };
}

async function removeAll(deps: { store: Store; clock: Clock }): Promise<void> {
  for (let waits = 0; waits < WAITS_MAX; waits += 1) {
    if ((await purgeRemoved(deps)) === 'removed') return;
    await pause(WAIT_MILLIS);
  }
  throwApiError('storage/unavailable', 'could not yet delete the rest of a removed workspace from the file');
}

/** Pause between two steps, in which other requests run. */
const PAUSE_MILLIS = 2;

/**
 * Deletes the data of removed workspaces step by step. Returns 'waiting' when a reader of an older
 * snapshot can still see some of it.
 */
export async function purgeRemoved({
  store,
  clock,
}: {
  store: Pick<Store, 'workspaces'>;
  clock: Clock;
}): Promise<'removed' | 'waiting'> {
  for (;;) {
    const { more, waiting } = await store.workspaces.purgeRemoved(clock.now());
    if (!more) return waiting ? 'waiting' : 'removed';
    await pause(PAUSE_MILLIS);
  }
}
