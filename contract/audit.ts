import { z } from 'zod';
import { actor, askedMoment, moment, pageOf, pageQuery } from './fields.ts';

const action = z
  .string()
  .max(64)
  .describe('The action, such as `workspace.changed`.')
  .meta({ example: 'workspace.changed' });

const subject = z
  .string()
  .max(128)
  .describe('Id of the object that was acted on.')
  .meta({ example: 'ws_01kakv2fxse7wtg6x5r0h8rjbm' });

export const auditRow = z
  .strictObject({
    id: z
      .string()
      .max(64)
      .describe('Audit log entry: a TypeID with the prefix aud.')
      .meta({ example: 'aud_01kakv2fxse7wtg6x5r0h8rjbm' }),
    at: moment.describe('When the action happened, in UTC.'),
    actor,
    action,
    subject,
    details: z
      .string()
      .max(1_000_000)
      .describe('What changed, as canonical JSON (RFC 8785). The fields depend on the action.')
      .meta({ example: '{"after":{"name":"Books"},"before":{"name":"Shop"}}' }),
  })
  .meta({ id: 'AuditRow', description: 'An entry of the audit log.' });

export const auditPage = pageOf('AuditPage', auditRow, 'what was done in the workspace, newest first');

export const auditQuery = z.strictObject({
  ...pageQuery,
  actor: actor.min(1).optional().describe('Only actions of this member, or of `operator`.'),
  action: action
    .min(1)
    .optional()
    .describe(
      'Only this action. A trailing dot matches a prefix: `api_key.` matches every action on API keys.',
    ),
  subject: subject.min(1).optional().describe('Only actions on the object with this id.'),
  from: askedMoment.optional().describe('Only actions at or after this time.'),
  to: askedMoment.optional().describe('Only actions before this time.'),
});

export type AuditPage = z.infer<typeof auditPage>;
export type AuditQuery = z.infer<typeof auditQuery>;
