/**
 * The engine port: turns a question and what is known into an answer. An engine sees the question, the cleaned page, the
 * retrieved passages and the recent turns; it never sees the database, a credential or another visitor's words.
 */
export type EnginePassage = {
  readonly articleId: string;
  readonly translationId?: string;
  readonly revision: number;
  readonly title: string;
  /** The whole published text. */
  readonly text: string;
  readonly url?: string;
  readonly contentLocale: string;
  /** 0 to 1: how well it fits the question. */
  readonly confidence: number;
  /** The sentences that fit best, best first; offsets into `text` in UTF-16 units. */
  readonly sentences: readonly { readonly text: string; readonly start: number; readonly end: number }[];
};

export type EngineTarget = {
  readonly gpId: string;
  readonly name: string;
  readonly role: string;
  readonly confidence: number;
  readonly inViewport: boolean;
};

export type EngineQuestion = {
  readonly text: string;
  readonly requestedLocale: string;
  /** True when at least one passage fits well enough to answer from. */
  readonly found: boolean;
  /** Best first. Empty when nothing fits at all. */
  readonly passages: readonly EnginePassage[];
  /** The nearest titles, for when nothing fits and for next steps. */
  readonly nearest: readonly { readonly articleId: string; readonly title: string; readonly url?: string }[];
  readonly page: {
    readonly title: string;
    readonly url: string;
    readonly digest: string;
    readonly selectedText: string;
    /** Empty when page actions are switched off. */
    readonly targets: readonly EngineTarget[];
    /** What the visitor sees, where showing it is allowed and the engine says that it looks. */
    readonly screenshot?: { readonly mime: 'image/jpeg'; readonly base64: string };
  };
  /** Oldest first. */
  readonly recentTurns: readonly { readonly question: string; readonly answer: string }[];
  /** What the owner of the workspace asks of the guide's tone and scope. */
  readonly instructions?: string;
  /** Whether the guide may answer what no passage answers; it may not unless this says so. */
  readonly generalAnswers?: boolean;
  /** What this turn may cost; absent where nothing is counted. */
  readonly allowance?: EngineAllowance;
};

export type EngineUsage = { readonly inputTokens: number; readonly outputTokens: number };

export type EngineAllowance = {
  /** Input and output together; nothing when the month of the workspace is used up. */
  readonly tokensMax: number;
  /** Told whenever tokens are used, also by an answer that breaks off. */
  spend(usage: EngineUsage): void;
};

/** Offsets of a citation are UTF-16 units in the answer so far; the caller turns them into code points. */
export type EngineEvent =
  | { readonly type: 'text'; readonly delta: string }
  | {
      readonly type: 'citation';
      readonly passage: EnginePassage;
      readonly quote: string;
      /** UTF-16 offsets in the text so far. */
      readonly start: number;
      readonly end: number;
    }
  | {
      readonly type: 'action';
      readonly kind: 'highlight' | 'scroll_to' | 'focus' | 'navigate';
      readonly gpId?: string;
      readonly url?: string;
      readonly label: string;
      readonly reason: string;
    }
  | {
      readonly type: 'suggestions';
      readonly items: readonly { readonly title: string; readonly message: string }[];
    }
  | {
      readonly type: 'notice';
      /** Why a simpler engine answers than the one that was asked. */
      readonly code: 'llm_unavailable' | 'llm_budget_spent';
      readonly text: string;
    }
  | {
      readonly type: 'end';
      readonly finishReason: 'stop' | 'length' | 'refusal' | 'no_knowledge';
      /** 0 to 1. */
      readonly confidence: number;
      readonly usage: EngineUsage;
    };

/**
 * Events arrive in order and end with exactly one `end`. From the first text on, the words and the picture of the page and the recent
 * turns may be gone from the question. The signal stops the work; the generator then just returns. An engine that
 * cannot go on throws `EngineFailure`.
 */
export type Engine = {
  readonly name: string;
  /** Whether a turn costs tokens; such an engine is given an allowance. */
  readonly costsTokens?: boolean;
  /** Whether it looks at screenshots. */
  readonly looks?: boolean;
  /** Whether it answers each question by itself, and so is not told of the turns before. */
  readonly forgetful?: boolean;
  answer(question: EngineQuestion, signal: AbortSignal): AsyncIterable<EngineEvent>;
};

/** The answer broke off for a reason outside the service; asking again may help. */
export class EngineFailure extends Error {
  override readonly name = 'EngineFailure';
  readonly retryAfterSeconds: number;

  constructor(message: string, retryAfterSeconds = 5) {
    super(message);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
