/**
 * The engine port: answers a question. An engine sees the question, the cleaned page, the retrieved
 * passages and the recent turns, never the database, a credential or other visitors' messages.
 */
export type EnginePassage = {
  readonly articleId: string;
  readonly translationId?: string;
  readonly revision: number;
  readonly title: string;
  /** The full published text. */
  readonly text: string;
  readonly url?: string;
  readonly contentLocale: string;
  /** 0 to 1: relevance to the question. */
  readonly confidence: number;
  /** The parts that answer the question, in the order of the text; offsets into `text` in UTF-16 units. */
  readonly quotes: readonly { readonly text: string; readonly start: number; readonly end: number }[];
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
  /** The language of the guide's own sentences: that of the question if detected, else `requestedLocale`. */
  readonly replyLocale: string;
  /** Whether at least one passage is relevant enough to answer from. */
  readonly found: boolean;
  /** If nothing was found: whether the nearest titles are good enough to be offered as choices. */
  readonly likely: boolean;
  /** Best first; may be empty. */
  readonly passages: readonly EnginePassage[];
  /** The closest titles, for suggestions and for questions without an answer. */
  readonly nearest: readonly {
    readonly articleId: string;
    readonly title: string;
    readonly url?: string;
    /** The language of the title, if known. */
    readonly locale?: string;
  }[];
  readonly page: {
    readonly title: string;
    readonly url: string;
    readonly digest: string;
    readonly selectedText: string;
    /** Empty when page actions are disabled. */
    readonly targets: readonly EngineTarget[];
    /** Only with consent, and for engines that accept images. */
    readonly screenshot?: { readonly mime: 'image/jpeg'; readonly base64: string };
  };
  /** Oldest first. */
  readonly recentTurns: readonly { readonly question: string; readonly answer: string }[];
  /** A sentence in the reply's language that says how to reach the company. */
  readonly contact?: string;
  /** The workspace owner's instructions on tone and scope. */
  readonly instructions?: string;
  /** Whether the guide may answer from general knowledge. Default: false. */
  readonly generalAnswers?: boolean;
  /** The token limit of this turn; absent for engines without token costs. */
  readonly allowance?: EngineAllowance;
};

export type EngineUsage = { readonly inputTokens: number; readonly outputTokens: number };

export type EngineAllowance = {
  /** Input plus output tokens that are left; 0 when the workspace's monthly cap is used up. */
  readonly tokensMax: number;
  /** Called for all used tokens, also those of an interrupted answer. */
  spend(usage: EngineUsage): void;
};

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
      /** Cites the page that the visitor is on. The quote is verbatim from what the page sent. */
      readonly type: 'page_citation';
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
      /** Why the fallback engine answers. */
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

/** A message that may depend on the turns before it. */
export type RewriteRequest = Pick<EngineQuestion, 'text' | 'recentTurns' | 'allowance'> & {
  readonly sourceLocale: string;
};

/**
 * Emits events in order and exactly one `end` last. After the first text, the caller may drop quotes, page
 * text, screenshot and recent turns from the question. When the signal aborts, the generator
 * returns without an error. Throws `EngineFailure` when it cannot continue.
 */
export type Engine = {
  readonly name: string;
  /** Whether turns cost tokens; such an engine receives an allowance. */
  readonly costsTokens?: boolean;
  /** Whether the engine reads screenshots. */
  readonly acceptsImages?: boolean;
  answer(question: EngineQuestion, signal: AbortSignal): AsyncIterable<EngineEvent>;
  /**
   * Rewrites the message into one or two questions that stand alone, the second in the source's language where that differs.
   * Undefined when it fails or the signal aborts.
   */
  rewrite?(request: RewriteRequest, signal: AbortSignal): Promise<readonly string[] | undefined>;
};

/**
 * Embeds texts while a visitor waits, such as a message and the labels of a page: returns a vector for each, and the model that
 * made them; undefined when it is late or fails.
 */
export type EmbedTexts = (
  texts: readonly string[],
) => Promise<{ readonly model: string; readonly vectors: readonly (readonly number[])[] } | undefined>;

/** The answer was interrupted by a cause outside the service; a retry may help. */
export class EngineFailure extends Error {
  override readonly name = 'EngineFailure';
  readonly retryAfterSeconds: number;

  constructor(message: string, retryAfterSeconds = 5) {
    super(message);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
