/**
 * The engine port: answers a question. An engine sees the question, the cleaned page, the retrieved
 * passages and the recent turns, never the database, a credential or other visitors' messages.
 */
export type EnginePassage = {
  articleId: string;
  translationId?: string;
  revision: number;
  title: string;
  /** The full published text. */
  text: string;
  url?: string;
  contentLocale: string;
  /** 0 to 1: relevance to the question. */
  confidence: number;
  /** The parts that answer the question, in the order of the text; offsets into `text` in UTF-16 units. */
  quotes: readonly { text: string; start: number; end: number }[];
};

export type EngineTarget = {
  gpId: string;
  name: string;
  role: string;
  confidence: number;
  inViewport: boolean;
};

export type EngineRule = {
  kind: 'style' | 'ask_back' | 'hand_over' | 'never_say';
  /** When it applies; always if absent. */
  when?: string | undefined;
  text: string;
};

export type EngineQuestion = {
  text: string;
  requestedLocale: string;
  /** The language of the guide's own sentences: that of the question if detected, else `requestedLocale`. */
  replyLocale: string;
  /** Whether at least one passage is relevant enough to answer from. */
  found: boolean;
  /** If nothing was found: whether the nearest titles are good enough to be offered as choices. */
  likely: boolean;
  /** Best first; may be empty. */
  passages: readonly EnginePassage[];
  /** The closest titles, for suggestions and for questions without an answer. */
  nearest: readonly {
    articleId: string;
    title: string;
    url?: string;
    /** The language of the title, if known. */
    locale?: string;
  }[];
  page: {
    title: string;
    url: string;
    digest: string;
    selectedText: string;
    /** Empty when page actions are disabled. */
    targets: readonly EngineTarget[];
    /** Only with consent, and for engines that accept images. */
    screenshot?: { mime: 'image/jpeg'; base64: string };
  };
  /** Oldest first. */
  recentTurns: readonly { question: string; answer: string }[];
  /** A sentence in the reply's language that says how to reach the company. */
  contact?: string;
  /** Whether visitors can send a message to a person. */
  takesHandovers?: boolean | undefined;
  /** The workspace owner's rules that are switched on. */
  rules?: readonly EngineRule[] | undefined;
  /** What the guide says of the page without a model, if the visitor asks what the page is about. */
  fixedReply?: string;
  /** Whether the guide may answer from general knowledge. Default: false. */
  generalAnswers?: boolean;
  /** Called with each request to a language model, as text, so that a preview can show it. */
  onPrompt?: ((messages: readonly PromptMessage[]) => void) | undefined;
  /** The token limit of this turn; absent for engines without token costs. */
  allowance?: EngineAllowance;
};

export type PromptMessage = { role: 'system' | 'user' | 'assistant'; text: string };

export type EngineUsage = { inputTokens: number; outputTokens: number };

export type EngineAllowance = {
  /** Input plus output tokens that are left; 0 when the workspace's monthly cap is used up. */
  tokensMax: number;
  /** Called for all used tokens, also those of an interrupted answer. */
  spend(usage: EngineUsage): void;
};

export type EngineEvent =
  | { type: 'text'; delta: string }
  | {
      type: 'citation';
      passage: EnginePassage;
      quote: string;
      /** UTF-16 offsets in the text so far. */
      start: number;
      end: number;
    }
  | {
      /** Cites the page that the visitor is on. The quote is verbatim from what the page sent. */
      type: 'page_citation';
      quote: string;
      /** UTF-16 offsets in the text so far. */
      start: number;
      end: number;
    }
  | {
      type: 'action';
      kind: 'highlight' | 'scroll_to' | 'focus' | 'navigate';
      gpId?: string;
      url?: string;
      label: string;
      reason: string;
    }
  | {
      type: 'suggestions';
      items: readonly { title: string; message: string }[];
    }
  | {
      type: 'notice';
      /** Why the fallback engine answers. */
      code: 'llm_unavailable' | 'llm_budget_spent';
      text: string;
    }
  | {
      type: 'end';
      finishReason: 'stop' | 'length' | 'refusal' | 'no_knowledge';
      /** 0 to 1. */
      confidence: number;
      usage: EngineUsage;
      /** The visitor asked for a person, or complained. */
      offersPerson?: boolean;
    };

