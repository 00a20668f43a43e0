import { z } from 'zod';
import { purposes } from './consent.ts';
import {
  appId,
  countryCode,
  email,
  locale,
  moment,
  namedObject,
  origin,
  regionCode,
  text,
  unixSeconds,
  workspaceId,
  yesOrNo,
} from './fields.ts';
import { branding, contact, guideHandover, mount } from './guide.ts';
import { ARTICLE_LIMITS } from './limits/articles.ts';
import { CHAT_LIMITS } from './limits/chat.ts';
import { CUSTOMER_LIMITS } from './limits/customers.ts';
import { WORKSPACE_LIMITS } from './limits/workspace.ts';
import { readRoute, route, router } from './route.ts';

export const consentMode = z.enum(['opt_in', 'opt_out', 'notice']).meta({
  id: 'ConsentMode',
  description:
    'How consent works. `opt_in`: ask before anything optional; `opt_out`: proceed until the visitor objects; `notice`: ' +
    'inform only.',
});

export const consentReason = z
  .enum(['gpc', 'prior_decision', 'region_rule', 'region_unknown', 'workspace_stricter', 'policy_changed'])
  .meta({
    id: 'ConsentReason',
    description: 'Reason for the mode.',
    example: 'prior_decision',
  });

const disclosureMoment = z.enum(['before_first_message']).meta({
  id: 'DisclosureMoment',
  description: 'When the disclosure must be shown at the latest.',
});

export const aiDisclosure = namedObject(
  'AiDisclosure',
  'Tells the visitor that the guide is a machine. Present in every region.',
  {
    required: z.boolean().describe('Whether the disclosure must be shown before the first message.'),
    text: z
      .string()
      .max(2000)
      .describe('The disclosure. Show it verbatim.')
      .meta({ example: 'You are talking to a machine, not to a person.' }),
    locale,
    version: z.string().max(64).meta({ example: '2026-11-01.1' }),
    show: disclosureMoment,
  },
);

export const gpcState = namedObject('GpcState', "Handling of the visitor's Global Privacy Control signal.", {
  received: z.boolean().meta({ example: false }),
  honored: z
    .boolean()
    .describe('Whether the signal was treated as an opt-out. Show this to the visitor.')
    .meta({ example: false }),
});

export const gpcFilter = yesOrNo(
  'GpcGiven',
  "Whether the visitor's browser sends a Global Privacy Control signal.",
)
  .optional()
  .describe('Whether the browser sends a privacy signal. Defaults to `false`.');

const consentDirective = namedObject('ConsentDirective', 'How consent works for this visitor.', {
  mode: consentMode,
  policy_version: z
    .string()
    .max(64)
    .meta({ description: 'The immutable policy behind this directive.', example: '2026-11-01.1' }),
  reason: consentReason,
  region_code: regionCode,
  ai_disclosure: aiDisclosure,
  ask: z.boolean().meta({ example: false }),
  purposes: purposes.describe('Purposes that this visitor currently allows.'),
  gpc: gpcState,
  expires_at: unixSeconds.optional(),
});

const bootRegion = namedObject('BootRegion', 'Region and languages of the visitor.', {
  country_code: countryCode,
  region_code: regionCode,
  accept_language: z
    .string()
    .max(1024)
    .describe("Languages from the browser's Accept-Language header.")
    .meta({ example: 'de-AT,de;q=0.9,en;q=0.5' }),
});

/** Wording of a consent prompt. */
export const promptTexts = {
  locale,
  title: z.string().max(300).meta({ example: 'Before we start' }),
  text: z
    .string()
    .max(4000)
    .meta({ example: 'May we keep this conversation and see how the guide is used?' }),
  accept: z.string().max(100).meta({ example: 'Accept' }),
  deny: z.string().max(100).meta({ example: 'Deny' }),
};

export const consentCopy = namedObject(
  'ConsentCopy',
  "Wording of the consent prompt in the visitor's language.",
  {
    version: z
      .string()
      .max(64)
      .describe('Version of the wording. Send it as `copy_version` with the decision.')
      .meta({ example: '2026-11-01.1' }),
    ...promptTexts,
    notice: z
      .string()
      .max(1000)
      .describe(
        'Text to show, with a way to decline, where the region lets a guide proceed before a decision.',
      )
      .meta({ example: 'The guide keeps your conversations. You can decline at any time.' }),
    gpc_notice: z
      .string()
      .max(1000)
      .describe('Text to show when a Global Privacy Control signal was honored.')
      .meta({ example: 'Your browser asks not to be tracked, and we do as it says.' }),
  },
);

