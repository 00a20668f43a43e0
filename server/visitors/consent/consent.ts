import type { consent } from '../../../contract/consent.ts';
import type { Clock } from '../../base/clock.ts';
import { canonicalJson, GENESIS_HASH } from '../../base/hash-chain.ts';
import { newId } from '../../base/ids.ts';
import type { HandlerInput, Handlers, VisitorCaller } from '../../http/handler.ts';
import type { NewConsent } from '../../storage/consents.ts';
import type { Store } from '../../storage/store.ts';
import type { Directive } from './consent-directive.ts';
import { type ConsentRecord, chainContent, parsePage } from './consent-log.ts';
import { findCopyLocale } from './disclosure.ts';
import { getEventSubject, toEventRow } from './event-subject.ts';
import { getPolicyVersion, policyDocument, toConsentSettings } from './policy.ts';
import { normalizeRegion } from './region.ts';
import {
  hasGpcHeader,
  resolveConsentAfterDecision,
  toCurrentDecision,
  toLastDecision,
  type VisitorConsent,
} from './visitor-consent.ts';

type Deps = {
  store: Store;
  clock: Clock;
  erasedVisitors: { has: (erasureKey: string) => boolean };
};
type ConsentBody = HandlerInput<typeof consent.recordConsent>['body'];

type Page = { origin: string; path: string };

export function consentHandlers(deps: Deps): Handlers<typeof consent> {
  const policies = createPolicyWriter(deps);
  return {
    async recordConsent({ body, caller, ctx }) {
      const page = parsePage(body.url);
      const isOwn = caller && page && caller.browserId === body.visitor_id && page.origin === caller.origin;
      if (!isOwn) return { status: 200, body: { ok: true, recorded: false } };
      await policies.keep(caller);
      // An erasure that came after authentication would miss what is written from here on.
      if (deps.erasedVisitors.has(caller.erasureKey))
        return { status: 200, body: { ok: true, recorded: false } };
      await recordDecision(deps, policies, body, caller, page, hasGpcHeader(ctx.headers));
      return { status: 200, body: { ok: true, recorded: true } };
    },
  };
}

async function recordDecision(
  { store, clock }: Deps,
  policies: PolicyWriter,
  body: ConsentBody,
  caller: VisitorCaller,
  page: Page,
  gpcHeader: boolean,
): Promise<void> {
  const nowMillis = clock.now();
  const { workspace, visitorId } = caller;
  const { consents } = store.in(workspace.id);
  const before = toLastDecision(await consents.getCurrentDecision(visitorId));
  const after = resolveConsentAfterDecision(
    {
      settings: workspace.settings,
      regionCode: caller.regionCode,
      claimedRegionCode: parseClaimedRegion(body),
      gpc: caller.gpc || gpcHeader || body.gpc === true,
      lastDecision: before,
      nowMillis,
    },
    body.decision,
    caller.policyVersion,
  );
  const { permissions, lastDecision } = after;
  const policyKnown =
    body.policy_version === undefined || (await policies.isKnown(workspace.id, body.policy_version));
  const id = newId('con');
  const record = buildRecord({ id, nowMillis, gpcHeader, policyKnown }, body, caller, page, after.directive);
  await consents.append({
    id,
    visitorId,
    newSubjectId: newId('sub'),
    ...(lastDecision === undefined || lastDecision === before
      ? {}
      : { currentDecision: toCurrentDecision(lastDecision, after.directive.mode) }),
    chain: ({ hash, subjectId, previousDecisionId }) =>
      chainContent(hash ?? GENESIS_HASH, {
        ...record,
        visitorId: subjectId,
        ...omitUndefined({ previousDecisionId }),
      }),
    deleteConversationsAfterMillis:
      permissions.deleteConversationsWithinMillis === undefined
        ? null
        : nowMillis + permissions.deleteConversationsWithinMillis,
    forgetEvents: permissions.forgetEvents,
    events: buildEvents(after, body, caller, nowMillis),
  });
}

function buildRecord(
  {
    id,
    nowMillis,
    gpcHeader,
    policyKnown,
  }: {
    id: string;
    nowMillis: number;
    gpcHeader: boolean;
    policyKnown: boolean;
  },
  body: ConsentBody,
  caller: VisitorCaller,
  page: Page,
  directive: Directive,
): Omit<ConsentRecord, 'visitorId'> {
  const atMillis = Math.floor(body.at);
  return {
    id,
    workspaceId: caller.workspace.id,
    ...page,
    decision: body.decision,
    purposes: directive.purposes,
    mode: directive.mode,
    reason: directive.reason,
    policyVersion: directive.policyVersion,
    policyKnown,
    copyVersion: body.copy_version,
    snapshotSource: caller.policyVersion === directive.policyVersion ? 'token' : 'write_time',
    regionCode: caller.regionCode,
    regionSource: caller.regionSource,
    gpcHeader,
    atMillis,
    receivedAtMillis: nowMillis,
    clockSkewMillis: nowMillis - atMillis,
    ...omitUndefined({
      modeClaimed: body.mode,
      policyVersionClaimed: body.policy_version,
      copyLocale: findCopyLocale(body.copy_version),
      regionClaimed: parseClaimedRegion(body),
      gpcBody: body.gpc,
      overrideSource: body.override_source,
    }),
  };
}

function buildEvents(
  consent: VisitorConsent,
  body: ConsentBody,
  caller: VisitorCaller,
  atMillis: number,
): NewConsent['events'] {
  const subject = getEventSubject(consent, caller);
  if (!subject) return [];
  const { mode, reason } = consent.directive;
  const data = { decision: body.decision, mode, reason, region_code: caller.regionCode };
  return [toEventRow('consent', subject, atMillis, data)];
}

type PolicyWriter = ReturnType<typeof createPolicyWriter>;

/** Keeps every policy that a consent record refers to. */
function createPolicyWriter({ store, clock }: Deps) {
  /** Policies are immutable, so each process writes them once. */
  const kept = new Set<string>();
  return {
    async keep({ workspace }: VisitorCaller): Promise<void> {
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
    },
    async isKnown(workspaceId: string, version: string): Promise<boolean> {
      return (
        kept.has(`${workspaceId} ${version}`) ||
        (await store.consentPolicies.find(workspaceId, version)) !== undefined
      );
    },
  };
}

function parseClaimedRegion(body: ConsentBody): string | undefined {
  if (!body.region) return undefined;
  return normalizeRegion(body.region.country_code, body.region.region_code).regionCode;
}

/** Consent records and `exactOptionalPropertyTypes` both distinguish absent from undefined. */
function omitUndefined<T extends Record<string, unknown>>(
  fields: T,
): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}
