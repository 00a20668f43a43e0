import type { BootReply, boot, bootPreview } from '../../contract/boot.ts';
import { CHAT_LIMITS } from '../../contract/limits/chat.ts';
import { HANDOVER_LIMITS } from '../../contract/limits/handovers.ts';
import { WORKSPACE_LIMITS } from '../../contract/limits/workspace.ts';
import { findPathRule } from '../../contract/path-rules.ts';
import { type Grants, toGrants } from '../base/audience.ts';
import { identity, makeImmutable, memoize, memoizeWithTtl } from '../base/cache.ts';
import type { Clock } from '../base/clock.ts';
import { parseAcceptLanguage, selectLocale } from '../base/locale.ts';
import { throwApiError } from '../http/errors.ts';
import type { HandlerInput, Handlers, RequestContext, WorkspaceResolver } from '../http/handler.ts';
import { toTokenResult, type UserTokens } from '../people/user-token.ts';
import type { Store, Workspaces } from '../storage/store.ts';
import {
  BRANDING_DEFAULTS,
  HANDOVER_DEFAULTS,
  type PathRule,
  type WorkspaceSettings,
} from '../storage/workspace-settings.ts';
import type { Workspace } from '../storage/workspaces.ts';
import type { Customer, VisitorIds, VisitorTokens } from '../tokens/visitor-token.ts';
import { canonicalizeOrigin, findAllowingDomain, isAllowedOrigin } from './allowed-origin.ts';
import type { LastDecision } from './consent/consent-directive.ts';
import { parseRegion } from './consent/consent-policy-preview.ts';
import { getWording, type Wording } from './consent/disclosure.ts';
import { getEventSubject, toEventRow } from './consent/event-subject.ts';
import type { GeoDatabase } from './consent/geo-database.ts';
import { type EdgeProvider, normalizeRegion, type Region, resolveRegion } from './consent/region.ts';
import { hasGpcSignal, resolveVisitorConsent, type VisitorConsent } from './consent/visitor-consent.ts';
import type { SuggestFirst } from './first-questions.ts';
import type { InstallationTracker } from './installation.ts';
import { type AgentKind, classifyUserAgent } from './user-agent.ts';
import { type FoundVisitor, findCustomer, findVisitor } from './visitor.ts';

type Deps = {
  store: Store;
  clock: Clock;
  workspaceResolver: WorkspaceResolver;
  tokens: VisitorTokens;
  visitorIds: VisitorIds;
  userTokens: UserTokens;
  /** The locales in which a workspace has published knowledge. */
  getLocales: (workspaceId: string) => Promise<readonly string[]>;
  suggestFirst: SuggestFirst;
  edgeProvider: EdgeProvider | undefined;
  geo: GeoDatabase | undefined;
  /** Called when the event row of a boot could not be stored. */
  onUncounted: (error: unknown) => void;
  installations: Pick<InstallationTracker, 'recordBoot' | 'recordRejection'>;
};

type BootBody = HandlerInput<typeof boot.boot>['body'];

export function bootHandlers(deps: Deps): Handlers<typeof boot> {
  const { tokens, visitorIds, installations } = deps;
  return {
    async boot({ body, ctx }) {
      const { workspace, origin, domain } = await checkOrigin(body, ctx, deps);
      const { returning, ...user } = await recognize(body, workspace, deps);
      const { browserId, visitorId } = returning ?? visitorIds.mint(workspace.id);
      const context = await buildContext(body, ctx, workspace, { ...deps, reader: toGrants(user.customer) });
      const { consent, body: shared } = resolveBoot(context, returning?.lastDecision);
      const { customer, result } = user;
      const reply = {
        ...shared,
        visitor_id: browserId,
        ...(result && { user_token: result }),
        // The next boot finds a customer by the token; on a shared computer, nothing of one may stay.
        ...(customer && {
          features: { ...shared.features, persist_visitor: false },
          customer: { name: customer.name, email: customer.email },
        }),
      };
      const agent = getAgentKind(ctx.headers['user-agent'], body.user_agent_hint);
      if (agent === 'crawler') {
        return { status: 200, body: { ...reply, jwt: null, jwt_expires_at: 0 } };
      }
      installations.recordBoot(workspace.id, domain, origin);
      const isLibrary = agent === 'library';
      countBoot(deps, context, consent, {
        visitorId,
        isLibrary,
        returning: returning !== undefined,
        path: toPath(body.path),
        locale: reply.config.content_locale,
      });
      const { jwt, expiresAtSeconds } = tokens.sign({
        browserId,
        workspaceId: workspace.id,
        origin,
        regionCode: context.region.regionCode,
        regionSource: context.region.source,
        gpc: context.gpc,
        policyVersion: consent.directive.policyVersion,
        isLibrary,
        customer,
      });
      return { status: 200, body: { ...reply, jwt, jwt_expires_at: expiresAtSeconds } };
    },
  };
}

