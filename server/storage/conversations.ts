import type { EventPosition, EventRow, Span, Step } from './events.ts';

export type TurnState = 'running' | 'complete' | 'interrupted' | 'failed';

export type Turn = {
  /** The id of the answer. */
  readonly messageId: string;
  readonly conversationId: string;
  readonly visitorId: string;
  readonly turnIdx: number;
  readonly question: string;
  readonly answer: string;
  readonly state: TurnState;
  readonly finishReason?: string;
  readonly requestedLocale: string;
  /** The streamed events in order, as JSON texts. */
  readonly frames: readonly string[];
  /** Whether the conversation was rotated, and from where; a replay says the same again. */
  readonly idempotencyKey?: string;
  readonly payloadHash?: string;
  readonly askedAt: number;
  readonly finishedAt?: number;
};

export type Conversation = {
  readonly id: string;
  readonly visitorId: string;
  readonly startedAt: number;
  readonly nextTurnIdx: number;
  readonly turnCount: number;
  readonly ended: boolean;
};

export type OpenTurn = Pick<
  Turn,
  | 'messageId'
  | 'conversationId'
  | 'visitorId'
  | 'turnIdx'
  | 'question'
  | 'requestedLocale'
  | 'askedAt'
  | 'idempotencyKey'
  | 'payloadHash'
> & {
  /** When the whole conversation has to be gone, in place of what was set before; absent, it keeps what was set. */
  readonly deleteAfterMillis?: number;
};

export type CloseTurn = Pick<Turn, 'messageId' | 'answer' | 'frames' | 'requestedLocale'> & {
  readonly state: Exclude<TurnState, 'running'>;
  readonly finishReason?: string;
  readonly finishedAt: number;
};

export type Feedback = {
  readonly id: string;
  readonly messageId: string;
  readonly visitorId: string;
  readonly rating: 'up' | 'down';
  readonly comment?: string;
  readonly atMillis: number;
};

/** A conversation as somebody sees it who reads many; one that has to be gone by some moment is never seen so. */
export type ConversationSummary = Pick<Conversation, 'id' | 'visitorId' | 'startedAt' | 'turnCount'> & {
  /** When its last question was asked. */
  readonly lastAskedAt: number;
  readonly firstQuestion: string;
  /** The language of the first question. */
  readonly requestedLocale: string;
  /** How its answers ended: how many turns there are of each kind. */
  readonly outcomes: readonly (Pick<Turn, 'state' | 'finishReason'> & { readonly turns: number })[];
  /** The newest one. */
  readonly rating?: Feedback['rating'];
};

/** A question and when it was asked. */
export type AskedQuestion = Pick<Turn, 'messageId' | 'question' | 'askedAt'>;

/** What was said in a turn, and what its visitor thought of it. */
export type TranscriptTurn = Pick<Turn, 'messageId' | 'askedAt' | 'question' | 'answer'> &
  Partial<Pick<Feedback, 'rating' | 'comment'>>;

/** A rating with the turn that it is about. */
export type RatedTurn = Pick<Turn, 'conversationId' | 'question' | 'answer' | 'requestedLocale'> &
  Pick<Feedback, 'messageId' | 'rating' | 'comment' | 'atMillis'>;

/** Which conversations or turns are wanted; what is absent leaves nothing out. The time is that of their place. */
export type ConversationFilter = {
  readonly within?: Span;
  readonly visitorId?: string;
  readonly conversationId?: string;
  /** The language of the turn, or of the first question of a conversation; case makes no difference. */
  readonly locale?: string;
};

/**
 * When something became readable for good: a turn when it was finished, a conversation when it began, both when a deadline was lifted if
 * that was later. Places are in the order of the commits: who goes on from the last one misses nothing. A turn that broke off and is
 * taken up again has no place until it is finished, and then a new one.
 */
export type Positioned<T> = T & { readonly atMillis: number };

/** A finished turn with its newest rating. */
export type FinishedTurn = Turn & Pick<Partial<Feedback>, 'rating' | 'comment'>;

/** Reads over the conversations that may be kept: those with a deadline are left out. */
export type ConversationQueries = {
  /** The wanted ones among the next `limit` conversations in the order of their places. */
  queryConversations(
    limit: number,
    wanted: ConversationFilter,
    after?: EventPosition,
  ): Promise<Step<readonly Positioned<ConversationSummary>[]>>;
  /** The wanted ones among the next `limit` finished turns in the order of their places; a place names them by message id. */
  queryTurns(
    limit: number,
    wanted: ConversationFilter,
    after?: EventPosition,
  ): Promise<Step<readonly Positioned<FinishedTurn>[]>>;
  /** Newest first by start and id, before the given place. */
  listKept(
    limit: number,
    before?: Pick<Conversation, 'id' | 'startedAt'>,
    within?: Span,
    visitorId?: string,
  ): Promise<readonly ConversationSummary[]>;
  findKept(conversationId: string): Promise<ConversationSummary | undefined>;
  /** What was said in a conversation, oldest first by time and id, after the given place. */
  said(
    conversationId: string,
    limit: number,
    after?: Pick<Turn, 'messageId' | 'askedAt'>,
  ): Promise<readonly TranscriptTurn[]>;
  /** Newest first by the time of the rating and the message id, before the given place. */
  listRated(
    limit: number,
    before?: Pick<Feedback, 'messageId' | 'atMillis'>,
    within?: Span,
  ): Promise<readonly RatedTurn[]>;
  /** The ratings of a conversation, in no order. */
  ratings(conversationId: string): Promise<readonly Pick<Feedback, 'messageId' | 'rating' | 'comment'>[]>;
  /** Questions whose answers ended like this, oldest first by time and id, after the given place. */
  listQuestions(
    finishReason: string,
    limit: number,
    after?: Pick<Turn, 'messageId' | 'askedAt'>,
    within?: Span,
  ): Promise<readonly AskedQuestion[]>;
};

export type Conversations = ConversationQueries & {
  /** A conversation of the workspace, whoever's it is. */
  find(conversationId: string): Promise<Conversation | undefined>;
  /** The turns of a conversation, oldest first; at most `limit`, the newest ones. */
  turns(conversationId: string, limit: number): Promise<readonly Turn[]>;
  /** What was said in those turns, and nothing else of them: what an answer needs to know, cheaply. */
  recent(conversationId: string, limit: number): Promise<readonly Pick<Turn, 'question' | 'answer'>[]>;
  findTurn(messageId: string): Promise<Turn | undefined>;
  /** The turn that a visitor started with this Idempotency-Key. */
  findTurnByKey(visitorId: string, idempotencyKey: string): Promise<Turn | undefined>;
  /**
   * Stores a question, and its conversation when that is new. 'conflict' when the conversation belongs to another visitor, in
   * whichever workspace, or when the visitor used this idempotency key before; nothing is stored then.
   */
  openTurn(turn: OpenTurn, events: readonly EventRow[]): Promise<'opened' | 'conflict'>;
  /**
   * A turn that broke off starts over under the same message id, with what it had said so far; 'conflict' when it is complete,
   * or gone.
   */
  reopenTurn(messageId: string, askedAt: number): Promise<'opened' | 'conflict'>;
  /** Stores the outcome of a turn and what is to be counted of it. A turn that was erased meanwhile stays erased. */
  closeTurn(turn: CloseTurn, events: readonly EventRow[]): Promise<'closed' | 'gone'>;
  /** Stores a rating, replacing an earlier one of the same message; 'gone' when the visitor has no such message. */
  rate(feedback: Feedback, events: readonly EventRow[]): Promise<'rated' | 'gone'>;
};
