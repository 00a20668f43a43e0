import { z } from 'zod';
import { consentMode, consentStrictness } from './boot.ts';
import { customerAttributes } from './customer-attributes.ts';
import {
  actor,
  appId,
  buildPage,
  locale,
  moment,
  namedObject,
  network,
  pageQuery,
  pattern,
  queryMoment,
  regionCode,
  text,
  visibleText,
  workspaceId,
} from './fields.ts';
import {
  branding,
  brandingChange,
  contact,
  contactChange,
  handoverSettings,
  handoverSettingsChange,
  pathRules,
  suggestedQuestion,
} from './guide.ts';
import { helpCentreSettings, helpCentreSettingsChange } from './help-centre.ts';
import { WORKSPACE_LIMITS } from './limits/workspace.ts';
import { AREAS, EDITOR_ROLES, editRoute, readRoute, route, router } from './route.ts';
import { tenantVoice, tenantVoiceChange } from './voice.ts';

const auditAction = z
  .string()
  .max(64)
  .meta({ description: 'The action, such as `workspace.changed`.', example: 'workspace.changed' });

const auditSubject = z
  .string()
  .max(128)
  .meta({ description: 'Id of the object that was acted on.', example: 'ws_01kakv2fxse7wtg6x5r0h8rjbm' });

export const auditRow = namedObject('AuditRow', 'An entry of the audit log.', {
  id: z
    .string()
    .max(64)
    .describe('Audit log entry: a TypeID with the prefix aud.')
    .meta({ example: 'aud_01kakv2fxse7wtg6x5r0h8rjbm' }),
  at: moment,
  actor,
  action: auditAction,
  subject: auditSubject,
  details: z
    .string()
    .max(1_000_000)
    .describe('The changes, as canonical JSON (RFC 8785). The fields depend on the action.')
    .meta({ example: '{"after":{"name":"Books"},"before":{"name":"Shop"}}' }),
  device: z
    .string()
    .max(64)
    .optional()
    .describe('Browser and operating system of the actor. Absent if the action came from no request.')
    .meta({ example: 'Firefox on Linux' }),
  network: network
    .optional()
    .describe(
      "Network of the actor: the client's address cut to 24 bits (IPv4) or 48 bits (IPv6). " +
        '`several` after repeated attempts from many networks. Absent if the action came from no request.',
    ),
});

const auditPage = buildPage('AuditPage', auditRow);

const auditQuery = z.strictObject({
  ...pageQuery,
  actor: actor.min(1).optional().describe('Only actions of this member, or of `operator`.'),
  action: auditAction
    .min(1)
    .optional()
    .describe(
      'Only this action. A trailing dot matches a prefix: `api_key.` matches every action on API keys.',
    ),
  subject: auditSubject.min(1).optional().describe('Only actions on the object with this id.'),
  from: queryMoment.optional().describe('Only actions at or after this time.'),
  to: queryMoment.optional().describe('Only actions before this time.'),
});

export type AuditPage = z.infer<typeof auditPage>;
export type AuditQuery = z.infer<typeof auditQuery>;

const period = pattern(/^\d{4}-\d{2}$/, 7).meta({ example: '2026-11' });

const amount = z.int().min(0).max(Number.MAX_SAFE_INTEGER).meta({ example: 1250 });

const startsAt = moment.describe("Start of the month in the workspace's time zone.");

const voiceUsage = namedObject('TenantVoiceUsage', 'Voice usage of the current month.', {
  period,
  usedSeconds: amount.describe('Seconds of speech used this month, including reservations.'),
  heldSeconds: amount.describe('Seconds reserved for sessions, recordings and speech in progress.'),
  monthlySecondsMax: amount,
  startsAt,
  endsAt: moment.describe("End of the month in the workspace's time zone."),
});

const tokenUsage = namedObject('TenantTokenUsage', 'Token usage of the current month.', {
  period,
  usedTokens: amount.describe('Tokens used this month, including reservations.'),
  monthlyTokensMax: amount.optional(),
  startsAt,
  endsAt: moment.describe("End of the month in the workspace's time zone."),
});

