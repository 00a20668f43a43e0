import type { TranslationEvent, TranslationStatus } from '../storage/translations.ts';

/** The way of a translation to visitors: section 3 of the interface document as one table. What is not in it is not allowed. */

/** What somebody asks of a translation that exists. */
export type WorkflowEvent =
  | 'edit'
  | 'submit'
  | 'approve'
  | 'request_changes'
  | 'publish'
  | 'archive'
  | 'restore';

export type Transition = {
  readonly to: TranslationStatus;
  /** What becomes of the revision that visitors are served: 'this' revision takes its place. */
  readonly live: 'keep' | 'this' | 'none';
  /** What becomes of the review of the working copy. */
  readonly review: 'keep' | 'new' | 'none';
  /** Beyond the status. In this order. */
  readonly deps: readonly ('approval' | 'current_source')[];
};

const edit: Transition = { to: 'draft', live: 'keep', review: 'none', deps: [] };
const submit: Transition = { to: 'in_review', live: 'keep', review: 'none', deps: ['current_source'] };
const approve: Transition = { to: 'approved', live: 'keep', review: 'new', deps: [] };
const request_changes: Transition = { to: 'changes_requested', live: 'keep', review: 'new', deps: [] };
const publish: Transition = {
  to: 'published',
  live: 'this',
  review: 'keep',
  deps: ['approval', 'current_source'],
};
const archive: Transition = { to: 'archived', live: 'none', review: 'none', deps: [] };
const restore: Transition = { to: 'draft', live: 'none', review: 'none', deps: [] };

const WORKFLOW: Readonly<Record<TranslationStatus, Readonly<Partial<Record<WorkflowEvent, Transition>>>>> = {
  draft: { edit, submit, archive },
  in_review: { edit, approve, request_changes, archive },
  changes_requested: { edit, archive },
  approved: { edit, publish, archive },
  published: { edit, archive },
  archived: { restore },
};

/** Undefined where the status rules the event out. */
export function transition(status: TranslationStatus, event: WorkflowEvent): Transition | undefined {
  return WORKFLOW[status][event];
}

/** What a revision that the event makes is called. */
export const REVISION_EVENTS: Readonly<Record<WorkflowEvent, TranslationEvent>> = {
  edit: 'edited',
  submit: 'submitted',
  approve: 'approved',
  request_changes: 'changes_requested',
  publish: 'published',
  archive: 'archived',
  restore: 'restored',
};

/** What makes a text, where the other events only move it. */
export const TEXT_EVENTS: readonly TranslationEvent[] = ['created', 'edited', 'imported'];
