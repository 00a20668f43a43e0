import type { boot } from '../../contract/boot.ts';
import type { Clock } from '../clock.ts';
import type { GeoDatabase } from '../consent/geo-database.ts';
import { hasGpcSignal } from '../consent/gpc.ts';
import { type EdgeProvider, resolveRegion } from '../consent/region.ts';
import { toLastDecision } from '../consent/visitor-consent.ts';
import { throwApiError } from '../http/errors.ts';
import type { HandlerInput, Handlers, RequestContext, WorkspaceResolver } from '../http/handler.ts';
import { newId } from '../ids.ts';
import type { Store } from '../storage/store.ts';
import type { Workspace } from '../storage/workspaces.ts';
import type { VisitorIds } from '../tokens/visitor-id.ts';
import type { VisitorTokens } from '../tokens/visitor-token.ts';
import { allowingDomain, canonicalOrigin, isAllowedOrigin } from './allowed-origin.ts';
import { bootParts } from './boot-parts.ts';
import { isBot } from './bots.ts';
import type { Installations } from './installation-checks.ts';

type Deps = {
  readonly store: Store;
  readonly clock: Clock;
  readonly workspaceResolver: WorkspaceResolver;
  readonly tokens: VisitorTokens;
  readonly visitorIds: VisitorIds;
  /** The locales that a workspace has published knowledge in. */
  readonly getLocales: (workspaceId: string) => Promise<readonly string[]>;
  readonly edgeProvider: EdgeProvider | undefined;
  readonly geo: GeoDatabase | undefined;
  /** Told why a boot does not stand among the events. */
  readonly onUncounted: (error: unknown) => void;
  /** Told where the guide boots, and where it is refused. */
  readonly installations: Pick<Installations, 'saw' | 'refused'>;
};

type BootAsked = HandlerInput<typeof boot.boot>;

export function bootHandlers(deps: Deps): Handlers<typeof boot> {
  const { store, clock, workspaceResolver, tokens, visitorIds, installations } = deps;
  return {
    async boot({ body, ctx }) {
      const { workspace, origin, domain } = await admit(body, ctx, workspaceResolver, installations);
      const known = body.visitor_id !== undefined && visitorIds.belongs(workspace.id, body.visitor_id);
      const visitorId = known ? body.visitor_id! : visitorIds.mint(workspace.id);
      const { consents, events } = store.in(workspace.id);
      const gpc = hasGpcSignal({ secGpc: ctx.headers['sec-gpc'], bodyGpc: body.gpc });
      const region = resolveRegion({
        peerTrusted: ctx.peerTrusted,
        headers: ctx.headers,
        clientAddress: ctx.clientAddress,
        ...(deps.edgeProvider ? { provider: deps.edgeProvider } : {}),
        ...(deps.geo ? { geo: deps.geo } : {}),
      });
      const standing = known ? toLastDecision(await consents.standing(visitorId)) : undefined;
      const circumstances = {
        workspace,
        region,
        gpc,
        locales: await deps.getLocales(workspace.id),
        acceptLanguage: ctx.headers['accept-language'] ?? '',
        nowMillis: clock.now(),
      };
      const { consent, body: parts } = bootParts(circumstances, standing);
      const reply = { ...parts, visitor_id: visitorId };
      if (isBot(ctx.headers['user-agent'], body.user_agent_hint)) {
        return { status: 200, body: { ...reply, jwt: null, jwt_expires_at: 0 } };
      }
      installations.saw(workspace.id, domain, origin);
      if (consent.counting !== 'none') {
        const data = {
          path: pathOf(body.path),
          region_code: region.regionCode,
          mode: consent.directive.mode,
          locale: reply.config.content_locale,
          returning: known,
        };
        const who = consent.counting === 'named' ? { visitorId } : {};
        const row = { id: newId('evt'), atMillis: clock.now(), type: 'boot', ...who, data } as const;
        // A visitor does not wait for the disk because somebody counts visits.
        events.appendDeferred([row]).catch(deps.onUncounted);
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

    async reportBlockedPage({ query, ctx }) {
      const workspace = await workspaceResolver.byAppId(query.app_id);
      const origin = canonicalOrigin(ctx.headers.origin ?? '');
      if (workspace && origin && !isAllowedOrigin(origin, workspace.settings.allowedOrigins)) {
        installations.refused(workspace.id, origin);
      }
      return { status: 200, body: { ok: true } };
    },
  };
}

/** The checks of the origin, in the published order; an unknown app and a foreign origin look alike. */
async function admit(
  body: BootAsked['body'],
  ctx: RequestContext,
  workspaceResolver: WorkspaceResolver,
  installations: Deps['installations'],
): Promise<{ workspace: Workspace; origin: string; domain: string }> {
  const workspace = await workspaceResolver.byAppId(body.app_id);
  const origin = canonicalOrigin(ctx.headers.origin ?? '');
  if (!workspace) return throwApiError('boot/origin_not_allowed', 'unknown app id');
  const domain = origin && allowingDomain(origin, workspace.settings.allowedOrigins);
  if (!origin || !domain) {
    if (origin) installations.refused(workspace.id, origin);
    return throwApiError('boot/origin_not_allowed', `origin ${origin}`);
  }
  const said = canonicalOrigin(body.origin);
  if (said !== origin) return throwApiError('boot/origin_mismatch', `body says ${said}`);
  if (!workspaceResolver.isServed(workspace)) return throwApiError('boot/workspace_disabled', workspace.id);
  return { workspace, origin, domain };
}

/** The path alone: queries carry names, tokens and searches. */
function pathOf(path: string): string {
  return path.split(/[?#]/, 1)[0]!.slice(0, 1024);
}
