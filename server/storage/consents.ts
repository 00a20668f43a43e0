/** An immutable policy. Directives and consent records refer to it by its version. */
type ConsentPolicy = {
  version: string;
  workspaceId: string;
  /** Canonical JSON of the rule table, the workspace's settings and the purposes. */
  document: string;
  createdAt: number;
};

export type ConsentPolicies = {
  /** Stores the policy unless this version exists. */
  keep(policy: ConsentPolicy): Promise<void>;
  find(workspaceId: string, version: string): Promise<ConsentPolicy | undefined>;
};

/**
 * A record in the hash chain of a workspace's consent log. The store treats `content` as opaque
 * canonical JSON; the hash covers it.
 */
export type SealedConsent = {
  id: string;
  /** Counts from 1 in each workspace, without gaps. */
  position: number;
  content: string;
  previousHash: string;
  hash: string;
};

/** A visitor's current decision, stored apart from the consent log so that it can be erased. */
export type CurrentDecision = {
  decision: string;
  /** The consent mode that the visitor was shown. */
  mode: string;
  policyVersion: string;
  regionCode: string;
  decidedAt: number;
  /** Whether a privacy signal (GPC) came with the decision. */
  gpc?: boolean;
  /** The region that the visitor claimed; set only if it did not relax the rules. */
  claimedRegion?: string;
};

export type NewConsent = {
  id: string;
  visitorId: string;
  /** A new pseudonym for the consent log, used when the visitor has none yet. */
  newSubjectId: string;
  /**
   * Replaces the current decision. Absent when nothing changes, for example when a prompt is
   * dismissed without a signal.
   */
  currentDecision?: CurrentDecision;
  /**
   * Builds the record from its predecessor. Must be pure, because the transaction may run more than
   * once.
   */
  seal: (previous: {
    /** 0 for the first record, which has no previous hash. */
    position: number;
    hash: string | undefined;
    subjectId: string;
    previousDecisionId: string | undefined;
  }) => { content: string; previousHash: string; hash: string };
  /**
   * Deletion deadline for the visitor's existing conversations, except those with an earlier one; null
   * removes the deadline.
   */
  deleteConversationsAfterMillis?: number | null;
  /** Whether to erase the visitor's event rows in the same transaction. */
  forgetEvents: boolean;
  events: readonly {
    id: string;
    atMillis: number;
    visitorId?: string;
    data: Readonly<Record<string, string | number | boolean | null>>;
  }[];
};

export type Consents = {
  /**
   * Appends the record, replaces the current decision and applies deadlines and erasures, in one
   * transaction.
   */
  append(consent: NewConsent): Promise<void>;
  getCurrentDecision(visitorId: string): Promise<CurrentDecision | undefined>;
  /** Like `getCurrentDecision`, but returns 'erased' if a tombstone has this mark. */
  findReturning(visitorId: string, mark: string): Promise<CurrentDecision | 'erased' | undefined>;
  /** Lists the chain in order, starting after the given position. */
  chain(limit: number, afterPosition?: number): Promise<readonly SealedConsent[]>;
};
