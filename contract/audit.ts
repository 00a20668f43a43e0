import { z } from 'zod';
import { actor, askedMoment, moment, pageOf, pageQuery } from './fields.ts';

/** The trail of what was done in a workspace. */

const action = z
  .string()
  .max(64)
  .describe('What was done, such as workspace.changed.')
  .meta({ example: 'workspace.changed' });

const subject = z
  .string()
  .max(128)
  .describe('The id of what it was done to.')
  .meta({ example: 'ws_01kakv2fxse7wtg6x5r0h8rjbm' });

export const auditRow = z
  .strictObject({
    id: z
      .string()
      .max(64)
      .describe('The row of the audit: a TypeID with the prefix aud.')
      .meta({ example: 'aud_01kakv2fxse7wtg6x5r0h8rjbm' }),
    at: moment.describe('When it was done, in UTC.'),
    actor,
    action,
    subject,
    details: z
      .string()
      .max(1_000_000)
      .describe(
        'What changed, as a JSON object in canonical form (RFC 8785); which fields it has depends on the action.',
      )
      .meta({ example: '{"after":{"name":"Books"},"before":{"name":"Shop"}}' }),
  })
  .meta({ id: 'AuditRow', description: 'Who did what in a workspace, and when.' });

export const auditPage = pageOf('AuditPage', auditRow, 'what was done in the workspace, newest first');

export const auditQuery = z.strictObject({
  ...pageQuery,
  actor: actor.min(1).optional().describe('Only what this member did, or `operator`.'),
  action: action
    .min(1)
    .optional()
    .describe(
      'Only rows of this action; what ends with a dot, such as `api_key.`, stands for every action that begins so.',
    ),
  subject: subject.min(1).optional().describe('Only what was done to what has this id.'),
  from: askedMoment.optional().describe('Only what was done at this moment or later.'),
  to: askedMoment.optional().describe('Only what was done before this moment.'),
});

export type AuditPage = z.infer<typeof auditPage>;
export type AuditQuery = z.infer<typeof auditQuery>;
