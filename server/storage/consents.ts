/** An immutable policy that directives and evidence refer to by its version. */
export type ConsentPolicy = {
  readonly version: string;
  readonly workspaceId: string;
  /** Canonical JSON of the rule table, the workspace's settings and the purposes. */
  readonly document: string;
  readonly createdAt: number;
};

export type ConsentPolicies = {
  /** Stores the policy unless that version is there already. */
  keep(policy: ConsentPolicy): Promise<void>;
  find(workspaceId: string, version: string): Promise<ConsentPolicy | undefined>;
};

/** A link of the evidence chain of one workspace. The content is opaque here: canonical JSON that the hash covers. */
export type SealedConsent = {
  readonly id: string;
  /** One, two, three … without gaps in a workspace. */
  readonly position: number;
  readonly content: string;
  readonly previousHash: string;
  readonly hash: string;
};

/** What counts now for a visitor: the latest decision, kept apart from the evidence so that it can be erased. */
export type CurrentDecision = {
  readonly decision: string;
  /** The consent mode that it answered. */
  readonly mode: string;
  readonly policyVersion: string;
  readonly regionCode: string;
  readonly decidedAt: number;
  /** A privacy signal came with it. */
  readonly gpc?: boolean;
  /** Where the visitor said to be, where that made the rules stricter or left them as they were. */
  readonly claimedRegion?: string;
};

export type NewConsent = {
  readonly id: string;
  readonly visitorId: string;
  /** A fresh pseudonym for the evidence, used when the visitor has none yet. */
  readonly newSubjectId: string;
  /** Replaces what counted until now; absent when nothing changes, as by a dismissed prompt without a signal. */
  readonly standing?: CurrentDecision;
  /** Makes the link once the store knows what it follows; must be pure, it may run more than once. */
  readonly seal: (previous: {
    /** Zero, and no hash, where this is the first link. */
    readonly position: number;
    readonly hash: string | undefined;
    readonly subjectId: string;
    readonly previousDecisionId: string | undefined;
  }) => { readonly content: string; readonly previousHash: string; readonly hash: string };
  /** Existing conversations of the visitor have to be gone by then, or by an earlier deadline of theirs; null lifts it. */
  readonly deleteConversationsAfterMillis?: number | null;
  /** Rows about this visitor are erased with the same commit. */
  readonly forgetEvents: boolean;
  readonly events: readonly {
    readonly id: string;
    readonly atMillis: number;
    readonly visitorId?: string;
    readonly data: Readonly<Record<string, string | number | boolean | null>>;
  }[];
};

export type Consents = {
  /** Appends the evidence, applies the standing decision and what follows from it, in one step. */
  append(consent: NewConsent): Promise<void>;
  standing(visitorId: string): Promise<CurrentDecision | undefined>;
  /** The chain in order, after the given position. */
  chain(limit: number, afterPosition?: number): Promise<readonly SealedConsent[]>;
};
