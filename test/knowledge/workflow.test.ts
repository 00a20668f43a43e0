import { describe, expect, it } from 'vitest';
import type { ArticleRecord } from '../../contract/articles.ts';
import type { TranslationRecord } from '../../contract/translations.ts';
import { findTransition, type Transition, type WorkflowEvent } from '../../server/knowledge/workflow.ts';
import type { TranslationStatus } from '../../server/storage/translations.ts';
import { expectError, type TestResponse } from '../support/response.ts';
import { fc } from '../support/seeded-random.ts';
import {
  addArticle,
  aTeamWithoutArticles,
  bringTo,
  changeArticle,
  ENGLISH,
  expectOk,
  GERMAN,
  liveTitles,
  pathOf,
  readServed,
  STEPS,
  type Step,
  takeStep,
  team,
  translate,
  tryStep,
} from './translating.ts';

/** An independent copy of the workflow table, row by row, as customers were promised it. */

const STATUSES = [
  'draft',
  'in_review',
  'changes_requested',
  'approved',
  'published',
  'archived',
] as const satisfies readonly TranslationStatus[];

type Row = Pick<Transition, 'to' | 'live' | 'isDone'> & { conditions?: Transition['conditions'] };
type Table = Readonly<Partial<Record<`${TranslationStatus} ${WorkflowEvent}`, Row>>>;

