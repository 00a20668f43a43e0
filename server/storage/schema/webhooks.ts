/** Webhooks, the events that wait for them, and the log of what was sent. */

import { isNotNull, sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { ofWorkspace, partOf } from './workspaces.ts';

export const webhooks = sqliteTable(
  'webhooks',
  {
    id: text().primaryKey(),
    workspaceId: ofWorkspace(),
    name: text().notNull(),
    url: text().notNull(),
    /** The chosen types, as a JSON array. */
    events: text().notNull(),
    /** `paused` after three days without a delivery, or when the receiver says that it is gone. */
    state: text({ enum: ['active', 'disabled', 'paused'] }).notNull(),
    pausedAt: integer(),
    /** The secret, encrypted for this webhook. Absent after an import, until it is rotated. */
    sealedSecret: text(),
    secretSetAt: integer(),
    /** The secret before, which goes on signing until then. */
    sealedOldSecret: text(),
    oldSecretUntil: integer(),
    createdAt: integer().notNull(),
    createdBy: text().notNull(),
  },
  (table) => [index('webhooks_by_workspace').on(table.workspaceId)],
);

/** Written in the transaction of the change. An event has a row only if a webhook gets it. */
export const webhookEvents = sqliteTable(
  'webhook_events',
  {
    id: text().primaryKey(),
    workspaceId: ofWorkspace(),
    type: text().notNull(),
    /** Events about the same thing are sent in order. */
    subject: text().notNull(),
    /** The visitor with whom the row is erased. */
    visitorId: text(),
    /** The body to send. */
    payload: text().notNull(),
    createdAt: integer().notNull(),
  },
  (table) => [
    index('webhook_events_by_time').on(table.workspaceId, table.createdAt),
    index('webhook_events_by_visitor')
      .on(table.workspaceId, table.visitorId)
      .where(isNotNull(table.visitorId)),
  ],
);

/** An event for a webhook, to send or sent. */
export const webhookDeliveries = sqliteTable(
  'webhook_deliveries',
  {
    id: text().primaryKey(),
    /** In the order of the changes: a workspace's transactions run one by one. */
    sequence: integer().notNull(),
    workspaceId: ofWorkspace(),
    webhookId: partOf(() => webhooks.id),
    eventId: partOf(() => webhookEvents.id),
    subject: text().notNull(),
    state: text({ enum: ['waiting', 'delivered'] }).notNull(),
    attempts: integer().notNull(),
    nextAttemptAt: integer().notNull(),
    attemptedAt: integer(),
    /** Why there was no response. */
    error: text(),
    responseStatus: integer(),
    /** Its beginning. */
    response: text(),
    responseMillis: integer(),
  },
  (table) => [
    index('webhook_deliveries_by_webhook').on(table.webhookId, table.sequence),
    index('webhook_deliveries_by_event').on(table.eventId),
    index('webhook_deliveries_by_workspace').on(table.workspaceId, table.sequence),
    index('webhook_deliveries_in_order')
      .on(table.webhookId, table.subject, table.sequence)
      .where(sql`${table.state} = 'waiting'`),
    index('webhook_deliveries_due')
      .on(table.webhookId, table.nextAttemptAt)
      .where(sql`${table.state} = 'waiting'`),
  ],
);
