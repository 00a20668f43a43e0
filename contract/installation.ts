import { z } from 'zod';
import { moment, origin, workspaceId } from './fields.ts';
import { LIMITS } from './limits.ts';
import { route, router } from './route.ts';
import { readRoute } from './route-presets.ts';

const installedOrigin = z
  .strictObject({
    origin: origin.describe('An allowed origin from the settings. May be a pattern.'),
    seenOrigin: origin
      .optional()
      .describe('Origin of the latest boot. For patterns, the origin that matched.'),
    lastSeenAt: moment
      .optional()
      .describe('When the guide last booted there, within a minute. Absent if never.'),
  })
  .meta({ id: 'InstalledOrigin', description: 'An allowed origin and its latest boot.' });

const refusedOrigin = z
  .strictObject({
    origin: origin.describe('Origin of a page that tried to boot but is not allowed.'),
    lastAskedAt: moment.describe('When a page there last tried.'),
    count: z.int32().min(1).describe('Number of attempts since the server started.').meta({ example: 3 }),
  })
  .meta({ id: 'RefusedOrigin', description: 'A page with the script tag that is not on an allowed origin.' });

export const installationReply = z
  .strictObject({
    origins: z
      .array(installedOrigin)
      .max(LIMITS.allowedOriginsMax)
      .describe('Allowed origins, in the order of the settings.'),
    refused: z
      .array(refusedOrigin)
      .max(LIMITS.refusedOriginsMax)
      .describe(
        'Rejected origins, newest first. Anyone can send such a request, so check an origin before you ' +
          'allow it. The list is cleared when the server restarts, and an origin leaves it when you allow ' +
          'it.',
      ),
  })
  .meta({ id: 'Installation', description: 'Where the guide is installed and where it was rejected.' });

export type InstallationReply = z.infer<typeof installationReply>;

export const installation = router({
  readInstallation: route({
    method: 'GET',
    path: '/api/tenants/:tenantId/installation',
    summary: 'Check the installation',
    description:
      'Returns when the guide last booted on each allowed origin, and which other origins tried. A ' +
      'boot shows up within a second.',
    pathParams: z.strictObject({ tenantId: workspaceId }),
    responses: { 200: installationReply },
    errors: [],
    meta: { ...readRoute, tag: 'Workspace', operationId: 'readInstallation' },
  }),
});
