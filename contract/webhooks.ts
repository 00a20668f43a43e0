import { z } from 'zod';
import {
  actor,
  buildPage,
  moment,
  namedObject,
  okReply,
  pageQuery,
  text,
  typeId,
  visibleText,
  webAddress,
  workspaceId,
} from './fields.ts';
import { WEBHOOK_LIMITS } from './limits/webhooks.ts';
import { EDITOR_ROLES, editRoute, readRoute, route, router } from './route.ts';
import { CHOSEN_EVENT_TYPES, WEBHOOK_EVENT_TYPES, webhookId } from './webhook-events.ts';

const deliveryId = typeId('whd', 'An event for a webhook');

const webhookName = visibleText(WEBHOOK_LIMITS.nameCharsMax).meta({ example: 'Help desk' });

const url = webAddress(WEBHOOK_LIMITS.urlCharsMax)
  .describe('Where events are sent: an https address of a public server, without user and fragment.')
  .meta({ example: 'https://desk.example.com/hooks/guidepost' });

const chosenType = z.enum(CHOSEN_EVENT_TYPES).meta({
  id: 'WebhookChosenType',
  description: 'A type of events that a webhook can get.',
});

const webhookTypes = z
  .array(chosenType)
  .min(1)
  .max(CHOSEN_EVENT_TYPES.length)
  .describe('The types of events that it gets.');

const state = z.enum(['active', 'disabled', 'paused']).meta({
  id: 'WebhookState',
  description:
    'Whether events are sent. `paused`: the receiver did not accept an event for three days, or answered with status 410. ' +
    'While it is not `active`, no new events are stored for it.',
});

const webhookFields = {
  id: webhookId,
  name: webhookName,
  url,
  events: webhookTypes,
  state,
  pausedAt: moment.optional().describe('When it was paused. Absent unless it is.'),
  waiting: z.int32().min(0).describe('Events that wait to be sent.').meta({ example: 0 }),
  secretSetAt: moment.describe('When the secret was created.'),
  oldSecretUntil: moment
    .optional()
    .describe('Until when the secret before the last rotation signs too. Absent unless one does.'),
  createdAt: moment,
  createdBy: actor,
};

