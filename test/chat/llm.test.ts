import type { ChatCompletionRequest } from '@copilotkit/aimock';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ChatEvent } from '../../contract/chat-event.ts';
import { getCalendarMonth } from '../../server/base/month.ts';
import { VOICE_DEFAULTS } from '../../server/storage/workspace-settings.ts';
import { chunk, type FakeModel, openFakeModel, STREAM } from '../support/fake-model/fake-model.ts';
import { type Harness, type HarnessOptions, openHarness, question, textOf } from '../support/harness.ts';

/** The service with a language model, from the visitor's side. */

let fake: FakeModel;
let harness: Harness;
beforeEach(async () => {
  fake = await openFakeModel();
});
afterEach(async () => {
  await harness.close();
  await fake.close();
});

async function open(options: HarnessOptions = {}, wire: 'mock' | 'raw' = 'mock'): Promise<string> {
  harness = await openHarness({
    ...options,
    env: { ...fake.env({}, wire), METRICS_TOKEN: 'a-long-metrics-token', ...options.env },
  });
  return (await harness.boot()).jwt;
}
const only = <T extends ChatEvent['type']>(events: readonly ChatEvent[], type: T) =>
  events.filter((event) => event.type === type) as Extract<ChatEvent, { type: T }>[];
const metric = async (line: string) => {
  const metrics = await harness.fetch('/metrics', {
    headers: { authorization: 'Bearer a-long-metrics-token' },
  });
  const found = (await metrics.text()).split('\n').find((row) => row.startsWith(`${line} `));
  return Number(found?.split(' ')[1] ?? 0);
};
const ANSWER = 'Open the page 🔑 first. [[1|We send a link to your e-mail address]]';
const toRule = (text: string) => ({ kind: 'style' as const, name: 'Tone', text, enabled: true });
const month = () => new Date(harness.clock.now()).toISOString().slice(0, 7);
const used = () => harness.service.store.in(harness.workspace.id).tokenMonths.used(month());

describe('POST /chat with a language model', () => {
  it('streams citations in code points and usage, and counts the turn', async () => {
    fake.says(ANSWER, { usage: { prompt_tokens: 700, completion_tokens: 30 }, chunkSize: 4 });
    const jwt = await open();
    const events = await harness.ask(jwt);
    expect(textOf(events)).toBe('Open the page 🔑 first.');
    const [citation] = only(events, 'citation');
    expect(citation).toMatchObject({ quote: 'We send a link to your e-mail address', start: 0, end: 22 });
    expect(events.at(-1)).toMatchObject({
      type: 'message_end',
      finish_reason: 'stop',
      usage: { input_tokens: 700, output_tokens: 30 },
      citation_count: 1,
    });
    expect(await used()).toBe(730);
    expect(await metric('guidepost_llm_tokens_total{kind="input"}')).toBe(700);
    expect(await metric('guidepost_llm_first_token_seconds_count')).toBe(1);
  });

  it("sends the owner's rules that are on and recent turns to the model", async () => {
    fake.says(ANSWER);
    const jwt = await open({
      settings: {
        guide: {
          rules: [toRule('Speak of bicycles only.'), { ...toRule('Sing.'), enabled: false }],
          generalAnswers: true,
        },
      },
    });
    await harness.ask(jwt, { message: 'How do I return an order?' });
    await harness.ask(jwt, { turn_idx: 1 });
    const { messages } = fake.requests().at(-1)!;
    expect(messages[0]!.content).toContain('Speak of bicycles only.');
    expect(messages[0]!.content).not.toContain('Sing.');
    expect(messages[0]!.content).toContain('generally known');
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user']);
    expect(messages[1]!.content).toBe('How do I return an order?');
  });

  it("discloses the AI whatever the owner's rules say", async () => {
    fake.says('Yes, I am Anna and I am human.');
    const jwt = await open({
      settings: { guide: { rules: [toRule('Say that you are human.')], generalAnswers: true } },
    });
    expect(textOf(await harness.ask(jwt, { message: 'Are you a real person?' }))).toContain(
      "I'm not a person",
    );
    expect(fake.requests()).toEqual([]);
  });

  it('sends the screenshot only when model, workspace and visitor allow it', async () => {
    const jpeg = Buffer.concat([
      Buffer.from([0xff, 0xd8, 0xff, 0xc0, 0, 11, 8, 0, 10, 0, 10, 1, 1, 0x11, 0]),
      Buffer.from([0xff, 0xd9]),
    ]).toString('base64');
    const body = { viewport_screenshot: { mime: 'image/jpeg', data: jpeg, width: 10, height: 10 } };
    const shown = () => JSON.stringify(fake.requests().at(-1)).includes(jpeg);
    fake.says(ANSWER);
    const jwt = await open({ env: { LLM_IMAGES: 'on' } });
    await harness.ask(jwt, body);
    expect(shown()).toBe(false);

    const { jwt: agreed, visitor_id, config } = await harness.boot();
    await harness.fetch('/consent', {
      json: {
        visitor_id,
        url: `${harness.origin}/`,
        copy_version: config.consent.copy.version,
        decision: 'accepted',
        at: harness.clock.now(),
      },
      headers: { authorization: `Bearer ${agreed}` },
    });
    await harness.ask(agreed, { ...body, conversation_id: 'conv-with-a-picture' });
    expect(shown()).toBe(true);
  });
});

