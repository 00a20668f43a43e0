import { z } from 'zod';
import { actor, moment, okReply, pageOf, pageQuery, typeId, workspaceId } from './fields.ts';
import { route, router } from './route.ts';
import { changing, reading, WHO_CHANGES } from './route-presets.ts';

/** Keys that read the data of one workspace (interface document, section 2.3). */

const apiKeyId = z
  .string()
  .regex(typeId('key'))
  .max(30)
  .describe('An API key of the workspace: a TypeID with the prefix key.')
  .meta({ example: 'key_01kakv2fxse7wtg6x5r0h8rjbm' });

const apiKeyScope = z.enum(['analytics:read', 'events:read']).meta({
  id: 'ApiKeyScope',
  description: 'What an API key may read (interface document, section 2.3).',
});

const scopes = z.array(apiKeyScope).max(2).describe('What the key may read: one scope or both.');

export const API_KEY_NAME_CHARS_MAX = 100;
const keyName = z.string().max(API_KEY_NAME_CHARS_MAX);

const apiKeyFields = {
  id: apiKeyId,
  name: keyName
    .describe('What its maker calls the key; empty where nobody named it.')
    .meta({ example: 'Nightly report' }),
  scopes,
  lastFour: z
    .string()
    .max(4)
    .describe('The last four characters of the key, to know it by.')
    .meta({ example: 'x7Qa' }),
  createdBy: actor,
  createdAt: moment.describe('When the key was created.'),
  lastUsedAt: moment
    .optional()
    .describe('When the key was used last, to the minute; absent while nobody has used it.'),
  revokedAt: moment.optional().describe('When the key was revoked; absent while it works.'),
};

export const apiKey = z
  .strictObject(apiKeyFields)
  .meta({ id: 'ApiKey', description: 'An API key as far as it is kept: without its secret.' });

export const apiKeyCreated = z
  .strictObject({
    ...apiKeyFields,
    key: z
      .string()
      .regex(/^pk_live_[0-9A-Za-z]{47}$/)
      .max(55)
      .describe('The whole key. It is shown here and never again.')
      .meta({ example: 'pk_live_00000000000000000000000000000000000000000000000' }),
  })
  .meta({ id: 'ApiKeyCreated', description: 'A new API key with its secret, which is shown this once.' });

export const newApiKey = z
  .strictObject({
    name: keyName
      .min(1)
      .regex(/\S/)
      .describe('What the key is for, in the words of its maker.')
      .meta({ example: 'Nightly report' }),
    scopes: scopes.min(1),
  })
  .meta({ id: 'NewApiKey', description: 'What an API key is for and what it may read.' });

export const apiKeyPage = pageOf(
  'ApiKeyPage',
  apiKey,
  'API keys of the workspace, newest first, the revoked ones too',
);

export type ShownApiKey = z.infer<typeof apiKey>;

const pathParams = z.strictObject({ tenantId: workspaceId });

export const apiKeys = router({
  createApiKey: route({
    method: 'POST',
    path: '/api/tenants/:tenantId/api-keys',
    summary: 'Create an API key',
    description:
      'Creates a key that reads the data of the workspace, by scope. The answer is the only place where the whole key is ever shown. ' +
      'Only for who has given the password within the last ten minutes.',
    pathParams,
    body: newApiKey,
    answers: { 201: apiKeyCreated },
    errors: [],
    meta: { ...changing, tag: 'API keys', operationId: 'createApiKey', freshPassword: true },
  }),
  listApiKeys: route({
    method: 'GET',
    path: '/api/tenants/:tenantId/api-keys',
    summary: 'List the API keys of a workspace',
    description: 'All keys without their secrets, newest first; revoked ones too.',
    pathParams,
    query: z.strictObject(pageQuery),
    answers: { 200: apiKeyPage },
    errors: [],
    meta: { ...reading, tag: 'API keys', operationId: 'listApiKeys', roles: WHO_CHANGES },
  }),
  revokeApiKey: route({
    method: 'DELETE',
    path: '/api/tenants/:tenantId/api-keys/:keyId',
    summary: 'Revoke an API key',
    description: 'The key stops working at once and for ever. Revoking it again changes nothing.',
    pathParams: z.strictObject({ tenantId: workspaceId, keyId: apiKeyId }),
    answers: { 200: okReply },
    errors: ['api_key/not_found'],
    meta: { ...changing, tag: 'API keys', operationId: 'revokeApiKey' },
  }),
});