/** Boots like a new visitor, and records nothing. */
export function previewBootHandlers(deps: ContextDeps): Handlers<typeof bootPreview> {
  return {
    async previewBoot({ query: { locale = '', region, gpc }, caller }) {
      const { workspace } = caller;
      const context: BootContext = {
        ...(await buildLanguages(locale, workspace, deps)),
        workspace,
        region: { ...normalizeRegion(parseRegion(region ?? 'ZZ', 'query.region')), source: 'none' },
        gpc: gpc === 'true',
        pathRule: undefined,
        withTexts: true,
        nowMillis: deps.clock.now(),
      };
      const { body } = computeBoot(context, undefined);
      const mount = { mode: 'shown' as const, suggestions: [...context.suggestions], rules: [] };
      const config = { ...body.config, mount };
      return { status: 200, body: { ...body, config } };
    },
  };
}

type Recognized = {
  /** The visitor to continue. */
  returning: FoundVisitor | undefined;
  customer?: Customer;
  /** What became of the user token. */
  result?: BootReply['user_token'];
};

/** A user token decides; without one, an id continues its visitor unless it is of another workspace or erased. */
async function recognize(body: BootBody, workspace: Workspace, deps: Deps): Promise<Recognized> {
  const user =
    body.user_token === undefined ? undefined : await deps.userTokens.read(workspace, body.user_token);
  if (typeof user === 'object') {
    const returning = await findCustomer(deps, workspace.id, user.sub);
    return { returning, customer: user.customer, result: toTokenResult(user) };
  }
  const known =
    body.visitor_id === undefined ? undefined : deps.visitorIds.recognize(workspace.id, body.visitor_id);
  return {
    returning: known && (await findVisitor(deps, workspace.id, known)),
    ...(user && { result: toTokenResult(user) }),
  };
}

/** Checks app, origin and workspace in the published order. Unknown apps and origins not allowed get the same error. */
async function checkOrigin(
  body: BootBody,
  ctx: RequestContext,
  { workspaceResolver, installations }: Deps,
): Promise<{ workspace: Workspace; origin: string; domain: string }> {
  const workspace = await workspaceResolver.byAppId(body.app_id);
  const origin = canonicalizeOrigin(ctx.headers.origin ?? '');
  if (!workspace) return throwApiError('boot/origin_not_allowed', 'unknown app id');
  const domain = origin && findAllowingDomain(origin, workspace.settings.allowedOrigins);
  if (!origin || !domain) {
    if (origin) installations.recordRejection(workspace.id, origin);
    return throwApiError('boot/origin_not_allowed', `origin ${origin}`);
  }
  const claimed = canonicalizeOrigin(body.origin);
  if (claimed !== origin) return throwApiError('boot/origin_mismatch', `body says ${claimed}`);
  if (!workspaceResolver.isServed(workspace)) return throwApiError('boot/workspace_disabled', workspace.id);
  return { workspace, origin, domain };
}

/** Uses the hint only when there is no User-Agent. A caller without either is no browser. */
function getAgentKind(userAgent: string | undefined, hint: string | undefined): AgentKind {
  const agent = userAgent || hint;
  return agent ? classifyUserAgent(agent) : 'library';
}

