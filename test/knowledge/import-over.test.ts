import { describe, expect, it } from 'vitest';
import {
  anEmptyWorkspaceForEach,
  importLines,
  live,
  returns,
  shipping,
  store,
  WORKSPACE,
} from './importing.ts';

anEmptyWorkspaceForEach();

describe('importing over existing articles', () => {
  const inLocales = (count: number, from = 0) =>
    Array.from({ length: count }, (_, at) => ({
      locale: `en-x-t${from + at}`,
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
