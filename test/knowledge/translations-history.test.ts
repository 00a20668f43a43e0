import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TranslationDetail, TranslationRecord } from '../../contract/translations.ts';
import { openTeam, type Team } from '../accounts/team.ts';
import { addArticle, bringTo, changeArticle, done, GERMAN, pathOf, take, translate } from './translating.ts';

let team: Team;
beforeAll(async () => {
  team = await openTeam({ articles: [] });
});
afterAll(() => team.close());
// Mutations are rate-limited by member and minute.
beforeEach(() => team.harness.clock.advance(61_000));

const read = async (translation: TranslationRecord) =>
  done(await team.as('member').get<TranslationDetail>(pathOf(translation)));

describe('editing a translation', () => {
  it('replaces the whole text', async () => {
    const { id } = await addArticle(team);
    const made = await translate(team.as('owner'), id);
    const edit = { baseRevision: 1, title: 'Einpacken', answer: 'Kostet zwei Euro.' };
    const edited = done(await team.as('admin').put<TranslationRecord>(pathOf(made), edit));
    expect(edited).toMatchObject({
      title: 'Einpacken',
      answer: 'Kostet zwei Euro.',
      searchAliases: [],
      searchSummary: 'Kostet zwei Euro.',
      revision: 2,
      createdBy: team.as('owner').memberId,
      updatedBy: team.as('admin').memberId,
    });
    expect(await read(made)).toMatchObject(edited);
  });

  it('adds no revision and keeps the review when nothing changes', async () => {
    const { id } = await addArticle(team);
    const approved = await bringTo('approved', team.as('owner'), await translate(team.as('owner'), id));
    const same = { baseRevision: approved.revision, ...GERMAN, title: ` ${GERMAN.title} ` };
    expect(done(await team.as('owner').put(pathOf(approved), same))).toEqual(approved);
    expect((await read(approved)).revisionCount).toBe(approved.revision);
  });

  it('adds a revision against a newer source even if the text is unchanged', async () => {
    const { id } = await addArticle(team);
    const approved = await bringTo('approved', team.as('owner'), await translate(team.as('owner'), id));
    const { live } = await changeArticle(team, id, 'We wrap gifts for two euros!');
    const same = { baseRevision: approved.revision, ...GERMAN };
    const edited = done(await team.as('owner').put<TranslationRecord>(pathOf(approved), same));
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
      current = await take(team.as(at % 2 === 0 ? 'owner' : 'admin'), step, current);
    }
    const { revisions, revisionCount } = await read(current);
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
    const made = await bringTo('published', team.as('admin'), await translate(team.as('owner'), id));
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
    expect(new Set(rows.map(({ subject }) => subject))).toEqual(new Set([made.id]));
  });

  it('returns the newest 100 of 130 revisions and their total', async () => {
    const { id } = await addArticle(team);
    let current = await translate(team.as('owner'), id);
    while (current.revision < 130) {
      team.harness.clock.advance(1000);
      current = await take(team.as('admin'), 'edit', current);
    }
    const { revisions, revisionCount } = await read(current);
    expect(revisionCount).toBe(130);
    expect(revisions.map(({ revision }) => revision)).toEqual(
      Array.from({ length: 100 }, (_, at) => 130 - at),
    );
  });
});
