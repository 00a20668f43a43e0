import { chmodSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ImportProblem } from '../../server/knowledge/import/article-input.ts';
import { importArticles, openImport } from '../../server/knowledge/import/import.ts';
import { anEmptyWorkspaceForEach, fileOf, folder, importAt, live, store, WORKSPACE } from './importing.ts';

anEmptyWorkspaceForEach();

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
    const found = await openImport(join(folder, 'in'), 'en');
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

  it('limits YAML alias expansion', async () => {
    const levels = 'abcdefghij'.split('').map((name, at, all) => {
      const of =
        at === 0
          ? '"x"'
          : Array(9)
              .fill(`*${all[at - 1]}`)
              .join(', ');
      return `${name}: &${name} [${of}]`;
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
