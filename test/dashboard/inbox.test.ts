import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { type AppSite, openAppSite } from '../support/app-site.ts';
import { expectAccessible } from '../support/browser.ts';
import { GERMANY } from '../support/decisions.ts';
import { KNOWN, rate, sendMessage, UNKNOWN, visit } from '../support/visitor-actions.ts';

let site: AppSite;
beforeAll(async () => {
  site = await openAppSite({ env: { TRUSTED_PROXIES: 'loopback', EDGE_PROVIDER: 'cloudflare' } });
});
beforeEach(async () => {
  const { team } = site;
  const { service, clock, workspace } = team.harness;
  const { inbox } = service.store.in(workspace.id);
  for (const { id } of await inbox.list(50, { states: ['open', 'resolved', 'dismissed'] }, 'asked')) {
    const untouched = { state: 'open', assigneeId: null, articleId: null } as const;
    await inbox.change(id, untouched, clock.now(), () => undefined);
  }
});
afterEach(() => site.leave());
afterAll(() => site.close());

const COWRIES = '=Can I pay with cowrie shells?';

/** Asks questions of two groups, and rates an answer with a comment. */
beforeAll(async () => {
  const { team } = site;
  const { service, clock } = team.harness;
  const visitor = await visit(team);
  await sendMessage(team, visitor, 'c1', COWRIES);
  for (const id of ['c2', 'c3']) await sendMessage(team, visitor, id, UNKNOWN);
  const { messageId } = await sendMessage(team, visitor, 'c4', KNOWN);
  await rate(team, visitor, {
    message_id: messageId,
    rating: 'down',
    comment: 'I have no e-mail.',
    reasons: ['off_topic'],
  });
  clock.advance(61_000);
  await service.tick();
});

it('the inbox shows groups with their reasons, filters them and links to their conversations', async () => {
  const { page, pageErrors } = await site.open('member', '/inbox');
  const groups = page.getByRole('list', { name: 'Groups of questions' }).getByRole('listitem');
  await expect.poll(() => groups.count()).toBe(3);
  expect(await groups.first().textContent()).toContain('Asked 2 times');
  expect(await page.getByRole('button', { name: 'More actions' }).count()).toBe(0);
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Filters' }).click();
  await page.getByRole('combobox', { name: 'Reason' }).click();
  await page.getByRole('option', { name: 'Not helpful (1)' }).click();
  await page.keyboard.press('Escape');
  await expect.poll(() => groups.count()).toBe(1);
  await page.getByText('I have no e-mail.').waitFor();
  expect(await page.getByText('Not what was asked').count()).toBe(1);
  expect(new URL(page.url()).searchParams.get('kind')).toBe('rated_down');
  await page.reload();
  await page.getByRole('link', { name: KNOWN }).click();
  await page.getByRole('heading', { level: 1, name: 'Conversation from' }).waitFor();
  expect(pageErrors).toEqual([]);
});

it('the inbox moves between questions, assigns and resolves by keyboard, and undoes', async () => {
  const { page, pageErrors } = await site.open('admin', '/inbox');
  const groups = page.getByRole('list', { name: 'Groups of questions' }).getByRole('listitem');
  await expect.poll(() => groups.count()).toBe(3);
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await page.keyboard.press('k');
  await expect
    .poll(() => groups.first().evaluate((each) => each.contains(each.ownerDocument.activeElement)))
    .toBe(true);
  await page.keyboard.press('a');
  await groups
    .first()
    .getByText(/· You$/)
    .waitFor();
  const [first, second] = await groups.evaluateAll((all) =>
    all.map((each) => each.querySelector('span')?.textContent),
  );
  await page.keyboard.press('e');
  await expect.poll(() => groups.count()).toBe(2);
  const detail = page.getByRole('region', { name: 'Details' });
  await detail.getByRole('heading', { name: second! }).waitFor();
  expect(await groups.filter({ hasText: first! }).count()).toBe(0);
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Undo' }).last().click();
  await expect.poll(() => groups.count()).toBe(3);
  await page.keyboard.press('?');
  await page.getByRole('dialog').getByText('Next question').waitFor();
  expect(pageErrors).toEqual([]);
});

it('the inbox links the nearest article, asks again and shows what changed', async () => {
  const { page, pageErrors } = await site.open('owner', `/inbox?kind=rated_down`);
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Link article' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Reset your password' }).click();
  await page.getByText('Answered by').waitFor();
  await page.getByRole('button', { name: 'Ask again' }).click();
  const table = page.getByRole('table', { name: 'Questions asked again' });
  await table.getByText('Answered, confidence').first().waitFor();
  await expectAccessible(page);
  expect(pageErrors).toEqual([]);
});

it('the CSV of the inbox keeps a question from running as a formula in a spreadsheet', async () => {
  const { page } = await site.open('owner', '/inbox');
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download “Inbox” as CSV' }).click();
  const { readFile } = await import('node:fs/promises');
  expect(await readFile(await (await download).path(), 'utf8')).toContain(`'${COWRIES}`);
});

it('the inbox has an empty state, and shows a list and then a question on a phone', async () => {
  const { page } = await site.open('owner', '/inbox?state=dismissed', {
    viewport: { width: 360, height: 740 },
  });
  await page.getByText('Nothing to improve').waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Show all open questions' }).click();
  await page.getByRole('button', { name: COWRIES }).click();
  await page.getByRole('button', { name: 'More actions' }).waitFor();
  expect(await page.getByRole('list', { name: 'Groups of questions' }).count()).toBe(0);
  await expectAccessible(page);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
  await page.getByRole('button', { name: 'Go back' }).click();
  await page.getByRole('button', { name: COWRIES }).waitFor();
});

it('the inbox counts unanswered questions without a visitor, and lists their words once a workspace keeps them', async () => {
  const { team } = site;
  const { clock } = team.harness;
  await sendMessage(team, await visit(team, GERMANY), 'u1', 'Who won the 1954 world cup?');
  const { page, pageErrors, go } = await site.open('owner', '/inbox');
  const card = page.getByRole('region', { name: '1 unanswered question from undecided visitors' });
  await card.getByRole('list', { name: 'In these languages' }).getByText('Asked once').waitFor();
  expect(await card.getByText('1954').count()).toBe(0);

  await card.getByRole('link', { name: 'Keep the words of such questions' }).click();
  await page.getByLabel('Keep unanswered questions and searches of visitors who have not decided').check();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').first().waitFor();
  clock.advance(1_001);
  await sendMessage(team, await visit(team, GERMANY), 'u2', 'Who sells whales in 1954?');
  await go('/inbox');
  const words = page.getByRole('table', { name: 'What these visitors asked' });
  await words.getByText('Who sells whales in 1954?').waitFor();
  expect(await words.getByRole('row').count()).toBe(2);
  await expectAccessible(page);
  await words.getByRole('link', { name: 'Write an article' }).click();
  await expect.poll(() => page.getByLabel('Title').inputValue()).toBe('Who sells whales in 1954?');
  expect(pageErrors).toEqual([]);
});