/** Everything that a boot response depends on, except the visitor. */
type BootContext = {
  workspace: Workspace;
  region: Region;
  gpc: boolean;
  /** The first path rule that matches the page. */
  pathRule: PathRule | undefined;
  /** The locales in which the workspace has published knowledge. */
  locales: readonly string[];
  /** The language that most answers to this visitor will be in. */
  contentLocale: string;
  suggestions: readonly string[];
  acceptLanguage: string;
  /** Whether the reply has the wording of consent prompt and disclosure. */
  withTexts: boolean;
  nowMillis: number;
};

type ContextDeps = Pick<Deps, 'clock' | 'getLocales' | 'suggestFirst'> & { reader?: Grants };

async function buildContext(
  body: BootBody,
  ctx: RequestContext,
  workspace: Workspace,
  deps: Deps & { reader: Grants },
): Promise<BootContext> {
  const { clock, geo, edgeProvider } = deps;
  return {
    ...(await buildLanguages(ctx.headers['accept-language'] ?? '', workspace, deps)),
    workspace,
    region: resolveRegion({
      peerTrusted: ctx.peerTrusted,
      headers: ctx.headers,
      clientAddress: ctx.clientAddress,
      ...(edgeProvider ? { provider: edgeProvider } : {}),
      ...(geo ? { geo } : {}),
    }),
    gpc: hasGpcSignal({ secGpc: ctx.headers['sec-gpc'], bodyGpc: body.gpc }),
    pathRule: findPathRule(workspace.settings.pathRules ?? NO_RULES, body.path),
    withTexts: body.texts !== false,
    nowMillis: clock.now(),
  };
}

/** Resolves what depends on the visitor's languages. */
async function buildLanguages(
  acceptLanguage: string,
  workspace: Workspace,
  { getLocales, suggestFirst, reader }: ContextDeps,
): Promise<Pick<BootContext, 'locales' | 'contentLocale' | 'suggestions' | 'acceptLanguage'>> {
  const locales = await getLocales(workspace.id);
  const { preference } = getTexts(acceptLanguage);
  const { sourceLocale } = workspace.settings;
  const contentLocale = selectLocale(preference, locales, sourceLocale)?.contentLocale ?? sourceLocale;
  const suggestions = await suggestFirst(workspace, preference, contentLocale, reader);
  return { locales, contentLocale, suggestions, acceptLanguage };
}

const NO_RULES: readonly PathRule[] = [];

/** Appends the event row without waiting for the disk. */
function countBoot(
  { store, clock, onUncounted }: Deps,
  { workspace, region }: BootContext,
  consent: VisitorConsent,
  boot: {
    visitorId: string;
    isLibrary: boolean;
    returning: boolean;
    path: string;
    locale: string;
  },
): void {
  const subject = getEventSubject(consent, boot);
  if (!subject) return;
  const data = {
    path: boot.path,
    region_code: region.regionCode,
    mode: consent.directive.mode,
    locale: boot.locale,
    returning: boot.returning,
  };
  const row = toEventRow('boot', subject, clock.now(), data);
  store.in(workspace.id).events.appendDeferred([row]).catch(onUncounted);
}

