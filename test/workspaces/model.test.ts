import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ModelInUse, ModelTest } from '../../contract/model.ts';
import { createModelAddresses } from '../../server/engine/model-address.ts';
import { openScriptedModel, refuse, type ScriptedModel, say } from '../support/fake-model/scripted-model.ts';
import { type HarnessOptions, textOf } from '../support/harness.ts';
import { expectError } from '../support/response.ts';
import { openTeam, type Team } from '../support/team.ts';

/** Language models of workspaces, on servers that the operator allows. */

const KEY = 'sk-only-of-this-workspace';
const ANSWER = 'Open the page first. [[1|We send a link to your e-mail address]]';

let upstream: ScriptedModel;
let team: Team;
beforeEach(async () => {
  upstream = await openScriptedModel({ answer: say(ANSWER) });
});
afterEach(async () => {
  await team.close();
  await upstream.close();
});

async function open(options: HarnessOptions = {}): Promise<void> {
  team = await openTeam({ ...options, env: { LLM_NETWORKS: '127.0.0.0/8', ...options.env } });
}

const modelOf = (more: object = {}) => ({
  provider: 'openai',
  baseUrl: upstream.baseUrl,
  model: 'a-model',
  key: KEY,
  ...more,
});
const set = (more: object = {}, person: 'owner' | 'admin' | 'member' = 'admin') =>
  team.as(person).put<ModelInUse>('/model', modelOf(more));
const read = async () => (await team.as('member').get<ModelInUse>('/model')).json;
const sendTest = (draft?: object) => team.as('admin').post<ModelTest>('/model/test', { draft });
const test = async (draft?: object) => (await sendTest(draft)).json;
/** Waits until running turns use what was set. */
const settle = () => team.harness.clock.advance(1_001);

async function ask(): Promise<ReturnType<typeof textOf>> {
  const { jwt } = await team.harness.boot();
  return textOf(
    await team.harness.ask(jwt, { conversation_id: `conv-${Math.round(team.harness.clock.now())}` }),
  );
}