export const consentStrictness = z.enum(['region', 'notice', 'opt_out', 'opt_in']).meta({
  id: 'ConsentStrictness',
  description:
    'Minimum strictness of consent, from the regional rule alone (`region`) to always asking first.',
});

export const consentSettings = namedObject('ConsentSettings', "The workspace's consent settings.", {
  strictness: consentStrictness.describe(
    'Minimum strictness set by the workspace. `region` applies the regional rules as they are.',
  ),
  copy: consentCopy,
});

const guideConfig = namedObject('GuideConfig', 'Configuration of the guide in this workspace.', {
  workspace_id: z.string().max(64).meta({ example: 'ws_01kakv2fxse7wtg6x5r0h8rjbm' }),
  name: z.string().max(200).meta({ example: 'Example Help Centre' }),
  source_locale: locale,
  locales: z
    .array(locale)
    .max(200)
    .describe('Languages with published knowledge, including the source language.'),
  content_locale: locale.describe('Language that most answers to this visitor will be in.'),
  suggestions: z
    .array(
      z
        .string()
        .max(ARTICLE_LIMITS.titleCharsMax)
        .describe('A suggested first question.')
        .meta({ example: 'How do I connect to a wireless network?' }),
    )
    .max(10)
    .describe(
      "The workspace's suggested questions, or titles of its articles where it has none. Show those of `mount`, which are for this page, before the first message.",
    ),
  mount,
  message_chars_max: z
    .int32()
    .min(1)
    .max(100_000)
    .describe('Maximum length of a message to `/chat`, in characters.')
    .meta({ example: CHAT_LIMITS.messageCharsMax }),
  consent: consentSettings,
  branding,
  contact: contact.optional().describe('Absent if nothing is set.'),
  handover: guideHandover.optional().describe('Absent if visitors cannot ask a person.'),
});

const guideFeatures = namedObject('GuideFeatures', 'Features available to this visitor.', {
  chat: z.boolean(),
  page_actions: z.boolean(),
  screenshot: z.boolean(),
  feedback: z.boolean(),
  voice: z.boolean().meta({ example: false }),
  persist_visitor: z.boolean(),
});

