import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { getBlocker, type Transition } from '../../client/dashboard/routes/translations/transitions.ts';
import { findTransition, type WorkflowEvent } from '../../server/knowledge/workflow.ts';
import { type AppSite, openAppSite } from '../support/app-site.ts';
import { expectAccessible } from '../support/browser.ts';
import { GIF_IMAGE, toForm } from '../support/image-files.ts';

let site: AppSite;
beforeAll(async () => {
  site = await openAppSite({ articles: [] });
});
afterEach(() => site.leave());
afterAll(() => site.close());

const ENGLISH = { title: 'Returning an order', answer: 'You can return any order within 30 days.' };

async function published(slug: string) {
  const owner = site.team.as('owner');
  const created = await owner.post<{ id: string; revision: number }>('/knowledge/articles', {
    ...ENGLISH,
    slug,
  });
  const path = `/knowledge/articles/${created.json.id}`;
  await owner.post(`${path}/publish`, { baseRevision: created.json.revision });
  return { id: created.json.id, path };
}

async function republish(path: string, answer: string): Promise<void> {
  const owner = site.team.as('owner');
  const { json } = await owner.get<{ revision: number }>(path);
  const edit = { ...ENGLISH, answer, baseRevision: json.revision };
  const { revision: baseRevision } = (await owner.put<{ revision: number }>(path, edit)).json;
  await owner.post(`${path}/publish`, { baseRevision });
}

