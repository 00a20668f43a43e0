import { z } from 'zod';
import { audienceEntry } from './article-fields.ts';
import { userTokenResult } from './boot.ts';
import {
  actor,
  email,
  moment,
  namedObject,
  okReply,
  text,
  typeId,
  visitorId,
  webAddress,
  workspaceId,
} from './fields.ts';
import { CUSTOMER_LIMITS } from './limits/customers.ts';
import { REQUEST_LIMITS } from './limits/requests.ts';
import { EDITOR_ROLES, editRoute, readRoute, route, router } from './route.ts';
import { erasureReply } from './visitor.ts';

/** Known customers: visitors whom the site has signed in, and says so with a token that it signs. */

const customerKeyId = typeId('ck', 'A key that proves the tokens of known customers');

const keySetUrl = webAddress(REQUEST_LIMITS.urlCharsMax)
  .describe(
    'Address of the JSON Web Key Set (RFC 7517) of the site, on a public `https` server, without user and fragment.',
  )
  .meta({ example: 'https://shop.example.com/.well-known/jwks.json' });

const customerKeyKind = z.enum(['secret', 'key_set']).meta({
  id: 'CustomerKeyKind',
  description:
    '`secret`: shared with the site, for HS256. `key_set`: public keys of the site, for RS256 and ES256.',
});

const customerKeyFields = {
  id: customerKeyId,
  kind: customerKeyKind,
  url: keySetUrl.optional().describe('Absent for a secret.'),
  createdAt: moment,
  createdBy: actor,
};

const customerKey = namedObject(
  'CustomerKey',
  'A key that proves the tokens of known customers, without its secret.',
  customerKeyFields,
);

const customerKeyCreated = namedObject('CustomerKeyCreated', 'A new key. Its secret is shown only once.', {
  ...customerKeyFields,
  secret: z
    .string()
    .max(64)
    .optional()
    .describe('Sign with these characters as they are. Absent for a key set.')
    .meta({ example: 'cks_00000000000000000000000000000000000000000000' }),
});

const newCustomerKey = z
  .strictObject({
    kind: customerKeyKind,
    url: keySetUrl.optional().describe('Required for a key set, refused for a secret.'),
  })
  .meta({
    id: 'NewCustomerKey',
    description: 'A secret to create, or the key set of the site.',
    example: { kind: 'secret' },
  });

const customerKeyList = namedObject('CustomerKeyList', 'The keys of the workspace, newest first.', {
  data: z.array(customerKey).max(CUSTOMER_LIMITS.keysMax),
});

const customerSub = text(CUSTOMER_LIMITS.subCharsMax)
  .min(1)
  .describe('The id that the site gives the customer: `sub` of its user tokens.')
  .meta({ example: '48151623' });

const customerRequest = namedObject('CustomerRequest', 'The customer whom a request is about.', {
  sub: customerSub,
});

const customerVisitor = namedObject('CustomerVisitor', 'The visitor that a known customer is in the data.', {
  visitorId,
});

const userTokenProblem = z
  .enum([
    ...['no_key', 'unreadable_key', 'unknown_key', 'malformed', 'algorithm', 'signature'],
    ...['expired', 'times', 'audience', 'subject'],
  ] as const)
  .meta({
    id: 'UserTokenProblem',
    description:
      'Why a user token is refused. `no_key`: the workspace has no key. `unreadable_key`: the key set cannot be read now. ' +
      '`unknown_key`: the key set has no key with this `kid`. `malformed`: not a signed JWT. `algorithm`: no key of the ' +
      'workspace is for this `alg`. `signature`: signed with another key. `expired`: `exp` has passed. `times`: `exp` is missing or too ' +
      'far ahead, or the token is not valid yet. `audience`: `aud` is not the app id. `subject`: `sub` is missing or too long.',
  });

