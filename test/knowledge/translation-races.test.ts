import { describe, expect, it } from 'vitest';
import type { ArticleRecord } from '../../contract/articles.ts';
import type { TranslationRecord } from '../../contract/translations.ts';
import { hashContent } from '../../server/knowledge/article-content.ts';
import { createIndexing } from '../../server/knowledge/search/indexing.ts';
import {
  buildTransition,
  type ChangeTranslationDeps,
  publishTranslation,
} from '../../server/knowledge/translation-changes.ts';
import { findTransition } from '../../server/knowledge/workflow.ts';
import { expectError } from '../support/response.ts';
import { importSeeds } from '../support/seeds.ts';
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
  readTranslation,
  STEPS,
  takeStep,
  team,
  translate,
  tryStep,
} from './translating.ts';

aTeamWithoutArticles();

describe('editing a translation', () => {
  it('replaces the whole text', async () => {
    const { id } = await addArticle(team);
    const translation = await translate(team.as('owner'), id);
    const edit = { baseRevision: 1, title: 'Einpacken', answer: 'Kostet zwei Euro.' };
    const edited = expectOk(await team.as('admin').put<TranslationRecord>(pathOf(translation), edit));
    expect(edited).toMatchObject({
      title: 'Einpacken',
      answer: 'Kostet zwei Euro.',
      searchAliases: [],
      searchSummary: 'Kostet zwei Euro.',
      revision: 2,
      createdBy: team.as('owner').memberId,
      updatedBy: team.as('admin').memberId,
    });
    expect(await readTranslation(team, translation)).toMatchObject(edited);
  });

  it('adds no revision and keeps the review when nothing changes', async () => {
    const { id } = await addArticle(team);
    const approved = await bringTo('approved', team.as('owner'), await translate(team.as('owner'), id));
    const same = { baseRevision: approved.revision, ...GERMAN, title: ` ${GERMAN.title} ` };
    expect(expectOk(await team.as('owner').put(pathOf(approved), same))).toEqual(approved);
    expect((await readTranslation(team, approved)).revisionCount).toBe(approved.revision);
  });

  it('adds a revision against a newer source even if the text is unchanged', async () => {
    const { id } = await addArticle(team);
    const approved = await bringTo('approved', team.as('owner'), await translate(team.as('owner'), id));
    const { live } = await changeArticle(team, id, 'We wrap gifts for two euros!');
    const same = { baseRevision: approved.revision, ...GERMAN };
    const edited = expectOk(await team.as('owner').put<TranslationRecord>(pathOf(approved), same));
    expect(edited).toMatchObject({
      status: 'draft',
      stale: false,
      revision: approved.revision + 1,
      sourceRevision: live!.revision,
    });
    expect(edited).not.toHaveProperty('review');
  });
});

