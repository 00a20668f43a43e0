import { z } from 'zod';
import {
  aiDisclosure,
  consentMode,
  consentReason,
  consentStrictness,
  gpcState,
  promptTexts,
} from './boot.ts';
import { purposes } from './consent.ts';
import { locale, regionCode, workspaceId } from './fields.ts';
import { LIMITS } from './limits.ts';
import { route, router } from './route.ts';
import { reading } from './route-presets.ts';

/** How consent works for visitors of each region, for those who set it. */

const policyVersion = z
  .string()
  .max(64)
  .describe('Names the policy that these settings make; decisions are kept with it.')
  .meta({ example: '2026-11-20.1+0123456789ab' });

const known = z.enum(['listed', 'unlisted', 'unknown']).meta({
  id: 'RegionKnown',
  description: 'Whether the region table names the region, does not, or nobody knows where the visitor is.',
});

/** What a visitor of a region who never decided anything is told. */
export const regionDirective = z
  .strictObject({
    region: regionCode,
    known,
    rule: consentMode.describe('What the region table says, before the settings of the workspace.'),
    basis: z
      .string()
      .max(300)
      .optional()
      .describe('The law or practice that the rule rests on; absent where no rule names the region.')
      .meta({ example: 'Brazil: LGPD' }),
    mode: consentMode.describe('How consent works for these visitors: the strictest of all that is said.'),
    reason: consentReason.describe('What decided the mode.'),
    ask: z.boolean().describe('Whether the visitor is asked for a decision.').meta({ example: true }),
    purposes: purposes.describe('What the service may do before the visitor has decided anything.'),
    gpc: gpcState,
  })
  .meta({
    id: 'RegionDirective',
    description: 'How consent works for a visitor of a region who decided nothing yet.',
  });

export const directiveCopy = z
  .strictObject({
    version: z
      .string()
      .max(64)
      .describe('Names this wording of the prompt.')
      .meta({ example: 'en+0123456789ab' }),
    ...promptTexts,
    gpcNotice: z
      .string()
      .max(1000)
      .describe('What is shown when a Global Privacy Control signal was honoured.')
      .meta({ example: 'Your browser asks not to be tracked, and we do as it says.' }),
  })
  .meta({ id: 'DirectiveCopy', description: 'The wording of the consent prompt in one language.' });

const directiveList = z
  .strictObject({
    tableVersion: z
      .string()
      .max(64)
      .describe('The version of the region table.')
      .meta({ example: '2026-11-20.1' }),
    policyVersion,
    disclosure: aiDisclosure.describe('What every visitor of this language is told, in every region.'),
    copy: directiveCopy.describe('The prompt where the visitor is asked.'),
    data: z
      .array(regionDirective)
      .max(400)
      .describe(
        'The regions that the table or the settings name, and ZZ for visitors whom nobody can place.',
      ),
  })
  .meta({ id: 'ConsentDirectives', description: 'How consent works for visitors, region by region.' });

export type ConsentDirectives = z.infer<typeof directiveList>;
export type RegionDirective = z.infer<typeof regionDirective>;

const gpcFilter = z.enum(['true', 'false']).meta({
  id: 'GpcGiven',
  description: 'Whether the browser of the visitor sends a Global Privacy Control signal.',
});

export const directives = router({
  listConsentDirectives: route({
    method: 'GET',
    path: '/api/tenants/:tenantId/consent-directives',
    summary: 'See how consent works in each region',
    description:
      'What a visitor who never decided anything is told in each region, with the settings as they are or as the query has them, ' +
      'before they are saved. Settings make a rule stricter and never milder.',
    pathParams: z.strictObject({ tenantId: workspaceId }),
    query: z.strictObject({
      region: regionCode
        .optional()
        .describe('Only this region: ISO 3166-2 or a country; ZZ for an unknown one.'),
      locale: locale.optional().describe('The language of the texts; the source locale when it is absent.'),
      gpc: gpcFilter
        .optional()
        .describe('With a privacy signal of the browser; without one when it is absent.'),
      strictness: consentStrictness.optional().describe('In place of the `consentStrictness` that is saved.'),
      byRegion: z
        .string()
        .min(1)
        .max(LIMITS.regionRulesMax * 16)
        .regex(
          /^(none|[A-Za-z]{2}(-[A-Za-z0-9]{1,3})?:(notice|opt_out|opt_in)(,[A-Za-z]{2}(-[A-Za-z0-9]{1,3})?:(notice|opt_out|opt_in))*)$/,
        )
        .optional()
        .describe(
          'In place of the `consentStrictnessByRegion` that is saved: regions with their strictness, or `none`.',
        )
        .meta({ example: 'US-CA:opt_in,JP:opt_out' }),
    }),
    answers: { 200: directiveList },
    errors: [],
    meta: { ...reading, tag: 'Workspace', operationId: 'listConsentDirectives' },
  }),
});
