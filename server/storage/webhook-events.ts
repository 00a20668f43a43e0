import { and, asc, eq, notLike, sql } from 'drizzle-orm';
import type { WebhookData, WebhookEventType } from '../../contract/webhook-events.ts';
import { toIsoString } from '../base/clock.ts';
import { newId } from '../base/ids.ts';
import type { Tx, WriteTx } from './database.ts';
import { webhookDeliveries, webhookEvents, webhooks } from './schema/index.ts';
import { db, input, insertInto, matches, rawStatement, statement } from './statements.ts';

/** The part of webhooks in the transactions of changes: an event is stored with what it tells, or not at all. */

/** An event of a workspace. */
export type ChangeEvent = {
  [Type in WebhookEventType]: {
    type: Type;
    /** Events with the same subject are sent in order. */
    subject: string;
    /** The visitor whom it names, with whom it is erased. */
    visitorId?: string | undefined;
    payload: WebhookData<Type>;
    at: number;
  };
}[WebhookEventType];

type NewWebhookEvent = ChangeEvent & { workspaceId: string };

/** For how long this process remembers that a workspace has no webhook. Another node may set one up meanwhile. */
const NO_WEBHOOK_MILLIS = 2_000;
const REMEMBERED_MAX = 10_000;
const withoutWebhooks = new Map<string, number>();

/** Call in each transaction that changes which events a workspace sends. */
export const forgetWithoutWebhooks = (workspaceId: string) => withoutWebhooks.delete(workspaceId);

/** Stores an event for each active webhook that is set up for its type. Costs nothing in a workspace without webhooks. */
export async function recordWebhookEvent(tx: WriteTx, event: NewWebhookEvent): Promise<void> {
  const ids = await listSubscribers(tx, event.workspaceId, event.type);
  if (ids.length > 0) await insertWebhookEvent(tx, event, ids);
}

export async function listSubscribers(
  tx: WriteTx,
  workspaceId: string,
  type: WebhookEventType,
): Promise<readonly string[]> {
  if ((withoutWebhooks.get(workspaceId) ?? 0) > performance.now()) return [];
  const active = await tx.all(activeWebhooks, { workspaceId });
  if (active.length === 0) {
    if (withoutWebhooks.size >= REMEMBERED_MAX) withoutWebhooks.clear();
    withoutWebhooks.set(workspaceId, performance.now() + NO_WEBHOOK_MILLIS);
  }
  return active.filter(({ events }) => JSON.parse(events).includes(type)).map(({ id }) => id);
}

/** Stores an event for these webhooks. Returns the id of the first delivery. */
export async function insertWebhookEvent(
  tx: WriteTx,
  { workspaceId, type, subject, visitorId, payload: data, at }: NewWebhookEvent,
  webhookIds: readonly string[],
): Promise<string> {
  const id = newId('whe');
  const payload = JSON.stringify({ type, timestamp: toIsoString(at), tenant_id: workspaceId, data });
  await tx.lock(workspaceId);
  await tx.run(insertEvent, { id, workspaceId, type, subject, visitorId, payload, createdAt: at });
  const ids = webhookIds.map(() => newId('whd'));
  for (const [index, webhookId] of webhookIds.entries())
    await tx.run(insertDelivery, { id: ids[index], workspaceId, webhookId, eventId: id, subject, at });
  return ids[0]!;
}

export type PublicUrls = {
  /** Returns the public address that a text has, or had until now; undefined while the help centre is off. */
  findPublicUrl(tx: Tx, workspaceId: string, articleId: string, locale: string): Promise<string | undefined>;
};

type PublishedText = { articleId: string; slug: string; locale: string; revision: number };

/** Records that a text of an article, or of its translation if that is given, went live. */
export async function recordPublished(
  tx: WriteTx,
  { findPublicUrl }: PublicUrls,
  workspaceId: string,
  { articleId, slug, locale, revision, translationId }: PublishedText & { translationId?: string },
  content: { title: string; url?: string | null | undefined },
  at: number,
): Promise<void> {
  const type = translationId === undefined ? 'article.published' : 'translation.published';
  if ((await listSubscribers(tx, workspaceId, type)).length === 0) return;
  const { title } = content;
  const url = content.url ?? (await findPublicUrl(tx, workspaceId, articleId, locale)) ?? null;
  const fields = { article_id: articleId, slug, locale, revision, title, url };
  const event = { workspaceId, subject: articleId, at };
  await (translationId === undefined
    ? recordWebhookEvent(tx, { ...event, type: 'article.published', payload: fields })
    : recordWebhookEvent(tx, {
        ...{ ...event, type: 'translation.published' },
        payload: { translation_id: translationId, ...fields },
      }));
}

type StoredArticle = {
  id: string;
  slug: string;
  locale: string;
  liveRevision: number | null;
  liveUrl: string | null;
};

/** Records that an article is no longer published, if it was. */
export async function recordUnpublished(
  tx: WriteTx,
  { findPublicUrl }: PublicUrls,
  workspaceId: string,
  { id, slug, locale, liveRevision, liveUrl }: StoredArticle,
  at: number,
): Promise<void> {
  const type = 'article.unpublished';
  if (liveRevision === null || (await listSubscribers(tx, workspaceId, type)).length === 0) return;
  const url = liveUrl ?? (await findPublicUrl(tx, workspaceId, id, locale)) ?? null;
  const payload = { article_id: id, slug, locale, url };
  await recordWebhookEvent(tx, { workspaceId, type, subject: id, payload, at });
}

/** Deletes what is stored of a visitor. After a denial, what visitors wrote to a person stays. */
export async function deleteWebhookEvents(
  tx: WriteTx,
  workspaceId: string,
  visitorId: string,
  reason: 'erased' | 'denied',
): Promise<void> {
  await tx.run(reason === 'erased' ? deleteOfVisitor : deleteObserved, { workspaceId, visitorId });
}

const activeWebhooks = statement(() =>
  db
    .select({ id: webhooks.id, events: webhooks.events })
    .from(webhooks)
    .where(and(matches(webhooks.workspaceId), eq(webhooks.state, 'active')))
    .orderBy(asc(webhooks.id)),
);
const insertEvent = insertInto(webhookEvents);
const insertDelivery = rawStatement(
  sql`INSERT INTO ${webhookDeliveries} (id, sequence, workspace_id, webhook_id, event_id, subject, state, attempts, next_attempt_at)
   SELECT ${input('id')}, coalesce(max(sequence), 0) + 1, ${input('workspaceId')}, ${input('webhookId')}, ${input('eventId')},
     ${input('subject')}, 'waiting', 0, ${input('at')}
   FROM webhook_deliveries WHERE workspace_id = ${input('workspaceId')}`,
);
const isOfVisitor = matches(webhookEvents.workspaceId, webhookEvents.visitorId);
const deleteOfVisitor = statement(() => db.delete(webhookEvents).where(isOfVisitor));
const deleteObserved = statement(() =>
  db.delete(webhookEvents).where(and(isOfVisitor, notLike(webhookEvents.type, 'handover.%'))),
);