describe('translation history', () => {
  it('has an immutable revision with author for every edit and step', async () => {
    const { id } = await addArticle(team);
    const [owner, admin] = [team.as('owner').memberId, team.as('admin').memberId];
    let current = await translate(team.as('owner'), id);
    const way = [
      'submit',
      'request_changes',
      'edit',
      'submit',
      'approve',
      'publish',
      'archive',
      'restore',
    ] as const;
    for (const [at, step] of way.entries()) {
      current = await takeStep(team.as(at % 2 === 0 ? 'owner' : 'admin'), step, current);
    }
    const { revisions, revisionCount } = await readTranslation(team, current);
    expect(revisionCount).toBe(9);
    const rows = revisions.map(({ revision, event, status, authorId, reviewerId, reviewNote }) =>
      [revision, event, status, authorId, reviewerId, reviewNote].filter((part) => part !== undefined),
    );
    expect(rows).toEqual([
      [9, 'restored', 'draft', admin],
      [8, 'archived', 'archived', owner],
      [7, 'published', 'published', admin],
      [6, 'approved', 'approved', owner, owner],
      [5, 'submitted', 'in_review', admin],
      [4, 'edited', 'draft', owner],
      [3, 'changes_requested', 'changes_requested', admin, admin, 'Bitte freundlicher.'],
      [2, 'submitted', 'in_review', owner],
      [1, 'created', 'draft', owner],
    ]);
    const { title, searchAliases, answer } = GERMAN;
    expect(revisions.at(-1)?.content).toEqual({ title, answer, searchAliases });
    expect(revisions[0]?.content).toEqual({ title: `${title} 3`, answer, searchAliases });
    expect(new Set(revisions.map(({ contentHash }) => contentHash)).size).toBe(2);
  });

  it('adds an audit row for every step', async () => {
    const { id } = await addArticle(team);
    const translation = await bringTo('published', team.as('admin'), await translate(team.as('owner'), id));
    const rows = await team.harness.service.store.in(team.workspace.id).audit.list(4);
    const details = { articleId: id, locale: 'de' };
    const [owner, admin] = [team.as('owner').memberId, team.as('admin').memberId];
    expect(rows).toMatchObject([
      {
        action: 'translation.published',
        actor: admin,
        details: { ...details, fromRevision: 3, toRevision: 4 },
      },
      {
        action: 'translation.approved',
        actor: admin,
        details: { ...details, fromRevision: 2, toRevision: 3 },
      },
      {
        action: 'translation.submitted',
        actor: admin,
        details: { ...details, fromRevision: 1, toRevision: 2 },
      },
      { action: 'translation.created', actor: owner, details: { ...details, toRevision: 1 } },
    ]);
    expect(new Set(rows.map(({ subject }) => subject))).toEqual(new Set([translation.id]));
  });

  it('returns the newest 100 of 130 revisions and their total', async () => {
    const { id } = await addArticle(team);
    let current = await translate(team.as('owner'), id);
    while (current.revision < 130) {
      team.harness.clock.advance(1000);
      current = await takeStep(team.as('admin'), 'edit', current);
    }
    const { revisions, revisionCount } = await readTranslation(team, current);
    expect(revisionCount).toBe(130);
    expect(revisions.map(({ revision }) => revision)).toEqual(
      Array.from({ length: 100 }, (_, at) => 130 - at),
    );
  });
});

const storeOf = () => team.harness.service.store.in(team.workspace.id);
const draft = async () => translate(team.as('owner'), (await addArticle(team)).id);

describe('a step with an outdated revision', () => {
  it.each(STEPS)('returns a conflict with the author and time of the newer one: %s', async (step) => {
    const old = await draft();
    const edited = await takeStep(team.as('admin'), 'edit', old);
    const error = expectError(await tryStep(team.as('owner'), step, old), 'translation/conflict');
    expect(error).toMatchObject({
      currentRevision: edited.revision,
      changedBy: team.as('admin').memberId,
      changedAt: edited.updatedAt,
    });
    expect((await readTranslation(team, old)).revisionCount).toBe(2);
  });

  it('returns a conflict before an error about its status', async () => {
    const archived = await takeStep(team.as('admin'), 'archive', await draft());
    const old = { ...archived, revision: 1 };
    expectError(await tryStep(team.as('owner'), 'publish', old), 'translation/conflict');
  });
});

