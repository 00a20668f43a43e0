import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ArticleRecord, ArticleSummary } from '../../contract/articles.ts';
import { openHarness } from '../support/harness.ts';
import { expectError } from '../support/response.ts';
import { joinAs } from '../support/team.ts';
import { serveWebsite } from '../support/website.ts';
import { buildZip } from './files/zip-file.ts';
import { openSource, type SourceClient } from './source-client.ts';

/** What a run shows of its texts, before and after it is applied, and of what it left out. */

let source: SourceClient;
beforeEach(async () => {
  source = await openSource('publish');
});
afterEach(() => source.harness.close());

const lamp = (answer: string) => `# Lamp\n\n${answer}`;

it('shows the text that a preview would add, and then the article', async () => {
  await source.upload('lamp.md', lamp('Wipe it **dry**.'));
  const { id } = await source.run(true);
  const after = { title: 'Lamp', answer: 'Wipe it **dry**.', aliases: [] };
  expect(await source.text(id, 'lamp.md')).toStrictEqual({ place: 'lamp.md', locale: 'en', after });
  await source.apply(id);
  expect(await source.text(id, 'lamp.md')).toMatchObject({ after, articleId: expect.any(String) });
  expect(await source.text(id, 'lamp.md')).not.toHaveProperty('before');
});

it('shows a text before and after a change, also once it was edited again', async () => {
  const { harness, member } = source;
  await source.upload('lamp.md', lamp('Wipe it dry.'));
  await source.run();
  harness.clock.advance(60_000);
  await source.upload('lamp.md', lamp('Wipe it wet.'));
  const { id } = await source.run(true);
  const change = { before: { answer: 'Wipe it dry.' }, after: { answer: 'Wipe it wet.' } };
  expect(await source.text(id, 'lamp.md')).toMatchObject(change);
  await source.apply(id);
  expect(await source.text(id, 'lamp.md')).toMatchObject(change);
  harness.clock.advance(60_000);
  const [{ id: articleId, revision }] = (await member.get<{ data: [ArticleSummary] }>('/knowledge/articles'))
    .json.data;
  const edit = { title: 'Lamp', answer: 'Do not wipe it.', aliases: [], baseRevision: revision };
  await source.call<ArticleRecord>(member.put(`/knowledge/articles/${articleId}`, edit));
  expect(await source.text(id, 'lamp.md')).toMatchObject(change);
});

it('shows both texts of a conflict, and the text that a run removed', async () => {
  const { member } = source;
  await source.upload(
    'all.jsonl',
    JSON.stringify({ slug: 'lamp', title: 'Lamp', answer: 'Wipe it dry.', locale: 'en' }),
  );
  await source.run();
  const [{ id: articleId, revision }] = (await member.get<{ data: [ArticleSummary] }>('/knowledge/articles'))
    .json.data;
  const edit = { title: 'Lamp', answer: 'Do not wipe it.', aliases: [], baseRevision: revision };
  await source.call(member.put(`/knowledge/articles/${articleId}`, edit));
  await source.upload(
    'all.jsonl',
    JSON.stringify({ slug: 'lamp', title: 'Lamp', answer: 'Wipe it wet.', locale: 'en' }),
  );
  const conflict = await source.run();
  const { place } = (await source.items(conflict.id))[0]!;
  const both = { before: { answer: 'Do not wipe it.' }, after: { answer: 'Wipe it wet.' } };
  expect(await source.text(conflict.id, place)).toMatchObject(both);
  await source.resolve([place], 'replace');
  await source.upload(
    'all.jsonl',
    JSON.stringify({ slug: 'desk', title: 'Desk', answer: 'Dust it.', locale: 'en' }),
  );
  const { id } = await source.run(true);
  const removed = await source.text(id, place);
  expect(removed).toMatchObject({ before: { answer: 'Wipe it wet.' } });
  expect(removed).not.toHaveProperty('after');
});

it('rejects a place without text, and a run of another source', async () => {
  await source.upload('logo.png', 'PNG');
  await source.upload('lamp.md', lamp('Wipe it dry.'));
  const { id } = await source.run(true);
  const { member, path, harness } = source;
  for (const place of ['logo.png', 'desk.md'])
    expectError(await member.get(`${path}/runs/${id}/text?place=${place}`), 'source/text_not_found');
  const other = await openSource('publish', { harness, member });
  expectError(await member.get(`${other.path}/runs/${id}/text?place=lamp.md`), 'source/run_not_found');
  expectError(await member.get(`${other.path}/runs/${id}/refusals`), 'source/run_not_found');
});

