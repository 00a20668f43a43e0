import { z } from 'zod';
import { countryCode, pageUrl, regionCode, unixMillis } from './fields.ts';
import { route, router } from './route.ts';

const purpose = z
  .enum(['granted', 'denied'])
  .meta({ id: 'PurposeState', description: 'Whether the service may do it for this visitor at the moment.' });

const overrideSource = z.enum(['runtime', 'gpc', 'region_override']).meta({
  id: 'OverrideSource',
  description: 'Where a decision that the visitor did not click came from.',
});

export const purposes = z
  .strictObject({
    essential: purpose.describe('Answering what the visitor asks; always granted.'),
    analytics: purpose.describe('Events that describe the use of the guide.'),
    persistence: purpose.describe('A visitor id that is kept on the device.'),
    retention: purpose.describe('Keeping conversations for longer than a day.'),
    screenshot: purpose.describe('Reading a picture of the page.'),
    voice: purpose.describe('Using the microphone and speech.'),
  })
  .meta({
    id: 'ConsentPurposes',
    description: 'Each purpose of the service, granted or denied at this moment.',
  });

export const regionOverride = z
  .strictObject({
    country_code: countryCode.optional(),
    region_code: regionCode.optional(),
  })
  .meta({
    id: 'RegionOverride',
    description: 'The region that the client believes to be in; it can only make consent stricter.',
  });

export const consentDecision = z
  .enum(['accepted', 'denied', 'rejected', 'dismissed', 'browser-denied', 'gpc_auto_optout'])
  .meta({
    id: 'VisitorDecision',
    description: 'What the visitor, or the browser on behalf of the visitor, decided.',
  });

export const consentRequest = z
  .strictObject({
    visitor_id: z
      .string()
      .min(1)
      .max(128)
      .describe('The visitor who decided; must be the one of the token to be recorded.')
      .meta({ example: 'vis_01kakv2fxse7wtg6x5r0h8rjbm' }),
    url: pageUrl.describe(
      'The page of the decision; its origin must match the visitor token. Its query is not kept.',
    ),
    copy_version: z
      .string()
      .min(1)
      .max(64)
      .describe('The version of the consent copy that was seen.')
      .meta({ example: '2026-11-01.1' }),
    at: unixMillis.describe('When the visitor decided, by the clock of the device, in milliseconds.'),
    decision: consentDecision,
    mode: z
      .string()
      .min(1)
      .max(32)
      .optional()
      .describe('The consent mode at decision time.')
      .meta({ example: 'opt_in' }),
    gpc: z
      .boolean()
      .optional()
      .describe('The Global Privacy Control signal of the browser; true is an opt-out at once.'),
    policy_version: z
      .string()
      .min(1)
      .max(64)
      .optional()
      .describe('The policy version of the directive that was shown.'),
    region: regionOverride.optional().describe('The region that the client believes to be in.'),
    override_source: overrideSource
      .optional()
      .describe('Where a decision that the visitor did not click came from.'),
  })
  .meta({ id: 'ConsentRequest', description: 'One consent decision (interface document, section 4.3).' });

export const consentReply = z
  .strictObject({
    ok: z.literal(true).describe('True for every well-formed request.'),
    recorded: z.boolean().describe('True when a valid visitor token let the decision be stored durably.'),
  })
  .meta({ id: 'ConsentReply', description: 'Whether the decision was stored.' });

export type ConsentDecision = z.infer<typeof consentDecision>;

export const consent = router({
  recordConsent: route({
    method: 'POST',
    path: '/consent',
    summary: 'Record a consent decision',
    description:
      'Stores the decision as evidence that cannot be changed afterwards and applies it at once. A missing, invalid or foreign ' +
      'token, or another origin, is answered with recorded: false. Interface document, section 4.3.',
    body: consentRequest,
    answers: { 200: consentReply },
    errors: [],
    meta: {
      operationId: 'recordConsent',
      tag: 'Consent',
      credential: 'visitor',
      limits: ['consent/visitor-burst'],
      limitsWithoutCredential: ['consent/ip-rate-limited'],
    },
  }),
});
