import { and, asc, desc, eq, getTableColumns, lt, sql } from 'drizzle-orm';
import { type AuditEntry, insertAudit } from './audit.ts';
import type { SqlDatabase, Tx, WriteTx } from './database.ts';
import { type NewMail, queueMails } from './mails.ts';
import { webhookDeliveries, webhookEvents, webhooks } from './schema/index.ts';
import {
  bound,
  boundRow,
  db,
  input,
  insertInto,
  matches,
  rawStatement,
  type Stored,
  statement,
  withoutNulls,
} from './statements.ts';
import { type ChangeEvent, forgetWithoutWebhooks, insertWebhookEvent } from './webhook-events.ts';

/** Servers that get events, and the log of what was sent. Secrets are encrypted by the caller. */

export type Webhook = Omit<Stored<typeof webhooks>, 'workspaceId'>;

export type WebhookDelivery = Omit<Stored<typeof webhookDeliveries>, 'workspaceId'> &
  Pick<Stored<typeof webhookEvents>, 'type' | 'payload' | 'createdAt'>;

/** The outcome of an attempt. */
type DeliveryAttempt = Required<Pick<WebhookDelivery, 'state' | 'nextAttemptAt' | 'attemptedAt'>> &
  Pick<WebhookDelivery, 'error' | 'responseStatus' | 'response' | 'responseMillis'> & {
    /** Pauses the webhook. */
    pauses: boolean;
  };

export type DueDelivery = Pick<WebhookDelivery, 'id' | 'eventId' | 'attempts' | 'payload'> &
  Pick<Webhook, 'url' | 'sealedSecret' | 'sealedOldSecret' | 'oldSecretUntil'> & {
    workspaceId: string;
    webhookId: string;
  };

export type Webhooks = ReturnType<ReturnType<typeof sqlWebhooks>>;