const table: Table = {
  'draft edit': { to: 'draft', live: 'keep' },
  'in_review edit': { to: 'draft', live: 'keep' },
  'changes_requested edit': { to: 'draft', live: 'keep' },
  'approved edit': { to: 'draft', live: 'keep' },
  'published edit': { to: 'draft', live: 'keep' },
  'draft submit': { to: 'in_review', live: 'keep', conditions: ['current_source'] },
  'in_review approve': { to: 'approved', live: 'keep', conditions: ['current_source'] },
  'in_review request_changes': { to: 'changes_requested', live: 'keep' },
  'approved publish': { to: 'published', live: 'this', conditions: ['approval', 'current_source'] },
  'draft archive': { to: 'archived', live: 'none' },
  'in_review archive': { to: 'archived', live: 'none' },
  'changes_requested archive': { to: 'archived', live: 'none' },
  'approved archive': { to: 'archived', live: 'none' },
  'published archive': { to: 'archived', live: 'none' },
  'archived archive': { to: 'archived', live: 'none', isDone: true },
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
  aTeamWithoutArticles();

  const createTranslation = async (status: TranslationStatus) => {
    const article = await addArticle(team);
    const translation = await bringTo(
      status,
      team.as('owner'),
      await translate(team.as('owner'), article.id),
    );
    return { article, translation };
  };

  it.each(pairs)('matches the table for status %s and step %s', async (status, step) => {
    const { translation } = await createTranslation(status);
    const response = await tryStep(team.as('admin'), step, translation);
    const row = table[`${status} ${step}`];
    if (row) {
      const revision = translation.revision + (row.isDone ? 0 : 1);
      expect(response.json).toMatchObject({ status: row.to, revision });
      const live = { keep: translation.live?.revision, this: translation.revision + 1, none: undefined }[
        row.live
      ];
      expect(response.json.live?.revision).toBe(live);
    } else expect(expectError(response, 'translation/not_allowed').currentStatus).toBe(status);
  });

  it('row 1: creates a draft with its first revision', async () => {
    const { article, translation } = await createTranslation('draft');
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
    const { article, translation } = await createTranslation('draft');
    const { live } = await changeArticle(team, article.id, 'We wrap gifts for three euros.');
    const error = expectError(await tryStep(team.as('owner'), 'submit', translation), 'translation/stale');
    expect(error.currentSourceRevision).toBe(live!.revision);
    const edited = await takeStep(team.as('owner'), 'edit', translation);
    expect(edited).toMatchObject({ status: 'draft', stale: false, sourceRevision: live!.revision });
    expect((await takeStep(team.as('owner'), 'submit', edited)).status).toBe('in_review');
  });

  it('row 5: records the approver, and whether the author approved their own text', async () => {
    const { translation } = await createTranslation('in_review');
    const other = await takeStep(team.as('admin'), 'approve', translation, { reviewNote: 'Schön.' });
    expect(other.review).toEqual({
      decision: 'approve',
      revision: translation.revision,
      reviewerId: team.as('admin').memberId,
      reviewNote: 'Schön.',
      reviewedAt: other.updatedAt,
      selfReview: false,
    });
    const own = await takeStep(
      team.as('owner'),
      'approve',
      (await createTranslation('in_review')).translation,
    );
    expect(own.review).toMatchObject({ reviewerId: team.as('owner').memberId, selfReview: true });
  });

  it('row 5: keeps the author of a text that another member submits', async () => {
    const { translation } = await createTranslation('draft');
    const submitted = await takeStep(team.as('admin'), 'submit', translation);
    expect((await takeStep(team.as('owner'), 'approve', submitted)).review?.selfReview).toBe(true);
  });

  it('row 6: requires a note to request changes, measured after normalization', async () => {
    const { translation } = await createTranslation('in_review');
    for (const reviewNote of [undefined, ' \n\t ', '\u0958'.repeat(2000)]) {
      const response = await tryStep(team.as('admin'), 'request_changes', translation, { reviewNote });
      expect(expectError(response, 'request/invalid').issues).toMatchObject([{ path: 'body.reviewNote' }]);
    }
    const returned = await takeStep(team.as('admin'), 'request_changes', translation);
    expect(returned).toMatchObject({
      status: 'changes_requested',
      review: { decision: 'request_changes', reviewNote: 'Bitte freundlicher.' },
    });
  });

  it('row 7: serves an approved revision only after it is published', async () => {
    const { translation } = await createTranslation('approved');
    expect(await liveTitles(team, translation.articleId)).toEqual({ en: ENGLISH.title });
    const published = await takeStep(team.as('admin'), 'publish', translation);
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
    const { translation } = await createTranslation('approved');
    const edited = await takeStep(team.as('owner'), 'edit', translation);
    expect(edited).not.toHaveProperty('review');
    const error = expectError(await tryStep(team.as('owner'), 'publish', edited), 'translation/not_allowed');
    expect(error.currentStatus).toBe('draft');
  });

  it('row 5: rejects approving a revision whose source has changed since, but takes requested changes', async () => {
    const { article, translation } = await createTranslation('in_review');
    const { live } = await changeArticle(team, article.id, 'We no longer wrap gifts.');
    const error = expectError(await tryStep(team.as('admin'), 'approve', translation), 'translation/stale');
    expect(error.currentSourceRevision).toBe(live!.revision);
    expect((await takeStep(team.as('admin'), 'request_changes', translation)).status).toBe(
      'changes_requested',
    );
  });

  it('row 9: rejects publishing a revision approved before the source changed', async () => {
    const { article, translation } = await createTranslation('approved');
    const { live } = await changeArticle(team, article.id, 'We no longer wrap gifts.');
    const error = expectError(await tryStep(team.as('owner'), 'publish', translation), 'translation/stale');
    expect(error.currentSourceRevision).toBe(live!.revision);
  });

  it('row 10: keeps the live revision while a newer draft is edited and reviewed', async () => {
    const { translation } = await createTranslation('published');
    const { live } = translation;
    let newer = translation;
    for (const step of ['edit', 'submit', 'request_changes', 'edit', 'submit', 'approve'] as const) {
      newer = await takeStep(team.as('admin'), step, newer);
      expect(newer.live).toEqual(live);
    }
    newer = await takeStep(team.as('admin'), 'publish', newer);
    expect(newer.live?.revision).toBe(newer.revision);
  });

  it('row 11: a source change marks draft and live text stale, and undoing it clears that', async () => {
    const { article, translation } = await createTranslation('published');
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
    const { translation } = await createTranslation('published');
    const archived = await takeStep(team.as('owner'), 'archive', translation);
    expect(archived).not.toHaveProperty('live');
    expect(archived).not.toHaveProperty('review');
    expect(await liveTitles(team, translation.articleId)).toEqual({ en: ENGLISH.title });
  });

  it('row 12: archives an archived translation without a new revision', async () => {
    const { translation } = await createTranslation('published');
    const archived = await takeStep(team.as('owner'), 'archive', translation);
    const again = await tryStep(team.as('admin'), 'archive', archived);
    expect([again.status, again.json]).toEqual([200, archived]);
    const { json } = await team.as('member').get<{ revisionCount: number }>(pathOf(archived));
    expect(json.revisionCount).toBe(archived.revision);
    expectError(await tryStep(team.as('admin'), 'archive', translation), 'translation/conflict');
  });

  it('row 13: restores a translation as a draft that needs review and publishing again', async () => {
    const { translation } = await createTranslation('published');
    const archived = await takeStep(team.as('owner'), 'archive', translation);
    const restored = await takeStep(team.as('owner'), 'restore', archived);
    expect(restored).toMatchObject({ status: 'draft', title: translation.title });
    expect(restored).not.toHaveProperty('live');
    expectError(await tryStep(team.as('owner'), 'publish', restored), 'translation/not_allowed');
    expect(await liveTitles(team, translation.articleId)).toEqual({ en: ENGLISH.title });
  });
});

