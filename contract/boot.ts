import { z } from 'zod';
import { branding } from './branding.ts';
import { purposes } from './consent.ts';
import { appId, countryCode, locale, okReply, origin, regionCode, unixSeconds } from './fields.ts';
import { LIMITS } from './limits.ts';
import { route, router } from './route.ts';

export const consentMode = z.enum(['opt_in', 'opt_out', 'notice']).meta({
  id: 'ConsentMode',
  description: 'Ask before anything optional; go on until the visitor objects; or only tell.',
});

export const consentReason = z
  .enum(['gpc', 'prior_decision', 'region_rule', 'region_unknown', 'workspace_stricter', 'policy_changed'])
  .meta({
    id: 'ConsentReason',
    description:
      'What decided the mode: a signal, an earlier decision, the region, the workspace, a new policy.',
    example: 'prior_decision',
  });

const disclosureMoment = z.enum(['before_first_message']).meta({
  id: 'DisclosureMoment',
  description: 'The latest moment at which the disclosure has to be shown.',
});

export const aiDisclosure = z
  .strictObject({
    required: z.boolean().describe('True: the disclosure must be shown before the first message.'),
    text: z
      .string()
      .max(2000)
      .describe('The disclosure, to be shown as it is.')
      .meta({ example: 'You are talking to a machine, not to a person.' }),
    locale: locale.describe('The language that the text is in.'),
    version: z
      .string()
      .max(64)
      .describe('Names this wording of the disclosure.')
      .meta({ example: '2026-11-01.1' }),
    show: disclosureMoment.describe('When the disclosure has to be shown.'),
  })
  .meta({
    id: 'AiDisclosure',
    description: 'Tells the visitor that the guide is a machine; present in every region.',
  });

export const gpcState = z
  .strictObject({
    received: z
      .boolean()
      .describe('True when the browser sent a Global Privacy Control signal.')
      .meta({ example: false }),
    honored: z
      .boolean()
      .describe('True when that signal was processed as an opt-out; show it to the visitor.')
      .meta({ example: false }),
  })
  .meta({ id: 'GpcState', description: 'What became of the Global Privacy Control signal of this visitor.' });

export const consentDirective = z
  .strictObject({
    mode: consentMode.describe('How consent works for this visitor.'),
    policy_version: z
      .string()
      .max(64)
      .describe('Names the immutable policy that this directive follows.')
      .meta({ example: '2026-11-01.1' }),
    reason: consentReason.describe('Why the mode and purposes are what they are.'),
    region_code: regionCode,
    ai_disclosure: aiDisclosure,
    ask: z
      .boolean()
      .describe('True when the visitor should be asked for a decision now.')
      .meta({ example: false }),
    purposes: purposes.describe('What the service may do for this visitor at the moment.'),
    gpc: gpcState,
    expires_at: unixSeconds.optional().describe('When an earlier decision stops counting.'),
  })
  .meta({
    id: 'ConsentDirective',
    description: 'How consent works for this visitor (interface document, section 2.4).',
  });

export const bootRegion = z
  .strictObject({
    country_code: countryCode,
    region_code: regionCode,
    accept_language: z
      .string()
      .max(1024)
      .describe('The languages that the visitor asked for, as the browser sent them.')
      .meta({ example: 'de-AT,de;q=0.9,en;q=0.5' }),
  })
  .meta({
    id: 'BootRegion',
    description: 'Where and in which language the visitor is (interface document, section 2.5).',
  });

/** What a consent prompt says, whoever reads it. */
export const promptTexts = {
  locale: locale.describe('The language that the copy is in.'),
  title: z
    .string()
    .max(300)
    .describe('The heading of the consent prompt.')
    .meta({ example: 'Before we start' }),
  text: z
    .string()
    .max(4000)
    .describe('What the visitor is asked to agree to.')
    .meta({ example: 'May we keep this conversation and see how the guide is used?' }),
  accept: z.string().max(100).describe('The label of the button that accepts.').meta({ example: 'Accept' }),
  deny: z.string().max(100).describe('The label of the button that denies.').meta({ example: 'Deny' }),
};

export const consentCopy = z
  .strictObject({
    version: z
      .string()
      .max(64)
      .describe('Names this wording; send it as copy_version with the decision.')
      .meta({ example: '2026-11-01.1' }),
    ...promptTexts,
    gpc_notice: z
      .string()
      .max(1000)
      .describe('What to show when a Global Privacy Control signal was honoured.')
      .meta({ example: 'Your browser asks not to be tracked, and we do as it says.' }),
  })
  .meta({
    id: 'ConsentCopy',
    description: 'The wording of the consent prompt in the language of the visitor.',
  });

export const consentStrictness = z.enum(['region', 'notice', 'opt_out', 'opt_in']).meta({
  id: 'ConsentStrictness',
  description:
    'How strict a workspace is at least, from the rule of the region alone to always asking first.',
});

export const consentSettings = z
  .strictObject({
    strictness: consentStrictness.describe(
      'The floor that the workspace sets; region means that the region table alone decides.',
    ),
    copy: consentCopy,
  })
  .meta({ id: 'ConsentSettings', description: 'The active consent settings of the workspace.' });

