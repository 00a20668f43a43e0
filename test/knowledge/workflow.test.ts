import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findTransition, type Transition, type WorkflowEvent } from '../../server/knowledge/workflow.ts';
import type { TranslationStatus } from '../../server/storage/translations.ts';
import { openTeam, type Team } from '../accounts/team.ts';
import { expectError } from '../fixtures/answer.ts';
import {
  addArticle,
  bringTo,
  changeArticle,
  ENGLISH,
  GERMAN,
  liveTitles,
  STEPS,
  take,
  translate,
  tryStep,
} from './translating.ts';

/** An independent copy of the workflow table in the interface document, row by row. */

const STATUSES = [
  'draft',
  'in_review',
  'changes_requested',
  'approved',
  'published',
  'archived',
] as const satisfies readonly TranslationStatus[];

type Row = Pick<Transition, 'to' | 'live'> & { readonly conditions?: Transition['conditions'] };
type Table = Readonly<Partial<Record<`${TranslationStatus} ${WorkflowEvent}`, Row>>>;

const table: Table = {
  'draft edit': { to: 'draft', live: 'keep' },
  'in_review edit': { to: 'draft', live: 'keep' },
  'changes_requested edit': { to: 'draft', live: 'keep' },
  'approved edit': { to: 'draft', live: 'keep' },
  'published edit': { to: 'draft', live: 'keep' },
  'draft submit': { to: 'in_review', live: 'keep', conditions: ['current_source'] },
  'in_review approve': { to: 'approved', live: 'keep' },
  'in_review request_changes': { to: 'changes_requested', live: 'keep' },
  'approved publish': { to: 'published', live: 'this', conditions: ['approval', 'current_source'] },
  'draft archive': { to: 'archived', live: 'none' },
  'in_review archive': { to: 'archived', live: 'none' },
  'changes_requested archive': { to: 'archived', live: 'none' },
  'approved archive': { to: 'archived', live: 'none' },
  'published archive': { to: 'archived', live: 'none' },
  'archived restore': { to: 'draft', live: 'none' },
};

const pairs = STATUSES.flatMap((status) => STEPS.map((step) => [status, step] as const));

describe('transition', () => {
  it.each(pairs)('matches the table for status %s and step %s', (status, step) => {
    const row = table[`${status} ${step}`];
    const found = findTransition(status, step);
    if (row) expect(found).toMatchObject({ conditions: [], ...row });
    else expect(found).toBeUndefined();
  });

  it('keeps a review only when publishing', () => {
    for (const [status, step] of pairs) {
      const review = findTransition(status, step)?.review;
      if (review === undefined) continue;
      const expected = { publish: 'keep', approve: 'new', request_changes: 'new' } as Record<string, string>;
      expect(review).toBe(expected[step] ?? 'none');
    }
  });
});

