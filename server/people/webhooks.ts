import { randomBytes } from 'node:crypto';
import { WEBHOOK_LIMITS } from '../../contract/limits/webhooks.ts';
import type { WebhookBody, WebhookDeliveryBody, webhooks } from '../../contract/webhooks.ts';
import { type Clock, toIsoString } from '../base/clock.ts';
import { newId } from '../base/ids.ts';
import { normalizeLine } from '../base/text.ts';
import { decodeCursor, encodeCursor } from '../http/cursor.ts';
import { throwApiError, throwInvalidRequest } from '../http/errors.ts';
import type { Handlers, MemberCaller } from '../http/handler.ts';
import type { Store } from '../storage/store.ts';
import type { Webhook, WebhookDelivery, Webhooks } from '../storage/webhooks.ts';
import type { SecretBox } from '../tokens/sealed-text.ts';
import { createMemberAudit } from '../workspaces/audit-trail.ts';
import { toWebhookOwner } from './deliver-webhooks.ts';
import { requireServerAddress } from './server-address.ts';
import type { WebhookSender } from './webhook-sender.ts';

type Deps = {
  store: Pick<Store, 'in'>;
  clock: Clock;
  secrets: SecretBox;
  webhookSender: Pick<WebhookSender, 'parse'>;
};

export function webhookHandlers(deps: Deps): Handlers<typeof webhooks> {
  const { store, clock } = deps;
  const storeOf = ({ workspace }: MemberCaller) => store.in(workspace.id).webhooks;
  const toAudit = createMemberAudit(clock);
  const getWebhook = async (stored: Webhooks, id: string) =>
    (await stored.list()).find((each) => each.id === id) ?? throwApiError('webhook/not_found');
  const describe = async (stored: Webhooks, id: string) => toBody(await getWebhook(stored, id), clock.now());
  const getActive = async (stored: Webhooks, id: string) => {
    const webhook = await getWebhook(stored, id);
    if (webhook.state !== 'active') throwApiError('webhook/inactive');
  };

  return {
    async listWebhooks({ caller }) {
      const data = await storeOf(caller).list();
      return { status: 200, body: { data: data.map((webhook) => toBody(webhook, clock.now())) } };
    },

    async createWebhook({ caller, body, ctx }) {
      const stored = storeOf(caller);
      const id = newId('whk');
      const createdAt = clock.now();
      const { name, url } = {
        name: parseName(body.name),
        url: await requireServerAddress(body.url, deps.webhookSender),
      };
      const events = [...new Set(body.events)];
      const { secret, ...sealed } = await makeSecret(caller, id, deps);
      const webhook: Webhook = {
        ...{ id, name, url, events: JSON.stringify(events), state: 'active' },
        ...{ ...sealed, createdAt, createdBy: caller.memberId },
      };
      const audit = toAudit(caller, ctx, 'webhook.created', id, { name, url, events });
      const outcome = await stored.create(webhook, WEBHOOK_LIMITS.webhooksMax, audit);
      if (outcome === 'too_many') throwApiError('webhook/too_many');
      return { status: 201, body: { ...(await describe(stored, id)), secret } };
    },

    async changeWebhook({ caller, params: { webhookId }, body, ctx }) {
      const stored = storeOf(caller);
      await getWebhook(stored, webhookId);
      const events = body.events && [...new Set(body.events)];
      const change = {
        ...(body.name !== undefined && { name: parseName(body.name) }),
        ...(body.url !== undefined && { url: await requireServerAddress(body.url, deps.webhookSender) }),
        ...(body.state && { state: body.state }),
      };
      const audit = toAudit(caller, ctx, 'webhook.changed', webhookId, {
        ...change,
        ...(events && { events }),
      });
      const fields = { ...change, ...(events && { events: JSON.stringify(events) }) };
      await stored.change(webhookId, fields, clock.now(), audit);
      return { status: 200, body: await describe(stored, webhookId) };
    },

    async deleteWebhook({ caller, params: { webhookId }, ctx }) {
      const stored = storeOf(caller);
      const { name } = await getWebhook(stored, webhookId);
      await stored.remove(webhookId, toAudit(caller, ctx, 'webhook.deleted', webhookId, { name }));
      return { status: 200, body: { ok: true } };
    },

    async rotateWebhookSecret({ caller, params: { webhookId }, body, ctx }) {
      const stored = storeOf(caller);
      const { name } = await getWebhook(stored, webhookId);
      const { secret, ...sealed } = await makeSecret(caller, webhookId, deps);
      const oldSecretUntil = clock.now() + body.overlapSeconds * 1000;
      const details = { name, endsAt: toIsoString(oldSecretUntil) };
      const audit = toAudit(caller, ctx, 'webhook.secret_rotated', webhookId, details);
      await stored.setSecret(webhookId, { ...sealed, oldSecretUntil }, audit);
      return { status: 201, body: { ...(await describe(stored, webhookId)), secret } };
    },

    async testWebhook({ caller, params: { webhookId } }) {
      const stored = storeOf(caller);
      await getActive(stored, webhookId);
      const payload = { webhook_id: webhookId };
      const event = { type: 'webhook.test', subject: newId('whe'), payload, at: clock.now() } as const;
      return { status: 200, body: toDeliveryBody(await stored.send(webhookId, event), true) };
    },

    async listWebhookDeliveries({ caller, params: { webhookId }, query: { limit, cursor, state } }) {
      const stored = storeOf(caller);
      const isActive = (await getWebhook(stored, webhookId)).state === 'active';
      const before = cursor === undefined ? undefined : Number(decodeCursor(cursor, /^\d{1,15}$/)[0]);
      const rows = await stored.deliveries(webhookId, { limit: limit + 1, before, state });
      const data = rows.slice(0, limit);
      const next = rows.length > limit ? { nextCursor: encodeCursor(`${data.at(-1)!.sequence}`) } : {};
      return { status: 200, body: { data: data.map((row) => toDeliveryBody(row, isActive)), ...next } };
    },

    async resendWebhookDelivery({ caller, params: { webhookId, deliveryId } }) {
      const stored = storeOf(caller);
      await getActive(stored, webhookId);
      const delivery = await stored.resend(webhookId, deliveryId, clock.now());
      if (delivery === 'gone') return throwApiError('webhook/delivery_not_found');
      return { status: 200, body: toDeliveryBody(delivery, true) };
    },
  };
}

