import type { IncomingHttpHeaders } from 'node:http';
import type { ConsentDecision } from '../../../contract/consent.ts';
import { CHAT_LIMITS } from '../../../contract/limits/chat.ts';
import type { VisitorCaller } from '../../http/handler.ts';
import type { Consents, CurrentDecision } from '../../storage/consents.ts';
import type { WorkspaceSettings } from '../../storage/workspace-settings.ts';
import {
  applyDecision,
  type Directive,
  type DirectiveInput,
  decideDirective,
  type LastDecision,
} from './consent-directive.ts';
import { getPolicyVersion, toConsentSettings } from './policy.ts';
import { getMeaning, type Mode, type Purposes } from './purposes.ts';

/** A visitor's current consent, and the storage that it permits. */
export type VisitorConsent = {
  directive: Directive;
  permissions: StoragePermissions;
  /** How event rows may be written: with the visitor id, anonymously, or (after a refusal or a privacy signal) not at all. */
  counting: 'named' | 'anonymous' | 'none';
};

type ConsentContext = {
  settings: WorkspaceSettings;
  regionCode: string;
  claimedRegionCode?: string | undefined;
  gpc: boolean;
  lastDecision: LastDecision | undefined;
  nowMillis: number;
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

/** Resolves the consent after a visitor's decision, and returns it with the decision to store. */
export function resolveConsentAfterDecision(
  context: ConsentContext,
  decision: ConsentDecision,
  shownPolicyVersion: string,
): VisitorConsent & { lastDecision: LastDecision | undefined } {
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
    claimedRegionCode,
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
  const hasRefused = last && (getMeaning(last.decision) === 'refusal' || last.gpc);
  return hasRefused || directive.gpc.received ? 'none' : 'anonymous';
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

const DENIED_HISTORY_MILLIS = CHAT_LIMITS.deniedHistorySeconds * 1000;

/** The storage that the effective purposes permit for a visitor. Chatting itself needs no consent. */
type StoragePermissions = {
  /** Whether event rows of this visitor may be written. */
  analytics: boolean;
  /** Whether the visitor id may be kept on the device. */
  persistVisitor: boolean;
  /** Whether screenshots may be read; otherwise they are dropped on arrival. */
  screenshot: boolean;
  /** Whether the visitor's conversations may appear in an export. */
  exportable: boolean;
  /** Deadline for deleting conversations, from the decision or from each later turn. Absent: no deadline, and an earlier one is lifted. */
  deleteConversationsWithinMillis?: number;
  /** Whether to delete earlier event rows now, as after a refusal. */
  forgetEvents: boolean;
};

/** `newDecision` is a decision made just now; without it, no existing rows are deleted. */
export function toStoragePermissions(
  purposes: Purposes,
  newDecision?: { decision: ConsentDecision; gpc: boolean },
): StoragePermissions {
  const isRetained = purposes.retention === 'granted';
  return {
    analytics: purposes.analytics === 'granted',
    persistVisitor: purposes.persistence === 'granted',
    screenshot: purposes.screenshot === 'granted',
    exportable: isRetained,
    ...(isRetained ? {} : { deleteConversationsWithinMillis: DENIED_HISTORY_MILLIS }),
    forgetEvents:
      newDecision !== undefined && (newDecision.gpc || getMeaning(newDecision.decision) === 'refusal'),
  };
}

/**
 * Whether the browser sent a Global Privacy Control signal: the header `Sec-GPC` with exactly the value `1`, or the
 * page's own reading of `navigator.globalPrivacyControl`. A `false` in the body does not cancel the header.
 */
export function hasGpcSignal(signal: {
  secGpc: string | readonly string[] | undefined;
  bodyGpc: boolean | undefined;
}): boolean {
  return signal.bodyGpc === true || isSecGpcSet(signal.secGpc);
}

export function hasGpcHeader(headers: IncomingHttpHeaders): boolean {
  return isSecGpcSet(headers['sec-gpc']);
}

/** With repeated headers, which Node joins with commas, a single `1` is enough. */
function isSecGpcSet(secGpc: string | readonly string[] | undefined): boolean {
  if (secGpc === undefined) return false;
  const lines = typeof secGpc === 'string' ? [secGpc] : secGpc;
  return lines.some((line) => line.split(',').some((value) => value.trim() === '1'));
}

/** The body of `/.well-known/gpc.json`, served as `application/json`: this service honours the signal. */
type GpcDocument = { gpc: true; lastUpdate: string };

/** `lastUpdate` is the day (`YYYY-MM-DD`) of the statement's last change. Throws a RangeError for anything else. */
export function gpcDocument(lastUpdate: string): GpcDocument {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(lastUpdate) || Number.isNaN(Date.parse(lastUpdate))) {
    throw new RangeError(`not a full date: ${lastUpdate}`);
  }
  return { gpc: true, lastUpdate };
}
