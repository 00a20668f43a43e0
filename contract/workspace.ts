import { z } from 'zod';
import { auditPage, auditQuery } from './audit.ts';
import { consentMode, consentStrictness } from './boot.ts';
import { branding, brandingChange } from './branding.ts';
import { appId, locale, moment, regionCode, workspaceId } from './fields.ts';
import { LIMITS } from './limits.ts';
import { route, router } from './route.ts';
import { changing, reading, WHO_CHANGES } from './route-presets.ts';
import { tenantVoice, tenantVoiceChange } from './tenant-voice.ts';
import { usage } from './usage.ts';

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
  .describe("How many tokens of a language model a calendar month of the workspace's time zone may hold.")
  .meta({ example: 5_000_000 });
const turnTokensMax = z
  .int32()
  .min(LIMITS.turnTokensMin)
  .max(1_000_000)
  .describe('How many tokens of a language model one answer may cost, about.')
  .meta({ example: 8000 });

export const regionStrictness = z
  .strictObject({
    region: regionCode.describe('ISO 3166-2 code of a region, or a country with all of its regions.'),
    strictness: consentMode.describe('How strict consent is at least for visitors who are there.'),
  })
  .meta({
    id: 'RegionStrictness',
    description: 'How strict a workspace is at least in one region; it can only make consent stricter.',
  });

const strictnessByRegion = z.array(regionStrictness).max(LIMITS.regionRulesMax);

const tenantGuide = z
  .strictObject({
    instructions: instructions
      .optional()
      .describe('What the guide heeds in tone and scope; absent where nothing is asked of it.'),
    generalAnswers,
    monthlyTokensMax: monthlyTokensMax
      .optional()
      .describe('How many tokens a calendar month may hold; absent: as many as are needed.'),
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
    branding,
    consentStrictness,
    consentStrictnessByRegion: strictnessByRegion.describe(
      'Regions in which the workspace is stricter than that, each named once.',
    ),
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
      .describe('How many tokens a calendar month may hold; null for as many as are needed.'),
    turnTokensMax: turnTokensMax
      .nullable()
      .optional()
      .describe('How many tokens one answer may cost, about; null for what the operator has set.'),
  })
  .meta({ id: 'TenantGuideChange', description: 'What to change about the guide; the rest stays.' });

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
    branding: brandingChange.optional(),
    consentStrictness: consentStrictness.optional(),
    consentStrictnessByRegion: strictnessByRegion
      .optional()
      .describe('Regions in which the workspace is stricter; together they replace all earlier ones.'),
    suggestions: suggestions
      .optional()
      .describe('Questions to offer before the first message; together they replace all earlier ones.'),
    voice: tenantVoiceChange.optional(),
    guide: tenantGuideChange.optional(),
  })
  .meta({ id: 'TenantChange', description: 'The settings to change, at least one; the rest stays.' });

export type Tenant = z.infer<typeof tenant>;
export type TenantChange = z.infer<typeof tenantChange>;

const pathParams = z.strictObject({ tenantId: workspaceId });

export const workspace = router({
  readTenant: route({
    method: 'GET',
    path: '/api/tenants/:tenantId',
    summary: 'Read the settings of a workspace',
    description: 'Answers with the workspace and everything that is set about it.',
    pathParams,
    answers: { 200: tenant },
    errors: [],
    meta: { ...reading, tag: 'Workspace', operationId: 'readTenant' },
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
    errors: [],
    meta: {
      ...changing,
      tag: 'Workspace',
      operationId: 'changeTenant',
      bodyBytesMax: LIMITS.settingsBodyBytesMax,
    },
  }),
  readUsage: route({
    method: 'GET',
    path: '/api/tenants/:tenantId/usage',
    summary: 'See what is used up this month',
    description: 'How much of its voice cap and of its tokens the workspace has used in the current month.',
    pathParams,
    answers: { 200: usage },
    errors: [],
    meta: { ...reading, tag: 'Workspace', operationId: 'readUsage' },
  }),
  listAudit: route({
    method: 'GET',
    path: '/api/tenants/:tenantId/audit',
    summary: 'List what was done in a workspace',
    description:
      'Every change of configuration and every step of a workflow, newest first. A page can be shorter than its limit, and even empty, ' +
      'where few match: there is more for as long as there is a `nextCursor`.',
    pathParams,
    query: auditQuery,
    answers: { 200: auditPage },
    errors: [],
    meta: { ...reading, tag: 'Workspace', operationId: 'listAudit', roles: WHO_CHANGES },
  }),
});
