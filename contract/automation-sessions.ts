import { z } from 'zod';
import {
  actor,
  buildPage,
  futureMoment,
  memberRole,
  moment,
  namedObject,
  network,
  pageQuery,
  typeId,
  visibleText,
  workspaceId,
} from './fields.ts';
import { ACCOUNT_LIMITS } from './limits/accounts.ts';
import { AREAS, editRoute, readRoute, route, router } from './route.ts';

export const sessionId = typeId('ses', 'A session of a user on one device');

export const AUTOMATION_NAME_CHARS_MAX = 64;
const name = visibleText(AUTOMATION_NAME_CHARS_MAX).meta({
  description: 'A name that tells you what the session is for.',
  example: 'Docs pipeline',
});

const area = z.enum(AREAS).meta({
  id: 'AutomationArea',
  description:
    'Area that an automation session may change. `articles` and `translations`: their texts and whether they are live. `review`: decisions ' +
    'on translations. `settings`: the settings of the workspace.',
});

const grant = {
  name,
  role: memberRole.describe('Maximum role of the session. Lower if its creator has a lower role by now.'),
  areas: z.array(area).min(1).max(AREAS.length),
};
const allowedNetworks = z.array(network).max(ACCOUNT_LIMITS.apiKeyNetworksMax);
const shownNetworks = allowedNetworks.describe(
  'Networks that the session works from, in CIDR notation. Empty if it works from everywhere.',
);
const mayApproveOwn = z
  .boolean()
  .describe('Whether the session may approve translations that it wrote itself.');

export const automation = namedObject('Automation', 'Rights of an automation session in one workspace.', {
  tenantId: workspaceId,
  ...grant,
  allowedNetworks: shownNetworks,
  mayApproveOwn,
});

const sessionFields = {
  id: sessionId.describe('The session; also what the audit log and revisions name as the actor.'),
  ...grant,
  allowedNetworks: shownNetworks,
  mayApproveOwn,
  createdBy: actor.describe('Id of the owner in whose name the session acts.'),
  createdAt: moment,
  expiresAt: moment,
  lastSeenAt: moment
    .optional()

    .describe(
      'When the session was last used, to the minute; at first when it was created. Absent if it has ended.',
    ),
  active: z.boolean(),
};

const automationSession = namedObject(
  'AutomationSession',
  'An automation session without its token.',
  sessionFields,
);

const automationSessionCreated = namedObject(
  'AutomationSessionCreated',
  'A new automation session with its token.',
  {
    ...sessionFields,
    token: z
      .string()
      .regex(/^[A-Za-z0-9_-]{43}$/)
      .max(43)
      .describe('The token: the value of the session cookie. It is shown only once.')
      .meta({ example: 'q83vASNFZ4mrze8BI0VniavN7wEjRWeJq83vASNFZ4k' }),
  },
);

const newAutomationSession = namedObject(
  'NewAutomationSession',
  'Name, permissions and expiry of a new automation session.',
  {
    ...grant,
    expiresAt: futureMoment
      .optional()
      .describe(
        'When the session ends by itself: in the future, and within a year. Defaults to 90 days from now.',
      ),
    allowedNetworks: allowedNetworks
      .optional()
      .describe(
        'Networks that the session works from: IPv4 and IPv6 addresses or CIDR blocks. If absent or empty, from everywhere.',
      ),
    mayApproveOwn: mayApproveOwn
      .optional()
      .describe('Whether it may approve what it wrote. Defaults to false.'),
  },
);

const automationSessionPage = buildPage('AutomationSessionPage', automationSession);

export type Automation = z.infer<typeof automation>;
export type ShownAutomationSession = z.infer<typeof automationSession>;

const pathParams = z.strictObject({ tenantId: workspaceId });
const path = '/api/tenants/:tenantId/automation-sessions';

export const automationSessions = router('Session', {
  createAutomationSession: route({
    method: 'POST',
    path,
    summary: 'Create an automation session',
    description:
      'Creates a session for a program, in the name of the signed-in owner. It works like any other session of the owner, in this ' +
      'workspace and in its areas only, and cannot create members, keys or sessions. The token is returned only once; send it as ' +
      `the session cookie. At most ${ACCOUNT_LIMITS.automationSessionsMax} work at a time. Requires a password confirmed ` +
      'within ten minutes.',
    pathParams,
    body: newAutomationSession,
    responses: { 201: automationSessionCreated },
    errors: ['session/too_many_automations'],
    meta: { ...editRoute, showsSecret: true, roles: ['owner'], freshPassword: true },
  }),
  listAutomationSessions: route({
    method: 'GET',
    path,
    summary: 'List automation sessions',
    description:
      'Returns all automation sessions of the workspace without their tokens, newest first, including those that have ended. ' +
      'To end one, its owner revokes the session.',
    pathParams,
    query: z.strictObject(pageQuery),
    responses: { 200: automationSessionPage },
    meta: readRoute,
  }),
});
