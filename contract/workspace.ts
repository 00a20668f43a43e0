import { z } from 'zod';
import { consentStrictness } from './boot.ts';
import { actor, appId, locale, moment, pageOf, pageQuery, workspaceId } from './fields.ts';
import { LIMITS } from './limits.ts';
import { route, surface } from './route.ts';
import { changing, reading, WHO_CHANGES } from './tenant-facts.ts';

/** The settings of a workspace, and the trail of what was done in it. */

const name = z
  .string()
  .min(1)
  .max(LIMITS.workspaceNameCharsMax)
  .describe('What visitors and members see; white space is tidied.')
  .meta({ example: 'The bicycle shop' });

const allowedOrigins = z
  .array(
    z
      .string()
      .min(1)
      .max(512)
      .describe('An origin such as https://shop.example, or https://*.shop.example for every host below it.')
      .meta({ example: 'https://shop.example' }),
  )
  .max(LIMITS.allowedOriginsMax);

const pageActions = z.boolean().describe('Whether the guide may propose actions on the page.');
const screenshot = z.boolean().describe('Whether the guide may look at a screenshot of the page.');
const feedback = z.boolean().describe('Whether visitors may rate answers.');
const showBranding = z.boolean().describe("Whether the guide shows the service's mark.");

const suggestions = z
  .array(
    z
      .string()
      .min(1)
      .max(LIMITS.titleCharsMax)
      .regex(/\S/)
      .describe('A question to offer before the first message; not empty.')
      .meta({ example: 'Where is my order?' }),
  )
  .max(LIMITS.suggestionsMax);

const voiceEnabled = z.boolean().describe('Whether visitors may speak and listen.');
const monthlySecondsMax = z
  .int32()
  .min(0)
  .max(100_000_000)
  .describe('How many seconds of speech a calendar month may hold.')
  .meta({ example: 3600 });
const timeZone = z
  .string()
  .min(1)
  .max(64)
  .describe('The time zone that the month is counted in, by its IANA name.')
  .meta({ example: 'Europe/Berlin' });
const voiceId = z
  .string()
  .min(1)
  .max(128)
  .regex(/^[!-~]+$/)
  .describe('The voice that speaks when a request names none.')
  .meta({ example: 'alloy' });

const instructions = z
  .string()
  .min(1)
  .max(LIMITS.instructionsCharsMax)
  .regex(/\S/)
  .describe('What the guide heeds in tone and scope, in your own words; not empty.')
  .meta({ example: 'Be informal and brief. Speak of bicycles only.' });
const generalAnswers = z
  .boolean()
  .describe(
    'Whether a language model may answer what no article answers; else the guide says that it knows nothing.',
  );
const monthlyTokensMax = z
  .int32()
  .min(0)
  .max(2_000_000_000)
  .describe('How many tokens of a language model a calendar month (UTC) may hold.')
  .meta({ example: 5_000_000 });
const turnTokensMax = z
  .int32()
  .min(LIMITS.turnTokensMin)
  .max(1_000_000)
  .describe('How many tokens of a language model one answer may cost, about.')
  .meta({ example: 8000 });

const tenantGuide = z
  .strictObject({
    instructions: instructions
      .optional()
      .describe('What the guide heeds in tone and scope; absent where nothing is asked of it.'),
    generalAnswers,
    monthlyTokensMax: monthlyTokensMax
      .optional()
      .describe('How many tokens a calendar month (UTC) may hold; absent: as many as are needed.'),
    turnTokensMax: turnTokensMax
      .optional()
      .describe('How many tokens one answer may cost, about; absent: as the operator has set.'),
  })
  .meta({
    id: 'TenantGuide',
    description: 'How a language model answers in a workspace, where there is one.',
  });

const tenantFeatures = z
  .strictObject({ pageActions, screenshot, feedback })
  .meta({ id: 'TenantFeatures', description: 'What the guide may do in a workspace.' });

const tenantVoice = z
  .strictObject({
    enabled: voiceEnabled,
    monthlySecondsMax,
    timeZone,
    voiceId: voiceId
      .optional()
      .describe("The voice that speaks when a request names none; absent: the provider's own."),
  })
  .meta({ id: 'TenantVoice', description: 'Voice in a workspace, and how much of it.' });

export const tenant = z
  .strictObject({
    id: workspaceId,
    appId: appId.describe('The app id for the install script, prefixed gp_.'),
    name,
    enabled: z.boolean().describe('Whether visitors are served at all; set on the command line.'),
    allowedOrigins: allowedOrigins.describe('The origins that the guide may be embedded in.'),
    sourceLocale: locale.describe('The language that articles are written in, in canonical BCP 47 form.'),
    features: tenantFeatures,
    showBranding,
    consentStrictness,
    suggestions: suggestions.describe('Questions to offer before the first message, in this order.'),
    voice: tenantVoice,
    guide: tenantGuide,
    version: z.int32().min(1).describe('Counts every change of the settings, from 1.'),
    createdAt: moment.describe('When the workspace was created.'),
    updatedAt: moment.describe('When the settings were changed last.'),
  })
  .meta({ id: 'Tenant', description: 'A workspace with its settings.' });

