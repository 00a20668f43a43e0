import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KnowledgeCoverage, ReviewQueuePage } from '../../contract/review-queue.ts';
import { joinAs, openTeam, type Person, type Team } from '../support/team.ts';
import { addArticle, bringTo, changeArticle, publishArticle, takeStep, translate } from './translating.ts';

let team: Team;
beforeEach(async () => {
  team = await openTeam({ articles: [] });
});
afterEach(() => team.close());

const queue = async (person: Person, query = '') =>
  (await team.as(person).get<ReviewQueuePage>(`/knowledge/queue${query}`)).json;
const kinds = async (person: Person, query = '') =>
  (await queue(person, query)).data.map(({ kind, locale }) => `${kind} ${locale}`);

describe('review queue', () => {
  it('assigns a submitted translation to members other than its submitter', async () => {
    const article = await addArticle(team);
    const draft = await translate(team.as('admin'), article.id);
    expect(await kinds('owner')).toStrictEqual([]);
    team.harness.clock.advance(1000);
    const submitted = await takeStep(team.as('admin'), 'submit', draft);
    expect(await kinds('admin')).toStrictEqual([]);
    expect(await queue('owner')).toStrictEqual({
      data: [
        {
          kind: 'review',
          mine: true,
          articleId: article.id,
          articleTitle: article.title,
          translationId: draft.id,
          locale: 'de',
          title: draft.title,
          status: 'in_review',
          revision: submitted.revision,
          since: submitted.updatedAt,
          by: team.as('admin').memberId,
        },
      ],
      counts: { review: 1, changes: 0, publish: 0, stale: 0 },
    });
  });

  it('assigns a submitted translation to its submitter if no other member may review it', async () => {
    const { id } = await addArticle(team);
    await bringTo('in_review', team.as('owner'), await translate(team.as('owner'), id));
    expect(await kinds('owner')).toStrictEqual([]);
    await team.as('owner').delete(`/members/${team.as('admin').memberId}`);
    expect(await kinds('owner')).toStrictEqual(['review de']);
  });

  it('assigns requested changes to the author, and to everyone once the author is removed', async () => {
    const { id } = await addArticle(team);
    const author = await joinAs(team.harness, team.workspace, 'admin');
    const submitted = await takeStep(author, 'submit', await translate(author, id));
    const reviewed = await takeStep(team.as('owner'), 'request_changes', submitted);
    expect(await kinds('owner')).toStrictEqual([]);
    const { data } = (await author.get<ReviewQueuePage>('/knowledge/queue')).json;
    expect(data).toMatchObject([
      {
        kind: 'changes',
        reviewNote: 'Bitte freundlicher.',
        since: reviewed.review!.reviewedAt,
        by: team.as('owner').memberId,
      },
    ]);
    await team.as('owner').delete(`/members/${author.memberId}`);
    expect(await kinds('admin')).toStrictEqual(['changes de']);
  });

  it('lists translations to publish, and stale ones once the article changes', async () => {
    const { id } = await addArticle(team);
    const owner = team.as('owner');
    const approved = await bringTo('approved', owner, await translate(owner, id));
    expect(await kinds('admin')).toStrictEqual(['publish de']);
    await takeStep(owner, 'publish', approved);
    expect(await kinds('admin')).toStrictEqual([]);
    team.harness.clock.advance(1000);
    const changed = await changeArticle(team, id, 'It costs three euros now.');
    expect((await queue('admin')).data).toMatchObject([
      { kind: 'stale', since: changed.live!.publishedAt, by: owner.memberId, status: 'published' },
    ]);
  });

  it('shows plain members tasks only with for=everybody', async () => {
    const { id } = await addArticle(team);
    await bringTo('in_review', team.as('admin'), await translate(team.as('admin'), id));
    expect(await kinds('member')).toStrictEqual([]);
    const { data, counts } = await queue('member', '?for=everybody');
    expect(data).toMatchObject([{ kind: 'review', mine: false }]);
    expect(counts.review).toBe(1);
    const elsewhere = `/api/tenants/${team.elsewhere.id}/knowledge/queue?for=everybody`;
    expect((await team.as('stranger').get<ReviewQueuePage>(elsewhere)).json.data).toStrictEqual([]);
  });

  it('lists the oldest task first, by kind and locale, in pages', async () => {
    const { id } = await addArticle(team);
    const locales = ['de', 'fr', 'it', 'es', 'pl'];
    for (const locale of locales) {
      team.harness.clock.advance(1000);
      await bringTo('in_review', team.as('admin'), await translate(team.as('admin'), id, locale));
    }
    team.harness.clock.advance(1000);
    await bringTo('approved', team.as('admin'), await translate(team.as('admin'), id, 'nl'));
    const paged: string[] = [];
    let cursor = '';
    do {
      const page = await queue('owner', `?limit=2${cursor}`);
      expect(page.counts).toStrictEqual({ review: 5, changes: 0, publish: 1, stale: 0 });
      paged.push(...page.data.map(({ locale }) => locale));
      cursor = page.nextCursor ? `&cursor=${page.nextCursor}` : '';
    } while (cursor);
    expect(paged).toStrictEqual([...locales, 'nl']);
    expect(await kinds('owner', '?kind=publish')).toStrictEqual(['publish nl']);
    expect(await kinds('owner', '?locale=FR')).toStrictEqual(['review fr']);
  });
});

