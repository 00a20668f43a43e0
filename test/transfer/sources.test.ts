import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { source, sourceDocument, sourceRun, sourceRunItem } from '../../contract/archive-sources.ts';
import { ARTICLE_LIMITS } from '../../contract/limits/articles.ts';
import { SOURCE_LIMITS } from '../../contract/limits/sources.ts';
import { newId } from '../../server/base/ids.ts';
import { hashContent } from '../../server/knowledge/article-content.ts';
import type {
  LastApplied,
  RunItem,
  Snapshot,
  Source,
  SourceSettings,
} from '../../server/storage/source-rows.ts';
import { commandLine } from '../support/command-line.ts';
import { clock, openHarness } from '../support/harness.ts';
import { joinAs } from '../support/team.ts';
import { tempDir } from '../support/temp-dir.ts';

const now = Date.UTC(2026, 10, 21, 8);
const ID = { articleId: newId('art'), translationId: newId('tr') };
const PLACE = `https://shop.example.com/${'p'.repeat(SOURCE_LIMITS.placeBytesMax - 26)}`;
const DETAIL = 'd'.repeat(SOURCE_LIMITS.skipDetailCharsMax);
const TITLE = '"\\\u2028'.repeat(ARTICLE_LIMITS.titleCharsMax).slice(0, ARTICLE_LIMITS.titleCharsMax);

const SETTINGS: readonly SourceSettings[] = [
  {
    ...{
      name: 'n'.repeat(SOURCE_LIMITS.sourceNameCharsMax),
      mode: 'publish',
      schedule: 'weekly',
      paused: true,
    },
    nextRunAt: now,
    website: {
      startUrls: Array.from({ length: SOURCE_LIMITS.startUrlsMax }, (_, at) => `${PLACE.slice(0, -2)}${at}`),
      include: ['/help/*'],
      exclude: ['*.pdf', '/x?y=*'],
      pagesMax: SOURCE_LIMITS.sourcePagesMax,
    },
  },
  {
    ...{ name: 'Manual', mode: 'review', schedule: 'manual', paused: false },
    files: { baseUrl: `https://shop.example.com/${'b'.repeat(SOURCE_LIMITS.placeBytesMax - 26)}/` },
  },
  {
    ...{ name: 'Help center', mode: 'review', schedule: 'daily', paused: false },
    zendesk: { address: 'https://shop.zendesk.com', email: 'help@shop.example.com' },
    sealedToken: 'sealed',
  },
];

const text = { title: TITLE, answer: 'Wipe it.\n\n[page 2]: #page=2\n\nRinse it.', aliases: ['Lamp'] };
const address = { url: 'https://shop.example.com/lamp.pdf#page=1' };
const conflicting: Snapshot = {
  ...{ place: PLACE, kind: 'document', upload: '', readUrl: PLACE, locale: 'de', title: TITLE, ...address },
  ...{ etag: 'e'.repeat(1000), lastModified: 'l'.repeat(1000), translationOf: PLACE, slug: 'lamp' },
  contentHash: hashContent(text),
  text: { ...text, ...address, slug: 'lamp', collection: 'Lamps', tags: ['light'] },
};
const DOCUMENTS: readonly LastApplied[] = [
  {
    ...{ place: PLACE, locale: 'de', translationOf: PLACE, contentHash: hashContent(text), ...address },
    ...{ upload: '', readUrl: PLACE, etag: 'e'.repeat(1000), lastModified: 'l'.repeat(1000), removed: false },
  },
  {
    ...{ place: 'f.zip/a.md', locale: 'zh-Hant', contentHash: hashContent(text), removed: true },
    upload: 'f'.repeat(SOURCE_LIMITS.sourceFileNameCharsMax),
  },
];
const ITEMS: readonly RunItem[] = [
  { place: PLACE, root: PLACE, outcome: 'conflict', locale: 'de', title: TITLE, ...ID, applied: true },
  {
    place: 'refused',
    root: 'refused',
    outcome: 'refused',
    reason: 'http_status',
    detail: DETAIL,
    applied: true,
  },
  { place: 'removed', root: 'root', outcome: 'removed', reason: 'no_index', ...ID, applied: false },
  { place: 'added', root: 'added', outcome: 'added', locale: 'sl-rozaj-biske-1994', applied: false },
];

/** Stores sources with every field, each at its limit. */
async function fill(harness: Awaited<ReturnType<typeof openHarness>>): Promise<void> {
  const { sources } = harness.service.store.in(harness.workspace.id);
  const { runs } = sources;
  const audit = { id: newId('aud'), atMillis: now, actor: 'mem_1', action: 'source.created', subject: 's' };
  for (const settings of SETTINGS) {
    const fixed = { token: 'q83vASNFZ4mrze8BI0Vniav', createdAt: now, createdBy: 'operator' };
    const type = settings.website ? 'website' : settings.files ? 'files' : 'zendesk';
    const own: Source = { ...settings, ...fixed, id: newId('src'), type };
    await sources.create(own, 10, { ...audit, id: newId('aud'), details: {} });
    if (type !== 'website') continue;
    for (const state of ['done', 'failed', 'cancelled'] as const) {
      const run = { id: newId('run'), sourceId: own.id, createdAt: now, createdBy: 'operator' };
      const preview = state === 'done';
      await sources.startRun({ ...run, preview, scheduled: !preview }, 10);
      await runs.begin(run.id, now);
      if (state === 'done') {
        await runs.addItems(run.id, ITEMS);
        const counts = { added: 1, changed: 2, unchanged: 3, removed: 4, refused: 5, conflicts: 6 };
        await runs.finishPlan(run.id, counts, 7);
        await runs.confirm(run.id);
        const conflict = { snapshot: conflicting, atMillis: now };
        const applied = DOCUMENTS.map((lastApplied) => {
          const { place } = lastApplied;
          return { item: { ...ITEMS[1]!, place, root: place }, lastApplied };
        });
        await runs.storeApplied(run.id, [...applied, { item: ITEMS[0]!, conflict }], () => undefined);
      }
      const failed = { failure: 'origin_not_proved' as const, detail: DETAIL };
      const end = { state, atMillis: now, ...(state === 'failed' && failed) };
      await runs.finish(run.id, end, () => undefined);
    }
  }
}

type Line = Readonly<Record<string, unknown>>;
const SCHEMAS = {
  source,
  source_document: sourceDocument,
  source_run: sourceRun,
  source_run_item: sourceRunItem,
};

it('archives every field of sources, and imports what it has archived byte for byte', async () => {
  const harness = await openHarness({ articles: [] });
  const owner = await joinAs(harness, harness.workspace, 'owner');
  await fill(harness);
  const { text: archive } = await owner.get('/export');
  expect(archive).not.toContain('sealed');
  const lines = archive
    .trimEnd()
    .split('\n')
    .map((line): Line => JSON.parse(line));
  for (const [type, { shape }] of Object.entries(SCHEMAS)) {
    const fields = lines.filter((line) => line.type === type).flatMap(Object.keys);
    expect([...new Set(fields)].sort(), type).toStrictEqual(Object.keys(shape).sort());
  }
  await harness.close();

  const folder = tempDir();
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const cli = commandLine(join(folder, 'data'), clock.now);
  const file = join(folder, 'archive.ndjson');
  writeFileSync(file, archive);
  expect(await cli.json(['workspace', 'import', file])).toMatchObject({
    rows: { source: 3, source_document: 2, source_run: 3, source_run_item: 5 },
  });
  const { stdout } = await cli.runInProcess(['workspace', 'export', '--workspace', harness.workspace.id]);
  expect(stdout).toBe(archive);
});