const tenantFeaturesChange = z
  .strictObject({
    pageActions: pageActions.optional(),
    screenshot: screenshot.optional(),
    feedback: feedback.optional(),
  })
  .meta({ id: 'TenantFeaturesChange', description: 'The features to change; the rest stays.' });

const tenantGuideChange = z
  .strictObject({
    instructions: instructions
      .nullable()
      .optional()
      .describe('What the guide heeds in tone and scope; null for nothing.'),
    generalAnswers: generalAnswers.optional(),
    monthlyTokensMax: monthlyTokensMax
      .nullable()
      .optional()
      .describe('How many tokens a calendar month (UTC) may hold; null for as many as are needed.'),
    turnTokensMax: turnTokensMax
      .nullable()
      .optional()
      .describe('How many tokens one answer may cost, about; null for what the operator has set.'),
  })
  .meta({ id: 'TenantGuideChange', description: 'What to change about the guide; the rest stays.' });

const tenantVoiceChange = z
  .strictObject({
    enabled: voiceEnabled.optional(),
    monthlySecondsMax: monthlySecondsMax.optional(),
    timeZone: timeZone.optional(),
    voiceId: voiceId
      .nullable()
      .optional()
      .describe("The voice that speaks when a request names none; null for the provider's own."),
  })
  .meta({ id: 'TenantVoiceChange', description: 'What to change about voice; the rest stays.' });

export const tenantChange = z
  .strictObject({
    name: name.optional(),
    allowedOrigins: allowedOrigins
      .min(1)
      .optional()
      .describe('The origins that the guide may be embedded in; together they replace all earlier ones.'),
    sourceLocale: locale.optional().describe('The language that articles are written in, a BCP 47 tag.'),
    features: tenantFeaturesChange.optional(),
    showBranding: showBranding.optional(),
    consentStrictness: consentStrictness.optional(),
    suggestions: suggestions
      .optional()
      .describe('Questions to offer before the first message; together they replace all earlier ones.'),
    voice: tenantVoiceChange.optional(),
    guide: tenantGuideChange.optional(),
  })
  .meta({ id: 'TenantChange', description: 'The settings to change, at least one; the rest stays.' });

export type Tenant = z.infer<typeof tenant>;
export type TenantChange = z.infer<typeof tenantChange>;

export const auditRow = z
  .strictObject({
    id: z
      .string()
      .max(64)
      .describe('The row of the audit: a TypeID with the prefix aud.')
      .meta({ example: 'aud_01kakv2fxse7wtg6x5r0h8rjbm' }),
    at: moment.describe('When it was done, in UTC.'),
    actor,
    action: z.string().max(64).describe('What was done, such as workspace.changed.').meta({
      example: 'workspace.changed',
    }),
    subject: z
      .string()
      .max(128)
      .describe('The id of what it was done to.')
      .meta({ example: 'ws_01kakv2fxse7wtg6x5r0h8rjbm' }),
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

export type AuditPage = z.infer<typeof auditPage>;

const pathParams = z.strictObject({ tenantId: workspaceId });

export const workspace = surface({
  readTenant: route({
    method: 'GET',
    path: '/api/tenants/:tenantId',
    summary: 'Read the settings of a workspace',
    description: 'Answers with the workspace and everything that is set about it.',
    pathParams,
    answers: { 200: tenant },
    refuses: [],
    facts: { ...reading, tag: 'Workspace', operationId: 'readTenant' },
  }),
  changeTenant: route({
    method: 'PATCH',
    path: '/api/tenants/:tenantId',
    summary: 'Change the settings of a workspace',
    description:
      'Changes what the body names and leaves the rest. Visitors see it within five seconds. A change is written to the audit with ' +
      'the fields as they were and as they are; where nothing differs, nothing is written.',
    pathParams,
    body: tenantChange,
    answers: { 200: tenant },
    refuses: [],
    facts: {
      ...changing,
      tag: 'Workspace',
      operationId: 'changeTenant',
      bodyBytesMax: LIMITS.settingsBodyBytesMax,
    },
  }),
  listAudit: route({
    method: 'GET',
    path: '/api/tenants/:tenantId/audit',
    summary: 'List what was done in a workspace',
    description: 'Every change of configuration and every step of a workflow, newest first.',
    pathParams,
    query: z.strictObject(pageQuery),
    answers: { 200: auditPage },
    refuses: [],
    facts: { ...reading, tag: 'Workspace', operationId: 'listAudit', roles: WHO_CHANGES },
  }),
});
