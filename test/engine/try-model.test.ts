import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { openChatCompletions } from '../../server/engine/chat-completions.ts';
import type { ModelCheck } from '../../server/engine/engine.ts';
import { tryModel } from '../../server/engine/try-model.ts';
import { readConfig } from '../../server/settings/config.ts';
import {
  openScriptedModel,
  refuse,
  type Script,
  type ScriptedModel,
  say,
  stream,
} from '../support/fake-model/scripted-model.ts';

let server: ScriptedModel | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function run(baseUrl: string, env: Readonly<Record<string, string>> = {}) {
  const settings = readConfig({
    LLM_BASE_URL: baseUrl,
    LLM_API_KEY: 'sk-of-a-test',
    LLM_MODEL: 'a-model',
    ...env,
  }).llm!;
  return tryModel(settings, {
    open: (model, onRefusedField) => openChatCompletions({ ...settings, model }, onRefusedField),
    now: () => 0,
    signal: AbortSignal.timeout(60_000),
  });
}

/** Returns the checks that are not ok, or those of the names. */
async function findFaults(script: Script, ...names: ModelCheck['name'][]) {
  server = await openScriptedModel(script);
  const { checks } = await run(server.baseUrl);
  return checks.filter(({ name, status }) => (names.length > 0 ? names.includes(name) : status !== 'ok'));
}

it('passes a model that cites, takes tools, rewrites and says when it does not know', async () => {
  server = await openScriptedModel();
  const { checks, usage } = await run(server.baseUrl, { LLM_REWRITE_MODEL: 'a-small-model' });
  expect(checks.map(({ name, status }) => [name, status])).toEqual(
    expect.arrayContaining(
      ['answer', 'citation', 'tools', 'thinking', 'first_text', 'rewrite', 'no_answer'].map((name) => [
        name,
        'ok',
      ]),
    ),
  );
  expect(checks.filter(({ status }) => status !== 'ok')).toEqual([]);
  expect(checks.find(({ name }) => name === 'first_text')!.millis).toBeGreaterThanOrEqual(0);
  expect(usage.inputTokens).toBeGreaterThan(0);
  expect(server.requests.map(({ model }) => model)).toEqual(['a-model', 'a-small-model', 'a-model']);
  expect(server.requests[0]!.tools).not.toEqual([]);
});

it.each<[string, Script, ModelCheck]>([
  [
    'answers nothing',
    { answer: stream([]) },
    { name: 'answer', status: 'failed', reason: 'empty', setting: 'model' },
  ],
  [
    'only thinks apart from its text',
    { answer: stream([{ reasoning_content: 'Let me see' }], 'length') },
    { name: 'answer', status: 'failed', reason: 'only_thinks', setting: 'model' },
  ],
  [
    'only thinks within its text',
    { answer: stream([{ content: '<think>Let me see' }], 'length') },
    { name: 'answer', status: 'failed', reason: 'only_thinks', setting: 'model' },
  ],
  [
    'cites nothing',
    { answer: say('Just open it with your hands, as everybody does here.') },
    { name: 'citation', status: 'failed', reason: 'no_citation', setting: 'model' },
  ],
  [
    'shows its thinking in a form that is hidden',
    {
      answer: say(
        '<think>The passage says it.</think> Turn the green wheel twice. [[1|Turn the green wheel twice to the left]]',
      ),
    },
    { name: 'thinking', status: 'warning', reason: 'in_text', setting: 'model' },
  ],
  [
    'rewrites into nothing usable',
    { rewrite: say('Sure!') },
    { name: 'rewrite', status: 'warning', reason: 'unusable', setting: 'rewriteModel' },
  ],
  [
    'invents an answer',
    { noAnswer: say('The stone tower was painted in 1907 by a famous guild of painters.') },
    { name: 'no_answer', status: 'warning', reason: 'held_back', setting: 'model' },
  ],
  [
    'refuses tools',
    {
      answer: (response, request) =>
        request.tools
          ? refuse(400, {
              message: 'a-model does not support tools',
              type: 'invalid_request_error',
              param: 'tools',
              code: 'unsupported_parameter',
            })(response, request)
          : say('Turn the green wheel twice. [[1|Turn the green wheel twice to the left]]')(
              response,
              request,
            ),
    },
    {
      name: 'tools',
      status: 'warning',
      reason: 'rejected',
      setting: 'model',
      error: { status: 400, code: 'unsupported_parameter', type: 'invalid_request_error', param: 'tools' },
    },
  ],
  [
    'is unknown to its server',
    {
      answer: refuse(404, {
        message: 'The key sk-of-a-test has no model a-model',
        type: 'invalid_request_error',
        code: 'model_not_found',
      }),
    },
    {
      name: 'answer',
      status: 'failed',
      reason: 'refused',
      setting: 'model',
      error: { status: 404, code: 'model_not_found', type: 'invalid_request_error' },
    },
  ],
  [
    'has a wrong key',
    { answer: refuse(401, { message: 'no: sk-of-a-test', type: 'authentication_error' }) },
    {
      name: 'answer',
      status: 'failed',
      reason: 'refused',
      setting: 'key',
      error: { status: 401, type: 'authentication_error' },
    },
  ],
])('reports a model that %s', async (_, script, expected) => {
  const faults = await findFaults(script);
  expect(faults).toHaveLength(1);
  expect(faults[0]).toMatchObject(expected);
  expect(JSON.stringify(faults)).not.toContain('sk-of-a-test');
});

it('names the address of a server that is not there', async () => {
  const closed = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => closed.once('listening', resolve));
  const { port } = closed.address() as AddressInfo;
  await new Promise((resolve) => closed.close(resolve));
  const { checks } = await run(`http://127.0.0.1:${port}/v1`);
  expect(checks).toEqual([
    {
      name: 'answer',
      status: 'failed',
      reason: 'unreachable',
      setting: 'address',
      networkCode: 'ECONNREFUSED',
    },
  ]);
});

it.each([
  [4096, 'warning'],
  [32_768, 'ok'],
])('says whether a context of %d tokens has room for the passages', async (tokens, status) => {
  server = await openScriptedModel();
  const { checks } = await run(server.baseUrl, { LLM_CONTEXT_TOKENS: String(tokens) });
  expect(checks.find(({ name }) => name === 'context')).toMatchObject({ status, contextTokens: tokens });
});