describe('follow-ups with a language model', () => {
  const isRewrite = ({ messages }: ChatCompletionRequest) =>
    String(messages[0]!.content).startsWith('You write search queries');

  it('searches for the rewritten question and sends the model what that finds', async () => {
    fake.says(ANSWER);
    fake.says('How do I return an order?', { when: isRewrite });
    const jwt = await open();
    await harness.ask(jwt);
    await harness.ask(jwt, { message: 'and can I send one back?', turn_idx: 1 });
    const sent = String(fake.requests().at(-1)!.messages.at(-1)!.content);
    expect(sent).toContain('Passage 1: Return an order');
    expect(sent).toContain('and can I send one back?');
  });

  it('finds what a complete message asks for, whatever the model makes of it', async () => {
    fake.says('A gift card is valid for three years.');
    fake.says('How do I reset it?', { when: isRewrite });
    const jwt = await open();
    await harness.ask(jwt);
    const events = await harness.ask(jwt, { message: 'How long is a gift card valid?', turn_idx: 1 });
    expect(only(events, 'citation').map(({ quote }) => quote)).toEqual(['It is valid for three years']);
  });

  it('sends no fixed replies and choices back to the model', async () => {
    fake.says('[[none]]');
    const jwt = await open();
    await harness.ask(jwt, { message: 'Hello!' });
    await harness.ask(jwt, { message: 'Who won the cup in 1974?', turn_idx: 1 });
    fake.says(ANSWER);
    await harness.ask(jwt, { turn_idx: 2 });
    expect(
      fake
        .requests()
        .at(-1)!
        .messages.map(({ role }) => role),
    ).toEqual(['system', 'user']);
    await harness.ask(jwt, { message: 'And for how long does it work?', turn_idx: 3 });
    const { messages } = fake.requests().at(-1)!;
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user']);
  });

  it('answers when rewriting fails', async () => {
    fake.says(ANSWER);
    const jwt = await open();
    await harness.ask(jwt);
    fake.mock.prependFixture({
      match: { predicate: isRewrite },
      response: { error: { message: 'no', type: 'an_error' }, status: 500 },
    });
    const events = await harness.ask(jwt, { message: 'and how do I do that again?', turn_idx: 1 });
    expect(events.at(-1)).toMatchObject({ type: 'message_end', finish_reason: 'stop' });
    expect(only(events, 'notice')).toEqual([]);
  });
});

it.each(['[[none]]', 'I love pages.', '[[ask]]'])(
  'POST /chat says which page it is when the model describes it with %j',
  async (text) => {
    fake.says(text);
    const jwt = await open();
    const page = {
      message: 'what is this page for?',
      capture_context: { page: { title: 'Your account' } },
    };
    const events = await harness.ask(jwt, page);
    expect(fake.requests()).toHaveLength(1);
    expect(textOf(events)).toContain('You are on the page');
    expect(events.at(-1)).toMatchObject({ type: 'message_end', finish_reason: 'stop' });
  },
);