const embeddingUsage = namedObject(
  'TenantEmbeddingUsage',
  'How far the embedding of published texts is, and its usage of the current month (UTC).',
  {
    texts: amount.describe('Published articles; translations share the embeddings of their source.'),
    embeddedTexts: amount,
    usedTokens: amount.describe('Of an outside model, this month. The model inside the service counts none.'),
    monthlyTokensMax: amount.optional().describe('Absent for the model inside the service.'),
  },
);

const bytes = z.int().min(0).max(Number.MAX_SAFE_INTEGER).meta({ example: 734_003_200 });

const storageKind = namedObject('TenantStorageKind', 'Stored data of one kind.', {
  kind: z
    .enum(['conversations', 'turns', 'events', 'consent', 'audit', 'knowledge', 'images', 'search'])
    .describe(
      'Kind of data: `knowledge` is every revision of articles and translations, `search` is their index.',
    )
    .meta({ id: 'StorageKind', description: 'A kind of stored data.' }),
  rows: amount,
  bytes: bytes.describe('Estimated size with indexes, in bytes.'),
  oldestAt: moment.optional().describe('When the oldest record was made. Absent if there is none.'),
});

const storageUsage = namedObject('TenantStorageUsage', 'Stored data of the workspace.', {
  usedBytes: bytes.describe('Estimated size of everything stored, in bytes.'),
  bytesMax: bytes.describe(
    'Maximum, in bytes. Beyond it, articles cannot be changed, events are not stored, and new conversations are kept for a day.',
  ),
  measuredAt: moment,
  kinds: z.array(storageKind).max(16),
});

export const usage = namedObject('TenantUsage', 'Usage of the current month, and what is stored.', {
  voice: voiceUsage.describe('Absent if voice is off.'),
  tokens: tokenUsage.describe('Absent without a language model.'),
  embeddings: embeddingUsage.optional().describe('Absent without an embedding model.'),
  storage: storageUsage.optional().describe('Absent until it was measured after a start.'),
  engine: z
    .string()
    .max(64)
    .describe('The engine: `extractive` quotes articles, `llm` uses a language model.')
    .meta({ example: 'extractive' }),
});

const name = text(WORKSPACE_LIMITS.workspaceNameCharsMax)
  .describe('Visible to visitors and members. Extra white space is removed.')
  .meta({ example: 'The bicycle shop' });

const allowedOrigins = z
  .array(
    text(512)
      .describe(
        'An origin such as https://shop.example.com, or https://*.shop.example.com for all its subdomains, but not https://*.co.uk: strangers have sites there.',
      )
      .meta({ example: 'https://shop.example.com' }),
  )
  .max(WORKSPACE_LIMITS.allowedOriginsMax);

const pageActions = z.boolean();
const screenshot = z.boolean().describe('Whether the guide may read a screenshot of the page.');
const feedback = z.boolean();
const showBranding = z.boolean();

const suggestions = z.array(suggestedQuestion).max(WORKSPACE_LIMITS.suggestionsMax);

const guidanceKind = z.enum(['style', 'ask_back', 'hand_over', 'never_say']).meta({
  id: 'GuidanceKind',
  description:
    'What a rule is about: how the guide writes, when it asks the visitor back, when it hands over to a person, or what it never says.',
});

export const guidanceRule = namedObject('GuidanceRule', 'A rule for answers that a language model writes.', {
  kind: guidanceKind,
  name: visibleText(WORKSPACE_LIMITS.ruleNameCharsMax)
    .describe('Names the rule for members. Not sent to the model.')
    .meta({ example: 'Tone' }),
  when: visibleText(WORKSPACE_LIMITS.ruleConditionCharsMax)
    .optional()
    .describe('When the rule applies, in your own words. If absent, always.')
    .meta({ example: 'the visitor asks about an order' }),
  text: visibleText(WORKSPACE_LIMITS.ruleTextCharsMax)
    .describe('What the guide does, in your own words.')
    .meta({ example: 'Be informal and brief. Speak of bicycles only.' }),
  enabled: z.boolean(),
});

const rules = z.array(guidanceRule).max(WORKSPACE_LIMITS.rulesMax);
const generalAnswers = z
  .boolean()
  .describe(
    'Whether a language model may answer questions that no article covers. Otherwise, the guide says ' +
      'that it does not know.',
  );
const monthlyTokensMax = z
  .int32()
  .min(0)
  .max(2_000_000_000)
  .describe("Maximum tokens per calendar month in the workspace's time zone.")
  .meta({ example: 5_000_000 });
