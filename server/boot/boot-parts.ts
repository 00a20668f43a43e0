import type { BootReply } from '../../contract/boot.ts';
import { LIMITS } from '../../contract/limits.ts';
import { asImmutable, identity, memoize } from '../cache.ts';
import type { LastDecision } from '../consent/consent-directive.ts';
import { aiDisclosure, consentCopy } from '../consent/disclosure.ts';
import type { Region } from '../consent/region.ts';
import { resolveVisitorConsent, type VisitorConsent } from '../consent/visitor-consent.ts';
import { type Preference, parseAcceptLanguage, selectLocale } from '../knowledge/locale.ts';
import { BRANDING_DEFAULTS, type Workspace } from '../storage/workspaces.ts';

/** What a boot answers beside who the visitor is: alike for all strangers of one place and language. */

export type Circumstances = {
  readonly workspace: Workspace;
  readonly region: Region;
  readonly gpc: boolean;
  /** The locales that the workspace has published knowledge in. */
  readonly locales: readonly string[];
  readonly acceptLanguage: string;
  readonly nowMillis: number;
};

export type BootParts = {
  readonly consent: VisitorConsent;
  readonly body: Omit<BootReply, 'jwt' | 'jwt_expires_at' | 'visitor_id'>;
};

/** The canonical locale list is published; longer would not fit the contract. */
const LOCALES_MAX = 200;

export function bootParts(circumstances: Circumstances, standing: LastDecision | undefined): BootParts {
  return standing === undefined ? partsForStranger(circumstances) : partsOf(circumstances, standing);
}

/** Nothing that these parts are made of is the visitor's own, and most boots are those of strangers. */
const partsForStranger = memoize(
  (circumstances: Circumstances): BootParts => {
    const { consent, body } = partsOf(circumstances, undefined);
    const { config, consent_directive, region, features } = body;
    for (const part of [config, consent_directive, region, features]) asImmutable(part);
    return { consent, body };
  },
  ({ workspace, region, gpc, locales, acceptLanguage }) =>
    `${workspace.id} ${workspace.version} ${region.countryCode} ${region.regionCode} ${gpc} ${locales.join()} ${acceptLanguage}`,
);

function partsOf(circumstances: Circumstances, standing: LastDecision | undefined): BootParts {
  const { workspace, region, gpc, nowMillis } = circumstances;
  const { settings } = workspace;
  const { regionCode } = region;
  const consent = resolveVisitorConsent({ settings, regionCode, gpc, standing, nowMillis });
  return { consent, body: bodyOf(circumstances, consent) };
}

function bodyOf(
  { workspace, region, locales, acceptLanguage }: Circumstances,
  { directive, permissions }: VisitorConsent,
): BootParts['body'] {
  const { settings } = workspace;
  const { preference, disclosure, copy } = wordsFor(acceptLanguage);
  return {
    config: {
      workspace_id: workspace.id,
      name: workspace.name,
      source_locale: settings.sourceLocale,
      locales: [...new Set([settings.sourceLocale, ...locales])].slice(0, LOCALES_MAX),
      content_locale: contentLocaleFor(preference, locales, settings.sourceLocale),
      suggestions: [...settings.suggestions],
      message_chars_max: LIMITS.messageCharsMax,
      consent: { strictness: settings.consentStrictness, copy },
      branding: settings.branding ?? BRANDING_DEFAULTS,
    },
    consent_directive: {
      mode: directive.mode,
      policy_version: directive.policyVersion,
      reason: directive.reason,
      region_code: directive.regionCode,
      ai_disclosure: disclosure,
      ask: directive.ask,
      purposes: directive.purposes,
      gpc: directive.gpc,
      ...(directive.expiresAtMillis === undefined
        ? {}
        : { expires_at: Math.floor(directive.expiresAtMillis / 1000) }),
    },
    region: {
      country_code: region.countryCode ?? 'ZZ',
      region_code: region.regionCode,
      accept_language: acceptLanguage.slice(0, 1024),
    },
    features: {
      chat: true,
      page_actions: settings.features.pageActions,
      screenshot: settings.features.screenshot && permissions.screenshot,
      feedback: settings.features.feedback,
      voice: settings.voice.enabled,
      persist_visitor: permissions.persistVisitor,
    },
    show_branding: settings.showBranding,
  };
}

function contentLocaleFor(preference: Preference, locales: readonly string[], source: string): string {
  return selectLocale(preference, locales, source)?.contentLocale ?? source;
}

/** What depends on the visitor's languages alone. */
const wordsFor = memoize((acceptLanguage) => {
  const preference = parseAcceptLanguage(acceptLanguage);
  return { preference, disclosure: aiDisclosure(preference.wanted), copy: copyFor(preference) };
}, identity);

function copyFor(preference: Preference): BootReply['config']['consent']['copy'] {
  const { copyVersion, locale, title, text, accept, deny, gpcNotice } = consentCopy(preference.wanted);
  return { version: copyVersion, locale, title, text, accept, deny, gpc_notice: gpcNotice };
}
