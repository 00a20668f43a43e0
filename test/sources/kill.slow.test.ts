import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { afterEach, expect, it } from 'vitest';
import { createTenant } from '../../client/sdk/index.ts';
import { openSqlite } from '../../server/storage/sqlite/open.ts';
import { openHarness } from '../support/harness.ts';
import { end, killAll, serve as serveFrom } from '../support/service-process.ts';
import { joinAs } from '../support/team.ts';
import { tempDir } from '../support/temp-dir.ts';
import { article, serveWebsite, sitemapOf } from '../support/website.ts';

/** `kill -9` ends the server while it reads a website, and again while it applies what it has read. */

const PAGES = 120;
/** Number of pages that are read concurrently, and so may be interrupted by a kill. */
const LANES = 4;
const dataDir = tempDir();
const FILE = join(dataDir, 'guidepost.db');
afterEach(killAll);

const serve = () => serveFrom(dataDir, { SOURCE_NETWORKS: '127.0.0.0/8', LOG_LEVEL: 'silent' });

/** Creates a workspace that owns the site, and an automation session that imports it. */
async function prepare(origin: string): Promise<{ tenantId: string; session: string }> {
  const harness = await openHarness({ dataDir, articles: [] });
  const owner = await joinAs(harness, harness.workspace, 'owner');
  await owner.patch('', { allowedOrigins: [origin] });
  const { json, status, text } = await owner.post<{ token: string }>('/automation-sessions', {
    ...{
      name: 'Importer',
      role: 'admin',
      areas: ['articles', 'translations', 'review'],
      mayApproveOwn: true,
    },
  });
  expect(status, text).toBe(201);
  await harness.service.close();
  return { tenantId: harness.workspace.id, session: json.token };
}

it('a run loses nothing and repeats nothing when it is killed while it reads and while it applies', {
  timeout: 180_000,
}, async () => {
  const paths = Array.from({ length: PAGES }, (_, at) => `/page-${at}`);
  const site = await serveWebsite((path) =>
    path === '/sitemap.xml'
      ? { body: sitemapOf(paths.map((each) => `${site.origin}${each}`)) }
      : paths.includes(path)
        ? article(`Lantern ${path.slice(6)}`, `Lantern number ${path.slice(6)} hangs in hall ${path.length}.`)
        : undefined,
  );
  const access = await prepare(site.origin);
  let server = await serve();
  let { sources } = createTenant({ baseUrl: server.baseUrl, ...access });
  const { id } = await sources.create({
    ...{ type: 'website', name: 'Site', mode: 'publish' },
    website: { startUrls: [`${site.origin}/sitemap.xml`] },
  });
  const { id: runId } = await sources.run(id);
  const restartWhen = async (state: string, done: number) => {
    // Polling more often would exceed the session's rate limit.
    const database = new Database(FILE, { readonly: true });
    const progress = database.prepare<[], { state: string; done: number }>(
      'SELECT state, done FROM source_runs',
    );
    for (;;) {
      const run = progress.get()!;
      if (run.state === state && run.done >= done) break;
      if (run.state === 'done' || run.state === 'failed') throw new Error(`the run is ${run.state} already`);
      await pause(5);
    }
    database.close();
    await end(server, 'SIGKILL');
    server = await serve();
    ({ sources } = createTenant({ baseUrl: server.baseUrl, ...access }));
  };
  await restartWhen('reading', 30);
  await restartWhen('applying', 10);
  const run = await sources.wait(id, runId);
  expect(run).toMatchObject({
    state: 'done',
    counts: { added: PAGES, changed: 0, refused: 0, conflicts: 0 },
  });
  await end(server, 'SIGKILL');

  const store = openSqlite({ file: FILE });
  const { articles, audit } = store.in(access.tenantId);
  const stored = await articles.list(2 * PAGES);
  expect(new Set(stored.map(({ source }) => source?.place)).size).toBe(PAGES);
  expect(stored.map(({ revision, status }) => `${revision} ${status}`)).toStrictEqual(
    Array.from({ length: PAGES }, () => '1 published'),
  );
  const rows = (await audit.list(200)).filter(({ action }) => action === 'source.applied');
  expect(rows).toMatchObject([{ details: { added: PAGES } }]);
  await store.close();
  const asked = site.requests.filter(({ path }) => path.startsWith('/page-'));
  expect(new Set(asked.map(({ path }) => path)).size).toBe(PAGES);
  expect(asked.length).toBeLessThanOrEqual(PAGES + LANES);
});
