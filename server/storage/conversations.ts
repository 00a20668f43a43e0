import type { EventRow } from './events.ts';

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
  readonly nextTurnIdx: number;
};

export type Feedback = {
  readonly id: string;
  readonly messageId: string;
  readonly visitorId: string;
  readonly rating: 'up' | 'down';
  readonly comment?: string;
  readonly atMillis: number;
};

export type Conversations = {
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