describe('concurrent editors', () => {
  it('accepts one edit and returns its author to the others', async () => {
    const translation = await draft();
    const memberClients = [team.as('owner'), team.as('admin')];
    const tries = Array.from({ length: 50 }, (_, at) => {
      const memberClient = memberClients[at % 2]!;
      return { memberClient, coming: tryStep(memberClient, 'edit', translation, { title: `Fassung ${at}` }) };
    });
    const responses = await Promise.all(tries.map(({ coming }) => coming));
    const winners = responses.filter(({ status }) => status === 200);
    expect(winners).toHaveLength(1);
    const { json: won } = winners[0]!;
    for (const response of responses.filter(({ status }) => status !== 200)) {
      expect(expectError(response, 'translation/conflict')).toMatchObject({
        currentRevision: 2,
        changedBy: won.updatedBy,
        changedAt: won.updatedAt,
      });
    }
    expect(tries[responses.indexOf(winners[0]!)]!.memberClient.memberId).toBe(won.updatedBy);
    expect(await readTranslation(team, translation)).toMatchObject({
      title: won.title,
      revision: 2,
      revisionCount: 2,
    });
  });

  it('accepts one of 1,000 edits and returns 999 conflicts', async () => {
    const created = await draft();
    const { articles, translations } = storeOf();
    const article = (await articles.find(created.articleId))!;
    const translation = (await translations.find(created.articleId, created.id))!;
    const steps = Array.from({ length: 1000 }, (_, at) => {
      const content = { ...translation.content, title: `Fassung ${at}` };
      const by = { clock: team.harness.clock, actor: `mem_${at}` };
      const change = { content, contentHash: hashContent(content) };
      return buildTransition({ translation, article }, 'edit', findTransition('draft', 'edit')!, change, by);
    });
    const outcomes = await Promise.all(steps.map((step) => translations.apply(step)));
    const winners = steps.filter((_, at) => outcomes[at]!.outcome === 'applied');
    expect(winners).toHaveLength(1);
    const conflicts = outcomes.filter(({ outcome }) => outcome === 'conflict');
    expect(conflicts).toHaveLength(999);
    const { authorId: changedBy, atMillis: changedAt } = winners[0]!;
    for (const conflict of conflicts) {
      expect(conflict).toEqual({ outcome: 'conflict', currentRevision: 2, changedBy, changedAt });
    }
    expect(await translations.countRevisions(created.id)).toBe(2);
  });
});

describe('concurrent changes of a translation and its article', () => {
  it('agree on staleness in either order', async () => {
    for (let round = 0; round < 8; round += 1) {
      team.harness.clock.advance(61_000);
      const article = await addArticle(team);
      const approved = await bringTo(
        'approved',
        team.as('admin'),
        await translate(team.as('admin'), article.id),
      );
      const path = `/knowledge/articles/${article.id}`;
      const edit = { baseRevision: article.revision, ...ENGLISH, answer: `We wrap gifts, ${round} euros.` };
      const edited = expectOk(await team.as('owner').put<ArticleRecord>(path, edit));
      const [published] = await Promise.all([
        tryStep(team.as('admin'), 'publish', approved),
        team.as('owner').post(`${path}/publish`, { baseRevision: edited.revision }),
      ]);
      const now = await readTranslation(team, approved);
      expect(now.stale).toBe(true);
      if (published.status !== 200) {
        expectError(published, 'translation/stale');
        expect(await liveTitles(team, article.id)).toEqual({ en: ENGLISH.title });
        continue;
      }
      expect(now.live).toMatchObject({ stale: true });
      const { passages } = storeOf();
      const variants = await passages.liveVariants([article.id]);
      const loaded = await passages.load(variants.map(({ passageId }) => passageId));
      expect(Object.fromEntries(loaded.map(({ locale, stale }) => [locale, stale]))).toEqual({
        en: false,
        de: true,
      });
    }
  });

  it('leave nothing behind when the article is deleted during a step', async () => {
    for (let round = 0; round < 5; round += 1) {
      team.harness.clock.advance(61_000);
      const article = await addArticle(team);
      const approved = await bringTo(
        'approved',
        team.as('admin'),
        await translate(team.as('admin'), article.id),
      );
      const [response] = await Promise.all([
        tryStep(team.as('admin'), 'publish', approved),
        team.as('owner').delete(`/knowledge/articles/${article.id}`),
      ]);
      expect([200, 404]).toContain(response.status);
      expect(await liveTitles(team, article.id)).toEqual({});
      expect(await storeOf().translations.list(article.id)).toEqual([]);
      expect(await storeOf().translations.countRevisions(approved.id)).toBe(0);
    }
  });

  it("never publish source and translation in one language after an import changes the source's", async () => {
    const seed = { slug: 'gifts', locale: 'en', ...ENGLISH };
    await importSeeds(team.harness.service.store, team.workspace.id, [seed]);
    const articleId = (await storeOf().articles.findId('gifts'))!;
    const live = await bringTo('published', team.as('owner'), await translate(team.as('owner'), articleId));
    const german = { slug: 'gifts', locale: 'de', title: 'Geschenke', answer: 'Zwei Euro.' };
    await importSeeds(team.harness.service.store, team.workspace.id, [german]);
    const archived = await readTranslation(team, live);
    expect(archived).toMatchObject({ status: 'archived', updatedBy: 'test' });
    expectError(await tryStep(team.as('owner'), 'restore', archived), 'translation/source_locale');
    expectError(await tryStep(team.as('owner'), 'edit', archived), 'translation/not_allowed');
    expect(await liveTitles(team, articleId)).toEqual({ de: 'Geschenke' });
  });

  it('create one translation from many concurrent requests for a locale', async () => {
    const { id } = await addArticle(team);
    const path = `/knowledge/articles/${id}/translations`;
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        team.as('owner').post(path, { ...GERMAN, locale: at % 2 === 0 ? 'de-AT' : 'DE-at' }),
      ),
    );
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(1);
    for (const response of responses.filter(({ status }) => status !== 201)) {
      expectError(response, 'translation/locale_taken');
    }
  });
});