const userTokenCheck = namedObject('UserTokenCheck', 'What the service makes of a user token.', {
  result: userTokenResult.describe('What `POST /boot` says of the token in `user_token`.'),
  problem: userTokenProblem.optional().describe('Why it is refused. Absent if it is accepted.'),
  customer: namedObject('CheckedCustomer', 'What an accepted token says of the customer.', {
    sub: customerSub,
    name: z.string().max(CUSTOMER_LIMITS.nameCharsMax).optional().meta({ example: 'Ada Lovelace' }),
    email: email.optional(),
    attributes: z
      .array(audienceEntry)
      .max(CUSTOMER_LIMITS.attributesMax)
      .describe('The attributes, as entries of audiences.'),
    dropped: z
      .array(z.string().max(CUSTOMER_LIMITS.userTokenCharsMax).meta({ example: 'role' }))
      .max(CUSTOMER_LIMITS.droppedClaimsMax)
      .describe('Claims that are dropped: not declared, or with a value that is not as declared.'),
    expiresAt: moment.describe('When the token expires.'),
  })
    .optional()
    .describe('Absent if the token is refused.'),
});

export type UserTokenCheck = z.infer<typeof userTokenCheck>;
export type UserTokenProblem = z.infer<typeof userTokenProblem>;
export type CustomerKey = z.infer<typeof customerKey>;

const pathParams = z.strictObject({ tenantId: workspaceId });

export const customers = router('Customers', {
  listCustomerKeys: route({
    method: 'GET',
    path: '/api/tenants/:tenantId/customer-keys',
    summary: 'List keys of known customers',
    description: 'Returns the keys that prove user tokens, newest first, without their secrets.',
    pathParams,
    responses: { 200: customerKeyList },
    meta: { ...readRoute, roles: EDITOR_ROLES },
  }),
  createCustomerKey: route({
    method: 'POST',
    path: '/api/tenants/:tenantId/customer-keys',
    summary: 'Create a key of known customers',
    description:
      'Creates a secret, or stores where the site publishes its keys. To replace a key, create the new one, let the ' +
      'site sign with it, and delete the old one: both prove tokens in between. Requires a password confirmed within ten minutes.',
    pathParams,
    body: newCustomerKey,
    responses: { 201: customerKeyCreated },
    errors: ['customer/too_many_keys'],
    meta: { ...editRoute, showsSecret: true, freshPassword: true },
  }),
  deleteCustomerKey: route({
    method: 'DELETE',
    path: '/api/tenants/:tenantId/customer-keys/:keyId',
    summary: 'Delete a key of known customers',
    description: 'The tokens that it proved are refused from the next boot on.',
    pathParams: z.strictObject({ tenantId: workspaceId, keyId: customerKeyId }),
    responses: { 200: okReply },
    errors: ['customer/key_not_found'],
    meta: editRoute,
  }),
  checkUserToken: route({
    method: 'POST',
    path: '/api/tenants/:tenantId/customers/token-checks',
    summary: 'Check a user token',
    description:
      'Returns whether `POST /boot` would accept a user token now, and if not, why. The token is neither stored nor logged.',
    pathParams,
    body: namedObject('UserTokenCheckRequest', 'The user token to check.', {
      token: text(CUSTOMER_LIMITS.userTokenCharsMax)
        .min(1)
        .describe('The JWT, as the site passes it to the guide.')
        .meta({ example: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI0ODE1In0.c2lnbmF0dXJl' }),
    }),
    responses: { 200: userTokenCheck },
    meta: { ...readRoute, roles: EDITOR_ROLES, worksReadOnly: true },
  }),
  findCustomer: route({
    method: 'POST',
    path: '/api/tenants/:tenantId/customers/lookups',
    summary: 'Find the visitor of a customer',
    description:
      'Returns the pseudonym under which the data of a customer are stored, whether there are any or not. Give it to ' +
      'the exports as `visitor_id`. The `sub` is in the body, so that no log of addresses has it.',
    pathParams,
    body: customerRequest,
    responses: { 200: customerVisitor },
    meta: { ...readRoute, roles: EDITOR_ROLES, worksReadOnly: true },
  }),
  eraseCustomer: route({
    method: 'POST',
    path: '/api/tenants/:tenantId/customers/erasures',
    summary: 'Erase a customer',
    description:
      'Erases what `DELETE /visitor` erases, for the visitor of this customer. A later sign-in begins as a new visitor.',
    pathParams,
    body: customerRequest,
    responses: { 200: erasureReply },
    meta: editRoute,
  }),
});
