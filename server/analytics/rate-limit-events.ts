import type { ConsentDecision } from '../../contract/consent.ts';
import { BUCKETS, CAPS, type LimitName } from '../../contract/limits.ts';
import type { Clock } from '../clock.ts';
import { getMeaning } from '../consent/purposes.ts';
import { newId } from '../ids.ts';
import type { Log } from '../log.ts';
import type { Store } from '../storage/store.ts';

type Deps = { readonly store: Pick<Store, 'in'>; readonly clock: Clock; readonly log: Log };

/** Who drew in vain. */
type Refused = { readonly workspaceId?: string; readonly visitorId?: string };

const LIMITED = { ...BUCKETS, ...CAPS };
const MINUTE_MILLIS = 60_000;
/** An attack with ever new visitors fills no disk either. */
const ROWS_A_MINUTE = 1000;

/**
 * Leaves an event row when visitors of a workspace hit a limit: one for each bucket, visitor and minute, which does not
 * tell who. Callers do not wait for it.
 */
export function createLimitHits({ store, clock, log }: Deps): (bucket: LimitName, who: Refused) => void {
  let minute = 0;
  const written = new Set<string>();

  function isNew(key: string): boolean {
    const now = Math.floor(clock.now() / MINUTE_MILLIS);
    if (now !== minute) written.clear();
    minute = now;
    if (written.has(key) || written.size >= ROWS_A_MINUTE) return false;
    written.add(key);
    return true;
  }

  async function write(bucket: LimitName, workspaceId: string, visitorId: string): Promise<void> {
    const { consents, events } = store.in(workspaceId);
    const standing = await consents.standing(visitorId);
    // Who refused is not counted, not even without a name.
    if (standing && getMeaning(standing.decision as ConsentDecision) === 'refusal') return;
    await events.append([
      { id: newId('evt'), atMillis: clock.now(), type: 'rate_limited', data: { bucket } },
    ]);
  }

  return (bucket, { workspaceId, visitorId }) => {
    const { per } = LIMITED[bucket];
    if (per !== 'visitor' && per !== 'workspace') return;
    if (workspaceId === undefined || visitorId === undefined) return;
    if (!isNew(`${bucket} ${workspaceId} ${visitorId}`)) return;
    write(bucket, workspaceId, visitorId).catch((error) => {
      log.warn({ err: error, bucket }, 'a hit of a limit was not counted');
    });
  };
}
