import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ArticleSummary } from '../../contract/articles.ts';
import type { SourceRunItemRecord, SourceRunRecord } from '../../contract/source-runs.ts';
import type { SourceRecord } from '../../contract/sources.ts';
import { type Harness, openHarness } from '../support/harness.ts';
import { expectError } from '../support/response.ts';
import { joinAs, type MemberClient } from '../support/team.ts';
import { article, type Pages, serveWebsite, sitemapOf, type Website } from '../support/website.ts';
import { openSource, type SourceClient } from './source-client.ts';

/** Scheduled and cancelled runs. */

const HOUR = 3_600_000;

let harness: Harness;
let member: MemberClient;
beforeEach(async () => {
  harness = await openHarness({ articles: [], env: { SOURCE_NETWORKS: '127.0.0.0/8' } });
  member = await joinAs(harness, harness.workspace, 'owner');
});
afterEach(() => harness.close());

async function expectSuccess<T>(
  pendingResponse: Promise<{ status: number; json: unknown; text: string }>,
): Promise<T> {
  const { status, json, text } = await pendingResponse;
  expect(status, text).toBeLessThan(300);
  return json as T;
}

const listRuns = async (path: string) =>
  (await expectSuccess<{ data: SourceRunRecord[] }>(member.get(`${path}/runs`))).data;
const listArticles = async (filter = '') => {
  const articles: ArticleSummary[] = [];
  for (let cursor = ''; ; ) {
    const page = await expectSuccess<{ data: ArticleSummary[]; nextCursor?: string }>(
      member.get(`/knowledge/articles?limit=200&${filter}${cursor && `&cursor=${cursor}`}`),
    );
    articles.push(...page.data);
    if (page.nextCursor === undefined) return articles;
    cursor = page.nextCursor;
  }
};
/** The `added` counts of the audit rows about runs, newest first. */
const listAdded = async () =>
  (await harness.service.store.in(harness.workspace.id).audit.list(50))
    .filter(({ action }) => action === 'source.applied')
    .map(({ details }) => Number(details.added));

async function serve(pages: Pages): Promise<Website> {
  const site: Website = await serveWebsite((path) => {
    const urls = Object.keys(pages).map((page) => `${site.origin}${page}`);
    return path === '/sitemap.xml' ? { body: sitemapOf(urls) } : pages[path];
  });
  await expectSuccess(member.patch('', { allowedOrigins: [site.origin] }));
  return site;
}

async function createWebsite(site: Website, schedule: 'hourly' | 'manual') {
  const website = { startUrls: [`${site.origin}/sitemap.xml`] };
  const settings = { name: 'Shop', mode: 'publish', website, schedule } as const;
  const body = { ...settings, type: 'website' };
  const { id } = await expectSuccess<SourceRecord>(member.post('/knowledge/sources', body));
  return { id, path: `/knowledge/sources/${id}`, settings };
}

/** Ticks until every run has finished, and returns the runs. */
async function settle(path: string): Promise<readonly SourceRunRecord[]> {
  for (;;) {
    await harness.service.tick();
    const runs = await listRuns(path);
    if (runs.every(({ finishedAt }) => finishedAt !== undefined)) return runs;
  }
}

const lamp = article('Cleaning the lamp', 'Unplug the lamp and wipe it with a dry cloth.');

describe('a source with a schedule', () => {
  it('is read at once, and then whenever it is due', async () => {
    const site = await serve({ '/lamp': lamp });
    const { id, path } = await createWebsite(site, 'hourly');
    const [first] = await settle(path);
    expect(first).toMatchObject({ state: 'done', scheduled: true, counts: { added: 1 } });
    expect(await listArticles(`source=${id}`)).toMatchObject([
      { title: 'Cleaning the lamp', status: 'published' },
    ]);
    const { nextRunAt } = await expectSuccess<SourceRecord>(member.get(path));
    expect(Date.parse(nextRunAt!) - harness.clock.now()).toBeLessThanOrEqual(HOUR);

    harness.clock.advance(HOUR / 2);
    expect(await settle(path)).toHaveLength(1);
    harness.clock.advance(HOUR / 2);
    expect(await settle(path)).toMatchObject([{ scheduled: true, counts: { unchanged: 1 } }, {}]);
  });

  it('is read once after an interruption, however many runs were due', async () => {
    const site = await serve({ '/lamp': lamp });
    const { path } = await createWebsite(site, 'hourly');
    await settle(path);
    harness.clock.advance(5 * HOUR);
    await settle(path);
    expect(await settle(path)).toHaveLength(2);
  });

  it('is not read while it is paused, and again when it is resumed', async () => {
    const site = await serve({ '/lamp': lamp });
    const { path, settings } = await createWebsite(site, 'hourly');
    await settle(path);
    const paused = await expectSuccess<SourceRecord>(member.put(path, { ...settings, paused: true }));
    expect(paused.state).toBe('paused');
    expect(paused).not.toHaveProperty('nextRunAt');
    harness.clock.advance(2 * HOUR);
    expect(await settle(path)).toHaveLength(1);
    await expectSuccess(member.put(path, settings));
    expect(await settle(path)).toHaveLength(2);
  });

  it('is read when the active run has ended', async () => {
    const site = await serve({ '/lamp': lamp });
    const { path } = await createWebsite(site, 'hourly');
    await settle(path);
    const preview = await expectSuccess<SourceRunRecord>(member.post(`${path}/runs`, { preview: true }));
    harness.clock.advance(HOUR);
    await expect.poll(readState(path, preview.id)).toBe('ready');
    await harness.service.tick();
    expect(await listRuns(path)).toHaveLength(2);
    await expectSuccess(member.post(`${path}/runs/${preview.id}/cancel`));
    expect(await settle(path)).toMatchObject([{ scheduled: true, state: 'done' }, {}, {}]);
  });

  it('is read again after a run that failed', async () => {
    const site = await serve({ '/lamp': lamp });
    const { id, path } = await createWebsite(site, 'hourly');
    await settle(path);
    await expectSuccess(member.patch('', { allowedOrigins: ['https://other.example'] }));
    harness.clock.advance(HOUR);
    expect(await settle(path)).toMatchObject([{ failure: { reason: 'origin_not_proved' } }, {}]);
    expect(await listArticles(`source=${id}`)).toMatchObject([{ status: 'published' }]);
    await expectSuccess(member.patch('', { allowedOrigins: [site.origin] }));
    harness.clock.advance(HOUR);
    expect(await settle(path)).toMatchObject([{ state: 'done', counts: { unchanged: 1 } }, {}, {}]);
  });
});

