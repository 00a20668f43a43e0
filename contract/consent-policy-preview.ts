import { z } from 'zod';
import {
  aiDisclosure,
  consentMode,
  consentReason,
  consentStrictness,
  gpcFilter,
  gpcState,
  promptTexts,
} from './boot.ts';
import { purposes } from './consent.ts';
import { locale, namedObject, regionCode, text, workspaceId } from './fields.ts';
import { WORKSPACE_LIMITS } from './limits/workspace.ts';
import { readRoute, route, router } from './route.ts';

const policyVersion = z
  .string()
  .max(64)
  .describe('Id of the policy that these settings result in. Decisions are stored with it.')
  .meta({ example: '2026-11-20.1+0123456789ab' });

const known = z.enum(['listed', 'unlisted', 'unknown']).meta({
  id: 'RegionKnown',
  description: 'Whether the region table lists the region, does not list it, or the region is unknown.',
});

/** Consent for a new visitor of one region. */
export const regionDirective = namedObject(
  'RegionDirective',
  'Consent for a visitor of one region who has not decided yet.',
  {
    region: regionCode,
    known,
    rule: consentMode.describe("The regional rule, before the workspace's settings."),
    basis: z
      .string()
      .max(300)
      .optional()
      .describe('Legal basis of the rule. Absent if no rule covers the region.')
      .meta({ example: 'Brazil: LGPD' }),
    mode: consentMode.describe('The resulting consent mode, the strictest of all that apply.'),
    reason: consentReason.describe('Reason for the mode.'),
    ask: z.boolean().meta({ example: true }),
    purposes: purposes.describe('Purposes allowed before the visitor has decided.'),
    gpc: gpcState,
  },
);

export const directiveCopy = namedObject(
  'DirectiveCopy',
  'The wording of the consent prompt in one language.',
  {
    version: z.string().max(64).meta({ example: 'en+0123456789ab' }),
    ...promptTexts,
    gpcNotice: z
      .string()
      .max(1000)
      .describe('Text shown when a Global Privacy Control signal was honored.')
      .meta({ example: 'Your browser asks not to be tracked, and we do as it says.' }),
  },
);

const directiveList = namedObject('ConsentDirectives', 'Consent directives by region.', {
  tableVersion: z.string().max(64).meta({ example: '2026-11-20.1' }),
  policyVersion,
  disclosure: aiDisclosure,
  copy: directiveCopy,
  data: z
    .array(regionDirective)
    .max(400)
    .describe('Regions listed in the region table or the settings, and `ZZ` for unknown regions.'),
});

export type ConsentDirectives = z.infer<typeof directiveList>;
export type RegionDirective = z.infer<typeof regionDirective>;

export const directives = router('Workspace', {
  listConsentDirectives: route({
    method: 'GET',
    path: '/api/tenants/:tenantId/consent-directives',
    summary: 'Preview consent by region',
    description:
      'Returns what a new visitor is asked in each region, with the saved settings or with unsaved ' +
      'ones from the query. Settings can make a regional rule stricter, never more lenient.',
    pathParams: z.strictObject({ tenantId: workspaceId }),
    query: z.strictObject({
      region: regionCode.optional().describe('Only this region: ISO 3166-2, a country, or `ZZ` for unknown.'),
      locale: locale.optional().describe('Language of the texts. Defaults to the source locale.'),
      gpc: gpcFilter,
      strictness: consentStrictness.optional().describe('Replaces the saved `consentStrictness`.'),
      byRegion: text(WORKSPACE_LIMITS.regionRulesMax * 16)
        .regex(
          /^(none|[A-Za-z]{2}(-[A-Za-z0-9]{1,3})?:(notice|opt_out|opt_in)(,[A-Za-z]{2}(-[A-Za-z0-9]{1,3})?:(notice|opt_out|opt_in))*)$/,
        )
        .optional()
        .describe('Replaces the saved `consentStrictnessByRegion`: regions with their strictness, or `none`.')
        .meta({ example: 'US-CA:opt_in,JP:opt_out' }),
    }),
    responses: { 200: directiveList },
    meta: readRoute,
  }),
});
