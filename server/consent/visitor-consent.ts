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

/** A visitor's current consent, and what may be stored under it. */
export type VisitorConsent = {
  readonly directive: Directive;
  readonly permissions: StoragePermissions;
  /** How event rows may be written: with the visitor id, anonymously, or (after a refusal or a privacy signal) not at all. */
  readonly counting: 'named' | 'anonymous' | 'none';
};

export type ConsentContext = {
  readonly settings: WorkspaceSettings;
  readonly regionCode: string;
  readonly claimedRegionCode?: string | undefined;
  readonly gpc: boolean;
  readonly lastDecision: LastDecision | undefined;
  readonly nowMillis: number;
};

export function resolveVisitorConsent(context: ConsentContext): VisitorConsent {
  const directive = decideDirective(toDirectiveInput(context));
  return {
    directive,
    permissions: toStoragePermissions(directive.purposes),
    counting: toCounting(directive, context.lastDecision),
  };
}

/** Resolves the consent of a caller from the stored decision; `gpcNow` is the signal of this request. */
export async function readCallerConsent(
  caller: VisitorCaller,
  consents: Pick<Consents, 'getCurrentDecision'>,
  gpcNow: boolean,
  nowMillis: number,
): Promise<VisitorConsent> {
  return resolveVisitorConsent({
    settings: caller.workspace.settings,
    regionCode: caller.regionCode,
    gpc: caller.gpc || gpcNow,
    lastDecision: toLastDecision(await consents.getCurrentDecision(caller.visitorId)),
    nowMillis,
  });
}

/** The consent once this visitor has decided, with the decision to store. */
export function resolveConsentAfterDecision(
  context: ConsentContext,
  decision: ConsentDecision,
  shownPolicyVersion: string,
): VisitorConsent & { readonly lastDecision: LastDecision | undefined } {
  const after = applyDecision(toDirectiveInput(context), decision, shownPolicyVersion);
  return {
    directive: after.directive,
    permissions: toStoragePermissions(after.directive.purposes, { decision, gpc: context.gpc }),
    counting: toCounting(after.directive, after.lastDecision),
    lastDecision: after.lastDecision,
  };
}

function toDirectiveInput(context: ConsentContext): DirectiveInput {
  const { settings, regionCode, claimedRegionCode, gpc, lastDecision, nowMillis } = context;
  const consentSettings = toConsentSettings(settings);
  return {
    region: { regionCode },
    ...(claimedRegionCode === undefined ? {} : { claimedRegion: { regionCode: claimedRegionCode } }),
    gpc,
    settings: consentSettings,
    policyVersion: getPolicyVersion(consentSettings),
    ...(lastDecision ? { lastDecision } : {}),
    nowMillis,
  };
}

/** A visitor who refused or sends a privacy signal is not even counted anonymously. */
function toCounting(directive: Directive, last: LastDecision | undefined): VisitorConsent['counting'] {
  if (directive.purposes.analytics === 'granted') return 'named';
  const refused = last && (getMeaning(last.decision) === 'refusal' || last.gpc);
  return refused || directive.gpc.received ? 'none' : 'anonymous';
}

/** Converts a stored decision to the form that the rules read. */
export function toLastDecision(current: CurrentDecision | undefined): LastDecision | undefined {
  if (!current) return undefined;
  const { decision, mode, decidedAt, ...rest } = current;
  return { ...rest, decision: decision as ConsentDecision, mode: mode as Mode, decidedAtMillis: decidedAt };
}

/** The reverse of `toLastDecision`. */
export function toCurrentDecision(last: LastDecision, modeNow: Mode): CurrentDecision {
  const { decidedAtMillis, mode = modeNow, ...rest } = last;
  return { ...rest, mode, decidedAt: decidedAtMillis };
}
