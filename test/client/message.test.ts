import { expect, test } from 'vitest';
import {
  accumulate,
  type ChatEvent,
  type ConversationTurn,
  type GuideMessage,
  snapshots,
  toMessage,
} from '../../client/sdk/index.ts';

const MESSAGE = 'msg_01kakv2fxse7wtg6x5r0h8rjbm';

const start = {
  type: 'message_start',
  seq: 0,
  protocol: 'guidepost.chat.1',
  conversation_id: 'conv_1',
  conversation_rotated: false,
  turn_idx: 2,
  message_id: MESSAGE,
  requested_locale: 'de-AT',
  ai_generated: true,
} as const;

const citation = (seq: number) =>
  ({
    type: 'citation',
    seq,
    citation_id: 'c1',
    index: 1,
    article_id: 'art_1',
    revision: 3,
    title: 'Öffnungszeiten',
    quote: '🧭 täglich',
    start: 0,
    end: 9,
    requested_locale: 'de-AT',
    content_locale: 'de',
    fallback_reason: 'base_language',
    stale: false,
  }) as const;

const action = (seq: number) =>
  ({
    type: 'action',
    seq,
    action_id: 'a1',
    kind: 'highlight',
    label: 'Show me the hours',
    reason: 'The answer speaks of it.',
    requires_confirmation: false,
    expires_at: 1_800_000_000,
  }) as const;

const delta = (seq: number, text: string, offset = 0): ChatEvent => ({
  type: 'text_delta',
  seq,
  delta: text,
  offset,
});

const suggestion = { suggestion_id: 's1', title: 'On Sundays', message: 'Are you open on Sundays?' };

const whole: readonly ChatEvent[] = [
  start,
  { type: 'status', seq: 1, phase: 'retrieving' },
  { type: 'status', seq: 2, phase: 'generating' },
  delta(3, '🧭 täglich '),
  citation(4),
  delta(5, 'offen.', 10),
  { type: 'page_citation', seq: 6, quote: 'offen', start: 10, end: 15 },
  action(7),
  { type: 'notice', seq: 8, level: 'info', code: 'screenshot_dropped', text: 'No picture.' },
  { type: 'suggestions', seq: 9, items: [suggestion] },
  {
    type: 'message_end',
    seq: 10,
    finish_reason: 'stop',
    answer_confidence: 0.9,
    usage: { input_tokens: 7, output_tokens: 3 },
    text_length: 16,
    citation_count: 1,
    next_turn_idx: 3,
  },
];

const replay = (events: readonly ChatEvent[], from?: GuideMessage) =>
  events.reduce<GuideMessage | undefined>(accumulate, from) as GuideMessage;

async function* stream(events: readonly ChatEvent[]): AsyncGenerator<ChatEvent> {
  yield* events;
}

test('accumulate() gathers every event of an answer into one message', () => {
  expect(replay(whole)).toEqual({
    id: MESSAGE,
    conversationId: 'conv_1',
    turnIdx: 2,
    seq: 10,
    state: 'done',
    text: '🧭 täglich offen.',
    citations: [citation(4)],
    pageCitations: [whole[6]],
    actions: [action(7)],
    suggestions: [suggestion],
    notices: [whole[8]],
    finishReason: 'stop',
    confidence: 0.9,
    usage: { input_tokens: 7, output_tokens: 3 },
  });
});

test('accumulate() takes part of the answer from each event and never changes what it was given', () => {
  const states = whole.map((_, at) => replay(whole.slice(0, at + 1)).state);
  expect(states).toEqual(['waiting', 'retrieving', ...Array(8).fill('generating'), 'done']);
  let message: GuideMessage | undefined;
  for (const event of whole) {
    const copy = structuredClone(message);
    const next = accumulate(message, Object.freeze(event));
    expect(message).toEqual(copy);
    message = next;
  }
});

test('accumulate() continues a message that was stored as JSON', () => {
  const stored = JSON.parse(JSON.stringify(replay(whole.slice(0, 5))));
  expect(replay(whole.slice(5), stored)).toEqual(replay(whole));
});

