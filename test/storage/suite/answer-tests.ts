import { describe, expect, it } from 'vitest';
import { newId } from '../../../server/base/ids.ts';
import type { NewAnswerTest } from '../../../server/storage/answer-tests.ts';
import { article, MORNING } from '../../support/stored-samples.ts';
import type { Subject } from '../temporary-store.ts';
import { auditEntry } from './events.ts';

const BY = { actor: 'mem_1', atMillis: MORNING };
const RESULT = { outcome: 'passed', ranAt: MORNING + 1, passages: '{}' } as const;

export function describeAnswerTests(subject: () => Subject): void {
  const own = () => subject().store.in(subject().here).answerTests;
  const others = () => subject().store.in(subject().there).answerTests;
  const toTest = (changes: Partial<NewAnswerTest> = {}): NewAnswerTest => ({
    ...{ id: newId('tst'), question: 'Where is my order?', locale: 'en' },
    ...{ createdAt: MORNING, createdBy: 'mem_1', ...changes },
  });
  const put = (...tests: NewAnswerTest[]) => own().put(tests, 10, auditEntry(MORNING));
  const publish = async (slug: string, answer = 'An answer.') => {
    const { articles } = subject().store.in(subject().here);
    const [outcome] = await articles.import([article(slug, { title: slug, answer })], BY);
    return outcome!.articleId;
  };
  const outdated = async () =>
    (await subject().store.answerTests.outdated()).find(({ workspaceId }) => workspaceId === subject().here)
      ?.fingerprint;

  describe('answer tests', () => {
    it('returns tests, oldest first, also after a restart, and none of another workspace', async () => {
      const articleId = await publish('returns');
      const [one, two] = [toTest({ articleId }), toTest({ locale: 'de' })];
      expect(await put(one, two)).toBe('put');
      await subject().reopen();
      expect(await own().list()).toEqual([
        { ...one, waiting: true },
        { ...two, waiting: true },
      ]);
      expect(await others().list()).toEqual([]);
      expect(await others().remove(one.id, auditEntry(MORNING))).toBe('gone');
      expect(await others().put([toTest({ articleId })], 10, auditEntry(MORNING))).toBe('no_article');
    });

    it('changes a test by its id, and replaces one with the same question', async () => {
      const [one, two] = [toTest(), toTest({ question: 'When?' })];
      await put(one, two);
      await own().record([{ ...one, ...RESULT }]);
      expect(await own().list()).toMatchObject([{ ...RESULT, waiting: false }, { waiting: true }]);
      await put({ ...one, question: 'When?' });
      expect(await own().list()).toEqual([{ ...one, question: 'When?', waiting: true }]);
    });

    it('keeps a result from being stored for a test that was changed while it ran', async () => {
      const articleId = await publish('returns');
      const test = toTest();
      await put({ ...test, articleId });
      await own().record([{ ...test, ...RESULT }]);
      expect(await own().list()).toEqual([{ ...test, articleId, waiting: true }]);
    });

    it('adds no test when there would be too many', async () => {
      await put(toTest());
      const more = [toTest({ question: 'When?' }), toTest({ question: 'Why?' })];
      expect(await own().put(more, 2, auditEntry(MORNING))).toBe('too_many');
      expect(await own().list()).toHaveLength(1);
    });

    it('deletes the tests of a deleted article', async () => {
      const articleId = await publish('returns');
      await put(toTest({ articleId }), toTest({ question: 'When?' }));
      await subject().store.in(subject().here).articles.remove(articleId, MORNING);
      expect(await own().list()).toMatchObject([{ question: 'When?' }]);
    });

    it('lists waiting tests, and workspaces that have some', async () => {
      const [one, two] = [toTest(), toTest({ question: 'When?' })];
      await put(one, two);
      expect(await own().waiting(1)).toMatchObject([{ id: one.id }]);
      expect(await subject().store.answerTests.listWaiting()).toContain(subject().here);
      await own().record([one, two].map((test) => ({ ...test, ...RESULT })));
      expect(await subject().store.answerTests.listWaiting()).not.toContain(subject().here);
      await own().enqueue(two.id);
      expect(await own().waiting(10)).toMatchObject([{ id: two.id }]);
      await own().enqueue();
      expect(await own().waiting(10)).toHaveLength(2);
    });

    it('notices what has changed since the tests were last to run', async () => {
      expect(await outdated()).toBeUndefined();
      await put(toTest());
      await own().begin((await outdated())!);
      expect(await outdated()).toBeUndefined();
      const { articles, dictionaries } = subject().store.in(subject().here);
      const changes = [
        () => publish('returns'),
        () => publish('returns', 'An anszer.'),
        () => dictionaries.finish({ fingerprint: 'other', version: '1' }, []),
        () =>
          subject().store.workspaces.change(subject().here, { settings: { sourceLocale: 'fr' } }, MORNING),
        async () => articles.remove((await articles.findId('returns'))!),
      ];
      for (const change of changes) {
        await change();
        const fingerprint = await outdated();
        expect(fingerprint).toBeDefined();
        await own().begin(fingerprint!);
        expect(await outdated()).toBeUndefined();
      }
    });

    it('lists the titles of published texts in pages', async () => {
      const { articles } = subject().store.in(subject().here);
      const texts = { title: 'Returns', answer: 'Yes.' };
      await articles.import([article('returns', texts, { de: { title: 'Rückgabe', answer: 'Ja.' } })], BY);
      const first = await own().titles(1);
      expect(first).toMatchObject([{ locale: 'de', title: 'Rückgabe' }]);
      expect(await own().titles(9, first[0])).toMatchObject([
        { locale: 'en', title: 'Returns', aliases: [] },
      ]);
    });
  });
}