const secret = z
  .string()
  .regex(/^whsec_[A-Za-z0-9+/]{43}=$/)
  .max(50)
  .describe('The secret that verifies what is sent. It is shown only once.')
  .meta({ example: 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=' });

export const webhook = namedObject('Webhook', 'A server that gets events.', webhookFields);

const withSecret = namedObject('WebhookWithSecret', 'A webhook with its new secret.', {
  ...webhookFields,
  secret,
});

const deliveryState = z.enum(['waiting', 'delivered']).meta({
  id: 'WebhookDeliveryState',
  description: 'Whether a receiver has accepted an event, with a status from 200 to 299.',
});

const delivery = namedObject('WebhookDelivery', 'An event for a webhook.', {
  id: deliveryId,
  eventId: typeId('whe', 'An event').describe(
    'The `webhook-id` of the request: the same for each attempt and each webhook.',
  ),
  type: z.enum(WEBHOOK_EVENT_TYPES).meta({ id: 'WebhookEventType', description: 'The type of an event.' }),
  state: deliveryState,
  payload: z
    .string()
    .max(WEBHOOK_LIMITS.payloadBytesMax)
    .describe('The body of the request.')
    .meta({ example: '{"type":"webhook.test"}' }),
  createdAt: moment,
  attempts: z.int32().min(0).meta({ example: 1 }),
  nextAttemptAt: moment.optional().describe('Absent once it is delivered, and unless the webhook is active.'),
  lastAttempt: namedObject('WebhookAttempt', 'The newest attempt.', {
    at: moment,
    status: z
      .int32()
      .min(100)
      .max(999)
      .optional()
      .describe('Absent without a response.')
      .meta({ example: 200 }),
    response: z
      .string()
      .max(WEBHOOK_LIMITS.responseBytesMax)
      .optional()
      .describe('The beginning of the response.'),
    error: text(200)
      .optional()
      .describe('Why there was no response, or why it does not count.')
      .meta({ example: 'timeout' }),
    millis: z.int32().min(0).meta({ example: 120 }),
  })
    .optional()
    .describe('Absent before the first attempt.'),
});

export type WebhookBody = z.infer<typeof webhook>;
export type WebhookDeliveryBody = z.infer<typeof delivery>;

const base = '/api/tenants/:tenantId/webhooks';
const tenantParam = { tenantId: workspaceId };
const pathParams = z.strictObject({ ...tenantParam, webhookId });
const deliveryParams = z.strictObject({ ...tenantParam, webhookId, deliveryId });
const readers = { ...readRoute, roles: EDITOR_ROLES };

export const webhooks = router('Webhooks', {
  listWebhooks: route({
    method: 'GET',
    path: base,
    summary: 'List webhooks',
    description: 'Returns all webhooks without their secrets, oldest first.',
    pathParams: z.strictObject(tenantParam),
    responses: {
      200: namedObject('WebhookList', 'The webhooks of a workspace.', {
        data: z.array(webhook).max(WEBHOOK_LIMITS.webhooksMax),
      }),
    },
    meta: readers,
  }),
  createWebhook: route({
    method: 'POST',
    path: base,
    summary: 'Create a webhook',
    description:
      'Sends events of the chosen types to a server from now on. The secret is returned only once. Requires a password ' +
      'confirmed within ten minutes.',
    pathParams: z.strictObject(tenantParam),
    body: namedObject('NewWebhook', 'A server, and the events that it gets.', {
      name: webhookName,
      url,
      events: webhookTypes,
    }),
    responses: { 201: withSecret },
    errors: ['webhook/too_many'],
    meta: { ...editRoute, showsSecret: true, freshPassword: true },
  }),
  changeWebhook: route({
    method: 'PATCH',
    path: `${base}/:webhookId`,
    summary: 'Change a webhook',
    description:
      'Changes the given fields. What waits is sent again as soon as the webhook is `active`. Requires a password confirmed ' +
      'within ten minutes.',
    pathParams,
    body: namedObject('WebhookChange', 'Fields to change.', {
      name: webhookName.optional(),
      url: url.optional(),
      events: webhookTypes.optional(),
      state: z
        .enum(['active', 'disabled'])
        .meta({ id: 'WebhookSwitch', description: 'Whether events are sent.' })
        .optional(),
    }),
    responses: { 200: webhook },
    errors: ['webhook/not_found'],
    meta: { ...editRoute, freshPassword: true },
  }),
  deleteWebhook: route({
    method: 'DELETE',
    path: `${base}/:webhookId`,
    summary: 'Delete a webhook',
    description: 'Deletes a webhook with what waits for it and its log.',
    pathParams,
    responses: { 200: okReply },
    errors: ['webhook/not_found'],
    meta: editRoute,
  }),
  rotateWebhookSecret: route({
    method: 'POST',
    path: `${base}/:webhookId/rotate`,
    summary: 'Rotate the secret of a webhook',
    description:
      'Creates a secret. Requests are signed with both for the given time, then with the new one alone. Requires a ' +
      'password confirmed within ten minutes.',
    pathParams,
    body: namedObject('WebhookRotation', 'How a secret is replaced.', {
      overlapSeconds: z
        .int32()
        .min(0)
        .max(WEBHOOK_LIMITS.overlapSecondsMax)
        .describe('How long the old secret signs too, in seconds.')
        .meta({ example: 86_400 }),
    }),
    responses: { 201: withSecret },
    errors: ['webhook/not_found'],
    meta: { ...editRoute, showsSecret: true, freshPassword: true },
  }),
  testWebhook: route({
    method: 'POST',
    path: `${base}/:webhookId/test`,
    summary: 'Send a test event',
    description: 'Sends an event of the type `webhook.test` within seconds. Its delivery tells the response.',
    pathParams,
    body: null,
    responses: { 200: delivery },
    errors: ['webhook/not_found', 'webhook/inactive'],
    meta: editRoute,
  }),
  listWebhookDeliveries: route({
    method: 'GET',
    path: `${base}/:webhookId/deliveries`,
    summary: 'List deliveries',
    description: `Returns the events of the last ${WEBHOOK_LIMITS.logDays} days with their responses, newest first.`,
    pathParams,
    query: z.strictObject({
      ...pageQuery,
      state: deliveryState.optional().describe('Only deliveries in this state.'),
    }),
    responses: { 200: buildPage('WebhookDeliveryPage', delivery) },
    errors: ['webhook/not_found'],
    meta: readers,
  }),
  resendWebhookDelivery: route({
    method: 'POST',
    path: `${base}/:webhookId/deliveries/:deliveryId/resend`,
    summary: 'Send an event again',
    description: 'Sends an event again within seconds, with the same `webhook-id`.',
    pathParams: deliveryParams,
    body: null,
    responses: { 200: delivery },
    errors: ['webhook/not_found', 'webhook/delivery_not_found', 'webhook/inactive'],
    meta: editRoute,
  }),
});
