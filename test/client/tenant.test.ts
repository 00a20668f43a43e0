import { afterAll, beforeAll, describe, expect, expectTypeOf, test } from 'vitest';
import { type Account, isConflict, isGuideError, type Tenant } from '../../client/sdk/index.ts';
import { readUsage } from '../../generated/routes.ts';
import { ORIGIN, USER_AGENT } from '../support/harness.ts';
import { openTeam, type Team } from '../support/team.ts';
import { catchError, collect, join } from './colleagues.ts';

let team: Team;
let owner: Account;
let tenant: Tenant;
let ofMember: Tenant;
beforeAll(async () => {
  team = await openTeam();
  owner = (await join(team, 'owner')).account;
  tenant = owner.tenant(team.workspace.id);
  ofMember = (await join(team, 'member')).account.tenant(team.workspace.id);
});
afterAll(() => team.close());

const kettle = {
  title: 'Descaling the kettle',
  answer: 'Fill the kettle with vinegar and water, boil it once, and rinse it twice.',
  aliases: ['limescale'],
};
const kessel = {
  locale: 'de',
  title: 'Wasserkocher entkalken',
  answer: 'Füllen Sie den Wasserkocher mit Essig und Wasser, kochen Sie einmal auf und spülen Sie zweimal.',
  searchAliases: ['Kalk'],
};

test('an article and its translation can be taken all the way to the visitors', async () => {
  const draft = await tenant.articles.create(kettle);
  const article = await tenant.articles.publish(draft);
  expect(article).toMatchObject({ status: 'published', live: { changed: false } });

  let translation = await tenant.translations.create(article.id, kessel);
  expect(translation).toMatchObject({ status: 'draft', stale: false });
  translation = await tenant.translations.submit(translation);
  translation = await tenant.translations.review(translation, 'request_changes', { note: 'Bitte duzen.' });
  expect(translation.review).toMatchObject({ decision: 'request_changes', reviewNote: 'Bitte duzen.' });
  const { locale, ...text } = kessel;
  translation = await tenant.translations.edit(translation, { ...text, title: 'Kessel entkalken' });
  translation = await tenant.translations.submit(translation);
  translation = await tenant.translations.review(translation, 'approve');
  translation = await tenant.translations.publish(translation);
  expect(translation).toMatchObject({ locale, status: 'published', live: { stale: false } });

  const found = await tenant.search('Kalk im Wasserkocher', { locale: 'de-AT', limit: 1 });
  expect(found.data).toMatchObject([
    { articleId: article.id, translationId: translation.id, title: 'Kessel entkalken', contentLocale: 'de' },
  ]);

  translation = await tenant.translations.archive(translation);
  expect(translation.live).toBeUndefined();
  translation = await tenant.translations.restore(translation);
  const detail = await tenant.translations.read(article.id, translation.id);
  expect(detail.revisions.map((each) => each.event)).toEqual([
    'restored',
    'archived',
    'published',
    'approved',
    'submitted',
    'edited',
    'changes_requested',
    'submitted',
    'created',
  ]);
  const listed = await collect(tenant.translations.list(article.id));
  expect(listed).toEqual([translation]);

  expect(await tenant.articles.aliasSuggestions(article.id)).toEqual([]);
  await tenant.articles.dismissAlias(article.id, { alias: 'teapot', locale: 'en' });
  const down = await tenant.articles.unpublish(article);
  const events = (await collect(tenant.articles.revisions(article.id))).map((each) => each.event);
  expect(events).toEqual(['unpublished', 'published', 'created']);
  await tenant.articles.delete(down.id);
  expect(await catchError(tenant.articles.read(article.id))).toMatchObject({ code: 'article/not_found' });
});

