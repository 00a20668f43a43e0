import type { Translation } from '../../../sdk/types.ts';
import type { SavingState } from '../../editor/saving-state.ts';

/** Which steps a translation can take now, and what stands in the way of the others: a key of the texts. */

export type Step = 'submit' | 'approve' | 'request_changes' | 'publish' | 'archive' | 'restore';

export type Hindrance =
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
export function hindrance(
  step: Step,
  { status, stale }: Standing,
  saving: SavingState,
): Hindrance | undefined {
  if (saving === 'conflict') return 'conflict';
  const byStatus = STATUS_HINDERS[step][status];
  if (byStatus) return byStatus;
  // A step that acts on the text takes what is typed; an incomplete text is not a text.
  if (saving === 'incomplete' || saving === 'trouble') return 'notSaved';
  return stale && (step === 'submit' || step === 'publish') ? 'stale' : undefined;
}

const STATUS_HINDERS: Readonly<Record<Step, Partial<Record<Translation['status'], Hindrance>>>> = {
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
