import type { ConsentDecision } from '../../contract/consent.ts';
import { BUCKETS, CAPS, type LimitName } from '../../contract/limits.ts';
import type { Clock } from '../clock.ts';
import { getMeaning } from '../consent/purposes.ts';
import { newId } from '../ids.ts';
import type { Log } from '../log.ts';
import type { Store } from '../storage/store.ts';

type Deps = { readonly store: Pick<Store, 'in'>; readonly clock: Clock; readonly log: Log };

type RateLimitedCaller = { readonly workspaceId?: string; readonly visitorId?: string };

const LIMITED = { ...BUCKETS, ...CAPS };
const MINUTE_MILLIS = 60_000;
/** Bounds the disk space that an attacker with many visitor ids can fill. */
const ROWS_PER_MINUTE_MAX = 1000;

/** Records one event per bucket, visitor and minute, without the visitor's id. Does not block the caller. */
export function createRateLimitRecorder({
  store,
  clock,
  log,
}: Deps): (bucket: LimitName, who: RateLimitedCaller) => void {
  let minute = 0;
  const written = new Set<string>();

  function isNew(key: string): boolean {
    const now = Math.floor(clock.now() / MINUTE_MILLIS);
    if (now !== minute) written.clear();
    minute = now;
    if (written.has(key) || written.size >= ROWS_PER_MINUTE_MAX) return false;
    written.add(key);
    return true;
  }

  async function write(bucket: LimitName, workspaceId: string, visitorId: string): Promise<void> {
    const { consents, events } = store.in(workspaceId);
    const current = await consents.getCurrentDecision(visitorId);
    // Visitors who refused consent are not counted, not even anonymously.
    if (current && getMeaning(current.decision as ConsentDecision) === 'refusal') return;
    await events.append([
      { id: newId('evt'), atMillis: clock.now(), type: 'rate_limited', data: { bucket } },
    ]);
  }

  return (bucket, { workspaceId, visitorId }) => {
    const { per } = LIMITED[bucket];
    if (per !== 'visitor' && per !== 'network' && per !== 'workspace') return;
    if (workspaceId === undefined || visitorId === undefined) return;
    if (!isNew(`${bucket} ${workspaceId} ${visitorId}`)) return;
    write(bucket, workspaceId, visitorId).catch((error) => {
      log.warn({ err: error, bucket }, 'failed to record a rate limit event');
    });
  };
}
