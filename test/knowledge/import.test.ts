import { execFile } from 'node:child_process';
import { appendFileSync, chmodSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { ARTICLE_LIMITS } from '../../contract/limits/articles.ts';
import {
  type ImportItem,
  type ImportProblem,
  ImportSourceError,
} from '../../server/knowledge/import/article-input.ts';
import { importArticles, openImport } from '../../server/knowledge/import/import.ts';
import {
  anEmptyWorkspaceForEach,
  fileOf,
  folder,
  importAt,
  importLines,
  live,
  returns,
  shipping,
  store,
  toJsonLines,
  WORKSPACE,
} from './importing.ts';

anEmptyWorkspaceForEach();

describe('importing JSON Lines', () => {
  it('publishes articles and translations at once and adds an audit row', async () => {
    const { report } = await importLines(returns, shipping);
    expect(report).toEqual({ articles: 2, translations: 1, skipped: 0, errors: 0 });
    expect(await live('returns')).toMatchObject({
      locale: 'en',
      revision: 1,
      content: { title: returns.title },
    });
    const partitions = await store.in(WORKSPACE).passages.partitions();
    expect(partitions.map(({ locale, articles }) => [locale, articles])).toEqual([
      ['de', 1],
      ['en', 2],
    ]);
    const [newest] = await store.in(WORKSPACE).audit.list(1);
    expect(newest).toMatchObject({ action: 'knowledge.imported', actor: 'operator', details: report });
  });

  it('publishes nothing when the same file is imported again', async () => {
    await importLines(returns, shipping);
    const before = await store.in(WORKSPACE).articles.count();
    const { report } = await importLines(returns, shipping);
    expect(report).toEqual({ articles: 0, translations: 0, skipped: 2, errors: 0 });
    expect(await store.in(WORKSPACE).articles.count()).toEqual(before);
  });

  it('adds a revision only for changed content', async () => {
    await importLines(returns, shipping);
    const changed = { ...returns, translations: [{ ...returns.translations[0], title: 'Rücksendung' }] };
    const { report } = await importLines(changed, { ...shipping, answer: 'Orders ship every day.' });
    expect(report).toEqual({ articles: 1, translations: 1, skipped: 0, errors: 0 });
    expect((await live('returns'))?.revision).toBe(1);
    expect((await live('shipping'))?.revision).toBe(2);
  });

  it('files articles under a collection and tags, which no revision records', async () => {
    const { report } = await importLines({
      ...returns,
      collection: ' Orders ',
      tags: ['Money', 'b', 'money'],
    });
    expect(report).toMatchObject({ articles: 1, errors: 0 });
    const again = await importLines(returns);
    expect(again.report.skipped).toBe(1);
    const moved = await importLines({ ...returns, collection: 'Refunds' });
    expect(moved.report).toMatchObject({ articles: 0, skipped: 0, errors: 0 });
    const { collections } = store.in(WORKSPACE);
    const counts = (await collections.list()).map(({ name, articles }) => [name, articles]);
    expect(counts).toEqual([
      ['Orders', 0],
      ['Refunds', 1],
    ]);
    expect(await collections.listTags()).toEqual([
      { tag: 'b', articles: 1 },
      { tag: 'money', articles: 1 },
    ]);
    expect((await live('returns'))?.revision).toBe(1);
  });

  it('rejects a tag with characters that tags cannot have', async () => {
    const { problems } = await importLines({ ...returns, tags: ['a/b'] });
    expect(problems).toMatchObject([{ line: 1, field: 'tags.0' }]);
  });

  it('accepts CRLF, a byte order mark, empty lines and a missing final line break', async () => {
    const { report } = await importAt(
      fileOf(`\ufeff${JSON.stringify(returns)}\r\n\r\n  \n${JSON.stringify(shipping)}`),
    );
    expect(report).toMatchObject({ articles: 2, errors: 0 });
  });

  it('composes text, keeps joiners, and removes control and direction characters and lone surrogates', async () => {
    const persian = 'می\u200cخواهم بپرسم';
    await importLines(
      `{"slug":"u","locale":"fa","title":" Cafe\u0301 \\u0000 bar\\t","answer":"\u2067${persian}\u2069\\r\\n\\u0007a\\ud83d","aliases":["x\\ny","x y"]}`,
    );
    expect((await live('u'))?.content).toEqual({
      title: 'Caf\u00e9 bar',
      answer: `${persian}\na\ufffd`,
      aliases: ['x y'],
    });
  });

  it('canonicalizes locales', async () => {
    await importLines({
      ...shipping,
      locale: 'PT-br',
      translations: [{ ...returns.translations[0], locale: 'zh-hans-cn' }],
    });
    const partitions = await store.in(WORKSPACE).passages.partitions();
    expect(partitions.map(({ locale }) => locale)).toEqual(['pt-BR', 'zh-Hans-CN']);
  });

  it('accepts an answer of maximum length and rejects a longer one', async () => {
    const long = 'Wörter und mehr. '.repeat(10_000).slice(0, ARTICLE_LIMITS.answerCharsMax - 1);
    const { report, problems } = await importLines(
      { ...shipping, slug: 'fits', answer: `${long}.` },
      { ...shipping, slug: 'too-long', answer: `${long}!!` },
    );
    expect(report).toMatchObject({ articles: 1, errors: 1 });
    expect(problems[0]).toMatchObject({ line: 2, field: 'answer' });
    expect((await live('fits'))?.content.answer).toHaveLength(ARTICLE_LIMITS.answerCharsMax);
  });
});

describe('an invalid line', () => {
  const german = returns.translations[0]!;
  it.each([
    ['invalid JSON', '{"slug":', undefined, 'a JSON object on one line'],
    ['an array', '[1]', undefined, 'object'],
    ['null', 'null', undefined, 'object'],
    ['no title', { ...shipping, title: undefined }, 'title', 'string'],
    ['an empty title', { ...shipping, title: ' \u0007 ' }, 'title', '>=1 characters'],
    ['a long title', { ...shipping, title: 'x'.repeat(301) }, 'title', '<=300 characters'],
    ['a number as its answer', { ...shipping, answer: 7 }, 'answer', 'string'],
    ['an invalid locale', { ...shipping, locale: 'english please' }, 'locale', 'a registered language tag'],
    ['a path as its slug', { ...shipping, slug: '../x' }, 'slug', 'letters, digits'],
    ['a javascript: URL', { ...shipping, url: 'javascript:alert(1)' }, 'url', 'an http or https URL'],
    ['NUL in a URL', { ...shipping, url: 'https://alpha.example/\0' }, 'url', 'without control characters'],
    ['an unknown field', { ...shipping, author: 'me' }, 'author', 'a known field'],
    ['too many aliases', { ...shipping, aliases: Array(51).fill('a') }, 'aliases', '<=50 items'],
    ['a long alias', { ...shipping, aliases: ['ok', 'x'.repeat(201)] }, 'aliases.1', '<=200 characters'],
    [
      "the article's own locale among the translations",
      { ...shipping, locale: 'DE', translations: [german] },
      'translations.0.locale',
      "a locale other than the article's own (de)",
    ],
    [
      'a locale twice in different spellings',
      {
        ...shipping,
        translations: [
          { ...german, locale: 'pt-br' },
          { ...german, locale: 'pt-BR' },
        ],
      },
      'translations.1.locale',
      'each locale only once',
    ],
    [
      'a translation with an unknown field',
      { ...shipping, translations: [{ ...german, url: 'https://shop.example' }] },
      'translations.0.url',
      'a known field',
    ],
  ])('is reported and skipped when it has %s', async (_, line, field, expected) => {
    const { report, problems } = await importLines(returns, line, shipping);
    expect(report).toMatchObject({ articles: 2, errors: 1 });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatchObject({ line: 2, file: expect.stringContaining('articles.jsonl') });
    expect(problems[0]?.field).toBe(field);
    expect(problems[0]?.expected).toContain(expected);
  });

  it('is reported with all of its problems', async () => {
    const { problems } = await importLines({ slug: '', locale: 'en', title: '', extra: 1 });
    expect(problems.map(({ field }) => field).sort()).toEqual(['answer', 'extra', 'slug', 'slug', 'title']);
  });

  it('is rejected when it is not UTF-8', async () => {
    const latin = Buffer.from(
      JSON.stringify({ ...shipping, title: 'Ruckgabe' }).replace('u', '\xfc'),
      'latin1',
    );
    const { report, problems } = await importAt(
      fileOf(Buffer.concat([latin, Buffer.from(`\n${toJsonLines(returns)}`)])),
    );
    expect(report).toMatchObject({ articles: 1, errors: 1 });
    expect(problems[0]).toMatchObject({ line: 1, expected: 'UTF-8 text' });
  });

  it('does not replace an earlier line with the same slug', async () => {
    const { report, problems } = await importLines(shipping, returns, { ...shipping, title: 'Other' });
    expect(report).toMatchObject({ articles: 2, errors: 1 });
    expect(problems[0]).toMatchObject({
      line: 3,
      field: 'slug',
      expected: expect.stringContaining('line 1'),
    });
    expect((await live('shipping'))?.content.title).toBe('Shipping');
  });

  it('is skipped without buffering when it is too long', async () => {
    const file = fileOf('');
    const piece = 'x'.repeat(1_000_000);
    for (let written = 0; written < 80; written += 1) appendFileSync(file, piece);
    appendFileSync(file, `\n${toJsonLines(shipping)}`);
    const reading = fileURLToPath(new URL('./held-while-reading.ts', import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', reading, file]);
    const { found, most } = JSON.parse(stdout) as { found: ImportItem[]; most: number };
    expect(found).toMatchObject([
      { problems: [{ line: 1, expected: expect.stringContaining('at most') }] },
      {
        article: { slug: 'shipping' },
        at: { line: 2 },
        bytesRead: 80_000_000 + 1 + toJsonLines(shipping).length,
      },
    ]);
    expect(most).toBeGreaterThan(0);
    // Less than half of the line may be buffered.
    expect(most).toBeLessThan(50_000_000);
  });
});

describe('import run', () => {
  it('reports a folder without articles', async () => {
    await expect(importAt(join(folder, 'nowhere'))).rejects.toThrow(ImportSourceError);
    mkdirSync(join(folder, 'empty'));
    await expect(importAt(join(folder, 'empty'))).rejects.toThrow(/no Markdown file/);
  });

  it('reports an empty file and adds no audit row', async () => {
    for (const empty of ['', '\n \r\n']) {
      await expect(importAt(fileOf(empty))).rejects.toThrow(/Nothing to import: .* contains no articles/);
    }
    expect(await store.in(WORKSPACE).audit.list(1)).toEqual([]);
  });

  it('reports every error of a file without valid lines', async () => {
    expect((await importAt(fileOf('no JSON'))).report).toMatchObject({ articles: 0, errors: 1 });
  });

  it('reports an unreadable file', async () => {
    const file = fileOf(toJsonLines(returns));
    const found = await openImport(file, 'en', Date.now());
    rmSync(file);
    await expect(found[Symbol.asyncIterator]().next()).rejects.toThrow(
      new ImportSourceError(`${file} cannot be read: no such file or directory.`),
    );
  });

  it('stores whole articles when it is aborted, and the next run imports the rest', async () => {
    const many = Array.from({ length: 90 }, (_, at) => ({ ...returns, slug: `article-${at}` }));
    const file = fileOf(toJsonLines(...many));
    const stop = new AbortController();
    const { articles, audit } = store.in(WORKSPACE);
    const deps = { workspaceId: WORKSPACE, articles, audit, clock: { now: () => 5 }, actor: 'operator' };
    const stopped = importArticles(await openImport(file, 'en', Date.now()), deps, {
      signal: stop.signal,
      onProgress: () => stop.abort(),
    });
    await expect(stopped).rejects.toThrow(/abort/i);
    const half = await articles.count();
    expect(half.articles).toBeGreaterThan(0);
    expect(half.articles).toBeLessThan(90);
    expect(half.translations).toBe(half.articles);
    const { report } = await importAt(file);
    expect(report).toEqual({
      articles: 90 - half.articles,
      translations: 90 - half.articles,
      skipped: half.articles,
      errors: 0,
    });
  });
});

const COUNTRIES =
  'AE AG AU BB BI BM BS BW BZ CA CH CM CY DE DK FI FJ GB GD GH GI GM GY HK IE IL IN JM KE KI LR LS MG'.split(
    ' ',
  );

describe('importing over existing articles', () => {
  const inLocales = (count: number, from = 0) =>
    Array.from({ length: count }, (_, at) => ({
      locale: `en-${COUNTRIES[from + at]}`,
      title: 'Another title',
      answer: 'Another answer.',
    }));

  it('reports a line that would exceed the locale limit of its article and continues', async () => {
    await importLines({ ...returns, translations: inLocales(20) });
    const { report, problems } = await importLines(
      { ...returns, answer: 'Never.', translations: inLocales(13, 20) },
      shipping,
    );
    expect(report).toEqual({ articles: 1, translations: 0, skipped: 0, errors: 1 });
    expect(problems).toMatchObject([
      { line: 1, field: 'translations', expected: expect.stringContaining('at most 32 translations') },
    ]);
    expect((await live('returns'))?.content.answer).toBe(returns.answer);
  });

  it('detects a change of the URL alone', async () => {
    await importLines({ ...returns, url: 'https://shop.example/a' });
    const { report } = await importLines({ ...returns, url: 'https://shop.example/b' });
    expect(report).toMatchObject({ articles: 1, translations: 0, skipped: 0 });
    expect((await live('returns'))?.content.url).toBe('https://shop.example/b');
  });

  it('republishes an unpublished article with the translations missing from its line', async () => {
    await importLines(returns);
    const { articles, passages } = store.in(WORKSPACE);
    const articleId = (await articles.findId('returns'))!;
    const { content, contentHash, searchSummary } = (await articles.find(articleId))!;
    await articles.apply({
      articleId,
      baseRevision: 1,
      event: 'unpublished',
      status: 'unpublished',
      content,
      contentHash,
      searchSummary,
      live: 'none',
      authorId: 'mem_1',
      atMillis: 6,
      audit: { id: 'aud_1', atMillis: 6, actor: 'mem_1', action: 'x', subject: articleId, details: {} },
    });
    const { report } = await importLines({ ...returns, translations: [] });
    expect(report).toEqual({ articles: 1, translations: 0, skipped: 0, errors: 0 });
    const locales = (await passages.liveVariants([articleId])).map(({ locale }) => locale);
    expect(locales).toEqual(['de', 'en']);
  });
});

describe('importing a folder of Markdown', () => {
  const page = (front: string, answer = 'Some text.') => `---\n${front}\n---\n${answer}\n`;

  it('takes slug and locale from front matter, else from the file or folder name', async () => {
    fileOf(page('title: Returns'), 'returns.md');
    fileOf(page('title: Rückgabe'), 'returns.de.md');
    fileOf(page('title: 返品'), 'ja/returns.md');
    fileOf(page('title: Devoluções'), 'pt-BR/returns.md');
    fileOf(page('slug: returns\nlocale: fr\ntitle: Retours'), 'whatever.es.md');
    fileOf(page('title: Invoices'), 'billing/invoices.md');
    fileOf(page('title: Faktury'), 'pl/billing/invoices.md');
    const { report, problems } = await importAt(join(folder, 'in'));
    expect(problems).toEqual([]);
    expect(report).toEqual({ articles: 2, translations: 5, skipped: 0, errors: 0 });
    const partitions = await store.in(WORKSPACE).passages.partitions();
    expect(partitions.map(({ locale }) => locale)).toEqual(['de', 'en', 'fr', 'ja', 'pl', 'pt-BR']);
    expect(await live('billing/invoices')).toMatchObject({ content: { title: 'Invoices' } });
  });

  it('keeps the answer as written and takes aliases and URL from front matter', async () => {
    const answer = '# Returns\n\n* one\n* two\n\n---\n\n    code: yes\n\n[Link](https://shop.example)';
    fileOf(
      page(
        'title: "Returns: how"\naliases: [send back, refund]\nurl: https://shop.example/r',
        answer,
      ).replaceAll('\n', '\r\n'),
      'returns.md',
    );
    await importAt(join(folder, 'in'));
    expect((await live('returns'))?.content).toEqual({
      title: 'Returns: how',
      answer,
      aliases: ['send back', 'refund'],
      url: 'https://shop.example/r',
    });
  });

  it('publishes nothing when the same folder is imported again', async () => {
    fileOf(page('title: Returns'), 'returns.md');
    fileOf(page('title: Rückgabe'), 'returns.de.md');
    await importAt(join(folder, 'in'));
    const { report } = await importAt(join(folder, 'in'));
    expect(report).toEqual({ articles: 0, translations: 0, skipped: 1, errors: 0 });
  });

  it.each([
    ['without front matter', 'bad.md', 'Just text.', { line: 1, expected: 'front matter' }],
    ['with unclosed front matter', 'bad.md', '---\ntitle: x\n', { line: 1, expected: 'front matter' }],
    ['with broken YAML', 'bad.md', '---\ntitle: x\naliases: [a\n---\ntext', { expected: 'YAML' }],
    ['with a duplicate title', 'bad.md', '---\ntitle: x\ntitle: y\n---\ntext', { line: 3, expected: 'YAML' }],
    [
      'without a title',
      'bad.md',
      '---\nurl: https://shop.example\n---\ntext',
      { field: 'title', expected: 'string' },
    ],
    [
      'with an unknown field',
      'bad.md',
      page('title: x\ndate: 2026-01-01'),
      { field: 'date', expected: 'a known field' },
    ],
    ['without text', 'bad.md', '---\ntitle: x\n---\n\n', { field: 'answer', expected: '>=1 characters' }],
    [
      'without its source article',
      'bad.de.md',
      page('title: x'),
      { field: 'locale', expected: 'source locale (en)' },
    ],
    [
      'with a locale that is not canonical',
      'pt-br/good.md',
      page('title: x'),
      { field: 'locale', expected: 'pt-BR' },
    ],
    ['whose name is not a slug', 'a b.md', page('title: x'), { field: 'slug', expected: 'letters, digits' }],
  ])('reports a file %s and continues', async (_, name, content, problem) => {
    fileOf(page('title: Fine'), 'fine.md');
    fileOf(page('title: Good'), 'good.md');
    fileOf(page('title: Bom'), 'good.pt-BR.md');
    fileOf(content, name);
    const { report, problems } = await importAt(join(folder, 'in'));
    expect(report.errors).toBe(1);
    expect(report.articles).toBeGreaterThan(0);
    expect(await live('fine')).toBeDefined();
    expect(problems[0]).toMatchObject({
      ...problem,
      file: expect.stringMatching(/\.md$/),
      expected: expect.stringContaining(problem.expected),
    });
  });

  it('reports an unreadable file and continues', async () => {
    fileOf('Just text.', 'a.md');
    const closed = fileOf(page('title: Closed'), 'b.md');
    fileOf(page('title: Fine'), 'c.md');
    const problems: ImportProblem[] = [];
    const found = await openImport(join(folder, 'in'), 'en', Date.now());
    const { articles, audit } = store.in(WORKSPACE);
    const report = await importArticles(
      found,
      { workspaceId: WORKSPACE, articles, audit, clock: { now: () => 5 }, actor: 'operator' },
      {
        onProblem(problem) {
          problems.push(problem);
          // Deleted after the listing: root ignores file modes, so chmod would not make it
          // unreadable.
          rmSync(closed, { force: true });
        },
      },
    );
    expect(report).toEqual({ articles: 1, translations: 0, skipped: 0, errors: 2 });
    expect(problems[1]).toEqual({ file: 'b.md', expected: 'a readable file' });
    expect(await live('c')).toBeDefined();
  });

  it.skipIf(process.getuid?.() === 0)('reports an unreadable folder and continues', async () => {
    fileOf(page('title: Fine'), 'fine.md');
    const closed = dirname(fileOf(page('title: Closed'), 'closed/page.md'));
    chmodSync(closed, 0);
    const { report, problems } = await importAt(join(folder, 'in')).finally(() => chmodSync(closed, 0o700));
    expect(report).toMatchObject({ articles: 1, errors: 1 });
    expect(problems).toEqual([{ file: 'closed', expected: 'a readable folder' }]);
  });

  it('reports drafts and parts of pages, and publishes neither', async () => {
    fileOf(page('title: Fine'), 'fine.md');
    fileOf(page('title: Plan\ndraft: true'), 'plan.md');
    fileOf('+++\ntitle = "Old"\nexpiryDate = 2020-01-01\n+++\nText.', 'old.md');
    fileOf('A part.', '_part.md');
    const { report, problems, drafts } = await importAt(join(folder, 'in'));
    expect(problems).toEqual([]);
    expect(report).toMatchObject({ articles: 1, errors: 0 });
    expect(drafts).toEqual([
      { file: '_part.md', mark: 'a part of other pages' },
      { file: 'old.md', mark: expect.stringContaining('expiryDate: 2020-01-01') },
      { file: 'plan.md', mark: 'draft: true' },
    ]);
    expect(await live('plan')).toBeUndefined();
  });

  it('limits YAML alias expansion', async () => {
    const levels = 'abcdefghij'.split('').map((name, at, all) => {
      const aliases =
        at === 0
          ? '"x"'
          : Array(9)
              .fill(`*${all[at - 1]}`)
              .join(', ');
      return `${name}: &${name} [${aliases}]`;
    });
    fileOf(page(`${levels.join('\n')}\ntitle: x`), 'bomb.md');
    const { problems } = await importAt(join(folder, 'in'));
    expect(problems[0]?.expected).toContain('YAML');
  });

  it('ignores hidden files and other file types', async () => {
    fileOf(page('title: Fine'), 'fine.md');
    fileOf('no', '.hidden.md');
    fileOf('no', '.git/x.md');
    fileOf('no', 'node_modules/x/readme.md');
    fileOf('no', 'picture.png');
    fileOf(page('title: Within'), 'folder.md/within.md');
    symlinkSync('fine.md', join(folder, 'in', 'link.md'));
    symlinkSync('nowhere', join(folder, 'in', 'dangling.md'));
    const { report } = await importAt(join(folder, 'in'));
    expect(report).toEqual({ articles: 2, translations: 0, skipped: 0, errors: 0 });
    expect(await live('folder.md/within')).toBeDefined();
  });
});
