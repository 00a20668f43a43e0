import type { ChatEvent } from '../../contract/chat-event.ts';
import { LIMITS } from '../../contract/limits.ts';
import type { EngineEvent } from '../engine/engine.ts';
import type { CleanTarget } from './capture.ts';
import { cleanLabel } from './clean-text.ts';

type Proposed = Extract<EngineEvent, { type: 'action' }>;
export type ActionEvent = Extract<ChatEvent, { type: 'action' }>;

const ACTIONS_A_TURN_MAX = 3;

/**
 * What the guide may propose, whatever an engine says: one of four kinds, on a target that this very turn sent, or an address of the
 * visitor's own origin. Anything else is dropped.
 */
export function createProposals(turn: {
  readonly targets: readonly CleanTarget[];
  readonly origin: string;
  readonly allowed: boolean;
}): (proposed: Proposed, nowMillis: number) => Omit<ActionEvent, 'seq'> | undefined {
  const targets = new Map(turn.targets.map((target) => [target.gpId, target]));
  let proposedCount = 0;
  return (proposed, nowMillis) => {
    if (!turn.allowed || proposedCount >= ACTIONS_A_TURN_MAX) return undefined;
    const aim =
      proposed.kind === 'navigate' ? navigation(proposed, turn.origin) : pointing(proposed, targets);
    if (!aim) return undefined;
    proposedCount += 1;
    return {
      type: 'action',
      action_id: `act_${proposedCount}`,
      kind: proposed.kind,
      ...aim,
      label: cleanLabel(proposed.label, LIMITS.labelCharsKept),
      reason: cleanLabel(proposed.reason, 500),
      requires_confirmation: proposed.kind === 'navigate' || proposed.kind === 'focus',
      expires_at: Math.floor(nowMillis / 1000) + LIMITS.actionLifeSeconds,
    };
  };
}

function navigation(proposed: Proposed, origin: string): { url: string } | undefined {
  if (!proposed.url || !URL.canParse(proposed.url, origin)) return undefined;
  const url = new URL(proposed.url, origin);
  if (url.origin !== origin || url.username !== '' || url.password !== '') return undefined;
  return { url: url.href };
}

function pointing(
  proposed: Proposed,
  targets: ReadonlyMap<string, CleanTarget>,
): Pick<ActionEvent, 'target'> | undefined {
  const target = targets.get(proposed.gpId ?? '');
  if (!target) return undefined;
  return {
    target: {
      gp_id: target.gpId,
      label: target.name,
      ...(target.documentBox ? { document_bbox: target.documentBox } : {}),
      confidence: target.confidence,
    },
  };
}