export const guideConfig = z
  .strictObject({
    workspace_id: z
      .string()
      .max(64)
      .describe('The workspace that is being served.')
      .meta({ example: 'ws_01kakv2fxse7wtg6x5r0h8rjbm' }),
    name: z
      .string()
      .max(200)
      .describe('The name of the workspace, to be shown to visitors.')
      .meta({ example: 'Example Help Centre' }),
    source_locale: locale.describe('The language that the source articles are written in.'),
    locales: z
      .array(locale)
      .max(200)
      .describe('Every language that has published knowledge, source included.'),
    content_locale: locale.describe('The language that this visitor will mostly be answered in.'),
    suggestions: z
      .array(
        z
          .string()
          .max(LIMITS.titleCharsMax)
          .describe('A question that the visitor could ask first.')
          .meta({ example: 'How do I connect to a wireless network?' }),
      )
      .max(10)
      .describe('Questions to offer before the first message.'),
    message_chars_max: z
      .int32()
      .min(1)
      .max(100_000)
      .describe('The longest message that /chat takes, in characters.')
      .meta({ example: LIMITS.messageCharsMax }),
    consent: consentSettings,
    branding,
  })
  .meta({ id: 'GuideConfig', description: 'The resolved configuration of the workspace.' });

export const guideFeatures = z
  .strictObject({
    chat: z.boolean().describe('The guide answers messages of this visitor.'),
    page_actions: z.boolean().describe('The guide may propose actions on the page.'),
    screenshot: z.boolean().describe('A viewport screenshot is welcome from this visitor.'),
    feedback: z.boolean().describe('Answers can be rated up or down.'),
    voice: z.boolean().describe('Speech endpoints are available.').meta({ example: false }),
    persist_visitor: z.boolean().describe('The visitor id may be stored on the device at this moment.'),
  })
  .meta({ id: 'GuideFeatures', description: 'Runtime feature flags for this visitor.' });

export const bootRequest = z
  .strictObject({
    app_id: appId,
    origin: origin.describe(
      'The origin of the page; must equal the Origin header and be an allowed domain of the app.',
    ),
    path: z
      .string()
      .min(1)
      .max(2048)
      .describe('The path of the page; used to record the boot. Query and fragment are not kept.')
      .meta({ example: '/pricing' }),
    visitor_id: z
      .string()
      .min(1)
      .max(128)
      .optional()
      .describe('An earlier visitor id to continue; one that this workspace did not give is replaced.')
      .meta({ example: 'vis_01kakv2fxse7wtg6x5r0h8rjbm' }),
    gpc: z
      .boolean()
      .optional()
      .describe('The Global Privacy Control signal of the browser. False never cancels the header.'),
    user_agent_hint: z
      .string()
      .max(1024)
      .optional()
      .describe('Used to recognise bots when no User-Agent header is sent; not stored.'),
  })
  .meta({
    id: 'BootRequest',
    description: 'Which app, on which page, for which visitor (interface document, section 4.1).',
  });

export const bootReply = z
  .strictObject({
    jwt: z
      .string()
      .max(4096)
      .nullable()
      .describe('The visitor token for the Authorization header; null for bots, which are not served.')
      .meta({ example: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ2aXMifQ.c2lnbmF0dXJl' }),
    jwt_expires_at: unixSeconds.describe(
      'When the token expires; boot again before that. Zero when there is no token.',
    ),
    visitor_id: z
      .string()
      .max(64)
      .describe('To be kept where features.persist_visitor allows, and sent with the next boot.')
      .meta({ example: 'vis_01kakv2fxse7wtg6x5r0h8rjbm' }),
    config: guideConfig,
    consent_directive: consentDirective,
    region: bootRegion,
    features: guideFeatures,
    show_branding: z.boolean().describe('Whether the guide shows the mark of the service.'),
  })
  .meta({ id: 'BootReply', description: 'Configuration, consent directive and a fresh visitor token.' });

export type BootReply = z.infer<typeof bootReply>;

export const boot = router({
  boot: route({
    method: 'POST',
    path: '/boot',
    summary: 'Boot the guide on a page',
    description:
      'Resolves the configuration of the workspace, the consent directive for the region of the visitor, and a fresh ' +
      'visitor token of about 15 minutes. The only public operation without a credential; it never answers 401. ' +
      'Interface document, section 4.1.',
    body: bootRequest,
    answers: { 200: bootReply },
    errors: ['boot/origin_not_allowed', 'boot/origin_mismatch', 'boot/workspace_disabled'],
    meta: {
      operationId: 'bootGuide',
      tag: 'Boot',
      credential: 'none',
      limits: ['boot/rate-limited'],
      killSwitch: 'boot/unavailable',
      bodyBytesMax: LIMITS.bootBodyBytesMax,
      promisesNoWrite: true,
    },
  }),
  reportBlockedPage: route({
    method: 'POST',
    path: '/boot/blocked',
    summary: 'Say that a page was not let in',
    description:
      'Sent by the script tag, without a preflight, when its boot did not come through: a browser asks nothing of a service that does ' +
      'not allow the page. Where the Origin header is no allowed domain of this app, its dashboard shows it for a while. It is ' +
      'answered alike whatever is known of the app.',
    query: z.strictObject({ app_id: appId }),
    answers: { 200: okReply },
    errors: [],
    meta: {
      operationId: 'reportBlockedPage',
      tag: 'Boot',
      credential: 'none',
      limits: ['boot/rate-limited'],
      promisesNoWrite: true,
    },
  }),
});
