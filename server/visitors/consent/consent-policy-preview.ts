import type { directives, RegionDirective } from '../../../contract/consent-policy-preview.ts';
import type { Clock } from '../../base/clock.ts';
import { throwInvalidRequest } from '../../http/errors.ts';
import type { Handlers } from '../../http/handler.ts';
import type { WorkspaceSettings } from '../../storage/workspace-settings.ts';
import { aiDisclosure, consentCopy } from './disclosure.ts';
import { getPolicyVersion, toConsentSettings } from './policy.ts';
import { findRegionMode, findRegionRule, normalizeRegion, regionTable } from './region.ts';
import { resolveVisitorConsent } from './visitor-consent.ts';

type Strictness = NonNullable<WorkspaceSettings['consentStrictnessByRegion']>[number];

export function consentPolicyPreviewHandlers({ clock }: { clock: Clock }): Handlers<typeof directives> {
  return {
    async listConsentDirectives({ query, caller }) {
      const saved = caller.workspace.settings;
      const settings = {
        ...saved,
        ...(query.strictness === undefined ? {} : { consentStrictness: query.strictness }),
        ...(query.byRegion === undefined ? {} : { consentStrictnessByRegion: parseRules(query.byRegion) }),
      };
      const regions =
        query.region === undefined ? listRegions(settings) : [parseRegion(query.region, 'query.region')];
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

/** Returns the directive of a visitor without an earlier decision. */
export function previewDirective(visitor: {
  settings: WorkspaceSettings;
  regionCode: string;
  gpc: boolean;
  nowMillis: number;
}): RegionDirective {
  const { directive } = resolveVisitorConsent({ ...visitor, lastDecision: undefined });
  const regionMode = findRegionMode(visitor.regionCode);
  const basis = findRegionRule(visitor.regionCode)?.basis;
  return {
    region: visitor.regionCode,
    known: regionMode.known,
    rule: regionMode.mode,
    basis,
    mode: directive.mode,
    reason: directive.reason,
    ask: directive.ask,
    purposes: directive.purposes,
    gpc: directive.gpc,
  };
}

/** Returns the disclosure and consent copy in this language or the closest available one. */
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

/** Returns the canonical region code, or throws `request/invalid`. ZZ is the unknown region. */
export function parseRegion(text: string, path: string): string {
  const { regionCode } = normalizeRegion(text);
  if (regionCode !== 'ZZ' || text.toUpperCase() === 'ZZ') return regionCode;
  return throwInvalidRequest({
    path,
    code: 'unknown_region',
    message: 'Expected an ISO 3166 code such as DE or US-CA.',
  });
}

/** Lists the regions in the table and the settings, countries before their subdivisions, then the unknown region. */
function listRegions({ consentStrictnessByRegion = [] }: WorkspaceSettings): string[] {
  const listed = regionTable.rules.flatMap(({ codes }) => codes);
  const named = consentStrictnessByRegion.map(({ region }) => region);
  return [...[...new Set([...listed, ...named])].sort(), 'ZZ'];
}

/** Parses the rules of a validated query, in the order in which they would be stored. */
function parseRules(text: string): Strictness[] {
  const rules = text === 'none' ? [] : text.split(',');
  return rules
    .map((rule) => {
      const [region, strictness] = rule.split(':') as [string, Strictness['strictness']];
      return { region: parseRegion(region, 'query.byRegion'), strictness };
    })
    .sort((a, b) => (a.region < b.region ? -1 : 1));
}
