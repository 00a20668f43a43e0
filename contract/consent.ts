import { z } from 'zod';
import { countryCode, namedObject, pageUrl, regionCode, text, unixMillis } from './fields.ts';
import { CHAT_LIMITS } from './limits/chat.ts';
import { route, router } from './route.ts';

const purpose = z
  .enum(['granted', 'denied'])
  .meta({ id: 'PurposeState', description: 'Whether the service may currently do this for the visitor.' });

const overrideSource = z.enum(['runtime', 'gpc', 'region_override']).meta({
  id: 'OverrideSource',
  description: 'Origin of a decision that the visitor did not make by clicking.',
});

export const purposes = namedObject('ConsentPurposes', 'Purposes, each currently granted or denied.', {
  essential: purpose.describe('Answering questions. Always granted.'),
  analytics: purpose.describe('Recording analytics events.'),
  persistence: purpose.describe('Storing a visitor id on the device.'),
  retention: purpose.describe('Storing conversations for longer than a day.'),
  screenshot: purpose.describe('Reading a screenshot of the page.'),
  voice: purpose.describe('Using the microphone and speech.'),
});

const regionOverride = namedObject(
  'RegionOverride',
  'Region reported by the client. It can only make consent stricter.',
  {
    country_code: countryCode.optional(),
    region_code: regionCode.optional(),
  },
);

export const consentDecision = z
  .enum(['accepted', 'denied', 'rejected', 'dismissed', 'browser-denied', 'gpc_auto_optout'])
  .meta({
    id: 'VisitorDecision',
    description: "Decision of the visitor or of the browser on the visitor's behalf.",
  });

export const consentRequest = namedObject('ConsentRequest', 'The consent decision of a visitor.', {
  visitor_id: text(128)
    .describe('The visitor. Must match the token for the decision to be recorded.')
    .meta({ example: 'vis_01kakv2fxse7wtg6x5r0h8rjbm' }),
  url: pageUrl.describe(
    'Page of the decision. Its origin must match the visitor token. The query is not stored.',
  ),
  copy_version: text(CHAT_LIMITS.clientIdCharsMax).meta({
    description: 'Version of the consent copy that was shown.',
    example: '2026-11-01.1',
  }),
  at: unixMillis.describe(
    "When the visitor decided, by the device's clock, in milliseconds. Fractions are cut off.",
  ),
  decision: consentDecision,
  mode: text(32).optional().meta({ description: 'The consent mode at decision time.', example: 'opt_in' }),
  gpc: z
    .boolean()
    .optional()
    .describe("The browser's Global Privacy Control signal. `true` opts out immediately."),
  policy_version: text(64).optional().describe('The policy version of the directive that was shown.'),
  region: regionOverride.optional(),
  override_source: overrideSource
    .optional()
    .describe('Origin of a decision that the visitor did not make by clicking.'),
});

const consentReply = namedObject('ConsentReply', 'Whether the decision was stored.', {
  ok: z.literal(true).describe('True for every well-formed request.'),
  recorded: z.boolean().describe('Whether the decision was stored. Requires a valid visitor token.'),
});

export type ConsentDecision = z.infer<typeof consentDecision>;

export const consent = router('Consent', {
  recordConsent: route({
    method: 'POST',
    path: '/consent',
    summary: 'Record a consent decision',
    description:
      'Stores the decision in the append-only consent log and applies it immediately. With a missing ' +
      'or invalid token, or from another origin, the response is `recorded: false`.',
    body: consentRequest,
    responses: { 200: consentReply },
    meta: {
      alwaysServed: true,
      credential: 'visitor',
      limits: ['consent/visitor-burst', 'visitor/network-burst'],
      limitsWithoutCredential: ['consent/ip-rate-limited'],
    },
  }),
});