test('the second of two edits of a revision rejects with a conflict and can be repeated', async () => {
  const seen = await tenant.articles.create({ ...kettle, slug: 'conflict' });
  const first = await tenant.articles.edit(seen, { ...kettle, title: 'First' });
  const error = await catchError(tenant.articles.edit(seen, { ...kettle, title: 'Second' }));
  if (!isConflict(error)) throw error;
  expectTypeOf(error.code).toEqualTypeOf<'article/conflict' | 'translation/conflict'>();
  expectTypeOf(error.currentRevision).toEqualTypeOf<number>();
  expectTypeOf(error.changedAt).toEqualTypeOf<string>();
  expect(error).toMatchObject({
    code: 'article/conflict',
    status: 409,
    currentRevision: first.revision,
    changedBy: first.updatedBy,
    changedAt: first.updatedAt,
  });
  const now = { id: seen.id, revision: error.currentRevision };
  expect(await tenant.articles.edit(now, { ...kettle, title: 'Second' })).toMatchObject({ title: 'Second' });

  const translation = await tenant.translations.create(seen.id, kessel);
  await tenant.translations.submit(translation);
  expect(isConflict(await catchError(tenant.translations.submit(translation)))).toBe(true);
  expect(isConflict(new Error('something else'))).toBe(false);
});

test('errors name the status that does not allow an action, and the revision to translate from', async () => {
  const article = await tenant.articles.create({ ...kettle, slug: 'status' });
  const translation = await tenant.translations.create(article.id, kessel);
  const early = await catchError(tenant.translations.publish(translation));
  expect(early).toMatchObject({ code: 'translation/not_allowed', currentStatus: 'draft' });
  expect(isConflict(early)).toBe(false);

  const changed = await tenant.articles.edit(article, { ...kettle, answer: 'Use citric acid.' });
  expect(await catchError(tenant.translations.submit(translation))).toMatchObject({
    code: 'translation/stale',
    currentSourceRevision: changed.revision,
  });
  const late = { ...kessel, locale: 'fr', baseRevision: article.revision };
  const tooLate = await catchError(tenant.translations.create(article.id, late));
  expect(tooLate).toMatchObject({
    code: 'translation/conflict',
    currentSourceRevision: changed.revision,
  });
  expect(isConflict(tooLate)).toBe(false);
});

test('settings can be read and changed, which the audit log records', async () => {
  const before = await tenant.settings.read();
  const after = await tenant.settings.change({ features: { screenshot: false }, suggestions: ['Where?'] });
  expect(after).toMatchObject({
    ...before,
    features: { ...before.features, screenshot: false },
    suggestions: ['Where?'],
    version: before.version + 1,
    updatedAt: after.updatedAt,
  });
  const [newest] = (await tenant.audit({ limit: 1 }).page()).data;
  expect(newest).toMatchObject({ subject: tenant.id, at: after.updatedAt });
});

test('members can be invited, changed and removed, and invitations withdrawn', async () => {
  const invitation = { email: 'linus@shop.example', role: 'member' as const };
  const { id, link } = await tenant.invitations.create(invitation);
  expect(link).toContain('#token=');
  expect(await collect(tenant.invitations.list())).toMatchObject([{ id, ...invitation }]);
  await tenant.invitations.withdraw(id);
  expect(await collect(tenant.invitations.list())).toEqual([]);

  const { account } = await join(team, 'admin');
  const people = await collect(tenant.members.list({ limit: 2 }));
  const newcomer = people.find((member) => member.email === 'new-admin@shop.example')!;
  expect(await tenant.members.changeRole(newcomer.id, 'member')).toMatchObject({ role: 'member' });
  await tenant.members.remove(newcomer.id);
  expect(await catchError(account.tenant(tenant.id).settings.read())).toMatchObject({
    // The account belonged to the workspace alone.
    code: 'session/unauthorized',
  });
});

test('a member can read, and changes reject with tenant/role_required', async () => {
  expect((await ofMember.articles.list().page()).data.length).toBeGreaterThan(0);
  const error = await catchError(ofMember.articles.create(kettle));
  if (!isGuideError(error, 'tenant/role_required')) throw error;
  expect(error.status).toBe(403);
});

test('calls to a foreign workspace reject like calls to an unknown one', async () => {
  for (const id of [team.elsewhere.id, 'ws_01kakv2fxse7wtg6x5r0h8rjbm'])
    expect(await catchError(owner.tenant(id).settings.read())).toMatchObject({ code: 'tenant/not_found' });
});