const SECRET_BYTES = 32;

async function makeSecret({ workspace }: MemberCaller, webhookId: string, { secrets, clock }: Deps) {
  const secret = `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
  const sealedSecret = await secrets.seal(secret, toWebhookOwner(workspace.id, webhookId));
  return { secret, sealedSecret, secretSetAt: clock.now() };
}

function parseName(text: string): string {
  const message = `Expected 1 to ${WEBHOOK_LIMITS.nameCharsMax} visible characters.`;
  return (
    normalizeLine(text, WEBHOOK_LIMITS.nameCharsMax) ??
    throwInvalidRequest({ path: 'body.name', code: 'custom', message })
  );
}

function toBody(webhook: Webhook & { waiting: number }, now: number): WebhookBody {
  const { id, name, url, state, waiting, createdBy, pausedAt, secretSetAt, oldSecretUntil } = webhook;
  return {
    ...{ id, name, url, state, waiting, createdBy },
    events: JSON.parse(webhook.events),
    ...(pausedAt === undefined ? {} : { pausedAt: toIsoString(pausedAt) }),
    secretSetAt: toIsoString(secretSetAt),
    ...(webhook.sealedOldSecret !== undefined &&
      (oldSecretUntil ?? 0) > now && { oldSecretUntil: toIsoString(oldSecretUntil!) }),
    createdAt: toIsoString(webhook.createdAt),
  };
}

function toDeliveryBody(delivery: WebhookDelivery, isActive: boolean): WebhookDeliveryBody {
  const { id, eventId, state, payload, attempts, attemptedAt, responseStatus: status } = delivery;
  const { error, response, responseMillis: millis = 0 } = delivery;
  return {
    ...{ id, eventId, type: delivery.type as WebhookDeliveryBody['type'], state, payload, attempts },
    createdAt: toIsoString(delivery.createdAt),
    ...(state === 'waiting' && isActive && { nextAttemptAt: toIsoString(delivery.nextAttemptAt) }),
    ...(attemptedAt !== undefined && {
      lastAttempt: { at: toIsoString(attemptedAt), millis, status, response, error },
    }),
  };
}
