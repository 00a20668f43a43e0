import type { AuditEntry } from './audit.ts';
import type { RatingDetails, Turn } from './conversations.ts';

/**
 * Questions that were not answered well, in groups of similar ones. A group exists as long as it has questions, and a
 * question as long as its turn: erasure, retention and deletion deadlines remove questions.
 */

/** Why a question is in the inbox: bit flags, stored as their sum. */
export const INBOX_KIND = { unanswered: 1, rated_down: 2, low_confidence: 4 } as const;
export type InboxKind = keyof typeof INBOX_KIND;

export type InboxState = 'open' | 'resolved' | 'dismissed';

export type InboxGroup = {
  id: string;
  state: InboxState;
  /** Number of its questions. */
  asked: number;
  lastAskedAt: number;
  assigneeId?: string;
  /** The article that answers the questions. */
  articleId?: string;
  /** The article closest to the newest question at the time of its arrival. */
  nearestArticleId?: string;
  /** When it was resolved last; kept when a later question opens it again. */
  resolvedAt?: number;
  /** When its questions were last asked again, how many, and how many of them were answered. */
  askedAgainAt?: number;
  askedAgain?: number;
  answeredAgain?: number;
};

export type InboxSummary = InboxGroup & {
  kinds: Readonly<Record<InboxKind, number>>;
  /** Questions since `resolvedAt`; zero without it. */
  askedSince: number;
  /** The newest questions. */
  examples: readonly InboxQuestion[];
};

export type InboxQuestion = Pick<
  Turn,
  'messageId' | 'conversationId' | 'question' | 'requestedLocale' | 'askedAt'
> &
  Partial<RatingDetails> & {
    /** Sum of `INBOX_KIND`. */
    kinds: number;
    /** Confidence of the answer, in thousandths. */
    confidence?: number;
  };

export type InboxOrder = 'asked' | 'recent';

export type InboxFilter = {
  states: readonly InboxState[];
  kind?: InboxKind;
  /** A member, or null for groups without an assignee. */
  assigneeId?: string | null;
  isAssigned?: boolean;
};

export type InboxPosition = Pick<InboxGroup, 'id' | 'asked' | 'lastAskedAt'>;

/** Undefined leaves a field as it is, null empties it. */
export type InboxChange = {
  state?: InboxState;
  assigneeId?: string | null;
  articleId?: string | null;
};

/** Builds the audit row of a change, unless nothing changes. Must be pure; runs inside the transaction. */
type InboxAudit = (before: InboxGroup) => AuditEntry | undefined;

export type InboxCounts = Readonly<Record<InboxKind | 'open' | 'mine', number>>;

/** A question that represents its group in comparisons. */
export type InboxRepresentative = Pick<Turn, 'messageId' | 'question' | 'requestedLocale'> & {
  groupId: string;
  signature?: string;
};

export type NewInboxQuestion = Pick<Turn, 'messageId' | 'askedAt'> & {
  /** Creates the group if the id is new. */
  groupId: string;
  kinds: number;
  confidence?: number;
  /** Only representative questions have a signature. */
  signature?: string;
  nearestArticleId?: string;
};

/** How far turns (by export position) and ratings have been read. */
export type InboxProgress = {
  turnAt: number;
  messageId: string;
  ratedAt: number;
};

/** The inbox of one workspace. */
export type Inbox = {
  /** Lists groups that match, after the given position. */
  list(
    limit: number,
    filter: InboxFilter,
    order: InboxOrder,
    after?: InboxPosition,
  ): Promise<readonly InboxSummary[]>;
  find(groupId: string): Promise<InboxSummary | undefined>;
  /** Counts open groups: all, by kind, and those assigned to this member. */
  counts(memberId: string): Promise<InboxCounts>;
  /** Lists the newest questions of a group. */
  questions(groupId: string, limit: number): Promise<readonly InboxQuestion[]>;
  /** Returns 'no_member' or 'no_article', and changes nothing, when the member or article is not of this workspace. */
  change(
    groupId: string,
    change: InboxChange,
    nowMillis: number,
    toAudit: InboxAudit,
  ): Promise<'changed' | 'gone' | 'no_member' | 'no_article'>;
  recordAskedAgain(
    groupId: string,
    outcome: { atMillis: number; asked: number; answered: number },
  ): Promise<void>;
  progress(): Promise<InboxProgress>;
  /** Returns the given messages that are in the inbox. */
  listKnown(messageIds: readonly string[]): Promise<readonly { messageId: string; kinds: number }[]>;
  /** Returns the newest questions of open groups whose nearest article this is, those of the largest groups first. */
  askedNear(articleId: string, limit: number): Promise<readonly Pick<Turn, 'question' | 'requestedLocale'>[]>;
  /** Returns the representatives of the newest `groups` groups; for a group without signatures, one question. */
  representatives(groups: number): Promise<readonly InboxRepresentative[]>;
  /**
   * Adds questions, adds kinds to questions already in the inbox, and records the progress. A question
   * asked after its group was resolved reopens the group. Leaves out turns that may not be kept.
   */
  add(questions: readonly NewInboxQuestion[], progress: InboxProgress): Promise<void>;
  /** Removes a kind from a question, and the question itself when no other kind is left. */
  removeKind(messageIds: readonly string[], kind: InboxKind): Promise<void>;
  storeSignature(messageId: string, signature: string): Promise<void>;
};

/** The inboxes of all workspaces. */
export type Inboxes = {
  /** Lists workspaces with unread turns or ratings, in ascending order. */
  listOutdated(limit: number, afterWorkspaceId: string): Promise<readonly string[]>;
};
