import type {
  ActionEvent,
  ChatEvent,
  CitationEvent,
  ConversationTurn,
  ErrorEvent,
  FinishReason,
  NoticeEvent,
  PageCitationEvent,
  Suggestion,
  TokenUsage,
} from '../../generated/types.ts';

/** An answer so far: plain data, never changed in place. */
export type GuideMessage = {
  /** Id of the answer, to rate it; empty before the first event. */
  id: string;
  conversationId: string;
  turnIdx: number;
  /** Position of the last event that is part of this message; -1 before the first. */
  seq: number;
  /** `waiting` until the service says what it does; `done` and `failed` are final. */
  state: 'waiting' | 'retrieving' | 'generating' | 'done' | 'failed';
  /** The answer so far, as Markdown. Offsets of citations count its Unicode code points: `Array.from(text)`. */
  text: string;
  citations: readonly CitationEvent[];
  /** Parts of the answer that come from the page that the visitor is on. */
  pageCitations: readonly PageCitationEvent[];
  actions: readonly ActionEvent[];
  suggestions: readonly Suggestion[];
  notices: readonly NoticeEvent[];
  /** With `done`: why the answer ended. */
  finishReason?: FinishReason;
  /** With `done`: true if the visitor may want a person, such as after asking for one. */
  offersPerson?: boolean | undefined;
  /** With `done`: how well the sources fit the question, from 0 to 1. */
  confidence?: number;
  /** With `done`: what a language model consumed. */
  usage?: TokenUsage;
  /** With `failed`: why, and whether asking again may help. */
  error?: ErrorEvent;
};

const NOTHING = { text: '', citations: [], pageCitations: [], actions: [], suggestions: [] } as const;
const EMPTY: GuideMessage = {
  id: '',
  conversationId: '',
  turnIdx: 0,
  seq: -1,
  state: 'waiting',
  ...NOTHING,
  notices: [],
};

/**
 * Adds an event of `guide.chat()` to the answer so far; `undefined` before the first event. Returns the same object when
 * nothing changes: after an event that it contains already, or of an unknown type. A new answer starts a new message.
 */
export function accumulate(message: GuideMessage | undefined, event: ChatEvent): GuideMessage {
  const isStart = event.type === 'message_start' && event.message_id !== message?.id;
  const before = isStart ? EMPTY : (message ?? EMPTY);
  const change = event.seq > before.seq ? getChange(before, event) : undefined;
  return change ? { ...before, ...change, seq: event.seq } : before;
}

/**
 * Yields the answer after each event that changes it. Leaving the loop ends the stream; errors of the stream are passed
 * on.
 */
export async function* snapshots(events: AsyncIterable<ChatEvent>): AsyncGenerator<GuideMessage, void, void> {
  let message: GuideMessage | undefined;
  for await (const event of events) {
    const next = accumulate(message, event);
    if (next !== message && next !== EMPTY) yield next;
    message = next;
  }
}

/** Converts an earlier answer of `guide.conversation()`. Its actions, suggestions and notices are not stored. */
export function toMessage(turn: ConversationTurn, conversationId: string): GuideMessage {
  const { message_id: id, turn_idx: turnIdx, state, answer: text, citations, finish_reason } = turn;
  return {
    ...EMPTY,
    id,
    conversationId,
    turnIdx,
    state: state === 'complete' ? 'done' : state === 'running' ? 'generating' : 'failed',
    text,
    citations,
    pageCitations: turn.page_citations,
    ...(finish_reason ? { finishReason: finish_reason, offersPerson: turn.offers_person } : {}),
  };
}

/** Returns the fields that an event changes; undefined for events of a newer service. */
function getChange(message: GuideMessage, event: ChatEvent): Partial<GuideMessage> | undefined {
  switch (event.type) {
    case 'message_start': {
      const { message_id: id, conversation_id: conversationId, turn_idx: turnIdx } = event;
      return { id, conversationId, turnIdx };
    }
    case 'status': {
      const { phase } = event;
      return phase === 'retrieving' || phase === 'generating' ? { state: phase } : undefined;
    }
    case 'text_delta':
      return { state: 'generating', text: message.text + event.delta };
    case 'text_replace':
      // A retry takes back everything that the interrupted attempt has sent.
      return { ...(event.reason === 'retry' ? NOTHING : {}), state: 'generating', text: event.text };
    case 'citation':
      return { citations: [...message.citations, event] };
    case 'page_citation':
      return { pageCitations: [...message.pageCitations, event] };
    case 'action':
      return { actions: [...message.actions, event] };
    case 'suggestions':
      return { suggestions: [...message.suggestions, ...event.items] };
    case 'notice':
      return { notices: [...message.notices, event] };
    case 'message_end': {
      const { finish_reason: finishReason, offers_person: offersPerson } = event;
      const { answer_confidence: confidence, usage } = event;
      return { state: 'done', finishReason, offersPerson, confidence, usage };
    }
    case 'error':
      return { state: 'failed', error: event };
    default:
      return undefined;
  }
}
