import type { Translation } from '../../../sdk/types.ts';
import { needsDecision, type SavingState } from '../../editor/draft.ts';

export type Transition = 'submit' | 'approve' | 'request_changes' | 'publish' | 'archive' | 'restore';

export type Blocker =
  | 'notSaved'
  | 'conflict'
  | 'sourceChanged'
  | 'stale'
  | (typeof STATUS_BLOCKERS)[Translation['status']];

type TranslationState = Pick<Translation, 'status' | 'stale'>;

/** Returns why a transition is not possible now, as a text key; undefined if it is possible. */
export function getBlocker(
  toAction: Transition,
  { status, stale }: TranslationState,
  saving: SavingState,
): Blocker | undefined {
  if (needsDecision(saving)) return saving;
  if (!POSSIBLE_FROM[toAction].includes(status)) return STATUS_BLOCKERS[status];
  // Transitions save pending changes first, which requires a complete text.
  if (saving === 'incomplete' || saving === 'failed') return 'notSaved';
  return stale && NEEDS_CURRENT_SOURCE.includes(toAction) ? 'stale' : undefined;
}

const NEEDS_CURRENT_SOURCE: readonly Transition[] = ['submit', 'approve', 'publish'];

/** The statuses in which a transition is possible. */
const POSSIBLE_FROM: Readonly<Record<Transition, readonly Translation['status'][]>> = {
  submit: ['draft'],
  approve: ['in_review'],
  request_changes: ['in_review'],
  publish: ['approved'],
  archive: ['draft', 'in_review', 'changes_requested', 'approved', 'published'],
  restore: ['archived'],
};

const STATUS_BLOCKERS = {
  draft: 'draftFirst',
  in_review: 'inReview',
  changes_requested: 'changesRequested',
  approved: 'approved',
  published: 'published',
  archived: 'archived',
} as const;
