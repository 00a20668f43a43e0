import { z } from 'zod';
import { namedObject, workspaceId } from './fields.ts';
import { readRoute, route, router } from './route.ts';

/** The weekly mail to members, which each turns on and off. */

const isOn = z
  .boolean()
  .describe('Whether the caller gets a mail each week that counts what waits in the workspace.')
  .meta({ example: true });

const digestState = namedObject('Digest', 'The weekly mail to the caller.', {
  isOn,
  sendsMail: z.boolean().describe('Whether the service sends mail.').meta({ example: true }),
});

const base = {
  path: '/api/tenants/:tenantId/digest',
  pathParams: z.strictObject({ tenantId: workspaceId }),
  responses: { 200: digestState },
} as const;

export const digest = router('Members', {
  readDigest: route({
    ...base,
    method: 'GET',
    summary: 'Retrieve whether you get the weekly mail',
    description: 'Returns whether the caller gets the weekly mail about this workspace.',
    meta: readRoute,
  }),
  changeDigest: route({
    ...base,
    method: 'PUT',
    summary: 'Turn the weekly mail on or off',
    description:
      'Turns the weekly mail about this workspace on or off, for the caller alone. The mail has a link that does it without a sign-in.',
    body: namedObject('DigestChange', 'Whether to get the weekly mail.', { isOn }),
    meta: { ...readRoute, limits: ['tenant/member-mutations'] },
  }),
});