test('accumulate() returns the same message when events are repeated after a resumption', () => {
  const message = replay(whole.slice(0, 6));
  for (const event of whole.slice(0, 6)) expect(accumulate(message, event)).toBe(message);
  expect(replay(whole, message)).toEqual(replay(whole));
});

test('accumulate() returns the same message for an event or a phase that only a newer service knows', () => {
  const message = replay(whole.slice(0, 4));
  for (const unknown of [
    { type: 'weather', seq: 4, sky: 'clear' },
    { type: 'status', seq: 4, phase: 'pondering' },
  ])
    expect(accumulate(message, unknown as unknown as ChatEvent)).toBe(message);
});

test('accumulate() removes text, citations, actions and suggestions of an attempt that is retried', () => {
  const retried = replay([
    ...whole.slice(0, 10),
    { type: 'text_replace', seq: 10, text: '', reason: 'retry' },
    delta(11, 'Offen.'),
  ]);
  expect(retried).toMatchObject({ id: MESSAGE, text: 'Offen.', state: 'generating' });
  for (const part of ['citations', 'pageCitations', 'actions', 'suggestions'] as const)
    expect(retried[part]).toEqual([]);
});

test('accumulate() replaces the text and keeps the rest after moderation', () => {
  const replaced = replay([
    ...whole.slice(0, 6),
    { type: 'text_replace', seq: 6, text: '🧭 täglich', reason: 'moderation' },
  ]);
  expect(replaced).toMatchObject({ text: '🧭 täglich', citations: [citation(4)] });
});

test('accumulate() starts a new message when the answer starts over under another id', () => {
  const next = accumulate(replay(whole), { ...start, message_id: 'msg_next', turn_idx: 3 });
  expect(next).toEqual({ ...replay([start]), id: 'msg_next', turnIdx: 3 });
});

test('accumulate() keeps the partial text of an answer that fails', () => {
  const error = {
    type: 'error',
    seq: 4,
    code: 'server/shutting_down',
    message: 'Restarting.',
    retryable: true,
    request_id: 'req_1',
    partial: true,
  } as const;
  expect(replay([...whole.slice(0, 4), error])).toMatchObject({
    state: 'failed',
    text: '🧭 täglich ',
    error,
  });
});

test('snapshots() yields the message after each event that changes it', async () => {
  const events = [whole[0]!, whole[3]!, whole[3]!, { type: 'weather', seq: 4 } as never, whole[10]!];
  const seen: GuideMessage[] = [];
  for await (const message of snapshots(stream(events))) seen.push(message);
  expect(seen.map(({ state, text }) => [state, text])).toEqual([
    ['waiting', ''],
    ['generating', '🧭 täglich '],
    ['done', '🧭 täglich '],
  ]);
});

test('snapshots() ends the stream of events when its loop is left', async () => {
  let isEnded = false;
  async function* events(): AsyncGenerator<ChatEvent> {
    try {
      yield* whole;
    } finally {
      isEnded = true;
    }
  }
  for await (const { text } of snapshots(events())) if (text) break;
  expect(isEnded).toBe(true);
});

test('toMessage() turns a stored turn into the message that its events made', () => {
  const { finishReason, ...live } = replay(whole.filter(({ seq }) => ![7, 8, 9].includes(seq)));
  const turn: ConversationTurn = {
    turn_idx: 2,
    message_id: MESSAGE,
    message: 'When are you open?',
    answer: live.text,
    state: 'complete',
    finish_reason: finishReason,
    requested_locale: 'de-AT',
    citations: [...live.citations],
    page_citations: [...live.pageCitations],
    asked_at: 1_800_000_000,
  };
  const { seq, confidence, usage, ...stored } = live;
  expect(toMessage(turn, 'conv_1')).toEqual({ ...stored, seq: -1, finishReason });
  expect(toMessage({ ...turn, state: 'running' }, 'conv_1').state).toBe('generating');
  expect(toMessage({ ...turn, state: 'interrupted' }, 'conv_1').state).toBe('failed');
});