test('conversations and analytics can be read', async () => {
  const { harness } = team;
  const { jwt, visitor_id } = await harness.boot();
  const decision = {
    visitor_id,
    url: ORIGIN,
    copy_version: '1',
    at: harness.clock.now(),
    decision: 'accepted',
    mode: 'opt_in',
  };
  const headers = { authorization: `Bearer ${jwt}`, 'user-agent': USER_AGENT };
  const { policy_version } = (await harness.boot()).consent_directive;
  await harness.fetch('/consent', { json: { ...decision, policy_version }, headers });
  const accepted = await harness.boot({ visitor_id });
  await harness.ask(accepted.jwt);

  const from = new Date(harness.clock.now() - 3_600_000);
  const [conversation] = await collect(tenant.conversations.list({ from, answered: true }));
  expect(conversation).toMatchObject({ visitorId: harness.pseudonym({ visitor_id }), turns: 1 });
  const transcript = await tenant.conversations.read(conversation!.id);
  expect(transcript.turns[0]?.message).toBe('How do I reset my password?');
  expect(await collect(tenant.conversations.list({ answered: false }))).toEqual([]);
  const figures = await tenant.analytics({ from, by: 'hour', zone: 'Europe/Berlin' });
  expect(figures).toMatchObject({ from: from.toISOString(), by: 'hour', totals: { turns: 1 } });
});

describe('dashboard calls of a tenant', () => {
  let team: Team;
  let tenant: Tenant;
  beforeAll(async () => {
    team = await openTeam();
    tenant = (await join(team, 'owner')).account.tenant(team.workspace.id);
  });
  afterAll(() => team.close());

  test('tenant.installation() and tenant.call(readUsage) return where the guide runs and what is used', async () => {
    await team.harness.boot();
    const { origins, refused } = await tenant.installation();
    expect(origins[0]).toMatchObject({ origin: team.harness.origin, lastSeenAt: expect.any(String) });
    expect(refused).toEqual([]);
    expect((await tenant.call(readUsage)).voice).toMatchObject({ usedSeconds: 0, monthlySecondsMax: 3600 });
  });

  test('tenant.preview() answers as for a visitor', async () => {
    const { answer, findings } = await tenant.preview({
      message: 'How do I reset my password?',
      locale: 'en',
    });
    expect(answer).not.toBe('');
    expect(findings.passages.some(({ cited }) => cited)).toBe(true);
  });

  test('settings.directives() previews settings that are not saved', async () => {
    const byRegion = [{ region: 'JP', strictness: 'opt_in' as const }];
    const modeIn = async (options: Parameters<Tenant['settings']['directives']>[0]) =>
      (await tenant.settings.directives({ region: 'JP', ...options })).data[0]!.mode;
    expect(await modeIn({})).toBe('notice');
    expect(await modeIn({ byRegion })).toBe('opt_in');
    expect(await modeIn({ gpc: true })).toBe('opt_out');
    await tenant.settings.change({ consentStrictnessByRegion: byRegion });
    expect(await modeIn({})).toBe('opt_in');
    expect(await modeIn({ byRegion: [] })).toBe('notice');
  });

  test('coverage, review queue and revisions lead to the source text of a translation', async () => {
    const article = await tenant.articles.publish(
      await tenant.articles.create({ title: 'Gift wrapping', answer: 'Two euros.' }),
    );
    const draft = await tenant.translations.create(article.id, {
      locale: 'nl',
      title: 'Cadeau',
      answer: 'Twee euro.',
    });
    const submitted = await tenant.translations.submit(draft);
    const tasks = tenant.translations.reviewQueue({ for: 'everybody', kind: 'review' });
    expect((await collect(tasks)).map(({ translationId }) => translationId)).toEqual([draft.id]);
    expect((await tasks.page()).counts.review).toBe(1);
    const { locales } = await tenant.articles.coverage();
    expect(locales.find(({ locale }) => locale === 'nl')).toMatchObject({ inReview: 1, live: 0 });
    const source = await tenant.articles.revision(article.id, submitted.sourceRevision);
    expect(source.answer).toBe('Two euros.');
    const listed = await collect(tenant.articles.list({ translationStatus: 'in_review', stale: false }));
    expect(listed.map(({ id }) => id)).toEqual([article.id]);
  });

  test('feedback and audit log can be filtered', async () => {
    expect(await collect(tenant.feedback({ rating: 'down', commented: true, from: new Date(0) }))).toEqual(
      [],
    );
    expect(await collect(tenant.conversations.list({ q: 'norway', rating: 'up' }))).toEqual([]);
    const rows = await collect(tenant.audit({ action: 'translation.', limit: 1 }));
    expect(new Set(rows.map(({ action }) => action.split('.')[0]))).toEqual(new Set(['translation']));
  });
});