/** Removes query and fragment, which may contain names, tokens and searches. */
function toPath(path: string): string {
  return path.split(/[?#]/, 1)[0]!.slice(0, 1024);
}

type BootResult = {
  consent: VisitorConsent;
  body: Omit<BootReply, 'jwt' | 'jwt_expires_at' | 'visitor_id'>;
};

/** Maximum length of `locales` in the contract. */
const LOCALES_MAX = 200;

function resolveBoot(context: BootContext, lastDecision: LastDecision | undefined): BootResult {
  return lastDecision === undefined ? resolveFirstBoot(context) : computeBoot(context, lastDecision);
}

/** Most visitors have no earlier decision; the result then contains nothing personal and can be cached. */
const resolveFirstBoot = memoize(
  (context: BootContext): BootResult => {
    const { consent, body } = computeBoot(context, undefined);
    const { config, consent_directive, region, features } = body;
    for (const part of [config, consent_directive, region, features]) makeImmutable(part);
    return { consent, body };
  },
  ({ workspace, region, gpc, locales, suggestions, acceptLanguage, withTexts, pathRule }) =>
    `${workspace.id} ${workspace.version} ${pathRule ? workspace.settings.pathRules!.indexOf(pathRule) : ''} ${region.countryCode} ${region.regionCode} ${gpc} ${withTexts} ${locales.join()} ${acceptLanguage} ${suggestions.join('\n')}`,
);

function computeBoot(context: BootContext, lastDecision: LastDecision | undefined): BootResult {
  const { workspace, region, gpc, nowMillis } = context;
  const { settings } = workspace;
  const { regionCode } = region;
  const consent = resolveVisitorConsent({ settings, regionCode, gpc, lastDecision, nowMillis });
  return { consent, body: buildBody(context, consent) };
}

function buildBody(
  {
    workspace,
    region,
    pathRule,
    locales,
    contentLocale,
    suggestions,
    acceptLanguage,
    withTexts,
  }: BootContext,
  { directive, permissions }: VisitorConsent,
): BootResult['body'] {
  const { settings } = workspace;
  const { full, empty } = getTexts(acceptLanguage);
  const { disclosure, copy } = withTexts ? full : empty;
  return {
    config: {
      workspace_id: workspace.id,
      name: workspace.name,
      source_locale: settings.sourceLocale,
      locales: [...new Set([settings.sourceLocale, ...locales])].slice(0, LOCALES_MAX),
      content_locale: contentLocale,
      suggestions: [...suggestions],
      mount: {
        mode: pathRule?.mode ?? 'shown',
        suggestions: [...(pathRule?.suggestions ?? suggestions)],
        rules: (settings.pathRules ?? NO_RULES).map(({ suggestions, ...rule }) => ({
          ...rule,
          ...(suggestions && { suggestions: [...suggestions] }),
        })),
      },
      message_chars_max: CHAT_LIMITS.messageCharsMax,
      consent: { strictness: settings.consentStrictness, copy },
      branding: settings.branding ?? BRANDING_DEFAULTS,
      ...(settings.contact ? { contact: settings.contact } : {}),
      ...toGuideHandover(settings.handover),
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

function toGuideHandover({ mode, answerTime }: WorkspaceSettings['handover'] = HANDOVER_DEFAULTS) {
  if (mode === 'off') return {};
  const { turnsMax, answerCharsMax, formSecondsMin } = HANDOVER_LIMITS;
  return {
    handover: {
      mode,
      ...(answerTime !== undefined && { answer_time: answerTime }),
      ...{ turns_max: turnsMax, answer_chars_max: answerCharsMax, form_seconds_min: formSecondsMin },
    },
  };
}

/** Computes everything that depends only on Accept-Language. */
const getTexts = memoize((acceptLanguage) => {
  const preference = parseAcceptLanguage(acceptLanguage);
  const full = getWording(preference.wanted);
  return { preference, full, empty: removeTexts(full) };
}, identity);

/** Versions and locales stay. */
function removeTexts({ copy, disclosure }: Wording): Wording {
  const { version, locale } = copy;
  const none = { title: '', text: '', accept: '', deny: '', notice: '', gpc_notice: '' };
  return { copy: { version, locale, ...none }, disclosure: { ...disclosure, text: '' } };
}

/** Resolves which workspaces are served, and to which origins. Changes apply once the cache entry expires. */
export function createWorkspaceResolver(deps: {
  workspaces: Workspaces;
  rollout: readonly string[];
  clock: Clock;
}): WorkspaceResolver {
  const { workspaces, rollout, clock } = deps;
  const byAppId = memoizeWithTtl(clock, WORKSPACE_LIMITS.workspaceCacheMillis, (appId) =>
    workspaces.findByAppId(appId),
  );
  const byId = memoizeWithTtl(clock, WORKSPACE_LIMITS.workspaceCacheMillis, (id) => workspaces.find(id));
  const isServed = (workspace: Workspace) =>
    workspace.enabled &&
    (rollout.length === 0 || rollout.includes(workspace.id) || rollout.includes(workspace.appId));
  return {
    byAppId,
    isServed,
    async findForOrigin(workspaceId, origin) {
      const workspace = await byId(workspaceId);
      if (!workspace || !isServed(workspace)) return undefined;
      return isAllowedOrigin(origin, workspace.settings.allowedOrigins) ? workspace : undefined;
    },
    isSameOrigin: (header, origin) => header === origin || canonicalizeOrigin(header) === origin,
  };
}
