import { actionKind, type ChatEvent } from '../../contract/chat-event.ts';
import { LIMITS } from '../../contract/limits.ts';
import type { EngineEvent } from '../engine/engine.ts';
import { cleanLabel } from '../sanitize/clean-text.ts';
import type { CleanTarget } from './capture.ts';

type Proposed = Extract<EngineEvent, { type: 'action' }>;
export type ActionEvent = Extract<ChatEvent, { type: 'action' }>;

/** What may leave of a line that an engine or a page wrote. */
type Line = (text: string, charsMax: number) => string;

const ACTIONS_A_TURN_MAX = 3;
const REASON_CHARS_MAX = 500;

/**
 * What the guide may propose, whatever an engine says: one of four kinds, on a target that this very turn sent, or an address of the
 * visitor's own origin. Anything else is dropped.
 */
export function createProposals(turn: {
  readonly targets: readonly CleanTarget[];
  readonly origin: string;
  readonly allowed: boolean;
}): (proposed: Proposed, nowMillis: number, line?: Line) => Omit<ActionEvent, 'seq'> | undefined {
  const targets = new Map(turn.targets.map((target) => [target.gpId, target]));
  let proposedCount = 0;
  return (proposed, nowMillis, line = cleanLabel) => {
    if (!turn.allowed || proposedCount >= ACTIONS_A_TURN_MAX) return undefined;
    if (!actionKind.safeParse(proposed.kind).success) return undefined;
    const aim =
      proposed.kind === 'navigate' ? navigation(proposed, turn.origin) : pointing(proposed, targets, line);
    if (!aim) return undefined;
    proposedCount += 1;
    return {
      type: 'action',
      action_id: `act_${proposedCount}`,
      kind: proposed.kind,
      ...aim,
      label: line(proposed.label, LIMITS.labelCharsKept),
      reason: line(proposed.reason, REASON_CHARS_MAX),
      requires_confirmation: proposed.kind === 'navigate' || proposed.kind === 'focus',
      expires_at: Math.floor(nowMillis / 1000) + LIMITS.actionLifeSeconds,
    };
  };
}

function navigation(proposed: Proposed, origin: string): { url: string } | undefined {
  if (!proposed.url || !URL.canParse(proposed.url, origin)) return undefined;
  const url = new URL(proposed.url, origin);
  if (url.origin !== origin || url.username !== '' || url.password !== '') return undefined;
  return url.href.length <= LIMITS.urlCharsMax ? { url: url.href } : undefined;
}

function pointing(
  proposed: Proposed,
  targets: ReadonlyMap<string, CleanTarget>,
  line: Line,
): Pick<ActionEvent, 'target'> | undefined {
  const target = targets.get(proposed.gpId ?? '');
  if (!target) return undefined;
  return {
    target: {
      gp_id: target.gpId,
      label: line(target.name, LIMITS.labelCharsKept),
      ...(target.documentBox ? { document_bbox: target.documentBox } : {}),
      confidence: target.confidence,
    },
  };
}
