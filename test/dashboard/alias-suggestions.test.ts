import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { ArticleRecord } from '../../contract/articles.ts';
import { expectAccessible } from '../fixtures/browser.ts';
import { importSeeds } from '../fixtures/seeds.ts';
import { articles } from '../knowledge/parallel-articles.ts';
import { type AppSite, openAppSite } from './app-site.ts';

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
  const { page, complaints } = await site.open('owner', `/articles/${parcelId}`);
  const add = page.getByRole('button', { name: 'Add “package”' });
  await add.waitFor();
  await expectAccessible(page);
  await add.click();
  await add.waitFor({ state: 'detached' });
  await page.keyboard.press('Control+s');
  await page.getByText('Saved', { exact: true }).waitFor();
  const { json } = await owner().get<ArticleRecord>(`/knowledge/articles/${parcelId}`);
  expect(json.aliases).toEqual(['package']);
  expect(complaints).toEqual([]);
});

it('dismisses a suggested alias for good', async () => {
  const { page, complaints } = await site.open('owner', `/articles/${packageId}`);
  await page.getByRole('button', { name: 'Dismiss “parcel”' }).click();
  await page.getByRole('button', { name: 'Add “parcel”' }).waitFor({ state: 'detached' });
  const path = `/knowledge/articles/${packageId}/alias-suggestions`;
  const { json } = await owner().get<{ data: { alias: string }[] }>(path);
  expect(json.data.map(({ alias }) => alias)).not.toContain('parcel');
  expect(complaints).toEqual([]);
});
