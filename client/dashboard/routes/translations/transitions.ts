import type { Translation } from '../../../sdk/types.ts';
import { needsDecision, type SavingState } from '../../editor/draft.ts';

export type Transition = 'submit' | 'approve' | 'request_changes' | 'publish' | 'archive' | 'restore';

export type Blocker =
  | 'notSaved'
  | 'conflict'
  | 'sourceChanged'
  | 'stale'
  | 'draftFirst'
  | 'inReview'
  | 'changesRequested'
  | 'approved'
  | 'published'
  | 'archived';

type TranslationState = Pick<Translation, 'status' | 'stale'>;

/** Returns why a transition is not possible now, as a text key; undefined if it is possible. */
export function getBlocker(
  toAction: Transition,
  { status, stale }: TranslationState,
  saving: SavingState,
): Blocker | undefined {
  if (needsDecision(saving)) return saving;
  const blocker = BLOCKED_BY_STATUS[toAction][status];
  if (blocker) return blocker;
  // Transitions save pending changes first, which requires a complete text.
  if (saving === 'incomplete' || saving === 'failed') return 'notSaved';
  return stale && NEEDS_CURRENT_SOURCE.includes(toAction) ? 'stale' : undefined;
}

const NEEDS_CURRENT_SOURCE: readonly Transition[] = ['submit', 'approve', 'publish'];

const BLOCKED_BY_STATUS: Readonly<Record<Transition, Partial<Record<Translation['status'], Blocker>>>> = {
  submit: {
    in_review: 'inReview',
    changes_requested: 'changesRequested',
    approved: 'approved',
    published: 'published',
    archived: 'archived',
  },
  approve: {
    draft: 'draftFirst',
    changes_requested: 'changesRequested',
    approved: 'approved',
    published: 'published',
    archived: 'archived',
  },
  request_changes: {
    draft: 'draftFirst',
    changes_requested: 'changesRequested',
    approved: 'approved',
    published: 'published',
    archived: 'archived',
  },
  publish: {
    draft: 'draftFirst',
    in_review: 'inReview',
    changes_requested: 'changesRequested',
    published: 'published',
    archived: 'archived',
  },
  archive: { archived: 'archived' },
  restore: {
    draft: 'draftFirst',
    in_review: 'inReview',
    changes_requested: 'changesRequested',
    approved: 'approved',
    published: 'published',
  },
};
