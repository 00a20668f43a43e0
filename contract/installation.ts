import { z } from 'zod';
import { moment, origin, workspaceId } from './fields.ts';
import { LIMITS } from './limits.ts';
import { route, router } from './route.ts';
import { reading } from './route-presets.ts';

/** Whether the script tag stands where it should. */

const installedOrigin = z
  .strictObject({
    origin: origin.describe('An allowed origin as the settings have it, patterns included.'),
    seenOrigin: origin
      .optional()
      .describe('The origin that the guide booted on last; below a pattern, the newest one of those.'),
    lastSeenAt: moment
      .optional()
      .describe('When the guide booted there last, within a minute; absent: it was never seen there.'),
  })
  .meta({ id: 'InstalledOrigin', description: 'An allowed origin, and whether the guide was seen on it.' });

const refusedOrigin = z
  .strictObject({
    origin: origin.describe('The origin of a page that asked for this workspace and is not allowed.'),
    lastAskedAt: moment.describe('When a page there asked last.'),
    count: z.int32().min(1).describe('How often it has asked since the server started.').meta({ example: 3 }),
  })
  .meta({ id: 'RefusedOrigin', description: 'A page with the script tag that is not on an allowed origin.' });

export const installationReply = z
  .strictObject({
    origins: z
      .array(installedOrigin)
      .max(LIMITS.allowedOriginsMax)
      .describe('The allowed origins, in the order of the settings.'),
    refused: z
      .array(refusedOrigin)
      .max(LIMITS.refusedOriginsMax)
      .describe(
        'Origins that asked in vain, newest first. Anybody can send such a request, so look before you allow one. ' +
          'Forgotten when the server restarts, or when the origin is allowed.',
      ),
  })
  .meta({ id: 'Installation', description: 'Where the guide was seen, and where it was refused.' });

export type InstallationReply = z.infer<typeof installationReply>;

export const installation = router({
  readInstallation: route({
    method: 'GET',
    path: '/api/tenants/:tenantId/installation',
    summary: 'See where the guide was installed',
    description:
      'For each allowed origin, when the guide booted there last, whoever the visitor was; and which other origins have asked. ' +
      'A boot shows within a second.',
    pathParams: z.strictObject({ tenantId: workspaceId }),
    answers: { 200: installationReply },
    errors: [],
    meta: { ...reading, tag: 'Workspace', operationId: 'readInstallation' },
  }),
});
