import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DEMO_APP_ID, DEMO_KNOWLEDGE_DIR, ensureDemo } from '../../server/demo/demo.ts';
import { type ImportReport, openImport } from '../../server/knowledge/import/import.ts';
import { openSqlite } from '../../server/storage/sqlite/open.ts';
import type { Store } from '../../server/storage/store.ts';
import { clock, type Harness, ORIGIN, openHarness } from '../support/harness.ts';
import { SETTINGS } from '../support/seeds.ts';
import { tempDir } from '../support/temp-dir.ts';

describe('the demo workspace', () => {
  let folder: string;
  let store: Store;

  beforeEach(() => {
    folder = tempDir();
    store = openSqlite({ file: join(folder, 'guidepost.db') });
  });

  afterEach(async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('does not touch a database that is in use', async () => {
    await store.workspaces.create({
      id: 'ws_own',
      appId: 'gp_own',
      name: 'Own',
      settings: SETTINGS,
      createdAt: 1,
    });
    expect(await ensureDemo({ store, clock, origins: [] })).toBeUndefined();
    expect(await store.workspaces.list()).toHaveLength(1);
  });

  it('keeps the process running when its articles cannot be read', async () => {
    const demo = await ensureDemo({ store, clock, origins: [], knowledgeDir: folder });
    await expect(demo?.knowledge).rejects.toThrow(/does not exist/);
    expect(await store.workspaces.list()).toHaveLength(1);
  });

  it('ships only translations that differ from their source', async () => {
    const coverage = new Map<string, number>();
    for await (const item of await openImport(
      join(DEMO_KNOWLEDGE_DIR, 'gnome-help.jsonl'),
      'en',
      Date.now(),
    )) {
      if (!('article' in item)) throw new Error(JSON.stringify(item));
      const { article } = item;
      expect(article.url).toBe(`https://help.gnome.org/users/gnome-help/stable/${article.slug}.html`);
      for (const { locale, title, answer } of article.translations) {
        expect(title).not.toBe(article.title);
        expect(answer).not.toBe(article.answer);
        coverage.set(locale, (coverage.get(locale) ?? 0) + 1);
      }
    }
    expect(coverage.get('de')).toBeGreaterThan(250);
    expect(coverage.get('ja')).toBeLessThan(60);
  });
});

/** The questions that the demo page offers, with the article that answers each. */
const ANSWERS: Readonly<Record<string, string | undefined>> = {
  'How do I take a screenshot?': 'screen-shot-record',
  'Wie stelle ich die Bildschirmhelligkeit ein?': 'display-brightness',
  '¿Cómo cambio el tamaño del texto en la pantalla?': 'a11y-font-size',
  'Comment configurer une imprimante locale ?': 'printing-setup',
  'Как подключиться к беспроводной сети?': 'net-wireless-connect',
  '如何备份重要文件？': 'backup-why',
  '重要なファイルをバックアップするには?': 'backup-why',
  'چگونه اندازهٔ متن روی صفحه را تغییر دهم؟': 'a11y-font-size',
  'What is the capital of Mongolia?': undefined,
};

const page = readFileSync(new URL('../../server/demo/page/index.html', import.meta.url), 'utf8');
const questions = Array.from(
  page.matchAll(/data-question lang="([^"]+)"[^>]*>([^<]+)</g),
  ([, lang, text]) => ({
    lang: lang!,
    text: text!,
  }),
);

describe('a filled demo workspace', () => {
  const origins = [ORIGIN];
  let dataDir: string;
  let harness: Harness;
  let slugs: ReadonlyMap<string, string>;
  let filled: { report: ImportReport | undefined; progressCalls: number };

  beforeAll(async () => {
    dataDir = tempDir();
    const store = openSqlite({ file: join(dataDir, 'guidepost.db') });
    const stop = new AbortController();
    const first = await ensureDemo({
      store,
      clock,
      origins,
      signal: stop.signal,
      onProgress: () => stop.abort(),
    });
    expect(first).toMatchObject({ created: true, workspace: { appId: DEMO_APP_ID } });
    await expect(first?.knowledge).rejects.toThrow(/abort/i);

    let progressCalls = 0;
    const second = await ensureDemo({ store, clock, origins, onProgress: () => (progressCalls += 1) });
    expect(second?.created).toBe(false);
    filled = { report: await second?.knowledge, progressCalls };
    await store.close();
    harness = await openHarness({ dataDir });
    const articles = await harness.service.store.in(harness.workspace.id).articles.list(1000);
    slugs = new Map(articles.map(({ id, slug }) => [id, slug]));
  });
  afterAll(() => harness.close());

  it('has all sample articles after an abort, and does not change when it is filled again', async () => {
    const { report, progressCalls } = filled;
    expect(report).toMatchObject({ errors: 0, skipped: expect.any(Number) });
    expect(report!.skipped).toBeGreaterThan(0);
    expect(progressCalls).toBeGreaterThan(5);

    const { store } = harness.service;
    const { articles, passages } = store.in(harness.workspace.id);
    expect(await articles.count()).toMatchObject({ articles: 276, translations: 1127 });
    const locales = (await passages.partitions()).map(({ locale }) => locale);
    expect(locales).toEqual(['de', 'en', 'es', 'fa', 'fr', 'it', 'ja', 'ru', 'zh-CN']);

    const third = await ensureDemo({ store, clock, origins: ['http://127.0.0.1:9000'] });
    expect(await third?.knowledge).toBeUndefined();
    expect(third?.workspace.settings.allowedOrigins).toEqual([...origins, 'http://127.0.0.1:9000']);
  });

  it('has a page whose questions are all covered by this test', () => {
    expect(questions.map(({ text }) => text).sort()).toEqual(Object.keys(ANSWERS).sort());
  });

  it.each(questions)('cites the right article, or none, for "$text"', async ({ lang, text }) => {
    const headers = { 'accept-language': lang };
    const { jwt } = await harness.boot({}, headers);
    const events = await harness.ask(jwt, { message: text, turn_idx: 0 }, headers);
    const cited = events.flatMap((event) =>
      event.type === 'citation' ? [[slugs.get(event.article_id), event.content_locale]] : [],
    );
    const answer = ANSWERS[text];
    expect(new Set(cited.map(([slug]) => slug))).toEqual(new Set(answer === undefined ? [] : [answer]));
    for (const [, locale] of cited) expect(locale).toBe(lang);
  });
});
