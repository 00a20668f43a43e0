import type { TranslationEvent, TranslationStatus } from '../storage/translations.ts';

/** The translation workflow as one table. Transitions that are not listed are not allowed. */

/** An action on an existing translation. */
export type WorkflowEvent =
  | 'edit'
  | 'submit'
  | 'approve'
  | 'request_changes'
  | 'publish'
  | 'archive'
  | 'restore';

export type Transition = {
  to: TranslationStatus;
  /** Effect on the revision that visitors are served; 'this' publishes the new one. */
  live: 'keep' | 'this' | 'none';
  /** Effect on the review of the working copy. */
  review: 'keep' | 'new' | 'none';
  /** Further conditions, checked in this order. */
  conditions: readonly ('approval' | 'current_source')[];
  /** The status is reached already: nothing changes, and no revision is appended. */
  isDone?: true;
};

const edit: Transition = { to: 'draft', live: 'keep', review: 'none', conditions: [] };
const submit: Transition = { to: 'in_review', live: 'keep', review: 'none', conditions: ['current_source'] };
const approve: Transition = { to: 'approved', live: 'keep', review: 'new', conditions: ['current_source'] };
const request_changes: Transition = { to: 'changes_requested', live: 'keep', review: 'new', conditions: [] };
const publish: Transition = {
  to: 'published',
  live: 'this',
  review: 'keep',
  conditions: ['approval', 'current_source'],
};
const archive: Transition = { to: 'archived', live: 'none', review: 'none', conditions: [] };
const archive_again: Transition = { ...archive, isDone: true };
const restore: Transition = { to: 'draft', live: 'none', review: 'none', conditions: [] };

const WORKFLOW: Readonly<Record<TranslationStatus, Readonly<Partial<Record<WorkflowEvent, Transition>>>>> = {
  draft: { edit, submit, archive },
  in_review: { edit, approve, request_changes, archive },
  changes_requested: { edit, archive },
  approved: { edit, publish, archive },
  published: { edit, archive },
  archived: { archive: archive_again, restore },
};

/** Returns undefined when the status does not allow the event. */
export function findTransition(status: TranslationStatus, event: WorkflowEvent): Transition | undefined {
  return WORKFLOW[status][event];
}

/** The event that the new revision records, by workflow event. */
export const REVISION_EVENTS: Readonly<Record<WorkflowEvent, TranslationEvent>> = {
  edit: 'edited',
  submit: 'submitted',
  approve: 'approved',
  request_changes: 'changes_requested',
  publish: 'published',
  archive: 'archived',
  restore: 'restored',
};

/** Events that change the text; the others only change the status. */
export const TEXT_EVENTS: readonly TranslationEvent[] = ['created', 'edited', 'imported'];
