import { z } from 'zod';
import { okReply, text, workspaceId } from './fields.ts';
import { WORKSPACE_LIMITS } from './limits/workspace.ts';
import { EDITOR_ROLES, editRoute, readRoute, route, router } from './route.ts';

/** The lines belong to one version of the service and change with what it stores, so the document leaves them open. */
const archiveRow = z
  .looseObject({
    type: z
      .string()
      .max(64)
      .describe('Type of the line, such as `article` or `turn`; the last line is the `end`.')
      .meta({ example: 'end' }),
  })
  .meta({
    id: 'ArchiveRow',
    description: 'A line of an archive. Its other fields depend on the type and are for importing only.',
  });

const pathParams = z.strictObject({ tenantId: workspaceId });

export const archive = router('Workspace', {
  exportTenant: route({
    method: 'GET',
    path: '/api/tenants/:tenantId/export',
    summary: 'Export a workspace',
    description:
      'Streams everything the workspace owns as JSON Lines, for `guidepost workspace import`. The last ' +
      'line has the type `end`; an archive without it is incomplete. Passwords, API keys, sessions, ' +
      'invitations and conversations due for deletion are left out. Each export is audited before it begins.',
    pathParams,
    responses: { 200: archiveRow },
    errors: ['storage/unavailable'],
    meta: { ...readRoute, roles: EDITOR_ROLES, lines: archiveRow },
  }),

  deleteTenant: route({
    method: 'DELETE',
    path: '/api/tenants/:tenantId',
    summary: 'Delete a workspace',
    description:
      'Permanently deletes the workspace with all its data, and the accounts of members who belong to ' +
      'no other workspace. The response is sent once the data is gone from the database; a 503 says ' +
      'that the service finishes the deletion in the background.',
    pathParams,
    query: z.strictObject({
      confirmName: text(WORKSPACE_LIMITS.workspaceNameCharsMax)
        .describe('The exact name of the workspace, as confirmation.')
        .meta({ example: 'The bicycle shop' }),
    }),
    responses: { 200: okReply },
    errors: ['tenant/name_mismatch'],
    meta: { ...editRoute, areas: [], roles: ['owner'], freshPassword: true },
  }),
});
