import type { EventPosition, EventRow, Scan, Span } from './events.ts';

export type TurnState = 'running' | 'complete' | 'interrupted' | 'failed';

export type Turn = {
  /** The id of the answer. */
  messageId: string;
  conversationId: string;
  visitorId: string;
  turnIdx: number;
  question: string;
  answer: string;
  state: TurnState;
  finishReason?: string;
  requestedLocale: string;
  /** The streamed events in order, as JSON texts. */
  frames: readonly string[];
  /** Identifies retries of the same request. */
  idempotencyKey?: string;
  payloadHash?: string;
  askedAt: number;
  finishedAt?: number;
  /** Counts the runs of this turn from 1. Only the newest one may close it. */
  attempt: number;
};

export type Conversation = {
  id: string;
  visitorId: string;
  startedAt: number;
  nextTurnIdx: number;
  turnCount: number;
  ended: boolean;
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
  /**
   * Deletion deadline of the whole conversation, unless the stored one is earlier. Absent keeps the
   * stored one.
   */
  deleteAfterMillis?: number;
};

export type CloseTurn = Pick<Turn, 'messageId' | 'attempt' | 'answer' | 'frames' | 'requestedLocale'> & {
  state: Exclude<TurnState, 'running'>;
  finishReason?: string;
  finishedAt: number;
};

export type Feedback = {
  id: string;
  messageId: string;
  visitorId: string;
  rating: 'up' | 'down';
  comment?: string;
  /** The codes of the reasons, as a JSON array. */
  reasons?: string;
  atMillis: number;
};

/** A conversation in a list. Conversations with a deletion deadline are never listed. */
export type ConversationSummary = Pick<Conversation, 'id' | 'visitorId' | 'startedAt' | 'turnCount'> & {
  /** When its last question was asked. */
  lastAskedAt: number;
  firstQuestion: string;
  /** The language of the first question. */
  requestedLocale: string;
  /** The number of turns by outcome. */
  outcomes: readonly (Pick<Turn, 'state' | 'finishReason'> & { turns: number })[];
  /** The newest rating. */
  rating?: Feedback['rating'];
};

/** A question with its time. */
export type AskedQuestion = Pick<Turn, 'messageId' | 'question' | 'askedAt'>;

export type RatingDetails = Pick<Feedback, 'rating' | 'comment' | 'reasons'>;

/** Question and answer of a turn, with the visitor's rating. */
export type TranscriptTurn = Pick<Turn, 'messageId' | 'askedAt' | 'question' | 'answer'> &
  Partial<Pick<Feedback, 'rating' | 'comment'>>;

export type RatedTurn = Pick<Turn, 'conversationId' | 'question' | 'answer' | 'requestedLocale' | 'askedAt'> &
  Pick<Feedback, 'messageId' | 'atMillis'> &
  RatingDetails;

/**
 * Filters conversations or turns; an absent field matches all. The time range applies to the
 * position.
 */
export type ConversationFilter = {
  within?: Span;
  visitorId?: string;
  conversationId?: string;
  /** The language of a turn, or of a conversation's first question; case-insensitive. */
  locale?: string;
};

/**
 * A row with its keyset position: when the row became exportable. A turn gets its position when it finishes
 * and a conversation when it starts; lifting a deadline later assigns a new one. Positions follow
 * commit order, so reading on from the last position misses nothing. An interrupted turn that
 * restarts has no position until it finishes.
 */
export type Positioned<T> = T & Pick<EventRow, 'atMillis' | 'positionMillis'>;

/** A finished turn with its newest rating. */
export type FinishedTurn = Omit<Turn, 'attempt'> & Partial<RatingDetails>;

/** Queries over conversations without a deletion deadline. */
export type ConversationQueries = {
  /** Returns the matches among the next `limit` conversations, in the order of their positions. */
  queryConversations(
    limit: number,
    filter: ConversationFilter,
    after?: EventPosition,
  ): Promise<Scan<readonly Positioned<ConversationSummary>[]>>;
  /**
   * Returns the matches among the next `limit` finished turns, in the order of their positions. The
   * id of a turn's position is its message id.
   */
  queryTurns(
    limit: number,
    filter: ConversationFilter,
    after?: EventPosition,
  ): Promise<Scan<readonly Positioned<FinishedTurn>[]>>;
  /** Lists conversations newest first by start and id, before the given position. */
  listConversations(
    limit: number,
    before?: Pick<Conversation, 'id' | 'startedAt'>,
    within?: Span,
    visitorId?: string,
  ): Promise<readonly ConversationSummary[]>;
  findKept(conversationId: string): Promise<ConversationSummary | undefined>;
  /** Lists the texts of a conversation, oldest first by time and id, after the given position. */
  listTranscript(
    conversationId: string,
    limit: number,
    after?: Pick<Turn, 'messageId' | 'askedAt'>,
  ): Promise<readonly TranscriptTurn[]>;
  /** Lists ratings newest first by time and message id, before the given position. */
  listRated(
    limit: number,
    before?: Pick<Feedback, 'messageId' | 'atMillis'>,
    within?: Span,
  ): Promise<readonly RatedTurn[]>;
  /** Returns the ratings of a conversation, unordered. */
  ratings(conversationId: string): Promise<readonly (Pick<Feedback, 'messageId'> & RatingDetails)[]>;
  /**
   * Lists questions whose answers ended with this finish reason, oldest first by time and id, after
   * the given position.
   */
  listQuestions(
    finishReason: string,
    limit: number,
    after?: Pick<Turn, 'messageId' | 'askedAt'>,
    within?: Span,
  ): Promise<readonly AskedQuestion[]>;
};

export type Conversations = ConversationQueries & {
  /** Finds a conversation of the workspace, for any visitor. */
  find(conversationId: string): Promise<Conversation | undefined>;
  /** Returns the newest `limit` turns of a conversation, oldest first. */
  turns(conversationId: string, limit: number): Promise<readonly Turn[]>;
  findTurn(messageId: string): Promise<Turn | undefined>;
  /** Finds the turn that the visitor started with this Idempotency-Key. */
  findTurnByKey(visitorId: string, idempotencyKey: string): Promise<Turn | undefined>;
  /**
   * Stores a question, and its conversation when that is new. Returns 'conflict' and stores nothing
   * when the conversation belongs to another visitor or the visitor has used this idempotency key.
   */
  openTurn(turn: OpenTurn, events: readonly EventRow[]): Promise<'opened' | 'conflict'>;
  /**
   * Restarts a turn under the same message id, keeping its partial answer, and claims it for the
   * attempt after this one. Returns 'conflict' when the turn is complete or gone, or another restart
   * has claimed it.
   */
  reopenTurn(messageId: string, attempt: number, askedAt: number): Promise<'opened' | 'conflict'>;
  /**
   * Stores the outcome of a turn with its event rows. Returns 'gone' and stores nothing when the
   * turn was erased, has been closed, or belongs to a later attempt.
   */
  closeTurn(turn: CloseTurn, events: readonly EventRow[]): Promise<'closed' | 'gone'>;
  /**
   * Stores a rating, replacing the message's earlier one, and the event rows unless it only adds
   * details to the same rating. Returns 'gone' when the visitor has no such message.
   */
  rate(feedback: Feedback, events: readonly EventRow[]): Promise<'rated' | 'gone'>;
};