it('counts what it left out by reason, and lists the places of one', async () => {
  await source.upload('a.md', '---\ndraft: true\n---\n# Prices\n\nSecret.');
  await source.upload('b.md', '---\ndraft: true\n---\n# Plans\n\nSecret.');
  await source.upload('logo.png', 'PNG');
  const { id } = await source.run();
  expect(await source.reasons(id)).toStrictEqual([
    { reason: 'draft', count: 2 },
    { reason: 'unsupported_type', count: 1 },
  ]);
  const { json } = await source.member.get(`${source.path}/runs/${id}/items?reason=unsupported_type`);
  expect(json).toMatchObject({ data: [{ place: 'logo.png' }] });
});

const packed = (...files: readonly string[]) =>
  new Uint8Array(buildZip(files.map((name) => ({ name, content: lamp(`About ${name}.`) }))));

it('gives packed files their own paths, and replaces each file and folder by itself', async () => {
  await source.upload(
    'files.zip',
    packed('lamp.md', 'lamp.de.md', 'manual/setup.md', 'manual/care.md'),
    'whole',
  );
  const first = await source.run();
  expect((await source.items(first.id)).map(({ place }) => place)).toStrictEqual([
    'lamp.de.md',
    'lamp.md',
    'manual/care.md',
    'manual/setup.md',
  ]);
  await source.upload('files.zip', packed('desk.md'), 'whole');
  expect((await source.run()).counts).toMatchObject({ added: 1, removed: 0 });
  await source.upload('files.zip', packed('manual/setup.md'), 'whole');
  expect((await source.run()).counts).toMatchObject({ removed: 1, unchanged: 1 });
});

it('adds a further zip to the folders of the one before', async () => {
  await source.upload('files.zip', packed('manual/setup.md'), 'whole');
  await source.upload('files.zip', packed('manual/care.md', 'lamp.md'), 'more');
  expect((await source.run()).counts).toMatchObject({ added: 3 });
});

it('names the setting that would allow a private address, when the source is created and when it is read', async () => {
  const harness = await openHarness({
    articles: [],
    env: { HOST: '127.0.0.1', PUBLIC_URL: 'https://guide.example.com' },
  });
  const member = await joinAs(harness, harness.workspace, 'owner');
  const site = await serveWebsite({});
  const settings = {
    name: 'Help',
    type: 'website',
    mode: 'review',
    website: { startUrls: [`${site.origin}/sitemap.xml`] },
  };
  const response = await member.post('/knowledge/sources', settings);
  expect(expectError(response, 'request/invalid').issues).toStrictEqual([
    {
      path: 'body.website.startUrls.0',
      code: 'private_address',
      message: `${new URL(site.origin).host} is not a public address. Start the server with SOURCE_NETWORKS=127.0.0.1 to read it.`,
    },
  ]);
  const { dataDir } = harness;
  await harness.service.close();
  const local = await openHarness({ dataDir });
  const again = await joinAs(local, local.workspace, 'owner');
  const created = await openSource('publish', {
    harness: local,
    member: again,
    settings: { ...settings, mode: 'publish' },
  });
  await created.call(again.patch('', { allowedOrigins: [site.origin] }));
  expect((await created.run()).failure?.reason).toBe('start_unreachable');
  await local.service.close();
  const published = await openHarness({ dataDir, env: { PUBLIC_URL: 'https://guide.example.com' } });
  const owner = await joinAs(published, published.workspace, 'owner');
  const run = await published.service.store.in(published.workspace.id).sources.list();
  const { json } = await owner.post<{ id: string }>(`/knowledge/sources/${run[0]!.id}/runs`, {});
  await published.service.tick();
  expect((await owner.get(`/knowledge/sources/${run[0]!.id}/runs/${json.id}`)).json).toMatchObject({
    failure: { reason: 'private_address', detail: `${site.origin} SOURCE_NETWORKS=127.0.0.1` },
  });
  await published.close();
});
