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
  };
  /** Oldest first. */
  readonly recentTurns: readonly { readonly question: string; readonly answer: string }[];
};

/** Offsets of a citation are UTF-16 units in the answer so far; the caller turns them into code points. */
export type EngineEvent =
  | { readonly type: 'text'; readonly delta: string }
  | {
      readonly type: 'citation';
      readonly passage: EnginePassage;
      readonly quote: string;
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
      readonly type: 'end';
      readonly finishReason: 'stop' | 'length' | 'refusal' | 'no_knowledge';
      /** 0 to 1. */
      readonly confidence: number;
      readonly usage: { readonly inputTokens: number; readonly outputTokens: number };
    };

/** Events arrive in order and end with exactly one `end`. The signal stops the work; the generator then just returns. */
export type Engine = {
  readonly name: string;
  answer(question: EngineQuestion, signal: AbortSignal): AsyncIterable<EngineEvent>;
};
