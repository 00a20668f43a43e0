import { z } from 'zod';
import { archiveLine } from './archive-line.ts';
import { okReply, workspaceId } from './fields.ts';
import { LIMITS } from './limits.ts';
import { route, router } from './route.ts';
import { changing, reading, WHO_CHANGES } from './route-presets.ts';

/** A workspace as a whole: taking everything out of it, and taking it out of the world. */

const pathParams = z.strictObject({ tenantId: workspaceId });

export const archive = router({
  exportTenant: route({
    method: 'GET',
    path: '/api/tenants/:tenantId/export',
    summary: 'Export everything that a workspace owns',
    description:
      'Streams the archive of the workspace, a JSON object a line: settings, members, consent evidence, articles and translations ' +
      'with all their revisions and reviews, conversations, events, audit. The last line has the type `end`; without it the archive ' +
      'is not whole. Credentials stay behind (passwords, API keys, sessions, invitations), and so do conversations that have to be ' +
      'deleted by a certain time. The archive of a workspace that does not change is the same every time, and ' +
      '`guidepost workspace import` reads it.',
    pathParams,
    answers: { 200: archiveLine },
    errors: [],
    meta: {
      ...reading,
      tag: 'Workspace',
      operationId: 'exportTenant',
      roles: WHO_CHANGES,
      lines: archiveLine,
    },
  }),

  deleteTenant: route({
    method: 'DELETE',
    path: '/api/tenants/:tenantId',
    summary: 'Delete a workspace',
    description:
      'Deletes the workspace with everything in it, and everybody who belongs to no other one. From the first moment nobody sees it ' +
      'any more; the answer comes when nothing of it is left in the database file. Where that cannot be finished now, the answer is ' +
      '503 and the service finishes it by itself. There is no way back but an export that was made before.',
    pathParams,
    query: z.strictObject({
      confirmName: z
        .string()
        .min(1)
        .max(LIMITS.workspaceNameCharsMax)
        .describe('The name of the workspace, exactly as it is, typed by the person who deletes it.')
        .meta({ example: 'The bicycle shop' }),
    }),
    answers: { 200: okReply },
    errors: ['tenant/name_mismatch'],
    meta: {
      ...changing,
      tag: 'Workspace',
      operationId: 'deleteTenant',
      roles: ['owner'],
      freshPassword: true,
    },
  }),
});
