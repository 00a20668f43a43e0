import type { Translation } from '../../../sdk/types.ts';
import type { SavingState } from '../../editor/saving-state.ts';

/** Which steps a translation can take now, and what stands in the way of the others: a key of the texts. */

export type Transition = 'submit' | 'approve' | 'request_changes' | 'publish' | 'archive' | 'restore';

export type Blocker =
  | 'notSaved'
  | 'conflict'
  | 'stale'
  | 'draftFirst'
  | 'inReview'
  | 'changesRequested'
  | 'approved'
  | 'published'
  | 'archived';

type Standing = Pick<Translation, 'status' | 'stale'>;

/** Undefined when the step can be taken. */
export function getBlocker(
  toAction: Transition,
  { status, stale }: Standing,
  saving: SavingState,
): Blocker | undefined {
  if (saving === 'conflict') return 'conflict';
  const blocker = BLOCKED_BY_STATUS[toAction][status];
  if (blocker) return blocker;
  // A step that acts on the text takes what is typed; an incomplete text is not a text.
  if (saving === 'incomplete' || saving === 'failed') return 'notSaved';
  return stale && (toAction === 'submit' || toAction === 'publish') ? 'stale' : undefined;
}

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
