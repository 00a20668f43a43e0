import type { directives, RegionDirective } from '../../contract/consent-policy-preview.ts';
import type { Clock } from '../clock.ts';
import { throwInvalidRequest } from '../http/errors.ts';
import type { Handlers } from '../http/handler.ts';
import type { WorkspaceSettings } from '../storage/workspaces.ts';
import { aiDisclosure, consentCopy } from './disclosure.ts';
import { getPolicyVersion, toConsentSettings } from './policy.ts';
import { normalizeRegion } from './region.ts';
import { findRegionMode, findRegionRule, regionTable } from './region-table.ts';
import { resolveVisitorConsent } from './visitor-consent.ts';

/** How consent works in each region, for those who set it. */

type Strictness = NonNullable<WorkspaceSettings['consentStrictnessByRegion']>[number];

export function consentPolicyPreviewHandlers({
  clock,
}: {
  readonly clock: Clock;
}): Handlers<typeof directives> {
  return {
    async listConsentDirectives({ query, caller }) {
      const saved = caller.workspace.settings;
      const settings = {
        ...saved,
        ...(query.strictness === undefined ? {} : { consentStrictness: query.strictness }),
        ...(query.byRegion === undefined ? {} : { consentStrictnessByRegion: rulesIn(query.byRegion) }),
      };
      const regions =
        query.region === undefined ? regionsWith(settings) : [parseRegion(query.region, 'query.region')];
      const visitor = { gpc: query.gpc === 'true', nowMillis: clock.now() };
      return {
        status: 200,
        body: {
          tableVersion: regionTable.version,
          ...getConsentTexts(query.locale ?? saved.sourceLocale),
          policyVersion: getPolicyVersion(toConsentSettings(settings)),
          data: regions.map((regionCode) => previewDirective({ settings, regionCode, ...visitor })),
        },
      };
    },
  };
}

/** What somebody who never decided anything is told. */
export function previewDirective(visitor: {
  readonly settings: WorkspaceSettings;
  readonly regionCode: string;
  readonly gpc: boolean;
  readonly nowMillis: number;
}): RegionDirective {
  const { directive } = resolveVisitorConsent({ ...visitor, standing: undefined });
  const finding = findRegionMode(visitor.regionCode);
  const basis = findRegionRule(visitor.regionCode)?.basis;
  return {
    region: visitor.regionCode,
    known: finding.known,
    rule: finding.mode,
    ...(basis === undefined ? {} : { basis }),
    mode: directive.mode,
    reason: directive.reason,
    ask: directive.ask,
    purposes: directive.purposes,
    gpc: directive.gpc,
  };
}

/** The words that belong to a directive, in this language or the nearest that there is. */
export function getConsentTexts(locale: string | undefined) {
  const {
    copyVersion: version,
    locale: language,
    title,
    text,
    accept,
    deny,
    gpcNotice,
  } = consentCopy(locale);
  return {
    disclosure: aiDisclosure(locale),
    copy: { version, locale: language, title, text, accept, deny, gpcNotice },
  };
}

/** The canonical code of a place that somebody names; refuses what is none. ZZ stands for a place that nobody knows. */
export function parseRegion(text: string, path: string): string {
  const { regionCode } = normalizeRegion(text);
  if (regionCode !== 'ZZ' || text.toUpperCase() === 'ZZ') return regionCode;
  return throwInvalidRequest({
    path,
    code: 'unknown_region',
    message: 'Expected an ISO 3166 code such as DE or US-CA.',
  });
}

/** Those that the table or the settings name, countries before their regions, and the unknown one. */
function regionsWith({ consentStrictnessByRegion = [] }: WorkspaceSettings): string[] {
  const listed = regionTable.rules.flatMap(({ codes }) => codes);
  const named = consentStrictnessByRegion.map(({ region }) => region);
  return [...[...new Set([...listed, ...named])].sort(), 'ZZ'];
}

/** The rules of a query, which is as its schema says; in the order in which they would be saved. */
function rulesIn(text: string): Strictness[] {
  const rules = text === 'none' ? [] : text.split(',');
  return rules
    .map((rule) => {
      const [region, strictness] = rule.split(':') as [string, Strictness['strictness']];
      return { region: parseRegion(region, 'query.byRegion'), strictness };
    })
    .sort((a, b) => (a.region < b.region ? -1 : 1));
}