describe('translation page', () => {
  it('takes a translation through review to publication', async () => {
    const { team } = site;
    const article = await published('whole-story');
    const author = await site.open('admin', `/articles/${article.id}`);
    const { page } = author;
    await page.getByRole('combobox', { name: 'Language to add' }).fill('German');
    await page.getByRole('option', { name: 'German', exact: true }).click();
    await page.getByRole('button', { name: 'Add translation' }).click();
    await page.getByRole('heading', { level: 1, name: 'Returning an order: German' }).waitFor();
    await page.getByText('You can return any order within 30 days.').waitFor();
    await page.getByRole('textbox', { name: 'Title' }).fill('Eine Bestellung zurückgeben');
    await page.getByRole('textbox', { name: 'Answer' }).fill('Jede Bestellung geht binnen 30 Tagen zurück.');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Save as draft' }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    const publish = page.getByRole('button', { name: 'Publish' });
    expect(await publish.getAttribute('aria-description')).toBe('Submit for review and get approval first.');
    await page.keyboard.press('Control+Enter');
    await page.getByText('Submitted for review.').waitFor();

    const reviewer = await site.open('owner', `/articles/${article.id}/translations/de`);
    await reviewer.page.getByRole('button', { name: 'Request changes' }).click();
    await reviewer.page.getByText('Describe what should change.').waitFor();
    await reviewer.page.getByLabel('What should change?').fill('Please say “innerhalb von”.');
    await expectAccessible(reviewer.page);
    await reviewer.page.getByRole('button', { name: 'Request changes' }).click();
    await reviewer.page.getByText('Changes requested.').waitFor();

    await author.go(`/articles/${article.id}/translations/de`);
    await page.getByText('Please say “innerhalb von”.').first().waitFor();
    await page
      .getByRole('textbox', { name: 'Answer' })
      .fill('Jede Bestellung geht innerhalb von 30 Tagen zurück.');
    await page.keyboard.press('Control+s');
    await page.getByText('Saved', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Submit for review' }).click();
    await page.getByText('Submitted for review.').waitFor();

    await reviewer.go(`/articles/${article.id}/translations/de`);
    await reviewer.page.getByRole('button', { name: 'Approve' }).click();
    await reviewer.page.getByText('Approved. You can publish it now.').waitFor();
    await reviewer.page.getByRole('button', { name: 'Publish' }).click();
    await reviewer.page.getByText('Published. Visitors now see this translation.').waitFor();
    await reviewer.page.getByRole('button', { name: 'Revisions' }).click();
    await reviewer.page.getByRole('radio', { name: 'Older: Revision 1' }).check();
    await reviewer.page.locator('ins', { hasText: 'innerhalb' }).first().waitFor();
    await expectAccessible(reviewer.page);

    const { jwt } = await team.harness.boot();
    const events = await team.harness.ask(
      jwt,
      { message: 'Wie gebe ich eine Bestellung zurück?' },
      { 'accept-language': 'de' },
    );
    expect(events.find(({ type }) => type === 'citation')).toMatchObject({
      content_locale: 'de',
      quote: expect.stringContaining('innerhalb von 30 Tagen'),
    });
    expect([...author.pageErrors, ...reviewer.pageErrors]).toEqual([]);
  });

  it('shows what changed in the original of an outdated translation', async () => {
    const { team } = site;
    const article = await published(`stale`);
    const owner = team.as('owner');
    await owner.post(`${article.path}/translations`, {
      locale: 'ar',
      title: 'إرجاع طلب',
      answer: 'يمكنك إرجاع أي طلب خلال ثلاثين يوما.',
      searchAliases: [],
    });
    await republish(article.path, 'You can return any order within 60 days.');
    const { page, pageErrors } = await site.open('owner', `/articles/${article.id}/translations/ar`, {
      viewport: { width: 360, height: 740 },
    });
    await page.getByText('The original changed after this translation').waitFor();
    await page.locator('ins', { hasText: '60' }).waitFor();
    await expectAccessible(page);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    expect(await page.locator('.cm-content[dir=rtl][lang=ar]').count()).toBe(1);
    await page.getByRole('button', { name: 'Still accurate' }).click();
    await page.getByText('Translation is up to date.').waitFor();
    expect(pageErrors).toEqual([]);
  });

  it('highlights the paragraph of the original at the cursor, by keyboard alone', async () => {
    const article = await published('side-by-side');
    const owner = site.team.as('owner');
    await republish(article.path, 'First.\n\nSecond.\n\nThird.');
    const german = {
      locale: 'de',
      title: 'Eins',
      answer: 'Erstens.\n\nZweitens.\n\nDrittens.',
      searchAliases: [],
    };
    await owner.post(`${article.path}/translations`, german);
    await republish(article.path, 'First.\n\nSecond.\n\nThird, as always.');
    const { page, pageErrors } = await site.open('owner', `/articles/${article.id}/translations/de`);
    const active = page.locator('.paragraphs > [data-active]');
    const selected = () => page.evaluate('getSelection().toString()');
    await page.getByRole('textbox', { name: 'Answer' }).click();
    await page.keyboard.press('Control+Home');
    await active.getByText('First.').waitFor();
    await page.keyboard.press('Alt+PageDown');
    await active.getByText('Second.').waitFor();
    expect(await selected()).toBe('Zweitens.');
    await page.keyboard.press('F8');
    await active.getByText('as always').waitFor();
    expect(await selected()).toBe('Drittens.');
    await page.getByText('Paragraph 3 of 3 of the original.').waitFor();
    await page.getByRole('button', { name: 'Paragraph 1: go to its translation' }).press('Enter');
    expect(await selected()).toBe('Erstens.');
    await expectAccessible(page);
    expect(pageErrors).toEqual([]);
  });

  it('can start with a copy of the original, unless there is text', async () => {
    const article = await published('copied');
    const { page } = await site.open('owner', `/articles/${article.id}/translations/fr`);
    const copy = page.getByRole('button', { name: 'Copy to translation' });
    const answer = page.getByRole('textbox', { name: 'Answer' });
    // The text at the time the editor loads is its initial state, which undo cannot remove.
    await answer.waitFor();
    await copy.click();
    await answer.getByText(ENGLISH.answer).waitFor();
    await expect.poll(() => copy.getAttribute('aria-description')).toBe('The translation has text already.');
    await answer.click();
    await page.keyboard.press('Control+z');
    await expect.poll(async () => (await answer.innerText()).trim()).toBe('');
  });

  it('shows tables and uploaded images of the original', async () => {
    const owner = site.team.as('owner');
    const file = toForm(new Uint8Array(Buffer.from(GIF_IMAGE, 'latin1')), 'plans.gif');
    const { json: image } = await owner.upload<{ url: string }>('/images?name=plans.gif', file);
    const article = await published('plans');
    const table = '| Plan | Price |\n| --- | ---: |\n| Solo | €5 |';
    await republish(
      article.path,
      `${table}\n\n![Our plans](${image.url})\n\n![Elsewhere](https://other.example/a.png)`,
    );
    const { page, pageErrors } = await site.open('owner', `/articles/${article.id}/translations/de`);
    await page.getByRole('table').getByRole('cell', { name: '€5' }).waitFor();
    const shown = page.getByRole('img', { name: 'Our plans' });
    await shown.scrollIntoViewIfNeeded();
    await expect
      .poll(() => shown.evaluate((node) => (node as { naturalWidth?: number }).naturalWidth))
      .toBe(1);
    await page.getByText('Elsewhere').waitFor();
    expect(await page.getByRole('img', { name: 'Elsewhere' }).count()).toBe(0);
    await expectAccessible(page);
    expect(pageErrors).toEqual([]);
  });

  it('marks the changed paragraphs of the original in their place', async () => {
    const article = await published('paragraphs');
    const owner = site.team.as('owner');
    await republish(article.path, 'First.\n\n- one\n\n- two\n\nWithin 30 days.');
    const german = { locale: 'de', title: 'Rückgabe', answer: 'Erstens.', searchAliases: [] };
    await owner.post(`${article.path}/translations`, german);
    await republish(article.path, 'First.\n\n- one\n\n- two\n\nWithin 60 days.\n\nFree of charge.');
    const { page, pageErrors } = await site.open('owner', `/articles/${article.id}/translations/de`);
    await page.getByText('Paragraphs changed since this translation: 2 of 4').waitFor();
    const source = page.getByRole('region', { name: 'Original in English' });
    const changed = source.locator('.paragraphs > [data-changed]');
    expect(await changed.count()).toBe(2);
    await changed.first().locator('del', { hasText: '30' }).waitFor();
    await changed.first().locator('ins', { hasText: '60' }).waitFor();
    await changed.last().locator('ins', { hasText: 'Free of charge.' }).waitFor();
    await expectAccessible(page);
    expect(pageErrors).toEqual([]);
  });

  it('explains to keyboard users why a button is disabled', async () => {
    const article = await published('disabled-buttons');
    const { page } = await site.open('owner', `/articles/${article.id}`);
    const publish = page.getByRole('button', { name: 'Publish changes' });
    expect(await publish.getAttribute('aria-disabled')).toBe('true');
    await publish.focus();
    await page.getByRole('tooltip', { name: 'Everything is published.' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('textbox', { name: 'Title' }).fill('');
    await publish.focus();
    await expect.poll(() => publish.getAttribute('aria-disabled')).toBeNull();
    await page.keyboard.press('Control+s');
    await expect
      .poll(() => publish.getAttribute('aria-description'))
      .toBe('Enter a title and an answer first.');
  });

  it('keeps the text and shows the changes when the original changes while it is written', async () => {
    const article = await published('changed-meanwhile');
    const owner = site.team.as('owner');
    const german = { title: 'Rückgabe', answer: 'Binnen 30 Tagen.', searchAliases: [] };
    const path = `${article.path}/translations`;
    const translation = await owner.post<{ id: string }>(path, { locale: 'de', ...german });
    const { page, pageErrors, go } = await site.open('owner', `/articles/${article.id}/translations/de`);
    const answer = page.getByRole('textbox', { name: 'Answer' });
    await answer.waitFor();
    // Changes the original before the text is typed, because typed text is saved within a second.
    await republish(article.path, 'You can return any order within 60 days.');
    await answer.fill('Innerhalb von 30 Tagen.');
    await page.keyboard.press('Control+s');
    await page.getByText('The original changed while you were writing').waitFor();
    await page.locator('ins', { hasText: '60' }).waitFor();
    expect(await answer.innerText()).toBe('Innerhalb von 30 Tagen.');
    const submit = page.getByRole('button', { name: 'Submit for review' });
    expect(await submit.getAttribute('aria-description')).toMatch(/changed original first/);
    await expectAccessible(page);

    // The unsaved text and the question survive a reload.
    await answer.fill('Innerhalb von 60 Tagen.');
    await go(`/articles/${article.id}/translations/de`);
    await page.getByText('The original changed while you were writing').waitFor();
    await page.locator('ins', { hasText: '60' }).waitFor();
    expect(await owner.get(`${path}/${translation.json.id}`)).toMatchObject({
      json: { stale: true, ...german },
    });
    await page.getByRole('button', { name: 'Save for the new original' }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    const saved = { stale: false, answer: 'Innerhalb von 60 Tagen.' };
    expect(await owner.get(`${path}/${translation.json.id}`)).toMatchObject({ json: saved });
    expect(pageErrors.filter((error) => !error.includes('409'))).toEqual([]);
  });

  it('shows what changed in the original while a new translation is written', async () => {
    const article = await published('changed-before-saving');
    const { page } = await site.open('owner', `/articles/${article.id}/translations/de`);
    await page.getByRole('textbox', { name: 'Title' }).fill('Rückgabe');
    await page.getByRole('textbox', { name: 'Answer' }).fill('Binnen 30 Tagen.');
    await republish(article.path, 'You can return any order within 60 days.');
    await page.getByRole('button', { name: 'Save as draft' }).click();
    await page.getByText('The original changed in the meantime').waitFor();
    await page.locator('ins', { hasText: '60' }).waitFor();
    await page.getByRole('textbox', { name: 'Answer' }).fill('Binnen 60 Tagen.');
    await page.getByRole('button', { name: 'Save as draft' }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
  });

  it('deletes a translation that was never published', async () => {
    const article = await published('never-published');
    const german = { locale: 'de', title: 'Rückgabe', answer: 'Binnen 30 Tagen.', searchAliases: [] };
    await site.team.as('owner').post(`${article.path}/translations`, german);
    const { page, pageErrors } = await site.open('owner', `/articles/${article.id}/translations/de`);
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await expectAccessible(page);
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Translation deleted.').waitFor();
    await page.getByRole('heading', { level: 1, name: ENGLISH.title }).waitFor();
    const read = async () =>
      (await site.team.as('owner').get<{ data: unknown[] }>(`${article.path}/translations`)).json.data;
    expect(await read()).toHaveLength(1);
    await page.goto('about:blank');
    await expect.poll(read).toEqual([]);
    expect(pageErrors).toEqual([]);
  });

  it('offers exactly the transitions that the server allows and that change something', () => {
    const events: Record<Transition, WorkflowEvent> = {
      submit: 'submit',
      approve: 'approve',
      request_changes: 'request_changes',
      publish: 'publish',
      archive: 'archive',
      restore: 'restore',
    };
    const statuses = [
      'draft',
      'in_review',
      'changes_requested',
      'approved',
      'published',
      'archived',
    ] as const;
    for (const status of statuses)
      for (const [step, event] of Object.entries(events) as [Transition, WorkflowEvent][])
        for (const stale of [true, false]) {
          const allowed = findTransition(status, event);
          const possible =
            allowed !== undefined &&
            !allowed.isDone &&
            !(stale && allowed.conditions.includes('current_source'));
          const why = getBlocker(step, { status, stale }, 'saved');
          expect(why === undefined, `${step} of ${status}${stale ? ', stale' : ''}`).toBe(possible);
        }
  });
});