export function sqlWebhooks({ read, write }: SqlDatabase) {
  return (workspaceId: string) => {
    const find = async (tx: Tx, id: string) => {
      const row = await tx.get(byId, { workspaceId, id });
      return row && withoutNulls(row);
    };
    const changeRow = (
      id: string,
      audit: AuditEntry,
      change: (tx: WriteTx, webhook: Webhook) => Promise<unknown>,
    ) =>
      write(workspaceId, async (tx) => {
        const webhook = await find(tx, id);
        if (!webhook) return 'gone';
        await change(tx, webhook);
        forgetWithoutWebhooks(workspaceId);
        await insertAudit(tx, workspaceId, audit);
        return (await find(tx, id)) ?? 'gone';
      });

    return {
      /** Lists webhooks with the number of events that wait, oldest first. */
      list: () =>
        read(workspaceId, async (tx) => {
          const waiting = new Map(
            (await tx.all(countWaiting, { workspaceId })).map((row) => [row.webhookId, row.waiting]),
          );
          const rows = await tx.all(ofWorkspace, { workspaceId });
          return rows.map((row) => ({ ...withoutNulls(row), waiting: waiting.get(row.id) ?? 0 }));
        }),

      create: (webhook: Webhook, webhooksMax: number, audit: AuditEntry) =>
        write(workspaceId, async (tx) => {
          if ((await tx.all(ofWorkspace, { workspaceId })).length >= webhooksMax) return 'too_many';
          await tx.run(insert, { ...webhook, workspaceId });
          forgetWithoutWebhooks(workspaceId);
          await insertAudit(tx, workspaceId, audit);
          return 'created';
        }),

      /** Changes fields. What waits for a webhook that becomes active is due at once. */
      change: (
        id: string,
        fields: Partial<Pick<Webhook, 'name' | 'url' | 'events' | 'state'>>,
        atMillis: number,
        audit: AuditEntry,
      ) =>
        changeRow(id, audit, async (tx, webhook) => {
          const after = { ...webhook, ...fields };
          const isResumed = webhook.state !== 'active' && after.state === 'active';
          await tx.run(put, { ...after, workspaceId, pausedAt: isResumed ? undefined : after.pausedAt });
          if (isResumed) await tx.run(retryAll, { webhookId: id, atMillis });
        }),

      /** Replaces the secret; the one before goes on signing until `oldSecretUntil`. */
      setSecret: (
        id: string,
        secret: Pick<Webhook, 'sealedSecret' | 'secretSetAt'> & Required<Pick<Webhook, 'oldSecretUntil'>>,
        audit: AuditEntry,
      ) =>
        changeRow(id, audit, (tx, webhook) =>
          tx.run(put, { ...webhook, ...secret, workspaceId, sealedOldSecret: webhook.sealedSecret }),
        ),

      remove: (id: string, audit: AuditEntry) =>
        write(workspaceId, async (tx) => {
          if ((await tx.run(remove, { workspaceId, id })) === 0) return 'gone';
          await tx.run(removeUnsent, { workspaceId });
          await insertAudit(tx, workspaceId, audit);
          return 'removed';
        }),

      /** Lists deliveries, newest first. */
      deliveries: (webhookId: string, { limit, before = Number.MAX_SAFE_INTEGER, state }: DeliveryPage) =>
        read(workspaceId, async (tx) => {
          const page = { workspaceId, webhookId, limit, before, state };
          return (await tx.all(state === undefined ? newest : newestInState, page)).map(withoutNulls);
        }),

      /** Stores an event for one webhook. */
      send: (webhookId: string, event: ChangeEvent) =>
        write(workspaceId, async (tx) => {
          const id = await insertWebhookEvent(tx, { ...event, workspaceId }, [webhookId]);
          return withoutNulls((await tx.get(delivery, { workspaceId, webhookId, id }))!);
        }),

      /** Lets an event be sent again. */
      resend: (webhookId: string, id: string, atMillis: number) =>
        write(workspaceId, async (tx) => {
          if ((await tx.run(retry, { workspaceId, webhookId, id, atMillis })) === 0) return 'gone';
          return withoutNulls((await tx.get(delivery, { workspaceId, webhookId, id }))!);
        }),

      /** Stores the outcome of an attempt, unless the delivery is gone. Returns whether it paused the webhook. */
      settle: (
        { id, webhookId }: Pick<DueDelivery, 'id' | 'webhookId'>,
        { pauses, ...attempt }: DeliveryAttempt,
        notices: readonly NewMail[],
      ) =>
        write(workspaceId, async (tx) => {
          const isStored = (await tx.run(settle, { workspaceId, id, ...attempt })) > 0;
          if (!isStored || !pauses) return false;
          const pausedAt = attempt.attemptedAt;
          if ((await tx.run(pause, { workspaceId, id: webhookId, pausedAt })) === 0) return false;
          await queueMails(tx, notices);
          return true;
        }),
    };
  };
}

type DueRow = Pick<
  DueDelivery,
  'id' | 'eventId' | 'attempts' | 'payload' | 'url' | 'workspaceId' | 'webhookId'
> &
  Pick<typeof webhooks.$inferSelect, 'sealedSecret' | 'sealedOldSecret' | 'oldSecretUntil'>;

type DeliveryPage = {
  limit: number;
  /** Continues after the delivery with this sequence. */
  before?: number | undefined;
  state?: WebhookDelivery['state'] | undefined;
};

/** Deliveries of a webhook that are sent side by side. */
const DUE_PER_WEBHOOK = 4;

/** Across workspaces, for the job that sends. */
export function sqlDueDeliveries({ read }: SqlDatabase) {
  /** Lists what is due: of each subject the oldest only, and a few of each webhook. */
  return (nowMillis: number, limit: number) =>
    read(undefined, async (tx) => (await tx.all(due, { nowMillis, limit })).map(withoutNulls));
}

const { workspaceId: _, ...columns } = getTableColumns(webhooks);
const isThis = matches(webhooks.workspaceId, webhooks.id);
const byId = statement(() => db.select(columns).from(webhooks).where(isThis));
const ofWorkspace = statement(() =>
  db
    .select(columns)
    .from(webhooks)
    .where(matches(webhooks.workspaceId))
    .orderBy(asc(webhooks.createdAt), asc(webhooks.id)),
);
const countWaiting = rawStatement<{ webhookId: string; waiting: number }>(
  sql`SELECT webhook_id, count(*) FROM webhook_deliveries WHERE workspace_id = ${input('workspaceId')}
    AND state = 'waiting' GROUP BY webhook_id`,
  'webhookId',
  'waiting',
);
const insert = insertInto(webhooks);
const put = statement(() => db.update(webhooks).set(boundRow(webhooks)).where(isThis));
const remove = statement(() => db.delete(webhooks).where(isThis));
/** Events that no webhook gets any more. */
const removeUnsent = rawStatement(
  sql`DELETE FROM webhook_events WHERE workspace_id = ${input('workspaceId')}
    AND NOT EXISTS (SELECT 1 FROM webhook_deliveries WHERE event_id = webhook_events.id)`,
);
const pause = statement(() =>
  db
    .update(webhooks)
    .set({ state: 'paused', ...bound('pausedAt') })
    .where(and(isThis, eq(webhooks.state, 'active'))),
);