const turnTokensMax = z
  .int32()
  .min(WORKSPACE_LIMITS.turnTokensMin)
  .max(1_000_000)
  .meta({ description: 'Approximate maximum tokens per answer.', example: 8000 });

const regionStrictness = namedObject(
  'RegionStrictness',
  'Minimum strictness of consent in one region. It can only make consent stricter.',
  {
    region: regionCode.describe('ISO 3166-2 region code, or a country code for all its regions.'),
    strictness: consentMode,
  },
);

const strictnessByRegion = z.array(regionStrictness).max(WORKSPACE_LIMITS.regionRulesMax);

const tenantGuide = namedObject('TenantGuide', 'Settings for answers written by a language model.', {
  rules: rules.optional().describe('Rules for the answers, in order. Absent if there are none.'),
  generalAnswers,
  monthlyTokensMax: monthlyTokensMax
    .optional()
    .describe(
      "Maximum tokens per calendar month. If absent, the operator's limit applies; only with a model of its own it can exceed that.",
    ),
  turnTokensMax: turnTokensMax
    .optional()
    .describe("Approximate maximum tokens per answer. If absent, the operator's setting applies."),
});

const retentionDays = z.int32().min(1).max(WORKSPACE_LIMITS.retentionDaysMax).meta({ example: 395 });
const conversationDays = retentionDays.describe(
  'Days after which a conversation is deleted, counted from its first question.',
);
const eventDays = retentionDays.describe('Days after which an event is deleted.');
const anonymousQuestions = z
  .boolean()
  .describe(
    'Whether the words of unanswered questions and of searches are kept without their visitor, masked, for ' +
      `${WORKSPACE_LIMITS.anonymousQuestionDays} days, if the visitor has decided nothing yet. Never those of visitors who ` +
      'refused or send Global Privacy Control.',
  );

const tenantRetention = namedObject(
  'TenantRetention',
  'How long conversations and events are kept. Visitors who did not agree to storage keep their conversations for a day only.',
  { conversationDays, eventDays, anonymousQuestions: anonymousQuestions.optional() },
);

const tenantFeatures = namedObject('TenantFeatures', 'Features of the guide.', {
  pageActions,
  screenshot,
  feedback,
});

const requireSecondFactor = z
  .boolean()
  .describe('Whether members need a second factor, such as a passkey, to see anything of the workspace.');

export const tenant = namedObject('Tenant', 'A workspace with its settings.', {
  id: workspaceId,
  appId: appId.describe('App id for the install script, prefixed `gp_`.'),
  name,
  enabled: z.boolean().describe('Set on the command line.'),
  allowedOrigins: allowedOrigins.describe('Origins where the guide may be embedded.'),
  sourceLocale: locale.describe('Language of the articles, as a canonical BCP 47 tag.'),
  features: tenantFeatures,
  showBranding,
  branding,
  consentStrictness,
  consentStrictnessByRegion: strictnessByRegion.describe(
    'Regions with a stricter minimum, each listed once.',
  ),
  suggestions: suggestions.describe('Suggested questions to show before the first message, in order.'),
  pathRules: pathRules.describe(
    'Where on the site the guide appears. The first rule that matches a path applies.',
  ),
  contact: contact.optional().describe('Absent if nothing is set.'),
  handover: handoverSettings,
  customerAttributes: customerAttributes
    .optional()
    .describe('What user tokens may say of customers. Absent if nothing is declared.'),
  helpCentre: helpCentreSettings,
  voice: tenantVoice,
  guide: tenantGuide,
  retention: tenantRetention,
  requireSecondFactor,
  version: z.int32().min(1).describe("Number of the settings' revision, from 1."),
  createdAt: moment,
  updatedAt: moment,
});

const tenantFeaturesChange = namedObject(
  'TenantFeaturesChange',
  'Changes to the features. Omitted fields stay unchanged.',
  {
    pageActions: pageActions.optional(),
    screenshot: screenshot.optional(),
    feedback: feedback.optional(),
  },
);

