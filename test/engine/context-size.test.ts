import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import type { EngineQuestion } from '../../server/engine/engine.ts';
import { openEngine } from '../../server/engine/open-engine.ts';
import { readConfig } from '../../server/settings/config.ts';
import { chunk, STREAM } from '../support/fake-model/fake-model.ts';
import {
  buildQuestion,
  collectEvents,
  GROUNDED,
  joinText,
  only,
  PASSWORD,
  SAVE_BUTTON,
} from './questions.ts';

/** Servers that say how large the context of a model is, by the paths of each. */

type Body = { messages: { content: string }[]; max_tokens: number; tools?: object[]; model?: string };

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Opens a server with replies by path, which counts tokens by a rule. */
async function openServer(
  replies: Readonly<Record<string, object>>,
  countTokens: (text: string) => number = (text) => text.length / 4,
) {
  const asked: string[] = [];
  const sent: Body[] = [];
  const server = createServer(async (request, response) => {
    asked.push(`${request.method} ${request.url}`);
    if (request.url !== '/v1/chat/completions') {
      const reply = replies[request.url!];
      response.writeHead(reply ? 200 : 404).end(JSON.stringify(reply ?? {}));
      return;
    }
    const body = (await json(request)) as Body;
    sent.push(body);
    const text = body.messages.map(({ content }) => content).join('') + JSON.stringify(body.tools ?? '');
    const usage = { prompt_tokens: Math.ceil(countTokens(text)), completion_tokens: 10 };
    response.writeHead(200, STREAM).write(chunk(GROUNDED));
    response.end(
      `${chunk(undefined, 'stop')}data: ${JSON.stringify({ choices: [], usage })}\n\ndata: [DONE]\n\n`,
    );
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  closing.push(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, asked, sent };
}

async function open(url: string, env: Record<string, string> = {}) {
  let now = 0;
  const settings = { LLM_BASE_URL: `${url}/v1`, LLM_API_KEY: 'k', LLM_MODEL: 'qwen3', ...env };
  const { engine, close } = await openEngine(readConfig(settings).llm, { now: () => now });
  closing.push(close);
  return {
    ask: (change: Partial<EngineQuestion> = {}) =>
      collectEvents(engine.answer(buildQuestion(change), new AbortController().signal)),
    pass(millis: number) {
      now += millis;
    },
  };
}

const WORDS = 'The quick brown fox jumps over the lazy dog near the river bank today. ';
const long = (confidence: number) => ({
  ...PASSWORD,
  text: `${PASSWORD.text}\n${WORDS.repeat(300)}`,
  confidence,
});
const LONG = { passages: [long(0.9), long(0.8), long(0.7)] };
const models = (fields: object) => ({ '/v1/models': { object: 'list', data: [{ id: 'qwen3', ...fields }] } });

describe('the size of the context', () => {
  it.each([
    ['vLLM', models({ max_model_len: 2048 })],
    ['OpenRouter', models({ context_length: 2048 })],
    ['Groq', models({ context_window: 2048 })],
    ['LiteLLM', models({ max_input_tokens: 2048 })],
    [
      'llama.cpp',
      {
        ...models({ meta: { n_ctx_train: 32_768 } }),
        '/props': { default_generation_settings: { n_ctx: 2048 } },
      },
    ],
    [
      'Ollama with a loaded model',
      { ...models({}), '/api/ps': { models: [{ name: 'qwen3:latest', context_length: 2048 }] } },
    ],
    [
      'Ollama with a configured model',
      {
        ...models({}),
        '/api/ps': { models: [] },
        '/api/show': { parameters: 'stop "x"\nnum_ctx      2048' },
      },
    ],
    [
      'LM Studio',
      {
        ...models({}),
        '/api/v0/models': {
          data: [{ id: 'qwen3', max_context_length: 32_768, loaded_context_length: 2048 }],
        },
      },
    ],
  ])('is read from %s, and no prompt with its answer exceeds it', async (_, replies) => {
    const { url, sent } = await openServer(replies);
    const { ask } = await open(url);
    expect(joinText(await ask(LONG))).toBe(GROUNDED);
    const [{ messages, max_tokens }] = sent as [Body];
    const chars = messages.reduce((sum, { content }) => sum + content.length, 0);
    expect(max_tokens).toBeGreaterThanOrEqual(128);
    expect(chars / 4 + max_tokens).toBeLessThan(2048);
    expect(chars / 4).toBeGreaterThan(800);
    expect(messages.at(-1)!.content).toContain('Passage 1');
  });

  it('is the smallest default of Ollama until that has loaded the model', async () => {
    const ps = { models: [] as object[] };
    const { url, sent, asked } = await openServer({ ...models({}), '/api/ps': ps, '/api/show': {} });
    const { ask, pass } = await open(url);
    await ask(LONG);
    ps.models = [{ name: 'qwen3:latest', context_length: 32_768 }];
    await ask(LONG);
    expect(asked.filter((path) => path === 'GET /api/ps')).toHaveLength(1);
    pass(600_000);
    await ask(LONG);
    const lengths = sent.map(({ messages }) => messages.at(-1)!.content.length);
    expect(lengths[1]! / 3.5).toBeLessThan(4096);
    expect(lengths[2]!).toBeGreaterThan(lengths[1]! * 1.5);
  });

  it('is taken from the setting, without asking', async () => {
    const { url, sent, asked } = await openServer(models({ max_model_len: 100_000 }));
    const { ask } = await open(url, { LLM_CONTEXT_TOKENS: '1500' });
    await ask(LONG);
    expect(asked).toEqual(['POST /v1/chat/completions']);
    expect(sent[0]!.max_tokens).toBeLessThanOrEqual(1500 / 4);
  });

  it.each([
    ['says nothing', {}],
    ['lists another model', { '/v1/models': { data: [{ id: 'other', max_model_len: 2048 }] } }],
    ['says nonsense', models({ max_model_len: 'many', context_length: -1, context_window: 3 })],
  ])('is assumed to be enough when the server %s', async (_, replies) => {
    const { url, sent } = await openServer(replies);
    const { ask } = await open(url);
    await ask(LONG);
    expect(sent[0]!.max_tokens).toBe(1024);
    expect(sent[0]!.messages.at(-1)!.content.length).toBeGreaterThan(15_000);
  });

  it('leads to quotes, without a request, when the question alone exceeds it', async () => {
    const { url, sent } = await openServer({});
    const { ask } = await open(url, { LLM_CONTEXT_TOKENS: '1024' });
    const events = await ask({ text: WORDS.repeat(50) });
    expect(only(events, 'notice')).toHaveLength(1);
    expect(only(events, 'citation')).toHaveLength(1);
    expect(sent).toEqual([]);
  });

  it('leaves no room for tools that would take the place of passages', async () => {
    const { url, sent } = await openServer({});
    const page = { ...buildQuestion().page, targets: [SAVE_BUTTON] };
    const wide = await open(url);
    await wide.ask({ page });
    const narrow = await open(url, { LLM_CONTEXT_TOKENS: '1800' });
    await narrow.ask({ page });
    expect(sent.map(({ tools }) => tools?.length)).toEqual([4, undefined]);
  });
});

describe('the estimate of tokens', () => {
  /** Texts of other scripts, and how many tokens a character of them has here. */
  const TEXTS = [
    ['Czech', 'Otevřete přihlašovací stránku a zvolte možnost Zapomenuté heslo, příště přibližně. ', 0.45],
    ['Russian', 'Откройте страницу входа и выберите пункт, чтобы получить ссылку по почте. ', 0.25],
    ['Japanese', 'サインインページを開き、パスワードを忘れた場合を選択してください。', 1.6],
  ] as const;

  it.each(TEXTS)(
    'learns from the usage of a server, so that %s fills the limit',
    async (_, text, perChar) => {
      const isOwn = (unit: string) => unit > '\u007f';
      const count = (whole: string) =>
        [...whole].reduce((sum, unit) => sum + (isOwn(unit) || perChar === 0.45 ? perChar : 0.25), 0);
      const { url, sent } = await openServer({}, count);
      const { ask } = await open(url, { LLM_CONTEXT_TOKENS: '8192' });
      const foreign = (confidence: number) => ({ ...PASSWORD, text: text.repeat(400), confidence });
      for (let turn = 0; turn < 12; turn++)
        await ask({ passages: [foreign(0.9), foreign(0.8), foreign(0.7)].slice(0, 1 + (turn % 3)) });
      const used = sent.map(
        ({ messages, max_tokens }) => count(messages.map(({ content }) => content).join('')) + max_tokens,
      );
      expect(Math.max(...used.slice(1))).toBeLessThan(8192);
      expect(used.at(-1)!).toBeGreaterThan(8192 * 0.6);
    },
  );
});