type Model = {
  /** The content of the article: the working copy and the published part. */
  source: string;
  sourceLive: string | undefined;
  status: TranslationStatus;
  text: string;
  madeFor: string;
  live: { text: string; madeFor: string } | undefined;
};

const getComparedSource = ({ source, sourceLive }: Model) => sourceLive ?? source;
const isStale = (model: Model) => model.madeFor !== getComparedSource(model);

/** The statuses from which a step is allowed. */
const ALLOWED_STATUSES: Record<Step, readonly TranslationStatus[]> = {
  edit: ['draft', 'in_review', 'changes_requested', 'approved', 'published'],
  submit: ['draft'],
  approve: ['in_review'],
  request_changes: ['in_review'],
  publish: ['approved'],
  archive: ['draft', 'in_review', 'changes_requested', 'approved', 'published', 'archived'],
  restore: ['archived'],
};
const NEXT_STEP: Record<TranslationStatus, Step> = {
  draft: 'submit',
  in_review: 'approve',
  changes_requested: 'edit',
  approved: 'publish',
  published: 'edit',
  archived: 'restore',
};

/** Returns the error, or undefined after the model has applied the step. */
function applyToModel(model: Model, step: Step, text: string): string | undefined {
  if (!ALLOWED_STATUSES[step].includes(model.status)) return 'translation/not_allowed';
  if ((step === 'submit' || step === 'approve' || step === 'publish') && isStale(model))
    return 'translation/stale';
  if (step === 'edit') {
    if (text === model.text && !isStale(model)) return undefined;
    Object.assign(model, { status: 'draft', text, madeFor: getComparedSource(model) });
  }
  if (step === 'submit') model.status = 'in_review';
  if (step === 'approve') model.status = 'approved';
  if (step === 'request_changes') model.status = 'changes_requested';
  if (step === 'publish') {
    Object.assign(model, { status: 'published', live: { text: model.text, madeFor: model.madeFor } });
  }
  if (step === 'archive') Object.assign(model, { status: 'archived', live: undefined });
  if (step === 'restore') model.status = 'draft';
  return undefined;
}

type Command = {
  who: 'owner' | 'admin';
  what: Step | 'go_on' | 'edit_same' | 'edit_source' | 'publish_source' | 'unpublish_source';
  /** Whether the step is sent with an outdated revision. */
  late: boolean;
  /** Sources alternate among a few texts, so changes are sometimes undone. */
  version: number;
};

const command: fc.Arbitrary<Command> = fc.record({
  who: fc.constantFrom('owner', 'admin'),
  what: fc.oneof(
    { weight: 5, arbitrary: fc.constant('go_on' as const) },
    {
      weight: 4,
      arbitrary: fc.constantFrom(
        ...(['edit', 'submit', 'approve', 'request_changes', 'publish', 'archive', 'restore'] as const),
      ),
    },
    {
      weight: 3,
      arbitrary: fc.constantFrom(
        ...(['edit_same', 'edit_source', 'publish_source', 'unpublish_source'] as const),
      ),
    },
  ),
  late: fc.nat(9).map((n) => n === 0),
  version: fc.nat(2),
});

const english = (version: number) => ({ title: `Zebra ${version}`, answer: 'A zebra has stripes.' });
const german = (version: number) => ({
  title: `Zebra Fassung ${version}`,
  answer: 'Ein Zebra hat Streifen.',
});
const toOtherRevision = (revision: number) => (revision > 1 ? revision - 1 : revision + 1);
const getErrorCode = ({ json }: TestResponse) => (json as { error?: string }).error;

const isSourceCommand = ({ what }: Command) => what.endsWith('_source');

