import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ModelInUse } from '../../contract/model.ts';
import type { Tenant } from '../../contract/workspace.ts';
import { type AppSite, openAppSite } from '../support/app-site.ts';
import { expectAccessible } from '../support/browser.ts';
import { openScriptedModel, refuse, type ScriptedModel, say } from '../support/fake-model/scripted-model.ts';
import { askGuide, getGuide } from '../support/guide-frame.ts';

/** Settings › Answers and Guidance, with a language model of the workspace. */

let site: AppSite;
let upstream: ScriptedModel;
beforeAll(async () => {
  upstream = await openScriptedModel();
  site = await openAppSite({ env: { LLM_NETWORKS: '127.0.0.0/8' } });
});
beforeEach(() => {
  upstream.script = {};
});
afterEach(() => site.leave());
afterAll(async () => {
  await site.close();
  await upstream.close();
});

const readModel = async () => (await site.team.as('owner').get<ModelInUse>('/model')).json;
const readRules = async () => (await site.team.as('owner').get<Tenant>('')).json.guide.rules;
const model = (page: Page) => page.getByRole('region', { name: 'Language model' });

describe('Settings › Answers', () => {
  it('sets a model with a key that is never shown again, tests it, and removes it', async () => {
    const { page, pageErrors } = await site.open('owner', '/settings/guide');
    const card = model(page);
    await card.getByText('No language model answers').waitFor();
    await card.getByLabel('Address').fill('https://10.0.0.1/v1');
    await card.getByRole('textbox', { name: 'API key' }).fill('sk-of-the-shop');
    await card.getByRole('textbox', { name: 'Model', exact: true }).fill('a-model');
    await card.getByRole('button', { name: 'Save model' }).click();
    await card.getByText('Enter the https address of a public server').waitFor();
    await card.getByLabel('Address').fill(upstream.baseUrl);
    await card.getByRole('button', { name: 'Test' }).click();
    await card.getByText('Cites the article').waitFor();
    expect(await readModel()).toEqual({ source: 'none' });
    await card.getByRole('button', { name: 'Save model' }).click();
    await card.getByText('Your own model answers.').waitFor();
    expect(await readModel()).toMatchObject({ source: 'workspace', own: { model: 'a-model' } });
    await card.getByText('Set', { exact: false }).first().waitFor();
    expect(await card.getByRole('textbox', { name: 'API key' }).inputValue()).toBe('');

    await card.getByRole('button', { name: 'Test' }).click();
    const results = card.getByRole('list', { name: 'Test results' });
    await results.getByText('Cites the article').waitFor();
    expect(await results.getByText('Failed').count()).toBe(0);
    await expectAccessible(page);
    upstream.script = { answer: refuse(401, { type: 'authentication_error', message: 'sk-of-the-shop' }) };
    await card.getByRole('button', { name: 'Test' }).click();
    await results.getByText('The server refused the request.').waitFor();
    await results.getByText('401 · authentication_error').waitFor();
    await results.getByText('Change: API key').waitFor();
    expect(await page.content()).not.toContain('sk-of-the-shop');

    await card.getByRole('button', { name: 'Remove model' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove model' }).click();
    await card.getByText('No language model answers').waitFor();
    expect(await readModel()).toEqual({ source: 'none' });
    expect(pageErrors).toEqual([]);
  });
});

describe('Settings › Guidance', () => {
  it('adds, orders and switches off rules, and shows which ones the model was sent', async () => {
    upstream.script = { answer: say('[[person]]') };
    const set = { provider: 'openai', baseUrl: upstream.baseUrl, model: 'a-model', key: 'sk' };
    expect((await site.team.as('owner').put('/model', set)).status).toBe(200);
    await site.team.as('owner').patch('', { contact: { email: 'help@shop.example' } });
    const { page, pageErrors, go } = await site.open('owner', '/settings/guidance');
    await page.getByText('No rules yet.').waitFor();
    const add = async (kind: string, name: string, text: string) => {
      await page.getByRole('button', { name: 'Add rule' }).click();
      const dialog = page.getByRole('dialog', { name: 'Add rule' });
      await dialog.getByRole('combobox', { name: 'Kind' }).click();
      await page.getByRole('option', { name: kind }).click();
      await dialog.getByLabel('Name').fill(name);
      await dialog.getByRole('button', { name: 'Save rule' }).click();
      await dialog.getByText('Required.').first().waitFor();
      await dialog.getByLabel('What the guide does').fill(text);
      await dialog.getByRole('button', { name: 'Save rule' }).click();
      await dialog.waitFor({ state: 'detached' });
    };
    await add('Style', 'Tone', 'Be friendly.');
    await add('Hand over to a person', 'Refunds', 'Let a person help.');
    const table = page.getByRole('table', { name: 'Rules' });
    await table.getByText('Let a person help.').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Actions for “Refunds”' }).click();
    await page.getByRole('menuitem', { name: 'Move up' }).click();
    await expect.poll(async () => (await readRules())?.map(({ name }) => name)).toEqual(['Refunds', 'Tone']);
    await table.getByLabel('“Tone” is on').click();
    await expect.poll(async () => (await readRules())?.[1]?.enabled).toBe(false);
    expect(await readRules()).toEqual([
      { kind: 'hand_over', name: 'Refunds', text: 'Let a person help.', enabled: true },
      { kind: 'style', name: 'Tone', text: 'Be friendly.', enabled: false },
    ]);

    await go('/preview');
    await page.getByRole('checkbox', { name: 'Include rules that are off' }).check();
    await askGuide(page, 'How do I reset my password?');
    await page.getByText('Rules sent to the model: Refunds, Tone').waitFor();
    await getGuide(page).getByText('help@shop.example').first().waitFor();
    await page.getByRole('region', { name: 'Sent to the language model' }).getByText('Instructions').click();
    await page.getByText('Let a person help.').waitFor();
    expect(pageErrors).toEqual([]);
  });
});
