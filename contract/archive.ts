import { z } from 'zod';
import { archiveLine } from './archive-line.ts';
import { okReply, workspaceId } from './fields.ts';
import { LIMITS } from './limits.ts';
import { EDITOR_ROLES, editRoute, readRoute, route, router } from './route.ts';

const pathParams = z.strictObject({ tenantId: workspaceId });

export const archive = router({
  exportTenant: route({
    method: 'GET',
    path: '/api/tenants/:tenantId/export',
    summary: 'Export a workspace',
    description:
      'Streams everything the workspace owns as JSON Lines: settings, members, consent log, articles ' +
      'and translations with all revisions and reviews, conversations, events and the audit log. The ' +
      'last line has the type `end`; an archive without it is incomplete. Passwords, API keys, ' +
      'sessions and invitations are not exported, and neither are conversations due for deletion. The ' +
      'archive of an unchanged workspace is always the same. Import it with `guidepost workspace ' +
      'import`. Each export is audited before it begins, so it needs a storage that can be written to.',
    pathParams,
    responses: { 200: archiveLine },
    errors: ['storage/unavailable'],
    meta: {
      ...readRoute,
      tag: 'Workspace',
      operationId: 'exportTenant',
      roles: EDITOR_ROLES,
      lines: archiveLine,
    },
  }),

  deleteTenant: route({
    method: 'DELETE',
    path: '/api/tenants/:tenantId',
    summary: 'Delete a workspace',
    description:
      'Permanently deletes the workspace with all its data, and the accounts of members who belong to ' +
      'no other workspace. The workspace is unavailable immediately; the response is sent once its ' +
      'data has been removed from the database. If that cannot finish now, the response is a 503 and ' +
      'the service finishes the deletion in the background.',
    pathParams,
    query: z.strictObject({
      confirmName: z
        .string()
        .min(1)
        .max(LIMITS.workspaceNameCharsMax)
        .describe('The exact name of the workspace, as confirmation.')
        .meta({ example: 'The bicycle shop' }),
    }),
    responses: { 200: okReply },
    errors: ['tenant/name_mismatch'],
    meta: {
      ...editRoute,
      tag: 'Workspace',
      operationId: 'deleteTenant',
      roles: ['owner'],
      freshPassword: true,
    },
  }),
});
