import type { ConsentDecision } from '../../contract/consent.ts';
import type { VisitorCaller } from '../http/handler.ts';
import type { Consents, CurrentDecision } from '../storage/consents.ts';
import type { WorkspaceSettings } from '../storage/workspaces.ts';
import {
  applyDecision,
  type Directive,
  type DirectiveInput,
  decideDirective,
  type LastDecision,
} from './consent-directive.ts';
import { getPolicyVersion, toConsentSettings } from './policy.ts';
import { getMeaning, type Mode } from './purposes.ts';
import { type StoragePermissions, toStoragePermissions } from './storage-permissions.ts';

/** How consent stands for one visitor at this moment, and what may be stored because of it. */
export type VisitorConsent = {
  readonly directive: Directive;
  readonly permissions: StoragePermissions;
  /**
   * How events of this visitor may be counted: under the visitor's id; without anything that tells who; or, after a refusal or a
   * privacy signal, not at all.
   */
  readonly counting: 'named' | 'anonymous' | 'none';
};

/** What the rules need to know of a visitor. */
export type Circumstances = {
  readonly settings: WorkspaceSettings;
  readonly regionCode: string;
  readonly claimedRegionCode?: string | undefined;
  readonly gpc: boolean;
  readonly standing: LastDecision | undefined;
  readonly nowMillis: number;
};

export function resolveVisitorConsent(circumstances: Circumstances): VisitorConsent {
  const directive = decideDirective(directiveInput(circumstances));
  return {
    directive,
    permissions: toStoragePermissions(directive.purposes),
    counting: countingOf(directive, circumstances.standing),
  };
}

/** How it stands for the caller of a request, `gpcNow` being the signal of this very request. */
export async function readCallerConsent(
  caller: VisitorCaller,
  consents: Pick<Consents, 'standing'>,
  gpcNow: boolean,
  nowMillis: number,
): Promise<VisitorConsent> {
  return resolveVisitorConsent({
    settings: caller.workspace.settings,
    regionCode: caller.regionCode,
    gpc: caller.gpc || gpcNow,
    standing: toLastDecision(await consents.standing(caller.visitorId)),
    nowMillis,
  });
}

/** The same once this visitor has decided; `standing` is what counts from then on. */
export function resolveConsentAfterDecision(
  circumstances: Circumstances,
  decision: ConsentDecision,
  shownPolicyVersion: string,
): VisitorConsent & { readonly standing: LastDecision | undefined } {
  const after = applyDecision(directiveInput(circumstances), decision, shownPolicyVersion);
  return {
    directive: after.directive,
    permissions: toStoragePermissions(after.directive.purposes, { decision, gpc: circumstances.gpc }),
    counting: countingOf(after.directive, after.lastDecision),
    standing: after.lastDecision,
  };
}

function directiveInput(circumstances: Circumstances): DirectiveInput {
  const { settings, regionCode, claimedRegionCode, gpc, standing, nowMillis } = circumstances;
  const consentSettings = toConsentSettings(settings);
  return {
    region: { regionCode },
    ...(claimedRegionCode === undefined ? {} : { claimedRegion: { regionCode: claimedRegionCode } }),
    gpc,
    settings: consentSettings,
    policyVersion: getPolicyVersion(consentSettings),
    ...(standing ? { lastDecision: standing } : {}),
    nowMillis,
  };
}

/** Who once refused, or sends a privacy signal, is not counted at all, even without a name. */
function countingOf(directive: Directive, standing: LastDecision | undefined): VisitorConsent['counting'] {
  if (directive.purposes.analytics === 'granted') return 'named';
  const refused = standing && (getMeaning(standing.decision) === 'refusal' || standing.gpc);
  return refused || directive.gpc.received ? 'none' : 'anonymous';
}

/** The stored standing decision as the rules read it. */
export function toLastDecision(standing: CurrentDecision | undefined): LastDecision | undefined {
  if (!standing) return undefined;
  const { decision, mode, decidedAt, ...rest } = standing;
  return { ...rest, decision: decision as ConsentDecision, mode: mode as Mode, decidedAtMillis: decidedAt };
}

/** The same, the other way round. */
export function standingOf(last: LastDecision, modeNow: Mode): CurrentDecision {
  const { decidedAtMillis, mode = modeNow, ...rest } = last;
  return { ...rest, mode, decidedAt: decidedAtMillis };
}