const { workspaceId: __, ...deliveryColumns } = getTableColumns(webhookDeliveries);
const selectDeliveries = () =>
  db
    .select({
      ...deliveryColumns,
      type: webhookEvents.type,
      payload: webhookEvents.payload,
      createdAt: webhookEvents.createdAt,
    })
    .from(webhookDeliveries)
    .innerJoin(webhookEvents, eq(webhookEvents.id, webhookDeliveries.eventId));
const isOfWebhook = matches(webhookDeliveries.workspaceId, webhookDeliveries.webhookId);
const isThisDelivery = and(isOfWebhook, matches(webhookDeliveries.id));
const delivery = statement(() => selectDeliveries().where(isThisDelivery));
const isBefore = and(isOfWebhook, lt(webhookDeliveries.sequence, input('before')));
const newest = statement(() =>
  selectDeliveries().where(isBefore).orderBy(desc(webhookDeliveries.sequence)).limit(input('limit')),
);
const newestInState = statement(() =>
  selectDeliveries()
    .where(and(isBefore, matches(webhookDeliveries.state)))
    .orderBy(desc(webhookDeliveries.sequence))
    .limit(input('limit')),
);
const AGAIN = { state: 'waiting' as const, attempts: 0, nextAttemptAt: sql`${input('atMillis')}` };
const retry = statement(() => db.update(webhookDeliveries).set(AGAIN).where(isThisDelivery));
const retryAll = statement(() =>
  db
    .update(webhookDeliveries)
    .set(AGAIN)
    .where(and(matches(webhookDeliveries.webhookId), eq(webhookDeliveries.state, 'waiting'))),
);
const settle = statement(() =>
  db
    .update(webhookDeliveries)
    .set({
      ...bound(
        'state',
        'nextAttemptAt',
        'attemptedAt',
        'error',
        'responseStatus',
        'response',
        'responseMillis',
      ),
      attempts: sql`${webhookDeliveries.attempts} + 1`,
    })
    .where(matches(webhookDeliveries.workspaceId, webhookDeliveries.id)),
);
const due = rawStatement<DueRow>(
  sql`SELECT id, event_id, attempts, workspace_id, webhook_id, url, sealed_secret, sealed_old_secret, old_secret_until,
     (SELECT payload FROM webhook_events WHERE webhook_events.id = event_id)
   FROM (
     SELECT waiting.*, webhooks.url, sealed_secret, sealed_old_secret, old_secret_until,
       row_number() OVER (PARTITION BY waiting.webhook_id ORDER BY waiting.sequence) AS place
     FROM webhooks JOIN webhook_deliveries AS waiting
       ON waiting.webhook_id = webhooks.id AND waiting.state = 'waiting' AND waiting.next_attempt_at <= ${input('nowMillis')}
     JOIN workspaces ON workspaces.id = webhooks.workspace_id AND removed_at IS NULL
     WHERE webhooks.state = 'active' AND NOT EXISTS (
       SELECT 1 FROM webhook_deliveries AS before WHERE before.webhook_id = waiting.webhook_id
         AND before.subject = waiting.subject AND before.state = 'waiting' AND before.sequence < waiting.sequence)
   ) AS ready
   WHERE place <= ${DUE_PER_WEBHOOK} ORDER BY next_attempt_at, sequence LIMIT ${input('limit')}`,
  ...([
    'id',
    'eventId',
    'attempts',
    'workspaceId',
    'webhookId',
    'url',
    'sealedSecret',
    'sealedOldSecret',
    'oldSecretUntil',
    'payload',
  ] as const),
);
