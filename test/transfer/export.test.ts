import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ArchiveLine, type ArchiveLineOf, archiveLine } from '../../contract/archive-line.ts';
import { joinAs } from '../support/team.ts';
import { type FilledTeam, lineTexts, openFilled, visit } from './installations.ts';

let team: FilledTeam;
beforeAll(async () => {
  team = await openFilled('canaryword');
  await editOften();
});
afterAll(() => team.close());

/** More edits than one page of revisions or of the audit log holds. */
const EDITS = 105;

async function editOften(): Promise<void> {
  const { article, owner, harness } = team;
  let baseRevision = article.revision;
  for (let count = 0; count < EDITS; count += 1) {
    const edit = { baseRevision, title: `Lanterns ${count}`, answer: 'They are lit at night.' };
    const { json } = await owner.put<{ revision: number }>(`/knowledge/articles/${article.id}`, edit);
    baseRevision = json.revision;
    harness.clock.advance(1000);
  }
}

const exported = async (): Promise<string> => {
  const response = await team.as('admin').get('/export');
  expect(response.status, response.text).toBe(200);
  return response.text;
};

const linesOf = (text: string): ArchiveLine[] =>
  lineTexts(text).map((line) => archiveLine.parse(JSON.parse(line)));

const ofType = <T extends ArchiveLine['type']>(lines: readonly ArchiveLine[], type: T) =>
  lines.filter((line): line is ArchiveLineOf<T> => line.type === type);

describe('workspace export', () => {
  it('downloads JSON Lines of the declared types, from the workspace to the end line', async () => {
    const response = await team.as('owner').get('/export');
    expect(response.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
    expect(response.headers.get('content-disposition')).toBe(
      `attachment; filename="guidepost-${team.workspace.id}.ndjson"`,
    );
    const lines = linesOf(response.text);
    expect(lines[0]).toMatchObject({
      type: 'workspace',
      format: 1,
      id: team.workspace.id,
      name: 'canaryword the shop',
    });
    expect(lines.at(-1)).toEqual({ type: 'end', lines: lines.length - 1 });
    expect(new Set(lines.map(({ type }) => type))).toEqual(
      new Set(archiveLine.options.map((option) => option.shape.type.value)),
    );
  });

  it('is identical byte for byte while nothing changes', async () => {
    expect(await exported()).toBe(await exported());
  });

  it('includes every revision of an article and of its translations, with reviews', async () => {
    const { article, as } = team;
    const { json } = await team.owner.get<{ revision: number }>(`/knowledge/articles/${article.id}`);
    const lines = linesOf((await as('admin').get('/export')).text);
    const revisions = ofType(lines, 'article_revision').filter(({ articleId }) => articleId === article.id);
    expect(revisions.map((line) => line.revision)).toEqual(
      Array.from({ length: json.revision }, (_, index) => index + 1),
    );
    expect(json.revision).toBeGreaterThan(EDITS);
    const [translation] = ofType(lines, 'translation').filter(({ articleId }) => articleId === article.id);
    expect(translation).toMatchObject({ status: 'published', live: { revision: translation!.revision } });
    const reviewed = ofType(lines, 'translation_revision').filter(
      ({ translationId }) => translationId === translation!.id,
    );
    expect(reviewed.map(({ event, reviewNote }) => [event, reviewNote])).toEqual([
      ['created', undefined],
      ['submitted', undefined],
      ['changes_requested', 'canaryword please be formal'],
      ['edited', undefined],
      ['submitted', undefined],
      ['approved', 'canaryword well done'],
      ['published', undefined],
    ]);
  });

  it('includes the audit log, oldest first, without the exports at its end', async () => {
    await exported();
    const lines = ofType(linesOf(await exported()), 'audit');
    expect(lines.length).toBeGreaterThan(100);
    const listed = await team.harness.service.store.in(team.workspace.id).audit.list(1000);
    const newest = listed.findIndex(({ action }) => action !== 'workspace.exported');
    expect(newest).toBeGreaterThan(0);
    expect(lines.map(({ id }) => id)).toEqual(
      listed
        .slice(newest)
        .map(({ id }) => id)
        .reverse(),
    );
  });

  it('excludes conversations with a deletion deadline and their events', async () => {
    const { harness } = team;
    const denied = await visit(harness, 'denied');
    await harness.ask(denied.jwt, {
      conversation_id: 'conv-of-a-denied',
      message: 'Where is the secretword?',
    });
    const text = await exported();
    expect(text).toContain('conv-canaryword');
    expect(text).not.toContain('conv-of-a-denied');
    expect(text).not.toContain('secretword');
  });

  it('contains no credentials', async () => {
    const text = await exported();
    const { store } = team.harness.service;
    const user = await store.users.listByEmail('canaryword-owner@shop.example').then(([first]) => first);
    const keys = await store.in(team.workspace.id).apiKeys.list();
    expect(keys).toHaveLength(1);
    for (const secret of [user!.passwordHash, keys[0]!.secretHash, keys[0]!.publicId]) {
      expect(secret.length).toBeGreaterThan(5);
      expect(text).not.toContain(secret);
    }
    expect(text).toContain('canaryword-owner@shop.example');
    expect(text).not.toMatch(/passwordHash|secretHash|tokenHash|usr_/);
  });

  it('contains nothing of another workspace', async () => {
    const { harness, elsewhere } = team;
    const theirs = await joinAs(harness, elsewhere, 'owner', 'otherword@elsewhere.example');
    await theirs.post(`/api/tenants/${elsewhere.id}/knowledge/articles`, {
      title: 'otherword',
      answer: 'otherword',
    });
    expect(await exported()).not.toMatch(/otherword/);
  });

  it('continues during changes and includes each article at a single point in time', async () => {
    const { article, owner } = team;
    const current = await owner.get<{ revision: number }>(`/knowledge/articles/${article.id}`);
    const edit = { baseRevision: current.json.revision, title: 'Meanwhile', answer: 'Changed meanwhile.' };
    const [answer] = await Promise.all([
      team.as('admin').get('/export'),
      owner.put(`/knowledge/articles/${article.id}`, edit),
    ]);
    const lines = linesOf(answer.text);
    const head = ofType(lines, 'article').find(({ id }) => id === article.id)!;
    const revisions = ofType(lines, 'article_revision').filter(({ articleId }) => articleId === article.id);
    expect(revisions.at(-1)!.revision).toBe(head.revision);
  });
});
