import type { MemberRole } from '../storage/members.ts';
import type { TranslationStatus, WaitingTranslation } from '../storage/translations.ts';

/** What is to be done about a translation, and by whom: pure rules. */

export type Kind = 'review' | 'changes' | 'publish' | 'stale';

export type Waiting = {
  readonly kind: Kind;
  readonly translation: WaitingTranslation;
  readonly since: number;
  /** Who made it wait. */
  readonly by: string;
};

export type Colleague = { readonly id: string; readonly role: MemberRole };

/** What somebody has to do something about, whether or not something is live. */
export const WAITING_STATUSES: readonly TranslationStatus[] = ['in_review', 'changes_requested', 'approved'];

/** Undefined where nothing is to be done. */
export function waitingOf(translation: WaitingTranslation): Waiting | undefined {
  const { status, review, liveSourceHash, compared, updatedAt, updatedBy } = translation;
  const reviewed = { since: review?.reviewedAt ?? updatedAt, by: review?.reviewerId ?? updatedBy };
  if (status === 'in_review') return { kind: 'review', translation, since: updatedAt, by: updatedBy };
  if (status === 'changes_requested') return { kind: 'changes', translation, ...reviewed };
  if (status === 'approved') return { kind: 'publish', translation, ...reviewed };
  if (liveSourceHash === undefined || liveSourceHash === compared.contentHash) return undefined;
  return { kind: 'stale', translation, since: compared.at, by: compared.by };
}

/**
 * Whether it waits for this member. Nobody reviews what they submitted while somebody else may; changes are for whoever wrote the text, and
 * for everybody once that is nobody here.
 */
export function waitsFor(
  member: Colleague,
  { kind, translation, by }: Waiting,
  all: readonly Colleague[],
): boolean {
  if (!mayChange(member)) return false;
  const editors = all.filter(mayChange);
  if (kind === 'review') return by !== member.id || editors.length === 1;
  if (kind !== 'changes') return true;
  const author = translation.review?.authorId;
  return author === member.id || !editors.some(({ id }) => id === author);
}

const mayChange = ({ role }: Colleague) => role !== 'member';
