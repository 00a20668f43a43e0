import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Tenant } from '../../client/sdk/index.ts';
import { readUsage } from '../../generated/routes.ts';
import { type Office, openOffice } from '../accounts/office.ts';
import { collect, join } from './colleagues.ts';

let office: Office;
let tenant: Tenant;
beforeAll(async () => {
  office = await openOffice();
  tenant = (await join(office, 'owner')).account.tenant(office.workspace.id);
});
afterAll(() => office.close());

test('tenant.installation() and tenant.call(readUsage) return where the guide runs and what is used', async () => {
  await office.harness.boot();
  const { origins, refused } = await tenant.installation();
  expect(origins[0]).toMatchObject({ origin: office.harness.origin, lastSeenAt: expect.any(String) });
  expect(refused).toEqual([]);
  expect((await tenant.call(readUsage)).voice).toMatchObject({ usedSeconds: 0, monthlySecondsMax: 3600 });
});

test('tenant.preview() answers as for a visitor', async () => {
  const { answer, findings } = await tenant.preview({ message: 'How do I reset my password?', locale: 'en' });
  expect(answer).not.toBe('');
  expect(findings.passages.some(({ cited }) => cited)).toBe(true);
});

test('settings.directives() previews settings that are not saved', async () => {
  const byRegion = [{ region: 'JP', strictness: 'opt_in' as const }];
  const modeIn = async (options: Parameters<Tenant['settings']['directives']>[0]) =>
    (await tenant.settings.directives({ region: 'JP', ...options })).data[0]!.mode;
  expect(await modeIn({})).toBe('notice');
  expect(await modeIn({ byRegion })).toBe('opt_in');
  expect(await modeIn({ gpc: true })).toBe('opt_out');
  await tenant.settings.change({ consentStrictnessByRegion: byRegion });
  expect(await modeIn({})).toBe('opt_in');
  expect(await modeIn({ byRegion: [] })).toBe('notice');
});

test('coverage, review queue and revisions lead to the source text of a translation', async () => {
  const article = await tenant.articles.publish(
    await tenant.articles.create({ title: 'Gift wrapping', answer: 'Two euros.' }),
  );
  const draft = await tenant.translations.create(article.id, {
    locale: 'nl',
    title: 'Cadeau',
    answer: 'Twee euro.',
  });
  const submitted = await tenant.translations.submit(draft);
  const tasks = tenant.translations.reviewQueue({ for: 'everybody', kind: 'review' });
  expect((await collect(tasks)).map(({ translationId }) => translationId)).toEqual([draft.id]);
  expect((await tasks.page()).counts.review).toBe(1);
  const { locales } = await tenant.articles.coverage();
  expect(locales.find(({ locale }) => locale === 'nl')).toMatchObject({ inReview: 1, live: 0 });
  const source = await tenant.articles.revision(article.id, submitted.sourceRevision);
  expect(source.answer).toBe('Two euros.');
  const listed = await collect(tenant.articles.list({ translationStatus: 'in_review', stale: false }));
  expect(listed.map(({ id }) => id)).toEqual([article.id]);
});

test('feedback and audit log can be filtered', async () => {
  expect(await collect(tenant.feedback({ rating: 'down', commented: true, from: new Date(0) }))).toEqual([]);
  expect(await collect(tenant.conversations.list({ q: 'norway', rating: 'up' }))).toEqual([]);
  const rows = await collect(tenant.audit({ action: 'translation.', limit: 1 }));
  expect(new Set(rows.map(({ action }) => action.split('.')[0]))).toEqual(new Set(['translation']));
});