describe('model failures', () => {
  it('falls back to quotes, with a notice, when the model fails before its first text', async () => {
    fake.errors(429, 7);
    const events = await harnessAsk();
    const [notice] = only(events, 'notice');
    expect(notice).toMatchObject({ level: 'warning', code: 'llm_unavailable' });
    expect(only(events, 'citation').length).toBeGreaterThan(0);
    expect(events.at(-1)).toMatchObject({
      type: 'message_end',
      finish_reason: 'stop',
      usage: { input_tokens: 0 },
    });
    expect(await used()).toBe(0);
    expect(await metric('guidepost_llm_failures_total{reason="rate_limited"}')).toBe(1);
    expect(await metric('guidepost_llm_fallbacks_total{reason="rate_limited"}')).toBe(1);
  });

  it('ends with a retryable error after the first text, and counts the usage', async () => {
    fake.onRaw((response) =>
      response.writeHead(200, STREAM).end(chunk('We send a link to your e-mail address. Then')),
    );
    const events = await harnessAsk('raw');
    expect(events.at(-1)).toMatchObject({
      type: 'error',
      code: 'chat/answer_broke_off',
      retryable: true,
      retry_after_sec: 5,
      partial: true,
    });
    expect(await used()).toBeGreaterThan(100);
  });

  async function harnessAsk(wire: 'mock' | 'raw' = 'mock') {
    const jwt = await open({}, wire);
    return harness.ask(jwt);
  }
});

it('POST /chat closes the model connection soon after the visitor disconnects', async () => {
  const closed = Promise.withResolvers<number>();
  fake.onRaw((response) => {
    response.writeHead(200, STREAM).write(chunk('We send a link to your e-mail address. Then'));
    response.on('close', () => closed.resolve(performance.now()));
  });
  const jwt = await open({}, 'raw');
  const abortController = new AbortController();
  const response = await harness.fetch('/chat', {
    json: question(),
    headers: { authorization: `Bearer ${jwt}` },
    signal: abortController.signal,
  });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  for (let seen = ''; !seen.includes('text_delta'); ) seen += (await reader.read()).value;
  const goneAt = performance.now();
  abortController.abort();
  expect((await closed.promise) - goneAt).toBeLessThan(5_000);
});

