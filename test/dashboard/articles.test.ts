import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ArticleRecord } from '../../contract/articles.ts';
import type { PreviewQuestion } from '../../contract/preview.ts';
import { articles } from '../knowledge/parallel-articles.ts';
import { type AppSite, openAppSite } from '../support/app-site.ts';
import { expectAccessible } from '../support/browser.ts';
import { askGuide, getGuide } from '../support/guide-frame.ts';
import { importSeeds } from '../support/seeds.ts';

const content = { title: 'Returning an order', answer: 'You can return any order within 30 days.' };
describe('article pages', () => {
  let site: AppSite;
  beforeAll(async () => {
    site = await openAppSite({ articles: [] });
  });
  afterEach(() => site.leave());
  afterAll(() => site.close());

  async function newArticle(slug: string) {
    const { json } = await site.team
      .as('owner')
      .post<{ id: string; revision: number }>('/knowledge/articles', { ...content, slug });
    return json;
  }

  it('creates, autosaves, publishes and finds an article', async () => {
    const { page, pageErrors } = await site.open('owner', '/articles');
    await page.getByText('No articles yet').waitFor();
    await expectAccessible(page);
    await page.getByRole('main').getByRole('link', { name: 'New article' }).last().click();
    await page.getByRole('button', { name: 'Create draft' }).click();
    await page.getByText('Enter a title.').waitFor();
    await page.getByRole('textbox', { name: 'Title' }).fill('Shipping to Norway');
    await page.getByRole('textbox', { name: 'Answer' }).fill('We ship to **Norway** within five days.');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Create draft' }).click();

    await page.getByRole('heading', { level: 1, name: 'Shipping to Norway' }).waitFor();
    await page.getByRole('textbox', { name: 'Title' }).fill('Shipping to Norway and Sweden');
    await page.getByText('Unsaved changes').waitFor();
    await page.keyboard.press('Control+s');
    await page.getByText('Saved', { exact: true }).waitFor();
    await page.getByRole('region', { name: 'Preview' }).locator('strong', { hasText: 'Norway' }).waitFor();
    expect(await page.getByText(/^Answer( \*)?$/).count()).toBe(1);
    await page.keyboard.press('Control+Enter');
    await page.getByText('Published. Visitors now see this version.').waitFor();
    await expectAccessible(page);

    await page.getByRole('link', { name: 'Articles', exact: true }).first().click();
    await page.getByRole('link', { name: 'Shipping to Norway and Sweden' }).waitFor();
    await page.getByRole('searchbox', { name: 'Search articles' }).fill('zebra');
    await page.getByText('No matching articles').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByRole('link', { name: 'Shipping to Norway and Sweden' }).click();
    await page.getByRole('link', { name: 'Revisions' }).click();
    await page.getByRole('heading', { level: 1, name: /Revisions of/ }).waitFor();
    await page.getByRole('radio', { name: 'Older: Revision 1' }).check();
    await page.locator('ins', { hasText: 'and Sweden' }).waitFor();
    expect(pageErrors).toEqual([]);
  });

  it('keeps both texts when two people edit at once', async () => {
    const article = await newArticle('two-at-once');
    const { page, pageErrors } = await site.open('owner', `/articles/${article.id}`);
    const answer = page.getByRole('textbox', { name: 'Answer' });
    await answer.waitFor();
    // Changes the article before the text is typed, because typed text is saved within a second.
    const otherEdit = {
      ...content,
      answer: 'Orders go back within 14 days.',
      baseRevision: article.revision,
    };
    await site.team.as('admin').put(`/knowledge/articles/${article.id}`, otherEdit);
    await answer.fill('You can return any order within 60 days.');
    await page.keyboard.press('Control+s');
    await page.getByText('Someone else changed this text', { exact: true }).waitFor();
    await page.getByText('admin@shop.example').waitFor();
    await expectAccessible(page);
    expect(await answer.innerText()).toContain('60 days');
    await page.getByRole('button', { name: 'Keep my version' }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    const { json } = await site.team
      .as('owner')
      .get<{ data: { answer: string }[] }>(`/knowledge/articles/${article.id}/revisions`);
    expect(json.data.map((each) => each.answer)).toEqual([
      'You can return any order within 60 days.',
      'Orders go back within 14 days.',
      content.answer,
    ]);
    expect(pageErrors).toEqual([]);
  });

  it('restores unsaved text after the browser was closed', async () => {
    const article = await newArticle('closed-lid');
    const { page, go } = await site.open('owner', `/articles/${article.id}`);
    await page.route('**/api/**', (route) =>
      route.request().method() === 'PUT' ? route.abort() : route.continue(),
    );
    await page.getByRole('textbox', { name: 'Answer' }).fill('Written on a train.');
    await page.keyboard.press('Control+s');
    await page.getByRole('alert').getByText('Not saved.', { exact: false }).waitFor();
    await page.unrouteAll();
    await go(`/articles/${article.id}`);
    await page.getByText('Saved', { exact: true }).waitFor();
    expect(await page.getByRole('textbox', { name: 'Answer' }).innerText()).toBe('Written on a train.');
  });

  it('marks what was added and removed between two versions', async () => {
    const article = await newArticle('several-versions');
    const path = `/knowledge/articles/${article.id}`;
    const answer = 'You can return any order within 60 days.\n\nWe pay the postage.';
    const edited = { ...content, answer, baseRevision: article.revision };
    expect((await site.team.as('admin').put(path, edited)).status).toBe(200);
    const { page, pageErrors } = await site.open('owner', `/articles/${article.id}`);
    await page.getByRole('link', { name: 'Revisions' }).click();
    const comparison = page.locator('section').filter({ hasText: 'Answer' });
    await comparison.getByRole('deletion').filter({ hasText: '30' }).waitFor();
    const inserted = (await comparison.getByRole('insertion').allTextContents()).join(' ');
    expect(inserted).toMatch(/^Added: 60 .*We pay the postage\.$/s);
    await expectAccessible(page);
    // Both sides are the same version, so nothing differs.
    await page.getByRole('radio', { name: 'Newer: Revision 1' }).check();
    await page.getByRole('radio', { name: 'Older: Revision 1' }).check();
    await expect.poll(() => comparison.getByRole('insertion').count()).toBe(0);
    expect(await comparison.getByRole('deletion').count()).toBe(0);
    expect(pageErrors).toEqual([]);
  });

  it('shows the status of every language on a phone', async () => {
    const article = await newArticle(`seen-in-two-languages`);
    const translation = await site.team.as('owner').post(`/knowledge/articles/${article.id}/translations`, {
      locale: 'de',
      baseRevision: article.revision,
      title: 'Eine Bestellung zurückgeben',
      answer: 'Innerhalb von 30 Tagen.',
      searchAliases: [],
    });
    expect(translation.status).toBe(201);
    const { page, pageErrors, go } = await site.open('member', '/articles', {
      viewport: { width: 360, height: 740 },
    });
    await page
      .getByRole('button', { name: /^Languages of/ })
      .first()
      .click();
    await page.getByRole('menuitem', { name: 'German Draft' }).waitFor();
    await expectAccessible(page);
    await go(`/articles/${article.id}`);
    await page.getByRole('link', { name: 'German' }).waitFor();
    await expectAccessible(page);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    expect(await page.getByRole('button', { name: 'Publish' }).count()).toBe(0);
    expect(pageErrors).toEqual([]);
  });
});

describe('suggested aliases', () => {
  let site: AppSite;
  /** Two articles whose titles have the same translations, so that each is suggested as an alias of the other. */
  let parcelId: string;
  let packageId: string;

  beforeAll(async () => {
    site = await openAppSite({ articles: [] });
    const { workspace, harness } = site.team;
    const { service, clock } = harness;
    const seeds = articles.map(({ source, translations }) => ({
      ...source,
      slug: source.title,
      translations: [...translations],
    }));
    await importSeeds(service.store, workspace.id, seeds);
    for (let check = 0; check < 2; check += 1) {
      clock.advance(60_000);
      await service.tick();
    }
    const stored = service.store.in(workspace.id).articles;
    parcelId = (await stored.findId('parcel'))!;
    packageId = (await stored.findId('package'))!;
  });
  afterEach(() => site.leave());
  afterAll(() => site.close());

  const owner = () => site.team.as('owner');

  it('does not suggest aliases to members who may not edit', async () => {
    const { page } = await site.open('member', `/articles/${packageId}`);
    await page.getByRole('textbox', { name: 'Title' }).waitFor();
    await page.waitForLoadState('networkidle');
    expect(await page.getByText('Suggested keywords').count()).toBe(0);
  });

  it('adds a suggested alias to the article', async () => {
    const { page, pageErrors } = await site.open('owner', `/articles/${parcelId}`);
    const add = page.getByRole('button', { name: 'Add “package”' });
    await add.waitFor();
    await expectAccessible(page);
    await add.click();
    await add.waitFor({ state: 'detached' });
    await page.keyboard.press('Control+s');
    await page.getByText('Saved', { exact: true }).waitFor();
    const { json } = await owner().get<ArticleRecord>(`/knowledge/articles/${parcelId}`);
    expect(json.aliases).toEqual(['package']);
    expect(pageErrors).toEqual([]);
  });

  it('dismisses a suggested alias for good', async () => {
    const { page, pageErrors } = await site.open('owner', `/articles/${packageId}`);
    await page.getByRole('button', { name: 'Dismiss “parcel”' }).click();
    await page.getByRole('button', { name: 'Add “parcel”' }).waitFor({ state: 'detached' });
    const path = `/knowledge/articles/${packageId}/alias-suggestions`;
    const { json } = await owner().get<{ data: { alias: string }[] }>(path);
    expect(json.data.map(({ alias }) => alias)).not.toContain('parcel');
    expect(pageErrors).toEqual([]);
  });
});

describe('playground page', () => {
  let site: AppSite;
  beforeAll(async () => {
    site = await openAppSite();
  });
  afterEach(() => site.leave());
  afterAll(() => site.close());

  it('is the guide, in any language, and shows why it answers as it does', async () => {
    const { json: costs } = await site.team.as('owner').post<ArticleRecord>('/knowledge/articles', {
      title: 'What does delivery to Norway cost?',
      answer: '| Country | Price |\n| --- | --- |\n| Norway | 9 euros |',
    });
    await site.team.as('owner').post(`/knowledge/articles/${costs.id}/publish`, { baseRevision: 1 });
    const { page, pageErrors } = await site.open('member', '/preview');
    await askGuide(page, costs.title);
    await page.getByRole('listitem').getByRole('cell', { name: '9 euros' }).waitFor();
    await page.getByRole('combobox', { name: 'Visitor language' }).fill('Japan');
    await page.getByRole('option', { name: 'Japanese' }).click();
    const guide = getGuide(page);
    await guide.getByText('どのようなことでお困りですか?').first().waitFor();
    await page.getByRole('combobox', { name: 'Visitor region' }).fill('Germ');
    await page.getByRole('option', { name: 'Germany' }).click();
    await page.getByText('Opt-in, required in this region.').waitFor();
    await guide.getByRole('textbox').fill('How do I reset my password?');
    await guide.getByRole('textbox').press('Enter');
    await guide.locator('.answer .text').waitFor();
    await page.getByRole('heading', { level: 2, name: 'Why this answer' }).waitFor();
    await page.getByText('No live Japanese translation').first().waitFor();
    await expectAccessible(page);
    const { store } = site.team.harness.service;
    expect(await store.in(site.team.workspace.id).conversations.listConversations(10)).toEqual([]);
    expect(await store.in(site.team.workspace.id).events.list(10)).toEqual([]);
    await page
      .getByRole('listitem')
      .getByRole('link', { name: /password/ })
      .first()
      .click();
    await page.getByRole('heading', { level: 2, name: 'Translations' }).waitFor();
    expect(pageErrors).toEqual([]);
  });

  it('keeps a conversation until the guide begins a new one', async () => {
    const { page, pageErrors } = await site.open('member', '/preview');
    const ask = async (message: string) => {
      const sent = page.waitForRequest((request) => request.url().endsWith('/preview'));
      await askGuide(page, message);
      const { conversation = [] } = (await sent).postDataJSON() as PreviewQuestion;
      await page.getByText(message, { exact: true }).first().waitFor();
      return conversation.map((turn) => turn.question);
    };
    const password = 'How do I reset my password?';
    expect(await ask(password)).toEqual([]);
    expect(await ask('How long does the link work?')).toEqual([password]);
    const turns = page.getByRole('list', { name: 'Conversation' });
    await turns.getByRole('button', { name: password }).click();
    await page.getByRole('button', { name: password, pressed: true }).waitFor();
    await expectAccessible(page);
    await getGuide(page).getByRole('button', { name: 'New chat' }).click();
    expect(await ask(password)).toEqual([]);
    await turns.waitFor({ state: 'detached' });
    expect(pageErrors).toEqual([]);
  });

  it('explains a missing answer and links to a new article', async () => {
    await site.team.as('owner').post('/knowledge/articles', {
      title: `Shipping submarines in winter`,
      answer: 'We ship submarines by sea.',
    });
    const { page, pageErrors } = await site.open('owner', '/preview', {
      viewport: { width: 360, height: 740 },
    });
    const question = `Do you ship submarines in winter?`;
    await askGuide(page, question);
    await page.getByText('The guide has no answer').waitFor();
    await page.getByRole('link', { name: `Shipping submarines in winter` }).waitFor();
    await page.getByText('Never published').first().waitFor();
    await expectAccessible(page);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    await page.getByRole('link', { name: 'Write an article' }).click();
    await page.getByRole('heading', { level: 1, name: 'New article' }).waitFor();
    expect(await page.getByRole('textbox', { name: 'Title' }).inputValue()).toBe(question);
    expect(pageErrors).toEqual([]);
  });
});