describe('the model of a workspace', () => {
  it('answers its visitors with its own key, until it is removed', async () => {
    await open();
    expect(await read()).toStrictEqual({ source: 'none' });
    const { status, json } = await set({ rewriteModel: 'a-small-model' });
    expect(status).toBe(200);
    expect(json).toStrictEqual({
      source: 'workspace',
      own: {
        provider: 'openai',
        baseUrl: upstream.baseUrl,
        model: 'a-model',
        rewriteModel: 'a-small-model',
        keySetAt: expect.any(String),
      },
    });
    expect(await read()).toStrictEqual(json);
    settle();
    expect(await ask()).toBe('Open the page first.');
    expect(upstream.keys).toEqual([`Bearer ${KEY}`]);
    const usage = await team.as('member').get<{ engine: string; tokens: object }>('/usage');
    expect(usage.json).toMatchObject({ engine: 'llm', tokens: { monthlyTokensMax: 10_000_000 } });

    expect((await team.as('admin').delete('/model')).json).toStrictEqual({ source: 'none' });
    settle();
    expect(await ask()).not.toBe('Open the page first.');
    expect(upstream.requests).toHaveLength(1);
  });

  it('is never shown, exported, logged or stored with its key', async () => {
    await open();
    await set();
    settle();
    await ask();
    const { harness } = team;
    const shown = [
      JSON.stringify(await read()),
      (await team.as('owner').get('/audit')).text,
      (await team.as('owner').get('/export')).text,
      JSON.stringify(harness.logged),
    ];
    for (const text of shown) expect(text).not.toContain(KEY);
    expect(shown[1]).toContain('workspace.model_changed');
    expect(shown[2]).not.toContain(upstream.baseUrl.slice('http://'.length, -'/v1'.length).concat('/v1"'));
    const { file, postgres } = harness.config.database;
    if (!postgres)
      for (const name of [file, `${file}-wal`]) expect(readFileSync(name).includes(KEY)).toBe(false);
  });

  it('keeps the key for the same address only', async () => {
    await open();
    expectError(await set({ key: undefined }), 'request/invalid');
    await set();
    expect((await set({ key: undefined, model: 'another-model' })).json.own?.model).toBe('another-model');
    const elsewhere = await set({ key: undefined, baseUrl: upstream.baseUrl.replace('/v1', '/v2') });
    expectError(elsewhere, 'request/invalid');
    expect(elsewhere.text).toContain('body.key');
    const { model } = team.harness.service.store.in(team.workspace.id);
    const other = team.harness.service.store.in(team.elsewhere.id);
    const audit = { id: 'aud_1', atMillis: 1, actor: 'operator', action: 'x', subject: 'x', details: {} };
    await other.model.set((await model.get())!, audit);
    const copied = await team.as('stranger').get<ModelInUse>(`/api/tenants/${team.elsewhere.id}/model`);
    expect(copied.json.own).not.toHaveProperty('keySetAt');
  });

  it('has a public address unless the operator allows another', async () => {
    await open({ env: { LLM_NETWORKS: '' } });
    for (const baseUrl of [
      upstream.baseUrl,
      'https://127.0.0.1/v1',
      'https://169.254.169.254/latest',
      'https://[::1]/v1',
      'https://10.1.2.3/v1',
      'http://models.example/v1',
      'https://user:word@models.example/v1',
      'https://models.example/v1?key=1',
    ]) {
      const refused = await set({ baseUrl });
      expectError(refused, 'request/invalid');
      expect(refused.text).toContain('body.baseUrl');
    }
    expect((await set({ baseUrl: 'https://models.example/v1/' })).json.own?.baseUrl).toBe(
      'https://models.example/v1',
    );
  });

  it('is changed, removed and tested by owners and admins only', async () => {
    await open();
    expectError(await set({}, 'member'), 'tenant/role_required');
    await set();
    expectError(await team.as('member').delete('/model'), 'tenant/role_required');
    expectError(await team.as('member').post('/model/test', {}), 'tenant/role_required');
    for (const call of ['get', 'delete'] as const)
      expectError(await team.as('stranger')[call]('/model'), 'tenant/not_found');
    expect((await read()).source).toBe('workspace');
  });

  it('fails for its own workspace alone', async () => {
    const installation = await openScriptedModel({ answer: say(ANSWER) });
    await open({
      env: { LLM_BASE_URL: installation.baseUrl, LLM_API_KEY: 'sk-of-the-operator', LLM_MODEL: 'shared' },
    });
    upstream.script = { answer: refuse(500, { code: 'server_error' }) };
    await set();
    settle();
    for (let turn = 0; turn < 4; turn += 1) {
      team.harness.clock.advance(10);
      expect(await ask()).not.toBe('Open the page first.');
    }
    // The fourth turn is not sent: the breaker of this model is open.
    expect(upstream.requests).toHaveLength(3);
    await team.as('admin').delete('/model');
    settle();
    expect(await ask()).toBe('Open the page first.');
    expect(installation.keys).toEqual(['Bearer sk-of-the-operator']);
    await installation.close();
  });

  it('is not replaced by the installation’s when its key is lost', async () => {
    await open();
    await set();
    const { model } = team.harness.service.store.in(team.workspace.id);
    const audit = { id: 'aud_1', atMillis: 1, actor: 'operator', action: 'x', subject: 'x', details: {} };
    await model.set({ ...(await model.get())!, sealedKey: 'lost' }, audit);
    settle();
    expect(await ask()).not.toBe('Open the page first.');
    expect((await test()).checks).toEqual([
      { name: 'answer', status: 'failed', reason: 'key_unreadable', setting: 'key' },
    ]);
  });
});