describe('a step whose article changes between decision and write', () => {
  /** Prepares a publication while another request runs. */
  async function publishDuring(
    translation: TranslationRecord,
    meanwhile: () => Promise<unknown>,
  ): Promise<unknown> {
    const { articles, translations } = storeOf();
    const { clock } = team.harness;
    const indexing = createIndexing();
    const deps: ChangeTranslationDeps = {
      articles,
      translations,
      clock,
      actor: team.as('admin').memberId,
      indexing: {
        async index(...text) {
          await meanwhile();
          return indexing.index(...text);
        },
      },
    };
    const { articleId, id: translationId, revision: baseRevision } = translation;
    return publishTranslation({ articleId, translationId, baseRevision }, deps).catch((error) => error);
  }

  const approvedOne = async () => {
    const article = await addArticle(team);
    const translation = await translate(team.as('admin'), article.id);
    return { article, approved: await bringTo('approved', team.as('admin'), translation) };
  };

  it('does not publish a translation that became stale meanwhile', async () => {
    const { article, approved } = await approvedOne();
    const outcome = await publishDuring(approved, () => changeArticle(team, article.id, 'No more wrapping.'));
    expect(outcome).toMatchObject({ code: 'translation/stale' });
    expect(await liveTitles(team, article.id)).toEqual({ en: ENGLISH.title });
    expect(await readTranslation(team, approved)).toMatchObject({
      status: 'approved',
      revisionCount: approved.revision,
    });
  });

  it('does not index a translation whose article was unpublished meanwhile', async () => {
    const { article, approved } = await approvedOne();
    const path = `/knowledge/articles/${article.id}/unpublish`;
    await publishDuring(approved, async () =>
      expectOk(await team.as('owner').post(path, { baseRevision: article.revision })),
    );
    expect(await readTranslation(team, approved)).toMatchObject({
      status: 'published',
      live: { stale: false },
    });
    expect(await liveTitles(team, article.id)).toEqual({});
  });

  it('returns a conflict after repeated changes', async () => {
    const { article, approved } = await approvedOne();
    let euros = 2;
    const outcome = await publishDuring(approved, async () => {
      euros += 1;
      const path = `/knowledge/articles/${article.id}`;
      const { revision } = expectOk(await team.as('owner').get<ArticleRecord>(path));
      const edit = { baseRevision: revision, ...ENGLISH, answer: `We wrap gifts for ${euros} euros.` };
      expectOk(await team.as('owner').put(path, edit));
    });
    expect(outcome).toMatchObject({
      code: 'translation/conflict',
      details: { currentRevision: approved.revision },
    });
    expect(await readTranslation(team, approved)).toMatchObject({ status: 'approved' });
  });
});
