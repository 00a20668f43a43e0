import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AnswerTestBody, AnswerTestCounts, AnswerTestInput } from '../../../contract/answer-tests.ts';
import { WORKSPACE_LIMITS } from '../../../contract/limits/workspace.ts';
import { newId } from '../../../server/base/ids.ts';
import { expectError } from '../../support/response.ts';
import type { Team } from '../../support/team.ts';
import { KNOWN, openShop, UNKNOWN } from '../../support/visitor-actions.ts';

type Page = { data: AnswerTestBody[]; counts: AnswerTestCounts; nextCursor?: string };
type Article = { id: string; revision: number; slug: string };

const RESET = 'reset-password';
/** Answers the question better than the article of the workspace. */
const RIVAL = {
  title: 'How do I reset my password?',
  answer: 'To reset my password, I call the help desk. How do I reset my password? By phone alone.',
};

describe('answer tests', () => {
  let team: Team;
  beforeEach(async () => {
    team = await openShop();
    // The service's own ticks start no run, so that only those of a test do.
    team.harness.clock.stop();
  });
  afterEach(() => {
    team.harness.clock.resume();
    return team.close();
  });

  const list = async (query = '') => (await team.as('member').get<Page>(`/answer-tests${query}`)).json;
  const put = (first: Partial<AnswerTestInput> = {}, ...more: Partial<AnswerTestInput>[]) =>
    team.as('admin').put<Page>('/answer-tests', {
      tests: [first, ...more].map((test) => ({ question: KNOWN, locale: 'en', article: RESET, ...test })),
    });
  const check = async (body: object) => (await team.as('admin').post<Page>('/answer-test-checks', body)).json;
  const articleId = async (slug: string) =>
    (await team.harness.service.store.in(team.workspace.id).articles.findId(slug))!;
  async function tick(times = 1): Promise<void> {
    for (let at = 0; at < times; at += 1) {
      team.harness.clock.advance(2_000);
      await team.harness.service.tick();
    }
  }
  const createArticle = async (content: object) =>
    (await team.as('admin').post<Article>('/knowledge/articles', content)).json;
  const publish = ({ id, revision }: Article) =>
    team.as('admin').post<Article>(`/knowledge/articles/${id}/publish`, { baseRevision: revision });

  describe('keeping tests', () => {
    it('adds tests by id or slug, and lists them in pages', async () => {
      const { status, json } = await put({}, { question: UNKNOWN, article: null });
      expect(status).toBe(200);
      expect(json.counts).toEqual({ passed: 0, failed: 0, waiting: 2 });
      expect(json.data).toMatchObject([
        { question: KNOWN, locale: 'en', articleId: await articleId(RESET), state: 'waiting' },
        { question: UNKNOWN, state: 'waiting' },
      ]);
      expect(json.data[1]).not.toHaveProperty('articleId');
      await put({ question: 'How can I return an order?', article: await articleId('return-an-order') });
      const first = await list('?limit=2');
      const second = await list(`?limit=2&cursor=${first.nextCursor}`);
      expect([first, second].map(({ data }) => data.map(({ question }) => question))).toEqual([
        [KNOWN, UNKNOWN],
        ['How can I return an order?'],
      ]);
      expect(second).not.toHaveProperty('nextCursor');
    });

    it('keeps one test for a question in a language', async () => {
      await put();
      await put({ article: null }, { locale: 'de' });
      const { data } = await list();
      expect(data.map(({ locale, articleId: expected }) => [locale, expected])).toEqual([
        ['en', undefined],
        ['de', await articleId(RESET)],
      ]);
    });

    it('changes a test by its id, and forgets its result', async () => {
      const id = (await put()).json.data[0]!.id;
      await tick();
      expect(await list()).toMatchObject({ data: [{ state: 'passed', ranAt: expect.any(String) }] });
      const { json } = await put({ id, question: UNKNOWN, article: null });
      expect(json.data).toEqual([{ id, question: UNKNOWN, locale: 'en', state: 'waiting' }]);
      expectError(await put({ id: newId('tst') }), 'answer_test/not_found');
    });

    it.each([
      ['an unknown article', { article: 'no-such-article' }, 'body.tests.1.article'],
      ['an invalid language', { locale: 'english-x' }, 'body.tests.1.locale'],
      ['a question that cannot be seen', { question: '\u200b' }, 'body.tests.1.question'],
    ])('rejects %s, and adds none of the tests', async (_, wrong, path) => {
      const reply = await put({}, wrong);
      expectError(reply, 'request/invalid');
      expect(reply.json).toMatchObject({ issues: [{ path }] });
      expect((await list()).data).toEqual([]);
    });

    it('rejects more tests than a workspace may have, and adds none of them', async () => {
      const { answerTestsMax } = WORKSPACE_LIMITS;
      const [first, ...more] = Array.from({ length: answerTestsMax }, (_, at) => ({
        question: `Question ${at}?`,
      }));
      expect(await put(first, ...more)).toMatchObject({ status: 200 });
      expectError(await put({ question: UNKNOWN }), 'answer_test/too_many');
      expect((await list()).counts.waiting).toBe(answerTestsMax);
    });

    it('lets members read and only editors change', async () => {
      const tests = [{ question: KNOWN, locale: 'en', article: null }];
      expectError(await team.as('member').put('/answer-tests', { tests }), 'tenant/role_required');
      const id = (await put()).json.data[0]!.id;
      expectError(await team.as('member').delete(`/answer-tests/${id}`), 'tenant/role_required');
      expectError(await team.as('member').post('/answer-test-runs'), 'tenant/role_required');
      expect((await list()).data).toHaveLength(1);
    });

    it('neither shows nor changes tests of another workspace', async () => {
      const id = (await put()).json.data[0]!.id;
      const stranger = team.as('stranger');
      const path = `/api/tenants/${team.elsewhere.id}/answer-tests`;
      expectError(await stranger.get('/answer-tests'), 'tenant/not_found');
      expect((await stranger.get<Page>(path)).json.data).toEqual([]);
      expectError(await stranger.delete(`${path}/${id}`), 'answer_test/not_found');
      const ofOther = { tests: [{ question: KNOWN, locale: 'en', article: await articleId(RESET) }] };
      expectError(await stranger.put(path, ofOther), 'request/invalid');
      const body = { articleId: await articleId(RESET) };
      expectError(
        await stranger.post(path.replace('answer-tests', 'answer-test-checks'), body),
        'article/not_found',
      );
    });

    it('deletes a test, and those of a deleted article', async () => {
      const { data } = (await put({}, { question: UNKNOWN, article: null })).json;
      await team.as('admin').delete(`/knowledge/articles/${data[0]!.articleId}`);
      expect((await list()).data).toMatchObject([{ id: data[1]!.id }]);
      await team.as('admin').delete(`/answer-tests/${data[1]!.id}`);
      expect((await list()).data).toEqual([]);
      expectError(await team.as('admin').delete(`/answer-tests/${data[1]!.id}`), 'answer_test/not_found');
    });

    it('suggests titles and aliases in their languages, except those that are tests', async () => {
      await put({ question: 'forgot password' });
      const { json } = await team.as('member').get<{ data: object[] }>('/answer-test-suggestions');
      const id = await articleId(RESET);
      expect(json.data).toEqual(
        expect.arrayContaining([
          { question: 'Reset your password', locale: 'en', articleId: id },
          { question: 'cannot sign in', locale: 'en', articleId: id },
          { question: 'Passwort vergessen', locale: 'de', articleId: id },
        ]),
      );
      expect(json.data).not.toContainEqual(expect.objectContaining({ question: 'forgot password' }));
    });

    it('records who changed tests, without their questions', async () => {
      const id = (await put({ question: UNKNOWN })).json.data[0]!.id;
      await team.as('admin').delete(`/answer-tests/${id}`);
      const { json } = await team.as('owner').get<{ data: object[] }>('/audit?action=answer_test.');
      expect(json.data).toMatchObject([
        { action: 'answer_test.deleted', subject: id },
        { action: 'answer_test.changed', subject: id, details: '{"tests":1}' },
      ]);
      expect(JSON.stringify(json)).not.toContain(UNKNOWN);
    });
  });

  describe('running tests', () => {
    it('passes what is quoted as expected, and names the article that took over', async () => {
      await put({}, { question: UNKNOWN, article: null }, { question: 'Passwort vergessen', locale: 'de' });
      await put({ question: 'How can I return an order?' });
      await tick();
      const { data, counts } = await list();
      expect(counts).toEqual({ passed: 3, failed: 1, waiting: 0 });
      expect(data.map(({ state }) => state)).toEqual(['passed', 'passed', 'passed', 'failed']);
      expect(data[3]).toMatchObject({
        quoted: { articleId: await articleId('return-an-order'), title: 'Return an order' },
        expected: { articleId: await articleId(RESET), title: 'Reset your password' },
      });
      expect(data[3]!.quoted!.text).not.toBe('');
      expect(data[3]!.expected!.text).toContain('sign-in');
      expect((await list('?state=failed')).data).toHaveLength(1);
    });

    it('fails a test without an expected answer once something is quoted', async () => {
      await put({ article: null });
      await tick();
      expect((await list()).data).toMatchObject([
        { state: 'failed', quoted: { articleId: await articleId(RESET) } },
      ]);
    });

    it('runs one test or all, and keeps the last result meanwhile', async () => {
      const [first] = (await put({}, { question: UNKNOWN, article: null })).json.data;
      await tick();
      await team.as('admin').post(`/answer-test-runs?testId=${first!.id}`);
      expect((await list()).counts).toEqual({ passed: 1, failed: 0, waiting: 1 });
      expect((await list('?state=waiting')).data).toMatchObject([
        { quoted: { title: 'Reset your password' } },
      ]);
      await tick();
      await team.as('admin').post('/answer-test-runs');
      expect((await list()).counts.waiting).toBe(2);
      await tick();
      expect((await list()).counts).toEqual({ passed: 2, failed: 0, waiting: 0 });
    });

    it('runs all after a publication, once nothing has changed for a moment', async () => {
      await put();
      await tick(2);
      expect((await list()).counts.passed).toBe(1);
      await publish(await createArticle(RIVAL));
      await tick();
      expect((await list()).counts.passed).toBe(1);
      await tick();
      expect(await list()).toMatchObject({
        counts: { passed: 0, failed: 1 },
        data: [{ quoted: { title: RIVAL.title } }],
      });
    });

    it('runs all after an article is unpublished and after the source language changes', async () => {
      await put();
      await tick(3);
      const runAt = async () => (await list()).data[0]!.ranAt;
      const first = await runAt();
      await tick(2);
      expect(await runAt()).toBe(first);
      await team.as('admin').patch('', { sourceLocale: 'de' });
      await tick(2);
      const second = await runAt();
      expect(second).not.toBe(first);
      const id = await articleId(RESET);
      const { revision } = (await team.as('admin').get<Article>(`/knowledge/articles/${id}`)).json;
      await team.as('admin').post(`/knowledge/articles/${id}/unpublish`, { baseRevision: revision });
      await tick(2);
      expect((await list()).data).toMatchObject([{ state: 'failed' }]);
      expect((await list()).data[0]).not.toHaveProperty('expected');
    });
  });

  describe('checking a change', () => {
    it('names the tests that a publication would break, and changes nothing', async () => {
      await put({}, { question: UNKNOWN, article: null }, { question: 'How can I return an order?' });
      await tick();
      const before = await list();
      const draft = await createArticle(RIVAL);
      const result = await check({ articleId: draft.id });
      expect(result).toMatchObject({
        data: [{ question: KNOWN, state: 'failed', quoted: { articleId: draft.id, title: RIVAL.title } }],
        counts: { passed: 1, failed: 2, waiting: 0 },
      });
      expect(await list()).toEqual(before);
    });

    it('agrees with the run after the publication', async () => {
      await put();
      await tick(2);
      const draft = await createArticle(RIVAL);
      const [broken] = (await check({ articleId: draft.id })).data;
      await publish(draft);
      await tick(2);
      const { ranAt: _a, ...before } = broken!;
      const { ranAt: _b, ...after } = (await list()).data[0]!;
      expect(after).toEqual(before);
    });

    it('finds a question that a new text no longer answers', async () => {
      await put();
      const id = await articleId(RESET);
      const { revision } = (await team.as('admin').get<Article>(`/knowledge/articles/${id}`)).json;
      const content = {
        title: 'Opening hours',
        answer: 'We are open from nine to five.',
        baseRevision: revision,
      };
      await team.as('admin').put(`/knowledge/articles/${id}`, content);
      expect((await check({ articleId: id })).data).toMatchObject([{ question: KNOWN, state: 'failed' }]);
    });

    it('finds what unpublishing breaks, and nothing for a text that stays the same', async () => {
      await put({}, { question: 'Passwort vergessen', locale: 'de' });
      const id = await articleId(RESET);
      expect((await check({ articleId: id })).data).toEqual([]);
      expect((await check({ articleId: id, unpublish: true })).data).toHaveLength(2);
    });

    it('replaces one translation', async () => {
      await put({ question: 'Passwort vergessen', locale: 'de' });
      const id = await articleId(RESET);
      expect((await check({ articleId: id, locale: 'de' })).counts).toEqual({
        passed: 1,
        failed: 0,
        waiting: 0,
      });
      expectError(
        await team.as('admin').post('/answer-test-checks', { articleId: id, locale: 'fr' }),
        'translation/not_found',
      );
    });
  });
});
