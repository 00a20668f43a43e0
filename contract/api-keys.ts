import { z } from 'zod';
import {
  actor,
  buildPage,
  moment,
  namedObject,
  network,
  okReply,
  pageQuery,
  typeId,
  workspaceId,
  zonedMoment,
} from './fields.ts';
import { ACCOUNT_LIMITS } from './limits/accounts.ts';
import { EDITOR_ROLES, editRoute, readRoute, route, router, SCOPES } from './route.ts';

const apiKeyId = typeId('key', 'An API key of the workspace');

const apiKeyScope = z.enum(SCOPES).meta({
  id: 'ApiKeyScope',
  description: 'A permission of an API key.',
});

const scopes = z.array(apiKeyScope).max(SCOPES.length);

export const API_KEY_NAME_CHARS_MAX = 100;
const keyName = z.string().max(API_KEY_NAME_CHARS_MAX);

const allowedNetworks = z.array(network).max(ACCOUNT_LIMITS.apiKeyNetworksMax);
const expiresAt = zonedMoment.meta({
  description: 'When the key stops working by itself.',
  example: '2036-01-01T00:00:00.000Z',
});

const apiKeyFields = {
  id: apiKeyId,
  name: keyName.describe('Name of the key. May be empty.').meta({ example: 'Nightly report' }),
  scopes,
  lastFour: z.string().max(4).meta({ example: 'x7Qa' }),
  createdBy: actor,
  createdAt: moment,
  lastUsedAt: moment.optional().describe('When the key was last used, to the minute. Absent if never used.'),
  lastUsedNetwork: network
    .optional()
    .describe(
      "Network of the last use: the client's address cut to 24 bits (IPv4) or 48 bits (IPv6). Absent if never used.",
    ),
  allowedNetworks: allowedNetworks.describe(
    'Networks that the key works from, in CIDR notation. Empty if it works from everywhere.',
  ),
  expiresAt: expiresAt.optional().describe('When the key stops working by itself. Absent if it never does.'),
  replacedBy: apiKeyId.optional().describe('The key that a rotation created for the same purpose.'),
  revokedAt: moment.optional(),
};

export const apiKey = namedObject('ApiKey', 'An API key without its secret.', apiKeyFields);

const apiKeyCreated = namedObject('ApiKeyCreated', 'A new API key with its secret.', {
  ...apiKeyFields,
  key: z
    .string()
    .regex(/^pk_live_[0-9A-Za-z]{47}$/)
    .max(55)
    .describe('The full key. It is shown only once.')
    .meta({ example: 'pk_live_00000000000000000000000000000000000000000000000' }),
});

const newApiKey = namedObject('NewApiKey', 'Name, scopes and restrictions of a new API key.', {
  name: keyName
    .min(1)
    .regex(/\S/)
    .meta({ description: 'A name that tells you what the key is for.', example: 'Nightly report' }),
  scopes: scopes.min(1),
  expiresAt: expiresAt.optional().describe('When the key stops working by itself. In the future.'),
  allowedNetworks: allowedNetworks
    .optional()
    .describe(
      'Networks that the key works from: IPv4 and IPv6 addresses or CIDR blocks. If absent or empty, from everywhere.',
    ),
});

const apiKeyRotation = namedObject('ApiKeyRotation', 'How an API key is replaced.', {
  overlapSeconds: z
    .int32()
    .min(0)
    .max(ACCOUNT_LIMITS.apiKeyOverlapSecondsMax)
    .describe('How long the old key goes on working, in seconds. It then ends by itself.')
    .meta({ example: 604_800 }),
  expiresAt: expiresAt
    .optional()
    .describe('When the new key expires. If absent, it has the lifetime of the old one, if that has any.'),
  allowedNetworks: allowedNetworks
    .optional()
    .describe('Networks that the new key works from. If absent, those of the old one.'),
});

const apiKeyPage = buildPage('ApiKeyPage', apiKey);

export type ApiKeyRotation = z.infer<typeof apiKeyRotation>;
export type ShownApiKey = z.infer<typeof apiKey>;

const pathParams = z.strictObject({ tenantId: workspaceId });

export const apiKeys = router('API keys', {
  createApiKey: route({
    method: 'POST',
    path: '/api/tenants/:tenantId/api-keys',
    summary: 'Create an API key',
    description:
      "Creates an API key that can read the workspace's data within its scopes. The full key is " +
      'returned only once. Requires a password confirmed within ten minutes.',
    pathParams,
    body: newApiKey,
    responses: { 201: apiKeyCreated },
    meta: { ...editRoute, showsSecret: true, freshPassword: true },
  }),
  listApiKeys: route({
    method: 'GET',
    path: '/api/tenants/:tenantId/api-keys',
    summary: 'List API keys',
    description: 'Returns all API keys without their secrets, newest first, including revoked ones.',
    pathParams,
    query: z.strictObject(pageQuery),
    responses: { 200: apiKeyPage },
    meta: { ...readRoute, roles: EDITOR_ROLES },
  }),
  rotateApiKey: route({
    method: 'POST',
    path: '/api/tenants/:tenantId/api-keys/:keyId/rotate',
    summary: 'Rotate an API key',
    description:
      'Creates a key with the same name and scopes. The old key goes on working for the given time, then it ends by ' +
      'itself. The full new key is returned only once. Requires a password confirmed within ten minutes.',
    pathParams: z.strictObject({ tenantId: workspaceId, keyId: apiKeyId }),
    body: apiKeyRotation,
    responses: { 201: apiKeyCreated },
    errors: ['api_key/not_found', 'api_key/inactive'],
    meta: { ...editRoute, showsSecret: true, freshPassword: true },
  }),
  revokeApiKey: route({
    method: 'DELETE',
    path: '/api/tenants/:tenantId/api-keys/:keyId',
    summary: 'Revoke an API key',
    description: 'The key stops working immediately and permanently. Revoking it again has no effect.',
    pathParams: z.strictObject({ tenantId: workspaceId, keyId: apiKeyId }),
    responses: { 200: okReply },
    errors: ['api_key/not_found'],
    meta: editRoute,
  }),
});