/** A message that may depend on the turns before it. */
export type RewriteRequest = Pick<EngineQuestion, 'text' | 'recentTurns' | 'allowance'> & {
  sourceLocale: string;
};

/** What a visitor agreed to send to a person. */
export type SummaryRequest = Pick<EngineQuestion, 'allowance'> & {
  /** Oldest first. */
  turns: readonly { question: string; answer: string }[];
  /** The language of the summary. */
  locale: string;
};

/**
 * Emits events in order and exactly one `end` last. After the first text, the caller may drop quotes, page
 * text, screenshot and recent turns from the question. When the signal aborts, the generator
 * returns without an error. Throws `EngineFailure` when it cannot continue.
 */
export type Engine = {
  name: string;
  /** Whether turns cost tokens; such an engine receives an allowance. */
  costsTokens?: boolean;
  /** Whether the engine reads screenshots. */
  acceptsImages?: boolean;
  answer(question: EngineQuestion, signal: AbortSignal): AsyncIterable<EngineEvent>;
  /**
   * Rewrites the message into one or two questions that stand alone, the second in the source's language where that differs.
   * Undefined when it fails or the signal aborts.
   */
  rewrite?(request: RewriteRequest, signal: AbortSignal): Promise<readonly string[] | undefined>;
  /** Summarizes a conversation in a few sentences without links. Undefined when it fails or the signal aborts. */
  summarize?(request: SummaryRequest, signal: AbortSignal): Promise<string | undefined>;
};

/**
 * Embeds texts while a visitor waits, such as a message and the labels of a page: returns a vector for each, and the model that
 * made them; undefined when it is late or fails.
 */
export type EmbedTexts = (
  texts: readonly string[],
) => Promise<{ model: string; vectors: readonly (readonly number[])[] } | undefined>;

/** The answer was interrupted by a cause outside the service; a retry may help. */
export class EngineFailure extends Error {
  override readonly name = 'EngineFailure';
  readonly retryAfterSeconds: number;

  constructor(message: string, retryAfterSeconds = 5) {
    super(message);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

export type WorkspaceEngine = {
  engine: Engine;
  /** Whether the workspace has a model of its own. */
  isOwn: boolean;
};

export type WorkspaceEngines = {
  get(workspaceId: string): Promise<WorkspaceEngine>;
};

/** Timeout of a rewrite; a slower one would delay the answer more than it helps. */
export const REWRITE_MILLIS_MAX = 2_500;
/** Timeout of a summary: a visitor who asks a person waits for it. */
export const SUMMARY_MILLIS_MAX = 8_000;
/** A model is not asked with fewer tokens. */
export const TURN_TOKENS_MIN = 256;

/** What a server says of its error in words of its protocol, such as `model_not_found`. */
export type ProviderError = {
  status: number;
  code?: string | undefined;
  type?: string | undefined;
  /** The field of the request that it is about. */
  param?: string | undefined;
};

/** How the model of a workspace is reached. */
export type ModelDraft = {
  provider: 'openai' | 'anthropic';
  baseUrl: string;
  apiKey: string;
  model: string;
  rewriteModel: string | undefined;
};

/** One result of trying a model. */
export type ModelCheck = {
  /** Why there was no connection. */
  networkCode?: string;
  name:
    | 'answer'
    | 'citation'
    | 'tools'
    | 'thinking'
    | 'rewrite'
    | 'no_answer'
    | 'first_text'
    | 'speed'
    | 'context';
  status: 'ok' | 'warning' | 'failed';
  /** Why it is not ok: the kind of a failure, or a word of its own. */
  reason?: string;
  /** The server's words for its error, never its message. */
  error?: ProviderError;
  /** The setting to change. */
  setting?: 'address' | 'key' | 'model' | 'rewriteModel';
  millis?: number;
  tokensPerSecond?: number;
  contextTokens?: number;
};

export type TriedModel = { checks: readonly ModelCheck[]; usage: EngineUsage };