const readState = (path: string, runId: string) => async () => {
  await harness.service.tick();
  return (await expectSuccess<SourceRunRecord>(member.get(`${path}/runs/${runId}`))).state;
};

const PARTS = Array.from({ length: 200 }, (_, at) =>
  JSON.stringify({ slug: `part-${at}`, locale: 'en', title: `Part ${at}`, answer: `About part ${at}.` }),
);

/** Starts a run; resolves when it has applied some of its articles and is still running. */
async function startParts(source: SourceClient): Promise<{ id: string; ended: Promise<void> }> {
  await source.upload('parts.jsonl', PARTS.join('\n'));
  const { id } = await source.start();
  const ended = harness.service.tick();
  await expect.poll(async () => (await source.readRun(id)).progress.done, { interval: 1 }).toBeGreaterThan(8);
  return { id, ended };
}

describe('a run', () => {
  it('keeps no articles when cancelled while reading, and lets the next run start', async () => {
    let answerDesk: (() => void) | undefined;
    const desk = article('Moving the desk', 'Two people can carry the desk.');
    const site = await serve({
      '/lamp': lamp,
      '/desk': (_request, response) => {
        answerDesk = () => response.writeHead(200, { 'content-type': 'text/html' }).end(desk);
      },
    });
    const { id, path } = await createWebsite(site, 'manual');
    const run = await expectSuccess<SourceRunRecord>(member.post(`${path}/runs`, {}));
    const ticking = harness.service.tick();
    await expect.poll(() => answerDesk).toBeDefined();
    expect(await expectSuccess(member.get(`${path}/runs/${run.id}`))).toMatchObject({ state: 'reading' });
    const cancelled = await expectSuccess<SourceRunRecord>(member.post(`${path}/runs/${run.id}/cancel`));
    expect(cancelled).toMatchObject({ state: 'cancelled', counts: { added: 0 } });
    answerDesk!();
    await ticking;
    expect(await expectSuccess(member.get(path))).toMatchObject({ state: 'idle', articles: 0 });
    expect(await listArticles(`source=${id}`)).toStrictEqual([]);
    expect(await listAdded()).toStrictEqual([]);
    expectError(await member.post(`${path}/runs/${run.id}/apply`), 'source/not_allowed');

    answerDesk = undefined;
    await expectSuccess(member.post(`${path}/runs`, {}));
    const again = settle(path);
    await expect.poll(() => answerDesk).toBeDefined();
    answerDesk!();
    expect(await again).toMatchObject([{ state: 'done', counts: { added: 2 } }, {}]);
  });

  it('keeps and counts the applied articles when cancelled while applying, and the next run applies the rest', async () => {
    const source = await openSource('publish', { harness, member });
    const { id, ended } = await startParts(source);
    await expectSuccess(member.post(`${source.path}/runs/${id}/cancel`));
    await ended;

    const { state, counts } = await source.readRun(id);
    expect(state).toBe('cancelled');
    const added = await listArticles(`source=${source.id}`);
    expect(added.length).toBeLessThan(PARTS.length);
    expect(counts.added).toBe(added.length);
    expect((await listAdded()).reduce((sum, each) => sum + each, 0)).toBe(added.length);
    const log = await expectSuccess<{ data: SourceRunItemRecord[] }>(
      member.get(`${source.path}/runs/${id}/items?limit=200`),
    );
    expect(log.data.filter(({ applied }) => applied)).toHaveLength(added.length);

    await source.upload('parts.jsonl', PARTS.join('\n'));
    expect((await source.run()).counts).toMatchObject({
      ...{ added: PARTS.length - added.length, unchanged: added.length },
      ...{ changed: 0, conflicts: 0, refused: 0 },
    });
    await source.upload('parts.jsonl', PARTS.slice(PARTS.length / 2).join('\n'));
    expect((await source.run()).counts).toMatchObject({ removed: PARTS.length / 2, conflicts: 0 });
  });
});

describe('a source that is deleted while a run applies', () => {
  it('leaves each of its articles once, as an ordinary article', async () => {
    const source = await openSource('publish', { harness, member });
    const { ended } = await startParts(source);
    await expectSuccess(member.delete(source.path));
    await ended;
    expect(await listArticles(`source=${source.id}`)).toStrictEqual([]);
    const slugs = (await listArticles()).map(({ slug }) => slug);
    expect(slugs.length).toBeGreaterThan(8);
    expect(slugs.filter((slug) => !/^part-\d+$/.test(slug))).toStrictEqual([]);
  });
});
