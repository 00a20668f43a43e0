import type { Clock } from '../base/clock.ts';
import { getDeviceName } from '../base/device-name.ts';
import { newId } from '../base/ids.ts';
import type { Log } from '../base/log.ts';
import { truncateAddress } from '../base/network.ts';
import type { AuditEvent, AuditTrail, MemberCaller, RequestContext, SessionCaller } from '../http/handler.ts';
import type { AuditEntry, MembershipAudit } from '../storage/audit.ts';
import type { Store } from '../storage/store.ts';

/** Repeated events within this time share one row. */
const INTERVAL_MILLIS = 15 * 60_000;
/** Counters of an account or key at a time. Further events, such as a botnet's, share one counter per action. */
const COUNTERS_PER_ACTOR_MAX = 50;

type Origin = Pick<AuditEntry, 'device' | 'network'>;
type Counter = { event: AuditEvent; origin: Origin; repeats: number; endsAt: number };
type Deps = {
  store: Pick<Store, 'memberships' | 'in'>;
  clock: Clock;
  log: Log;
};

/** Writes the audit rows of events that come from requests. `save` is a background job. */
export function createAuditTrail(deps: Deps): AuditTrail & {
  /** Writes the repeats of intervals that have ended, or of all intervals when the service stops. */
  save(isStopping?: boolean): Promise<void>;
} {
  const { clock, log } = deps;
  /** Keyed by actor, then by action, network and details. */
  const counters = new Map<string, Map<string, Counter>>();
  const pending = new Set<Promise<void>>();

  function writeLater(event: AuditEvent, origin: Origin): void {
    const written = write(deps, event, origin)
      .catch((error) => log.error({ err: error, action: event.action }, 'could not write an audit row'))
      .finally(() => pending.delete(written));
    pending.add(written);
  }

  async function saveCounter(counter: Counter): Promise<void> {
    const { event, origin, repeats } = counter;
    counter.repeats = 0;
    try {
      await write(deps, { ...event, details: { ...event.details, repeats } }, origin);
    } catch (error) {
      counter.repeats += repeats;
      throw error;
    }
  }

  return {
    record: (event, ctx) => write(deps, event, toAuditOrigin(ctx)),

    count(event, ctx) {
      const actor = 'userId' in event.by ? event.by.userId : event.by.id;
      const actorCounters = counters.get(actor) ?? new Map<string, Counter>();
      counters.set(actor, actorCounters);
      const newCounter = countEvent(actorCounters, event, ctx, clock.now());
      // Write after the response, so that the response time does not tell whether an account exists.
      if (newCounter) ctx.onClose(() => writeLater(newCounter.event, newCounter.origin));
    },

    async save(isStopping = false) {
      const now = clock.now();
      const saved: Promise<void>[] = [];
      for (const [actor, actorCounters] of counters) {
        for (const [key, counter] of actorCounters) {
          if (!isStopping && counter.endsAt > now) continue;
          counter.endsAt = now + getInterval(counter.event);
          if (counter.repeats > 0) saved.push(saveCounter(counter));
          else actorCounters.delete(key);
        }
        if (actorCounters.size === 0) counters.delete(actor);
      }
      await Promise.all(isStopping ? [...saved, ...pending] : saved);
    },
  };
}

/** Returns the counter if it is new: the caller then writes its first row. */
function countEvent(
  actorCounters: Map<string, Counter>,
  event: AuditEvent,
  ctx: RequestContext,
  nowMillis: number,
): Counter | undefined {
  const key = JSON.stringify([event.action, truncateAddress(ctx.clientAddress), event.details]);
  const overflowKey = JSON.stringify([event.action]);
  const isOverflow = actorCounters.size >= COUNTERS_PER_ACTOR_MAX;
  const known = actorCounters.get(key) ?? (isOverflow ? actorCounters.get(overflowKey) : undefined);
  if (known) {
    known.repeats += 1;
    return undefined;
  }
  const counter = {
    event: isOverflow ? { ...event, details: {} } : event,
    origin: isOverflow ? { network: 'several' } : toAuditOrigin(ctx),
    repeats: 0,
    endsAt: nowMillis + getInterval(event),
  };
  actorCounters.set(isOverflow ? overflowKey : key, counter);
  return counter;
}

const getInterval = ({ intervalMillis = INTERVAL_MILLIS }: AuditEvent) => intervalMillis;

/** Returns a function that makes the row of what a member changes, to write in the transaction of the change. */
export const createMemberAudit =
  (clock: Clock) =>
  (
    { memberId }: Pick<MemberCaller, 'memberId'>,
    ctx: RequestContext,
    action: string,
    subject: string,
    details: AuditEntry['details'] = {},
  ): AuditEntry => ({
    id: newId('aud'),
    atMillis: clock.now(),
    actor: memberId,
    action,
    subject,
    details,
    ...toAuditOrigin(ctx),
  });

/** Like `createMemberAudit`, for what users change in their account: a row in each of their workspaces. */
export const createAccountAudit =
  (clock: Clock) =>
  (
    { userId }: Pick<SessionCaller, 'userId'>,
    ctx: RequestContext,
    action: string,
    details: AuditEntry['details'] = {},
  ): MembershipAudit =>
  (_, memberId) =>
    createMemberAudit(clock)({ memberId }, ctx, action, userId, details);

/** Returns the device and network of a request, as the audit stores them. */
export function toAuditOrigin({
  headers,
  clientAddress,
}: Pick<RequestContext, 'headers' | 'clientAddress'>): Origin {
  const network = truncateAddress(clientAddress);
  return { device: getDeviceName(headers['user-agent']).slice(0, 64), ...(network ? { network } : {}) };
}

/**
 * Writes an event to the audit of the member's workspace, or for an event of a user, of each workspace that the user
 * belongs to.
 */
async function write({ store, clock }: Omit<Deps, 'log'>, event: AuditEvent, origin: Origin): Promise<void> {
  const { action, by, isUnproven, details = {} } = event;
  const actors =
    'userId' in by
      ? (await store.memberships.ofUser(by.userId)).map(({ id, workspaceId }) => ({ id, workspaceId }))
      : [by];
  const rows = actors.map(({ id, workspaceId }) =>
    store.in(workspaceId).audit.append({
      id: newId('aud'),
      atMillis: clock.now(),
      actor: isUnproven ? 'unknown' : id,
      action,
      subject: event.subject ?? id,
      details,
      ...origin,
    }),
  );
  await Promise.all(rows);
}
