import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { commandLine } from '../support/command-line.ts';
import { type MemberClient, openAutomation, openTeam, type Team } from '../support/team.ts';
import { tempDir } from '../support/temp-dir.ts';

type Summary = { id: string; slug: string; status: string; title: string; changed: boolean };

describe('push', () => {
  let team: Team;
  let folder: string;
  let sessionFile: string;
  beforeEach(async () => {
    team = await openTeam();
    const base = tempDir();
    folder = join(base, 'docs');
    sessionFile = join(base, 'session');
    mkdirSync(folder);
    write('returns', 'Returns', 'You can return any order within 30 days.');
    write('shipping', 'Shipping', 'We ship within two days.');
    write('returns.de', 'Rückgabe', 'Sie können jede Bestellung in 30 Tagen zurückgeben.');
    await grant();
  });
  afterEach(() => team.close());

  function write(name: string, title: string, answer: string): void {
    writeFileSync(join(folder, `${name}.md`), `---\ntitle: ${title}\n---\n${answer}\n`);
  }
  async function grant(granted?: Parameters<typeof openAutomation>[1]): Promise<MemberClient> {
    const memberClient = team.as('owner');
    const automation = await openAutomation(
      { harness: team.harness, memberClient },
      { areas: ['articles', 'translations'], ...granted },
    );
    writeFileSync(sessionFile, `${automation.cookie.split('=')[1]}\n`);
    return automation;
  }
  const cli = commandLine(tempDir());
  const push = (...options: string[]) =>
    cli.json(['push', folder, '--url', team.harness.baseUrl, '--session-file', sessionFile, ...options]);
  const fail = (...options: string[]) =>
    cli.runInProcess([
      'push',
      folder,
      '--url',
      team.harness.baseUrl,
      '--session-file',
      sessionFile,
      ...options,
    ]);
  const list = async () =>
    (await team.as('owner').get<{ data: Summary[] }>('/knowledge/articles')).json.data.filter(({ slug }) =>
      ['returns', 'shipping'].includes(slug),
    );
  const find = async (slug: string) => (await list()).find((one) => one.slug === slug)!;

  it('creates and publishes articles, and submits translations for review', async () => {
    expect(await push()).toMatchObject({
      created: ['returns', 'shipping'],
      updated: [],
      unchanged: 0,
      translations: 1,
      waiting: 1,
      sent: true,
    });
    expect(await list()).toMatchObject([{ status: 'published' }, { status: 'published' }]);
    const { id } = await find('returns');
    const translations = await team.as('owner').get(`/knowledge/articles/${id}/translations`);
    expect(translations.json).toMatchObject({ data: [{ locale: 'de', status: 'in_review' }] });
  });

  it('sends only what changed', async () => {
    await push();
    const automation = await grant();
    expect(await push()).toMatchObject({ created: [], updated: [], unchanged: 2, translations: 0 });
    const audit = await team.harness.service.store.in(team.workspace.id).audit.list(100);
    expect(audit.filter(({ actor }) => actor === automation.memberId)).toEqual([]);
    write('shipping', 'Shipping', 'We ship within three days.');
    expect(await push()).toMatchObject({ updated: ['shipping'], unchanged: 1 });
    const { id } = await find('shipping');
    expect((await team.as('owner').get(`/knowledge/articles/${id}`)).json).toMatchObject({
      answer: 'We ship within three days.',
      live: { changed: false },
    });
  });

  it('updates an article together with its translation', async () => {
    await push();
    write('returns', 'Returns', 'You can return any order within 60 days.');
    write('returns.de', 'Rückgabe', 'Sie können jede Bestellung in 60 Tagen zurückgeben.');
    expect(await push()).toMatchObject({ updated: ['returns'], translations: 1 });
  });

  it('counts an article as unchanged when only a translation differs that the session may not write', async () => {
    await grant({ areas: ['articles'] });
    expect(await push()).toMatchObject({ created: ['returns', 'shipping'], translations: 0, skipped: 1 });
    expect(await push()).toMatchObject({ created: [], updated: [], unchanged: 2, skipped: 1 });
  });

  it('lists articles that the folder lacks, and deletes them only with --prune', async () => {
    await push();
    rmSync(join(folder, 'shipping.md'));
    const shown = await fail();
    expect(shown.stderr).toMatch(/--prune would delete them\n(?: {2}- .*\n)* {2}- shipping\n/);
    expect(await list()).toHaveLength(2);
    const pruned = await push('--prune', '--dry-run');
    expect(pruned.missing).toContain('shipping');
    expect(await list()).toHaveLength(2);
    expect((await push('--prune')).deleted).toBe(pruned.missing.length);
    expect((await list()).map(({ slug }) => slug)).toEqual(['returns']);
  });

  it('leaves articles of sources alone, also with --prune', async () => {
    const owner = team.as('owner');
    const body = { name: 'Manual', type: 'files', mode: 'publish' };
    const { id } = (await owner.post<{ id: string }>('/knowledge/sources', body)).json;
    const form = new FormData();
    form.append('file', new Blob(['# Lamp\n\nWipe the lamp with a dry cloth.']));
    await owner.upload(`/knowledge/sources/${id}/files?name=lamp.md`, form);
    await owner.post(`/knowledge/sources/${id}/runs`, {});
    const ofSource = async () =>
      (await owner.get<{ data: Summary[] }>(`/knowledge/articles?source=${id}`)).json.data;
    await expect.poll(async () => [await team.harness.service.tick(), await ofSource()][1]).toHaveLength(1);
    expect((await push('--prune')).missing).not.toContain('lamp');
    expect(await ofSource()).toMatchObject([{ slug: 'lamp', status: 'published' }]);
  });

  it('changes nothing with --dry-run', async () => {
    expect(await push('--dry-run')).toMatchObject({ created: ['returns', 'shipping'], sent: false });
    expect(await list()).toEqual([]);
  });

  it('sends nothing while a file has an error', async () => {
    writeFileSync(join(folder, 'broken.md'), 'No front matter.');
    const { code, stderr } = await fail();
    expect(code).toBe(1);
    expect(stderr).toContain('broken.md:1: expected front matter');
    expect(await list()).toEqual([]);
  });

  it('does not publish an article that a person has unpublished', async () => {
    await push();
    const { id } = await find('shipping');
    await team.as('owner').post(`/knowledge/articles/${id}/unpublish`, { baseRevision: 2 });
    const article = (await team.as('owner').get<{ status: string }>(`/knowledge/articles/${id}`)).json;
    expect(article.status).toBe('unpublished');
    expect(await push()).toMatchObject({ updated: [], unchanged: 2 });
    expect((await find('shipping')).status).toBe('unpublished');
  });

  it('names articles that a person has edited since the last push', async () => {
    await push();
    const { id } = await find('shipping');
    const known = (await team.as('owner').get<{ revision: number }>(`/knowledge/articles/${id}`)).json;
    const body = { baseRevision: known.revision, title: 'Shipping', answer: 'By hand.' };
    expect((await team.as('owner').put(`/knowledge/articles/${id}`, body)).status).toBe(200);
    expect((await fail('--dry-run')).stderr).toContain('edited in the dashboard since');
  });

  it('approves and publishes translations when the session may approve its own', async () => {
    await grant({ areas: ['articles', 'translations', 'review'], mayApproveOwn: true });
    expect(await push()).toMatchObject({ translations: 1, waiting: 0 });
    const { id } = await find('returns');
    const translations = await team.as('owner').get(`/knowledge/articles/${id}/translations`);
    expect(translations.json).toMatchObject({ data: [{ locale: 'de', status: 'published' }] });
  });

  it('reports a session that has ended or lacks the area', async () => {
    const automation = await grant({ areas: ['settings'] });
    expect((await fail()).stderr).toContain('needs the area articles');
    await automation.delete('/api/session');
    expect((await fail()).stderr).toContain('The session has ended');
    writeFileSync(sessionFile, 'no token');
    expect((await fail()).code).toBe(2);
  });
});