describe('translation progress', () => {
  it('counts live, stale, unfinished and missing translations by locale', async () => {
    const owner = team.as('owner');
    const [first, second] = [await addArticle(team), await addArticle(team, OTHER)];
    await addArticle(team, { title: 'A draft', answer: 'Not yet.' }, false);
    await bringTo('published', owner, await translate(owner, first.id));
    await bringTo('in_review', owner, await translate(owner, second.id));
    await bringTo('archived', owner, await translate(owner, second.id, 'fr'));
    const coverage = async () => (await team.as('member').get<KnowledgeCoverage>('/knowledge/coverage')).json;
    const none = { live: 0, stale: 0, draft: 0, inReview: 0, changesRequested: 0, approved: 0, archived: 0 };
    expect(await coverage()).toStrictEqual({
      articles: 3,
      published: 2,
      locales: [
        { ...none, locale: 'en', live: 2, draft: 1, missing: 0 },
        { ...none, locale: 'de', live: 1, inReview: 1, missing: 0 },
        { ...none, locale: 'fr', archived: 1, missing: 2 },
      ],
    });
    await changeArticle(team, first.id, 'It costs three euros now.');
    expect((await coverage()).locales[1]).toMatchObject({ locale: 'de', live: 0, stale: 1 });
  });
});

describe('article list', () => {
  it('filters by translation state', async () => {
    const owner = team.as('owner');
    const [first, second] = [await addArticle(team), await addArticle(team, OTHER)];
    await bringTo('published', owner, await translate(owner, first.id));
    await bringTo('in_review', owner, await translate(owner, second.id));
    await translate(owner, second.id, 'fr');
    await changeArticle(team, first.id, 'It costs three euros now.');
    const titles = async (query: string) =>
      (await owner.get<{ data: { title: string }[] }>(`/knowledge/articles?${query}`)).json.data.map(
        ({ title }) => title,
      );
    expect(await titles('translationStatus=in_review')).toStrictEqual([OTHER.title]);
    expect(await titles('translationStatus=in_review&locale=fr')).toStrictEqual([]);
    expect(await titles('locale=FR')).toStrictEqual([OTHER.title]);
    expect(await titles('stale=true')).toStrictEqual([first.title]);
    expect(await titles('stale=false&locale=de')).toStrictEqual([OTHER.title]);
    expect(await titles('changed=true')).toStrictEqual([]);
    const edit = { baseRevision: second.revision, ...OTHER, answer: 'Another answer.' };
    const edited = await owner.put<typeof second>(`/knowledge/articles/${second.id}`, edit);
    expect(await titles('changed=true')).toStrictEqual([OTHER.title]);
    await publishArticle(team, edited.json);
    expect(await titles('changed=true')).toStrictEqual([]);
  });
});

describe('article revision', () => {
  it('returns a past revision unchanged, or 404 if it never existed', async () => {
    const { id, title } = await addArticle(team);
    await changeArticle(team, id, 'It costs three euros now.');
    const read = (revision: number | string) =>
      team.as('member').get<{ answer: string }>(`/knowledge/articles/${id}/revisions/${revision}`);
    expect((await read(1)).json).toMatchObject({
      revision: 1,
      title,
      answer: expect.stringContaining('two'),
    });
    expect((await read(3)).json.answer).toContain('three');
    for (const revision of [99, 9_999_999_999]) {
      expect((await read(revision)).json).toMatchObject({ error: 'article/not_found' });
    }
    expect((await read('one')).status).toBe(400);
  });
});

const OTHER = { title: 'Opening hours', answer: 'We are open from nine to five.' };
