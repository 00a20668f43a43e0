import type { consent } from '../../contract/consent.ts';
import type { Clock } from '../clock.ts';
import type { HandlerInput, Handlers, VisitorCaller } from '../http/handler.ts';
import { newId } from '../ids.ts';
import type { Store } from '../storage/store.ts';
import { canonicalJson } from './canonical-json.ts';
import { type ConsentRecord, GENESIS_HASH, pageOf, sealContent } from './consent-log.ts';
import { findCopyLocale } from './disclosure.ts';
import { hasGpcSignal } from './gpc.ts';
import { getPolicyVersion, policyDocument, toConsentSettings } from './policy.ts';
import { normalizeRegion } from './region.ts';
import { resolveConsentAfterDecision, standingOf, toLastDecision } from './visitor-consent.ts';

type Deps = { readonly store: Store; readonly clock: Clock };
type ConsentBody = HandlerInput<typeof consent.recordConsent>['body'];

export function consentHandlers({ store, clock }: Deps): Handlers<typeof consent> {
  /** Policies are immutable, so each is written once a process. */
  const kept = new Set<string>();

  return {
    async recordConsent({ body, caller, ctx }) {
      const page = pageOf(body.url);
      const isTheirs =
        caller && page && caller.visitorId === body.visitor_id && page.origin === caller.origin;
      if (!isTheirs) return { status: 200, body: { ok: true, recorded: false } };
      await keepPolicy(caller);
      await record(body, caller, page, ctx.headers['sec-gpc']);
      return { status: 200, body: { ok: true, recorded: true } };
    },
  };

  async function record(
    body: ConsentBody,
    caller: VisitorCaller,
    page: { origin: string; path: string },
    secGpc: string | string[] | undefined,
  ): Promise<void> {
    const nowMillis = clock.now();
    const workspace = caller.workspace;
    const { consents } = store.in(workspace.id);
    const gpcHeader = hasGpcSignal({ secGpc, bodyGpc: undefined });
    const claimed = claimedRegion(body);
    const before = toLastDecision(await consents.standing(caller.visitorId));
    const now = resolveConsentAfterDecision(
      {
        settings: workspace.settings,
        regionCode: caller.regionCode,
        claimedRegionCode: claimed,
        gpc: caller.gpc || gpcHeader || body.gpc === true,
        standing: before,
        nowMillis,
      },
      body.decision,
      caller.policyVersion,
    );
    const { permissions, standing } = now;
    const id = newId('con');
    const evidence: Omit<ConsentRecord, 'visitorId'> = {
      id,
      workspaceId: workspace.id,
      ...page,
      decision: body.decision,
      purposes: now.directive.purposes,
      mode: now.directive.mode,
      reason: now.directive.reason,
      policyVersion: now.directive.policyVersion,
      policyKnown:
        body.policy_version === undefined || (await isKnownPolicy(workspace.id, body.policy_version)),
      copyVersion: body.copy_version,
      snapshotSource: caller.policyVersion === now.directive.policyVersion ? 'token' : 'write_time',
      regionCode: caller.regionCode,
      regionSource: caller.regionSource,
      gpcHeader,
      atMillis: body.at,
      receivedAtMillis: nowMillis,
      clockSkewMillis: nowMillis - body.at,
      ...present({
        modeClaimed: body.mode,
        policyVersionClaimed: body.policy_version,
        copyLocale: findCopyLocale(body.copy_version),
        regionClaimed: claimed,
        gpcBody: body.gpc,
        overrideSource: body.override_source,
      }),
    };
    await consents.append({
      id,
      visitorId: caller.visitorId,
      newSubjectId: newId('sub'),
      ...(standing === undefined || standing === before
        ? {}
        : { standing: standingOf(standing, now.directive.mode) }),
      seal: ({ hash, subjectId, previousDecisionId }) => {
        const whole: ConsentRecord = {
          ...evidence,
          visitorId: subjectId,
          ...present({ previousDecisionId }),
        };
        return sealContent(hash ?? GENESIS_HASH, whole);
      },
      deleteConversationsAfterMillis:
        permissions.deleteConversationsWithinMillis === undefined
          ? null
          : nowMillis + permissions.deleteConversationsWithinMillis,
      forgetEvents: permissions.forgetEvents,
      events:
        now.counting === 'none'
          ? []
          : [
              {
                id: newId('evt'),
                atMillis: nowMillis,
                ...(now.counting === 'named' ? { visitorId: caller.visitorId } : {}),
                data: {
                  decision: body.decision,
                  mode: now.directive.mode,
                  reason: now.directive.reason,
                  region_code: caller.regionCode,
                },
              },
            ],
    });
  }

  /** The policy that the directive follows, readable for as long as evidence names it. */
  async function keepPolicy(caller: VisitorCaller): Promise<void> {
    const { workspace } = caller;
    const settings = toConsentSettings(workspace.settings);
    const policyVersion = getPolicyVersion(settings);
    if (kept.has(`${workspace.id} ${policyVersion}`)) return;
    const document = canonicalJson(policyDocument(settings));
    await store.consentPolicies.keep({
      version: policyVersion,
      workspaceId: workspace.id,
      document,
      createdAt: clock.now(),
    });
    kept.add(`${workspace.id} ${policyVersion}`);
  }

  async function isKnownPolicy(workspaceId: string, version: string): Promise<boolean> {
    return (
      kept.has(`${workspaceId} ${version}`) ||
      (await store.consentPolicies.find(workspaceId, version)) !== undefined
    );
  }
}

function claimedRegion(body: ConsentBody): string | undefined {
  if (!body.region) return undefined;
  return normalizeRegion(body.region.country_code, body.region.region_code).regionCode;
}

/** Only what is there: evidence and `exactOptionalPropertyTypes` both tell absent from undefined. */
function present<T extends Record<string, unknown>>(
  fields: T,
): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}