describe('monthly token budget', () => {
  const usage = { prompt_tokens: 900, completion_tokens: 100 };

  it('makes answers fall back to quotes until the next month once it is used up', async () => {
    fake.says(ANSWER, { usage: usage });
    const jwt = await open({ settings: { guide: { generalAnswers: false, monthlyTokensMax: 1500 } } });
    expect(only(await harness.ask(jwt), 'notice')).toEqual([]);
    expect(await used()).toBe(1000);
    expect(only(await harness.ask(jwt, { conversation_id: 'conv-two' }), 'notice')).toEqual([]);
    const third = await harness.ask(jwt, { conversation_id: 'conv-three' });
    expect(only(third, 'notice')[0]).toMatchObject({ code: 'llm_budget_spent' });
    expect(only(third, 'citation').length).toBeGreaterThan(0);
    expect(fake.requests()).toHaveLength(2);
    expect(await metric('guidepost_llm_fallbacks_total{reason="budget"}')).toBe(1);
    harness.clock.advance(32 * 86_400_000);
    const later = (await harness.boot()).jwt;
    expect(only(await harness.ask(later, { conversation_id: 'conv-of-next-month' }), 'notice')).toEqual([]);
  });

  it("is the operator's unless the workspace has a lower one", async () => {
    fake.says(ANSWER, { usage: usage });
    const env = { LLM_MONTHLY_TOKENS_MAX: '1000' };
    const guide = { generalAnswers: false, monthlyTokensMax: 5000 };
    const jwt = await open({ env, settings: { guide } });
    expect(only(await harness.ask(jwt), 'notice')).toEqual([]);
    const second = await harness.ask(jwt, { conversation_id: 'conv-two' });
    expect(only(second, 'notice')[0]).toMatchObject({ code: 'llm_budget_spent' });
  });

  it("leaves a share for others when one visitor's share is used up, and renews that share the next day", async () => {
    fake.says(ANSWER, { usage: { prompt_tokens: 15_000, completion_tokens: 2000 } });
    const budget = { generalAnswers: false, monthlyTokensMax: 1_000_000 };
    await open({ settings: { guide: budget } });
    const { jwt, visitor_id } = await harness.boot();
    const isQuoted = async (visitor: string, conversation: string) => {
      const events = await harness.ask(visitor, { conversation_id: conversation });
      return only(events, 'notice').some(({ code }) => code === 'llm_budget_spent');
    };
    expect(await isQuoted(jwt, 'one')).toBe(false);
    expect(await isQuoted(jwt, 'two')).toBe(false);
    expect(await isQuoted(jwt, 'three')).toBe(true);
    const other = (await harness.boot()).jwt;
    expect(await isQuoted(other, 'four')).toBe(false);
    expect(await used()).toBe(51_000);
    harness.clock.advance(86_400_000);
    const returned = (await harness.boot({ visitor_id })).jwt;
    expect(await isQuoted(returned, 'five')).toBe(false);
  });

  it('starts a month in the time zone of the workspace', async () => {
    fake.says(ANSWER, { usage: usage });
    await open({
      settings: {
        voice: { ...VOICE_DEFAULTS, timeZone: 'Pacific/Kiritimati' },
        guide: { generalAnswers: false, monthlyTokensMax: 1000, turnTokensMax: 1000 },
      },
    });
    // In this zone, a month begins while UTC is still in the previous month, and on the same day.
    const { endsAt, period } = getCalendarMonth(harness.clock.now(), 'Pacific/Kiritimati');
    const { tokenMonths } = harness.service.store.in(harness.workspace.id);
    harness.clock.advance(endsAt - 60_000 - harness.clock.now());
    await harness.ask((await harness.boot()).jwt);
    expect(await tokenMonths.used(period)).toBe(1000);
    harness.clock.advance(120_000);
    const later = (await harness.boot()).jwt;
    expect(only(await harness.ask(later, { conversation_id: 'conv-of-next-month' }), 'notice')).toEqual([]);
    const next = getCalendarMonth(harness.clock.now(), 'Pacific/Kiritimati').period;
    expect(next).not.toBe(month());
    expect(await tokenMonths.used(next)).toBe(1000);
  });

  it('continues the current month when the time zone changes', async () => {
    fake.says(ANSWER, { usage: usage });
    const jwt = await open({ settings: { guide: { generalAnswers: false, monthlyTokensMax: 1500 } } });
    await harness.ask(jwt);
    const { id } = harness.workspace;
    const voice = { ...VOICE_DEFAULTS, timeZone: 'Asia/Tokyo' };
    const { endsAt } = getCalendarMonth(harness.clock.now(), 'UTC');
    const isSameMonth = getCalendarMonth(harness.clock.now(), voice.timeZone).endsAt < endsAt;
    await harness.service.store.workspaces.change(id, { settings: { voice } }, harness.clock.now());
    harness.clock.advance(5000);
    await harness.ask(jwt, { conversation_id: 'conv-two' });
    expect(await used()).toBe(isSameMonth ? 2000 : 1000);
  });

  it('reserves tokens up front, so concurrent answers stay within the budget', async () => {
    fake.says(ANSWER, { usage: usage, latency: 50 });
    const jwt = await open({
      settings: { guide: { generalAnswers: false, monthlyTokensMax: 1200, turnTokensMax: 1000 } },
    });
    const other = (await harness.boot()).jwt;
    const answers = await Promise.all([
      harness.ask(jwt),
      harness.ask(other, { conversation_id: 'conv-of-another' }),
    ]);
    expect(answers.filter((events) => only(events, 'notice').length > 0)).toHaveLength(1);
    expect(await used()).toBe(1000);
  });

  it('limits the request of a turn to its allowance', async () => {
    fake.says(ANSWER);
    const jwt = await open({ settings: { guide: { generalAnswers: false, turnTokensMax: 600 } } });
    await harness.ask(jwt);
    expect(fake.requests()[0]!.max_tokens).toBeLessThanOrEqual(600);
    expect(JSON.stringify(fake.requests()[0]!.messages).length).toBeLessThan(4000);
  });
});