const tenantGuideChange = namedObject(
  'TenantGuideChange',
  'Changes to the guide. Omitted fields stay unchanged.',
  {
    rules: rules
      .optional()
      .describe(
        `Rules for the answers, in order. Replaces the whole list. Texts and conditions have at most ${WORKSPACE_LIMITS.rulesCharsMax} characters together.`,
      ),
    generalAnswers: generalAnswers.optional(),
    monthlyTokensMax: monthlyTokensMax
      .nullable()
      .optional()
      .describe("Maximum tokens per calendar month, or `null` for the operator's limit."),
    turnTokensMax: turnTokensMax
      .nullable()
      .optional()
      .describe("Approximate maximum tokens per answer, or `null` for the operator's setting."),
  },
);

const tenantRetentionChange = namedObject(
  'TenantRetentionChange',
  'Changes to retention. Omitted fields stay unchanged. Older data is deleted within an hour and cannot be restored.',
  {
    conversationDays: conversationDays.optional(),
    eventDays: eventDays.optional(),
    anonymousQuestions: anonymousQuestions.optional(),
  },
);

export const tenantChange = namedObject(
  'TenantChange',
  'Settings to change, at least one. Omitted fields stay unchanged.',
  {
    name: name.optional(),
    allowedOrigins: allowedOrigins
      .min(1)
      .optional()
      .describe('Origins where the guide may be embedded. Replaces the whole list.'),
    sourceLocale: locale.optional().describe('Language of the articles, a BCP 47 tag.'),
    features: tenantFeaturesChange.optional(),
    showBranding: showBranding.optional(),
    branding: brandingChange.optional(),
    consentStrictness: consentStrictness.optional(),
    consentStrictnessByRegion: strictnessByRegion
      .optional()
      .describe('Regions with a stricter minimum. Replaces the whole list.'),
    suggestions: suggestions.optional().describe('Suggested questions. Replaces the whole list.'),
    pathRules: pathRules
      .optional()
      .describe('Where on the site the guide appears, in order. Replaces the whole list.'),
    contact: contactChange.optional(),
    handover: handoverSettingsChange.optional(),
    customerAttributes: customerAttributes
      .optional()
      .describe('What user tokens may say of customers. Replaces the whole list.'),
    helpCentre: helpCentreSettingsChange.optional(),
    voice: tenantVoiceChange.optional(),
    guide: tenantGuideChange.optional(),
    retention: tenantRetentionChange.optional(),
    requireSecondFactor: requireSecondFactor
      .optional()
      .describe(
        'Only owners change it, with a password confirmed within ten minutes, and whoever turns it on has signed in with a second factor.',
      ),
  },
);

export type GuidanceRule = z.infer<typeof guidanceRule>;
export type Tenant = z.infer<typeof tenant>;
export type TenantChange = z.infer<typeof tenantChange>;

const pathParams = z.strictObject({ tenantId: workspaceId });

export const workspace = router('Workspace', {
  readTenant: route({
    method: 'GET',
    path: '/api/tenants/:tenantId',
    summary: 'Retrieve a workspace',
    description: 'Returns the workspace with its settings.',
    pathParams,
    responses: { 200: tenant },
    meta: { ...readRoute, areas: AREAS },
  }),
  changeTenant: route({
    method: 'PATCH',
    path: '/api/tenants/:tenantId',
    summary: 'Update a workspace',
    description:
      'Changes the given settings. Visitors see the change within five seconds. Changes are recorded ' +
      'in the audit log with their old and new values.',
    pathParams,
    body: tenantChange,
    responses: { 200: tenant },
    errors: ['session/password_needed'],
    meta: { ...editRoute, bodyBytesMax: WORKSPACE_LIMITS.settingsBodyBytesMax },
  }),
  readUsage: route({
    method: 'GET',
    path: '/api/tenants/:tenantId/usage',
    summary: 'Retrieve usage',
    description:
      "Returns the workspace's voice and token usage of the current month, what it stores, and how far the embedding of its texts is.",
    pathParams,
    responses: { 200: usage },
    meta: readRoute,
  }),
  listAudit: route({
    method: 'GET',
    path: '/api/tenants/:tenantId/audit',
    summary: 'List audit log entries',
    description:
      'Returns configuration changes and workflow steps, newest first. With filters, a page may be ' +
      'shorter than its limit, or empty; there are more results while `nextCursor` is present.',
    pathParams,
    query: auditQuery,
    responses: { 200: auditPage },
    meta: { ...readRoute, roles: EDITOR_ROLES },
  }),
});