describe('any sequence of steps', () => {
  /**
   * Model-based test: several members change an article and its translation in any order. An
   * independent model predicts each response, and what visitors are served afterwards.
   */

  aTeamWithoutArticles();

  let liveCount = 0;
  let editCount = 0;

  async function runCommands(commands: readonly Command[]): Promise<void> {
    let article = await addArticle(team, english(0));
    let translation = await translate(team.as('owner'), article.id, 'de', german(0));
    const model: Model = {
      source: english(0).title,
      sourceLive: english(0).title,
      status: 'draft',
      text: german(0).title,
      madeFor: english(0).title,
      live: undefined,
    };
    try {
      for (const next of commands) {
        // Mutations are rate-limited by member and minute.
        team.harness.clock.advance(1000);
        if (isSourceCommand(next)) article = await changeSource(model, article, next);
        else translation = await stepOn(model, translation, next);
        await compare(model, article, translation);
        if (model.live) liveCount += 1;
      }
    } finally {
      await team.as('owner').delete(`/knowledge/articles/${article.id}`);
    }
    expect(await liveTitles(team, article.id)).toEqual({});
  }

  async function stepOn(
    model: Model,
    translation: TranslationRecord,
    { who, what, late }: Command,
  ): Promise<TranslationRecord> {
    const step = what === 'go_on' ? NEXT_STEP[model.status] : what === 'edit_same' ? 'edit' : (what as Step);
    editCount += 1;
    const text = what === 'edit_same' ? { ...german(0), title: model.text } : german(editCount);
    const base = {
      ...translation,
      revision: late ? toOtherRevision(translation.revision) : translation.revision,
    };
    const more = step === 'edit' ? { ...text, searchAliases: [] } : {};
    const response = await tryStep(team.as(who), step, base, more);
    const code = late ? 'translation/conflict' : applyToModel(model, step, text.title);
    expect(getErrorCode(response)).toBe(code);
    return code === undefined ? response.json : translation;
  }

  async function changeSource(model: Model, article: ArticleRecord, next: Command): Promise<ArticleRecord> {
    const { who, what, late, version } = next;
    const path = `/knowledge/articles/${article.id}`;
    const baseRevision = late ? toOtherRevision(article.revision) : article.revision;
    const memberClient = team.as(who);
    const response: TestResponse<ArticleRecord> =
      what === 'edit_source'
        ? await memberClient.put(path, { baseRevision, ...english(version) })
        : await memberClient.post(`${path}/${what === 'publish_source' ? 'publish' : 'unpublish'}`, {
            baseRevision,
          });
    if (late) {
      expect(getErrorCode(response)).toBe('article/conflict');
      return article;
    }
    if (what === 'edit_source') model.source = english(version).title;
    else if (what === 'publish_source' ? model.sourceLive === model.source : !model.sourceLive) {
      expect(getErrorCode(response)).toBe('article/not_allowed');
      return article;
    } else model.sourceLive = what === 'publish_source' ? model.source : undefined;
    return expectOk(response);
  }

  /** Compares the record, the texts that retrieval can find, and the texts served to visitors of three languages. */
  async function compare(model: Model, article: ArticleRecord, { id }: TranslationRecord): Promise<void> {
    const path = pathOf({ articleId: article.id, id });
    const { status, stale, title, live } = expectOk(await team.as('member').get<TranslationRecord>(path));
    expect({ status, stale, title, liveStale: live?.stale }).toEqual({
      status: model.status,
      stale: isStale(model),
      title: model.text,
      liveStale: model.live && model.live.madeFor !== getComparedSource(model),
    });
    const { sourceLive, live: published } = model;
    expect(await liveTitles(team, article.id)).toEqual(
      sourceLive === undefined ? {} : { en: sourceLive, ...(published && { de: published.text }) },
    );
    for (const locale of ['de-AT', 'fr']) {
      const expectedTitle = locale === 'fr' ? sourceLive : sourceLive && (published?.text ?? sourceLive);
      const hits = await readServed(team, 'Zebra', locale);
      expect(hits.map((hit) => hit.title)).toEqual(expectedTitle === undefined ? [] : [expectedTitle]);
    }
  }

  it('never serves an unapproved revision after any sequence of steps', async () => {
    await fc.assert(fc.asyncProperty(fc.array(command, { minLength: 5, maxLength: 40 }), runCommands), {
      numRuns: 20,
    });
    // Checks that the sequences did publish; otherwise the test would prove nothing.
    expect(liveCount).toBeGreaterThan(10);
  }, 600_000);
});