describe('the test of a model', () => {
  it('returns named checks, and counts their tokens', async () => {
    await open();
    upstream.script = {};
    await set();
    const { checks } = await test();
    expect(checks.filter(({ status }) => status !== 'ok')).toEqual([]);
    expect(checks.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'answer',
        'citation',
        'tools',
        'thinking',
        'first_text',
        'rewrite',
        'no_answer',
      ]),
    );
    const { json } = await team.as('member').get<{ tokens: { usedTokens: number } }>('/usage');
    expect(json.tokens.usedTokens).toBeGreaterThan(100);
  });

  it('names the error of the server and the setting to change', async () => {
    await open();
    upstream.script = { answer: refuse(401, { message: `no ${KEY}`, type: 'authentication_error' }) };
    await set();
    expect((await test()).checks).toEqual([
      {
        name: 'answer',
        status: 'failed',
        reason: 'refused',
        setting: 'key',
        error: { status: 401, type: 'authentication_error' },
      },
    ]);
  });

  it('does not follow redirects', async () => {
    await open();
    upstream.script = {
      answer: (response) => response.writeHead(307, { location: `${upstream.baseUrl}/elsewhere` }).end(),
    };
    await set();
    expect((await test()).checks).toMatchObject([
      { name: 'answer', status: 'failed', error: { status: 307 } },
    ]);
    expect(upstream.requests).toHaveLength(1);
  });

  it('names the address of a server that is not there', async () => {
    await open({ env: { LLM_NETWORKS: '' } });
    await set({ baseUrl: 'https://models.example/v1' });
    expect((await test()).checks).toMatchObject([
      { status: 'failed', reason: 'unreachable', networkCode: 'ENOTFOUND', setting: 'address' },
    ]);
  });

  it('tries a draft without storing it, with the stored key for the same address only', async () => {
    await open();
    upstream.script = {};
    expect((await test(modelOf())).checks).toContainEqual({ name: 'citation', status: 'ok' });
    expect(await read()).toEqual({ source: 'none' });
    const { json } = await team.as('member').get<{ tokens: { usedTokens: number } }>('/usage');
    expect(json.tokens.usedTokens).toBeGreaterThan(100);
    expectError(await sendTest(modelOf({ key: undefined })), 'request/invalid');

    await set();
    const keysBefore = upstream.keys.length;
    await test(modelOf({ key: undefined, model: 'another-model' }));
    expect(new Set(upstream.keys.slice(keysBefore))).toEqual(new Set([`Bearer ${KEY}`]));
    expect((await read()).own?.model).toBe('a-model');
    const elsewhere = await sendTest(
      modelOf({ key: undefined, baseUrl: upstream.baseUrl.replace('/v1', '/v2') }),
    );
    expect(elsewhere.text).toContain('body.draft.key');
    const refused = await sendTest(modelOf({ baseUrl: 'https://10.1.2.3/v1' }));
    expect(refused.text).toContain('body.draft.baseUrl');
  });

  it('is refused while the guide is paused', async () => {
    await open();
    await set();
    await team.harness.pause();
    expectError(await team.as('admin').post('/model/test', {}), 'guide/paused');
    expect(upstream.requests).toEqual([]);
  });

  it('is refused without a model, and sends nothing when the budget is spent', async () => {
    await open();
    expectError(await team.as('admin').post('/model/test', {}), 'model/none');
    await set();
    await team.as('admin').patch('', { guide: { monthlyTokensMax: 0 } });
    expect((await test()).checks).toEqual([{ name: 'answer', status: 'failed', reason: 'budget' }]);
    expect(upstream.requests).toEqual([]);
  });
});

describe('addresses of models', () => {
  const connect = (networks: readonly string[], baseUrl: string, address: string) =>
    new Promise((resolve) => {
      const { getLookup } = createModelAddresses(networks, async () => [{ address, family: 4 }]);
      getLookup(baseUrl)('models.example', {}, (error) => resolve(error?.code ?? 'connects'));
    });

  it('are checked when a name is resolved, over http in the allowed networks alone', async () => {
    const [https, http] = ['https://models.example/v1', 'http://models.example/v1'];
    expect(await connect([], https, '93.184.216.34')).toBe('connects');
    expect(await connect([], https, '10.0.0.7')).toBe('PRIVATE_ADDRESS');
    expect(await connect(['10.0.0.0/8'], https, '10.0.0.7')).toBe('connects');
    expect(await connect(['10.0.0.0/8'], http, '10.0.0.7')).toBe('connects');
    expect(await connect(['10.0.0.0/8'], http, '93.184.216.34')).toBe('PRIVATE_ADDRESS');
  });
});