describe('translation workflow over HTTP', () => {
  let team: Team;
  beforeAll(async () => {
    team = await openTeam({ articles: [] });
  });
  afterAll(() => team.close());
  // Mutations are rate-limited by member and minute.
  beforeEach(() => team.harness.clock.advance(61_000));

  const made = async (status: TranslationStatus) => {
    const article = await addArticle(team);
    const translation = await bringTo(
      status,
      team.as('owner'),
      await translate(team.as('owner'), article.id),
    );
    return { article, translation };
  };

  it.each(pairs)('matches the table for status %s and step %s', async (status, step) => {
    const { translation } = await made(status);
    const answer = await tryStep(team.as('admin'), step, translation);
    const row = table[`${status} ${step}`];
    if (row) {
      expect(answer.json).toMatchObject({ status: row.to, revision: translation.revision + 1 });
      const live = { keep: translation.live?.revision, this: translation.revision + 1, none: undefined }[
        row.live
      ];
      expect(answer.json.live?.revision).toBe(live);
    } else expect(expectError(answer, 'translation/not_allowed').currentStatus).toBe(status);
  });

  it('row 1: creates a draft with its first revision', async () => {
    const { article, translation } = await made('draft');
    expect(translation).toMatchObject({
      ...GERMAN,
      articleId: article.id,
      locale: 'de',
      status: 'draft',
      stale: false,
      revision: 1,
      sourceRevision: article.live!.revision,
      currentSourceRevision: article.live!.revision,
      createdBy: team.as('owner').memberId,
    });
    expect(translation).not.toHaveProperty('live');
    expect(translation).not.toHaveProperty('review');
  });

  it('row 4: rejects submitting a stale draft until it is edited against the newer source', async () => {
    const { article, translation } = await made('draft');
    const { live } = await changeArticle(team, article.id, 'We wrap gifts for three euros.');
    const refusal = expectError(await tryStep(team.as('owner'), 'submit', translation), 'translation/stale');
    expect(refusal.currentSourceRevision).toBe(live!.revision);
    const edited = await take(team.as('owner'), 'edit', translation);
    expect(edited).toMatchObject({ status: 'draft', stale: false, sourceRevision: live!.revision });
    expect((await take(team.as('owner'), 'submit', edited)).status).toBe('in_review');
  });

  it('row 5: records the approver, and whether the author approved their own text', async () => {
    const { translation } = await made('in_review');
    const other = await take(team.as('admin'), 'approve', translation, { reviewNote: 'Schön.' });
    expect(other.review).toEqual({
      decision: 'approve',
      revision: translation.revision,
      reviewerId: team.as('admin').memberId,
      reviewNote: 'Schön.',
      reviewedAt: other.updatedAt,
      selfReview: false,
    });
    const own = await take(team.as('owner'), 'approve', (await made('in_review')).translation);
    expect(own.review).toMatchObject({ reviewerId: team.as('owner').memberId, selfReview: true });
  });

  it('row 5: keeps the author of a text that another member submits', async () => {
    const { translation } = await made('draft');
    const submitted = await take(team.as('admin'), 'submit', translation);
    expect((await take(team.as('owner'), 'approve', submitted)).review?.selfReview).toBe(true);
  });

  it('row 6: requires a note to request changes, measured after normalization', async () => {
    const { translation } = await made('in_review');
    for (const reviewNote of [undefined, ' \n\t ', '\u0958'.repeat(2000)]) {
      const answer = await tryStep(team.as('admin'), 'request_changes', translation, { reviewNote });
      expect(expectError(answer, 'request/invalid').issues).toMatchObject([{ path: 'body.reviewNote' }]);
    }
    const returned = await take(team.as('admin'), 'request_changes', translation);
    expect(returned).toMatchObject({
      status: 'changes_requested',
      review: { decision: 'request_changes', reviewNote: 'Bitte freundlicher.' },
    });
  });

  it('row 7: serves an approved revision only after it is published', async () => {
    const { translation } = await made('approved');
    expect(await liveTitles(team, translation.articleId)).toEqual({ en: ENGLISH.title });
    const published = await take(team.as('admin'), 'publish', translation);
    expect(published).toMatchObject({
      status: 'published',
      live: {
        revision: translation.revision + 1,
        sourceRevision: translation.sourceRevision,
        stale: false,
        publishedBy: team.as('admin').memberId,
      },
      review: { decision: 'approve' },
    });
    expect(await liveTitles(team, translation.articleId)).toEqual({ en: ENGLISH.title, de: GERMAN.title });
  });

  it('row 8: an edit voids the approval', async () => {
    const { translation } = await made('approved');
    const edited = await take(team.as('owner'), 'edit', translation);
    expect(edited).not.toHaveProperty('review');
    const refusal = expectError(
      await tryStep(team.as('owner'), 'publish', edited),
      'translation/not_allowed',
    );
    expect(refusal.currentStatus).toBe('draft');
  });

  it('row 9: rejects publishing a revision approved before the source changed', async () => {
    const { article, translation } = await made('approved');
    const { live } = await changeArticle(team, article.id, 'We no longer wrap gifts.');
    const refusal = expectError(await tryStep(team.as('owner'), 'publish', translation), 'translation/stale');
    expect(refusal.currentSourceRevision).toBe(live!.revision);
  });

  it('row 10: keeps the live revision while a newer draft is edited and reviewed', async () => {
    const { translation } = await made('published');
    const { live } = translation;
    let newer = translation;
    for (const step of ['edit', 'submit', 'request_changes', 'edit', 'submit', 'approve'] as const) {
      newer = await take(team.as('admin'), step, newer);
      expect(newer.live).toEqual(live);
    }
    newer = await take(team.as('admin'), 'publish', newer);
    expect(newer.live?.revision).toBe(newer.revision);
  });

  it('row 11: a source change marks draft and live text stale, and undoing it clears that', async () => {
    const { article, translation } = await made('published');
    const read = async () =>
      (await team.as('member').get(`/knowledge/articles/${article.id}/translations`)).json;
    await changeArticle(team, article.id, 'We wrap gifts for ten euros.');
    expect(await read()).toMatchObject({
      data: [{ status: 'published', stale: true, revision: translation.revision, live: { stale: true } }],
    });
    await changeArticle(team, article.id, article.answer);
    expect(await read()).toMatchObject({
      data: [{ status: 'published', stale: false, revision: translation.revision, live: { stale: false } }],
    });
  });

  it('row 12: stops serving an archived translation', async () => {
    const { translation } = await made('published');
    const archived = await take(team.as('owner'), 'archive', translation);
    expect(archived).not.toHaveProperty('live');
    expect(archived).not.toHaveProperty('review');
    expect(await liveTitles(team, translation.articleId)).toEqual({ en: ENGLISH.title });
  });

  it('row 13: restores a translation as a draft that needs review and publishing again', async () => {
    const { translation } = await made('published');
    const archived = await take(team.as('owner'), 'archive', translation);
    const restored = await take(team.as('owner'), 'restore', archived);
    expect(restored).toMatchObject({ status: 'draft', title: translation.title });
    expect(restored).not.toHaveProperty('live');
    expectError(await tryStep(team.as('owner'), 'publish', restored), 'translation/not_allowed');
    expect(await liveTitles(team, translation.articleId)).toEqual({ en: ENGLISH.title });
  });
});