export const bootRequest = namedObject('BootRequest', 'App, page and visitor to boot the guide for.', {
  app_id: appId,
  origin: origin.describe(
    'Origin of the page. Must equal the Origin header and be an allowed domain of the app.',
  ),
  path: text(2048)
    .describe(
      'Path of the page, to resolve `config.mount` and for analytics. Query and fragment are ignored and not stored.',
    )
    .meta({ example: '/pricing' }),
  visitor_id: text(128)
    .optional()
    .describe('A previous visitor id to continue with. Ids from other workspaces are replaced.')
    .meta({ example: 'vis_01kakv2fxse7wtg6x5r0h8rjbm' }),
  user_token: text(CUSTOMER_LIMITS.userTokenCharsMax)
    .optional()
    .describe(
      'A JWT with which the site says who the visitor is: signed with a key of the workspace, for the app id as `aud`, with `sub`, `exp` within ' +
        '24 hours, and optionally `name` and `email`. Anything else is the visitor without it, never an error.',
    )
    .meta({ example: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI0ODE1In0.c2lnbmF0dXJl' }),
  gpc: z
    .boolean()
    .optional()
    .describe("The browser's Global Privacy Control signal. `false` never overrides the `Sec-GPC` header."),
  texts: z
    .boolean()
    .optional()
    .describe(
      '`false` leaves the texts of the consent prompt and of the AI disclosure empty, for a client that has those of this release.',
    ),
  user_agent_hint: z
    .string()
    .max(1024)
    .optional()
    .describe('Used to detect crawlers and programs when there is no User-Agent header. Not stored.'),
});

export const userTokenResult = z.enum(['accepted', 'expired', 'invalid', 'no_key']).meta({
  id: 'UserTokenResult',
  description:
    'What became of the user token. `accepted`: the visitor is the customer, on every device; `visitor_id` then works ' +
    'with the token only and need not be stored. `expired`: `exp` has passed. `no_key`: the workspace has no key, or the keys of the site cannot be ' +
    'read now. `invalid`: signature, `aud`, `sub` or times are wrong.',
});

/** What a boot returns besides the visitor. */
const setUp = {
  config: guideConfig,
  consent_directive: consentDirective,
  region: bootRegion,
  features: guideFeatures,
  show_branding: z.boolean(),
};

export const bootReply = namedObject('BootReply', 'Configuration, consent directive and visitor token.', {
  jwt: z
    .string()
    .max(4096)
    .nullable()
    .describe('Visitor token for the Authorization header. `null` for crawlers.')
    .meta({ example: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ2aXMifQ.c2lnbmF0dXJl' }),
  jwt_expires_at: unixSeconds.describe(
    'When the token expires. Boot again before that. Zero if there is no token.',
  ),
  visitor_id: z
    .string()
    .max(64)
    .describe('Store it if `features.persist_visitor` allows, and send it with the next boot.')
    .meta({ example: 'vis_01kakv2fxse7wtg6x5r0h8rjbm' }),
  user_token: userTokenResult.optional().describe('Absent if no `user_token` was sent.'),
  customer: namedObject('BootCustomer', 'What the user token says of the customer.', {
    name: z.string().max(CUSTOMER_LIMITS.nameCharsMax).optional().meta({ example: 'Ada Lovelace' }),
    email: email.optional(),
  })
    .optional()
    .describe('Present if the user token was accepted: a question to the team carries it.'),
  ...setUp,
});

const bootPreviewReply = namedObject(
  'BootPreview',
  'Configuration and consent directive of a new visitor.',
  setUp,
);

export type BootReply = z.infer<typeof bootReply>;

export const boot = router('Boot', {
  boot: route({
    method: 'POST',
    path: '/boot',
    summary: 'Boot the guide',
    description:
      "Returns the workspace's configuration, the consent directive for the visitor's region and a " +
      'visitor token that is valid for about 15 minutes. Needs no credential and never returns 401. The ' +
      'JSON may be sent as `text/plain`, which needs no preflight. Crawlers get no token; other programs ' +
      'do, but do not count as visitors.',
    body: bootRequest,
    responses: { 200: bootReply },
    errors: ['boot/origin_not_allowed', 'boot/origin_mismatch', 'boot/workspace_disabled'],
    meta: {
      operationId: 'bootGuide',
      credential: 'none',
      limits: ['boot/rate-limited'],
      killSwitch: 'boot/unavailable',
      bodyBytesMax: CHAT_LIMITS.bootBodyBytesMax,
      simpleRequest: true,
      worksReadOnly: true,
    },
  }),
});

export const bootPreview = router('Workspace', {
  previewBoot: route({
    method: 'GET',
    path: '/api/tenants/:tenantId/preview/boot',
    summary: 'Preview a boot',
    description:
      'Returns what `POST /boot` returns to a new visitor with this language and region, besides the visitor and ' +
      'the path rules. Nothing is stored and no events are recorded.',
    pathParams: z.strictObject({ tenantId: workspaceId }),
    query: z.strictObject({
      locale: locale.optional().describe("The visitor's preferred language. Defaults to none."),
      region: regionCode.optional().describe("The visitor's region. Defaults to unknown."),
      gpc: gpcFilter,
    }),
    responses: { 200: bootPreviewReply },
    meta: readRoute,
  }),
});

const installedOrigin = namedObject('InstalledOrigin', 'An allowed origin and its latest boot.', {
  origin: origin.describe('An allowed origin from the settings. May be a pattern.'),
  seenOrigin: origin.optional().describe('Origin of the latest boot. For patterns, the origin that matched.'),
  lastSeenAt: moment
    .optional()
    .describe('When the guide last booted there, within a minute. Absent if never.'),
});

const refusedOrigin = namedObject(
  'RefusedOrigin',
  'A page with the script tag that is not on an allowed origin.',
  {
    origin: origin.describe('Origin of a page that tried to boot but is not allowed.'),
    lastAskedAt: moment,
    count: z.int32().min(1).describe('Number of attempts since the server started.').meta({ example: 3 }),
  },
);

const installationReply = namedObject(
  'Installation',
  'Where the guide is installed and where it was rejected.',
  {
    origins: z
      .array(installedOrigin)
      .max(WORKSPACE_LIMITS.allowedOriginsMax)
      .describe('Allowed origins, in the order of the settings.'),
    refused: z
      .array(refusedOrigin)
      .max(WORKSPACE_LIMITS.refusedOriginsMax)
      .describe(
        'Rejected origins, newest first. Anyone can send such a request, so check an origin before you ' +
          'allow it. A restart of the server clears the list.',
      ),
  },
);

export type InstallationReply = z.infer<typeof installationReply>;

export const installation = router('Workspace', {
  readInstallation: route({
    method: 'GET',
    path: '/api/tenants/:tenantId/installation',
    summary: 'Check the installation',
    description:
      'Returns when the guide last booted on each allowed origin, and which other origins tried. A ' +
      'boot shows up within a second.',
    pathParams: z.strictObject({ tenantId: workspaceId }),
    responses: { 200: installationReply },
    meta: readRoute,
  }),
});
