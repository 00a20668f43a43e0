import type { BootReply, boot } from '../../contract/boot.ts';
import { LIMITS } from '../../contract/limits.ts';
import { remembered } from '../cache.ts';
import type { Clock } from '../clock.ts';
import { aiDisclosure, consentCopy } from '../consent/disclosure.ts';
import type { GeoDatabase } from '../consent/geo-database.ts';
import { gpcSignalled } from '../consent/gpc.ts';
import { type EdgeProvider, type Region, regionOf } from '../consent/region.ts';
import { lastDecisionOf, type VisitorConsent, visitorConsent } from '../consent/visitor-consent.ts';
import type { Admission, Asked, Exchange, Handlers } from '../http/handler.ts';
import { newId } from '../ids.ts';
import { effectiveLocale, type Preference, parseAcceptLanguage } from '../knowledge/locale.ts';
import { refuse } from '../refuse.ts';
import type { Store } from '../storage/store.ts';
import type { Workspace } from '../storage/workspaces.ts';
import type { VisitorIds } from '../tokens/visitor-id.ts';
import type { VisitorTokens } from '../tokens/visitor-token.ts';
import { canonicalOrigin, isAllowedOrigin } from './allowed-origin.ts';
import { isBot } from './bots.ts';

type Needs = {
  readonly store: Store;
  readonly clock: Clock;
  readonly admission: Admission;
  readonly tokens: VisitorTokens;
  readonly visitorIds: VisitorIds;
  /** The locales that a workspace has published knowledge in. */
  readonly localesOf: (workspaceId: string) => Promise<readonly string[]>;
  readonly edgeProvider: EdgeProvider | undefined;
  readonly geo: GeoDatabase | undefined;
};

type BootAsked = Asked<typeof boot.boot>;

/** The canonical locale list is published; longer would not fit the contract. */
const LOCALES_MAX = 200;

export function bootHandlers(needs: Needs): Handlers<typeof boot> {
  const { store, clock, admission, tokens, visitorIds } = needs;
  return {
    async boot({ body, exchange }) {
      const { workspace, origin } = await admit(body, exchange, admission);
      const known = body.visitor_id !== undefined && visitorIds.belongs(workspace.id, body.visitor_id);
      const visitorId = known ? body.visitor_id! : visitorIds.mint(workspace.id);
      const { consents, events } = store.in(workspace.id);
      const gpc = gpcSignalled({ secGpc: exchange.headers['sec-gpc'], bodyGpc: body.gpc });
      const region = regionOf({
        peerTrusted: exchange.peerTrusted,
        headers: exchange.headers,
        clientAddress: exchange.clientAddress,
        ...(needs.edgeProvider ? { provider: needs.edgeProvider } : {}),
        ...(needs.geo ? { geo: needs.geo } : {}),
      });
      const consent = visitorConsent({
        settings: workspace.settings,
        regionCode: region.regionCode,
        gpc,
        standing: known ? lastDecisionOf(await consents.standing(visitorId)) : undefined,
        nowMillis: clock.now(),
      });
      const reply = replyOf({
        workspace,
        visitorId,
        region,
        consent,
        locales: await needs.localesOf(workspace.id),
        acceptLanguage: exchange.headers['accept-language'] ?? '',
      });
      if (isBot(exchange.headers['user-agent'], body.user_agent_hint)) {
        return { status: 200, body: { ...reply, jwt: null, jwt_expires_at: 0 } };
      }
      if (consent.counting !== 'none') {
        const data = {
          path: pathOf(body.path),
          region_code: region.regionCode,
          mode: consent.directive.mode,
          locale: reply.config.content_locale,
          returning: known,
        };
        const who = consent.counting === 'named' ? { visitorId } : {};
        await events.append([{ id: newId('evt'), atMillis: clock.now(), type: 'boot', ...who, data }]);
      }
      const { jwt, expiresAtSeconds } = tokens.sign({
        visitorId,
        workspaceId: workspace.id,
        origin,
        regionCode: region.regionCode,
        regionSource: region.source,
        gpc,
        policyVersion: consent.directive.policyVersion,
      });
      return { status: 200, body: { ...reply, jwt, jwt_expires_at: expiresAtSeconds } };
    },
  };
}

/** The checks of the origin, in the published order; an unknown app and a foreign origin look alike. */
async function admit(
  body: BootAsked['body'],
  exchange: Exchange,
  admission: Admission,
): Promise<{ workspace: Workspace; origin: string }> {
  const workspace = await admission.byAppId(body.app_id);
  const origin = canonicalOrigin(exchange.headers.origin ?? '');
  if (!workspace) return refuse('boot/origin_not_allowed', 'unknown app id');
  if (!origin || !isAllowedOrigin(origin, workspace.settings.allowedOrigins)) {
    return refuse('boot/origin_not_allowed', `origin ${origin}`);
  }
  const said = canonicalOrigin(body.origin);
  if (said !== origin) return refuse('boot/origin_mismatch', `body says ${said}`);
  if (!admission.isServed(workspace)) return refuse('boot/workspace_disabled', workspace.id);
  return { workspace, origin };
}

function replyOf(known: {
  readonly workspace: Workspace;
  readonly visitorId: string;
  readonly region: Region;
  readonly consent: VisitorConsent;
  readonly locales: readonly string[];
  readonly acceptLanguage: string;
}): Omit<BootReply, 'jwt' | 'jwt_expires_at'> {
  const { workspace, region, consent, locales } = known;
  const { settings } = workspace;
  const { preference, disclosure, copy } = wordsFor(known.acceptLanguage);
  const { directive, effect } = consent;
  return {
    visitor_id: known.visitorId,
    config: {
      workspace_id: workspace.id,
      name: workspace.name,
      source_locale: settings.sourceLocale,
      locales: [...new Set([settings.sourceLocale, ...locales])].slice(0, LOCALES_MAX),
      content_locale: contentLocaleFor(preference, locales, settings.sourceLocale),
      suggestions: [...settings.suggestions],
      message_chars_max: LIMITS.messageCharsMax,
      consent: { strictness: settings.consentStrictness, copy },
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
      accept_language: known.acceptLanguage.slice(0, 1024),
    },
    features: {
      chat: true,
      page_actions: settings.features.pageActions,
      screenshot: settings.features.screenshot && effect.screenshot,
      feedback: settings.features.feedback,
      voice: false,
      persist_visitor: effect.persistVisitor,
    },
    show_branding: settings.showBranding,
  };
}

function contentLocaleFor(preference: Preference, locales: readonly string[], source: string): string {
  return effectiveLocale(preference, locales, source)?.contentLocale ?? source;
}

/** What depends on the visitor's languages alone. */
const wordsFor = remembered((acceptLanguage) => {
  const preference = parseAcceptLanguage(acceptLanguage);
  return { preference, disclosure: aiDisclosure(preference.wanted), copy: copyFor(preference) };
});

function copyFor(preference: Preference): BootReply['config']['consent']['copy'] {
  const { copyVersion, locale, title, text, accept, deny, gpcNotice } = consentCopy(preference.wanted);
  return { version: copyVersion, locale, title, text, accept, deny, gpc_notice: gpcNotice };
}

/** The path alone: queries carry names, tokens and searches. */
function pathOf(path: string): string {
  return path.split(/[?#]/, 1)[0]!.slice(0, 1024);
}
