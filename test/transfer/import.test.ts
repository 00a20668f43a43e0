import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CHAT_LIMITS } from '../../contract/limits/chat.ts';
import { newId } from '../../server/base/ids.ts';
import type { Turn } from '../../server/storage/conversation-queries.ts';
import type { Store } from '../../server/storage/store.ts';
import { commandLine } from '../support/command-line.ts';
import { clock, openHarness } from '../support/harness.ts';
import { openTurn, workspace } from '../support/stored-samples.ts';
import {
  archive,
  changed,
  cli,
  dataDir,
  exportAgain,
  type Fields,
  type FilledTeam,
  fileOf,
  folder,
  inStore,
  lineOf,
  lines,
  listFilledTables,
  openFilled,
  set,
  setUpArchiveAndFolder,
  team,
  visit,
} from './installations.ts';

setUpArchiveAndFolder();

describe('workspace archive', () => {
  it('is identical byte for byte when exported from the importing installation', async () => {
    const outcome = await cli.json(['workspace', 'import', fileOf(archive)]);
    expect(outcome).toMatchObject({
      tenant_id: team.workspace.id,
      app_id: team.workspace.appId,
      rows: { article: 7, turn: 2, feedback: 1, end: 1 },
    });
    expect(await exportAgain(team.workspace.id)).toBe(archive);
    expect((await cli.json(['workspace', 'list'])).map(({ name }: { name: string }) => name)).toEqual([
      'canaryword the shop',
    ]);
  });

  it('is the same on standard output', async () => {
    await cli.json(['workspace', 'import', fileOf(archive)]);
    const { code, stdout } = await cli.runInProcess([
      'workspace',
      'export',
      '--workspace',
      team.workspace.appId,
    ]);
    expect(code).toBe(0);
    expect(stdout).toBe(archive);
  });

  it('serves the same articles after the import, with a valid consent log', async () => {
    await cli.json(['workspace', 'import', fileOf(archive)]);
    expect(await cli.json(['consent', 'verify', '--workspace', team.workspace.id])).toMatchObject({
      ok: true,
      records: 1,
    });
    const there = await openHarness({ dataDir });
    const headers = { 'accept-language': 'de' };
    const question = { message: 'Wo leuchten die Laternen?', conversation_id: 'there' };
    const cited = async (harness: typeof there) => {
      const { jwt } = await harness.boot();
      const events = await harness.ask(jwt, question, headers);
      return events.flatMap((event) => {
        if (event.type !== 'citation') return [];
        const { article_id, translation_id, revision, quote } = event;
        return [{ article_id, translation_id, revision, quote }];
      });
    };
    const here = await cited(team.harness);
    expect(here[0]).toMatchObject({ translation_id: team.translationPath.split('/').at(-1) });
    expect(await cited(there)).toEqual(here);
    await there.close();
  });

  it('imports users without passwords, and does not join existing accounts', async () => {
    await inStoreOfNew(async (store) => {
      const own = workspace();
      const email = 'canaryword-owner@shop.example';
      await store.workspaces.create(own, {
        memberId: newId('mem'),
        userId: newId('usr'),
        email,
        passwordHash: 'kept',
      });
    });
    await cli.json(['workspace', 'import', fileOf(archive)]);
    await inStore(async ({ users, memberships }) => {
      const known = await users.listByEmail('canaryword-owner@shop.example').then(([first]) => first);
      expect(known?.passwordHash).toBe('kept');
      expect(await memberships.ofUser(known!.id)).toHaveLength(1);
      expect(await users.listByEmail('admin@shop.example').then(([first]) => first)).toMatchObject({
        passwordHash: '',
      });
    });
  });
});

/** Creates an installation and passes its store to the action. */
async function inStoreOfNew(action: (store: Store) => Promise<void>): Promise<void> {
  await cli.createWorkspace();
  await inStore(action);
}

describe('import conflicts', () => {
  it('rejects an archive of a workspace that already exists', async () => {
    await cli.json(['workspace', 'import', fileOf(archive)]);
    const { code, stderr } = await cli.runInProcess(['workspace', 'import', fileOf(archive)]);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`${team.workspace.id} is here already`)]);
    expect(await exportAgain(team.workspace.id)).toBe(archive);
  });

  it('rejects an archive with an app id that is taken', async () => {
    await cli.createWorkspace('--app-id', team.workspace.appId);
    const { code, stderr } = await cli.runInProcess(['workspace', 'import', fileOf(archive)]);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`${team.workspace.appId} belongs to`)]);
  });

  it('replaces an empty workspace and imports its members', async () => {
    const { tenant_id } = await cli.createWorkspace(
      '--app-id',
      team.workspace.appId,
      '--owner-email',
      'OWNER@shop.example',
    );
    await cli.json(['workspace', 'import', fileOf(archive), '--into', tenant_id]);
    expect(
      (await cli.json(['workspace', 'list'])).map((each: { tenant_id: string }) => each.tenant_id),
    ).toEqual([team.workspace.id]);
    const imported = lines.filter((line) => line.startsWith('{"type":"member"')).length;
    await inStore(async (store) => {
      const members = await store.in(team.workspace.id).members.list();
      // The owner of the empty workspace has the email of an imported member.
      expect(members).toHaveLength(imported);
      expect(await store.workspaces.find(tenant_id)).toBeUndefined();
    });
  });

  it('keeps members who are not in the archive', async () => {
    const { tenant_id, owner_id } = await cli.createWorkspace('--owner-email', 'owner@new.example');
    await cli.json(['workspace', 'import', fileOf(archive), '--into', tenant_id]);
    await inStore(async (store) => {
      const members = await store.in(team.workspace.id).members.list();
      expect(members).toContainEqual(
        expect.objectContaining({ id: owner_id, email: 'owner@new.example', role: 'owner' }),
      );
    });
  });

  it('rejects replacing a workspace that is not empty', async () => {
    const { tenant_id } = await cli.createWorkspace();
    const knowledge = join(folder, 'one.jsonl');
    writeFileSync(knowledge, '{"slug":"one","locale":"en","title":"One","answer":"One."}');
    await cli.json(['knowledge', 'import', '--workspace', tenant_id, knowledge]);
    const { code, stderr } = await cli.runInProcess([
      'workspace',
      'import',
      fileOf(archive),
      '--into',
      tenant_id,
    ]);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`${tenant_id} is not empty`)]);
    const nowhere = await cli.runInProcess(['workspace', 'import', fileOf(archive), '--into', 'ws_nobody']);
    expect(nowhere.code).toBe(1);
  });

  it('rejects message ids that another workspace uses, and keeps that workspace unchanged', async () => {
    await cli.createWorkspace();
    const { messageId } = JSON.parse(lines[lineOf('turn') - 1]!) as Turn;
    const there = workspace();
    await inStore(async (store) => {
      await store.workspaces.create(there);
      await store.in(there.id).conversations.openTurn(openTurn({ messageId }), []);
    });
    const { code, stderr } = await cli.runInProcess(['workspace', 'import', fileOf(archive)]);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(`line ${lineOf('turn')}: expected something new`),
    ]);
    await inStore(async (store) => {
      expect(await store.in(there.id).conversations.findTurn(messageId)).toBeDefined();
      expect(await store.workspaces.find(team.workspace.id)).toBeUndefined();
    });
  });

  it('imports conversations whose ids another workspace uses', async () => {
    await cli.createWorkspace();
    const { conversationId } = JSON.parse(lines[lineOf('turn') - 1]!) as Turn;
    const there = workspace();
    const theirs = openTurn({ conversationId });
    await inStore(async (store) => {
      await store.workspaces.create(there);
      await store.in(there.id).conversations.openTurn(theirs, []);
    });
    await cli.json(['workspace', 'import', fileOf(archive)]);
    await inStore(async (store) => {
      const [own, others] = [team.workspace.id, there.id].map((id) => store.in(id).conversations);
      const ids = (await own!.turns(conversationId, 10)).map(({ messageId }) => messageId);
      expect(ids.length).toBeGreaterThan(0);
      expect(ids).not.toContain(theirs.messageId);
      expect(await others!.turns(conversationId, 10)).toMatchObject([{ messageId: theirs.messageId }]);
    });
  });
});

describe('import in progress', () => {
  it('is invisible, blocks a second import, and is removed once it stalls', async () => {
    await cli.createWorkspace();
    const { id, appId } = team.workspace;
    await inStore(async (store) => {
      const unfinished = { ...workspace({ id, appId }), enabled: true, version: 1, updatedAt: 1 };
      expect(await store.workspaceImports.begin(unfinished, clock.now() + 60_000)).toBe('begun');
      expect(await store.workspaces.find(id)).toBeUndefined();
      expect(await store.workspaces.findByAppId(appId)).toBeUndefined();
      expect(await store.workspaces.list()).toHaveLength(1);
    });
    const second = await cli.runInProcess(['workspace', 'import', fileOf(archive)]);
    expect([second.code, second.stderr]).toEqual([1, expect.stringContaining('under way')]);
    clock.advance(61_000);
    await cli.json(['workspace', 'import', fileOf(archive)]);
    expect(await exportAgain(id)).toBe(archive);
  });
});

const without = (type: string) => changed(type, () => []);
/** Duplicates a line and corrects the final count, so that only the duplicate is wrong. */
const twice = (type: string) =>
  changed(type, (line) => [line, line]).replace(/"lines":\d+/, `"lines":${lines.length}`);

describe('importing an invalid archive', () => {
  const OTHER = 'art_01kakv2fxse7wtg6x5r0h8rjbm';
  it.each([
    ['of a newer format', () => set('workspace', { format: 2 }), () => 'has the format 2'],
    ['without its workspace', () => without('workspace'), () => 'line 1, field type: expected an archive'],
    ['that is empty', () => '', () => 'line 1, field type'],
    ['with invalid JSON', () => `${lines[0]}\n{"type"`, () => 'line 2: expected a JSON object'],
    ['with a line of unknown type', () => set('member', { type: 'pigeon' }), () => 'line 2, field type'],
    [
      'with an unknown field',
      () => set('member', { wings: 2 }),
      () => 'line 2, field wings: expected a known field',
    ],
    ['with an invalid value', () => set('member', { role: 'king' }), () => 'line 2, field role'],
    [
      'with an allowed origin that would allow any page',
      () => set('workspace', { allowedOrigins: ['https://shop.example.com', '*'] }),
      () => 'line 1, field allowedOrigins.1: expected an origin',
    ],
    [
      'with an allowed origin that would allow the pages of strangers',
      () => set('workspace', { allowedOrigins: ['https://*.github.io'] }),
      () => 'line 1, field allowedOrigins.0: expected an origin',
    ],
    [
      'with an address that runs a script',
      () => set('article_revision', { url: 'javascript:alert(1)' }),
      () => `line ${lineOf('article_revision')}, field url: expected an http or https URL`,
    ],
    [
      'with NUL in an address',
      () => set('article_revision', { url: 'https://shop.example.com/\0' }),
      () => `line ${lineOf('article_revision')}, field url`,
    ],
    ['with a second workspace', () => twice('workspace'), () => 'line 2, field type: expected one workspace'],
    ['with a duplicate member', () => twice('member'), () => 'line 3: expected something new'],
    ['with a gap in the consent log', () => without('consent_record'), () => 'line'],
    [
      'with a changed consent record',
      () =>
        changed('consent_record', ({ content, ...line }) => [
          { ...line, content: (content as string).replace('accepted', 'denied') },
        ]),
      () => `line ${lineOf('consent_record')}: expected an unbroken chain of evidence (hash_mismatch)`,
    ],
    [
      'with a consent log of another workspace',
      () => set('consent_record', { subjectId: 'sub_01kakv2fxse7wtg6x5r0h8rjbm' }),
      () => `line ${lineOf('consent_record')}, field subjectId`,
    ],
    [
      'with a missing revision',
      () => without('article_revision'),
      () => `line ${lineOf('article_revision')}`,
    ],
    [
      'with a revision of another article',
      () => set('article_revision', { articleId: OTHER }),
      () => `line ${lineOf('article_revision')}, field articleId: expected the id of the article above`,
    ],
    [
      'with a changed text',
      () => set('article_revision', { answer: 'Something else.' }),
      () => `line ${lineOf('article_revision')}, field contentHash`,
    ],
    [
      'with a translation of another article',
      () => set('translation', { articleId: OTHER }),
      () => `line ${lineOf('translation')}, field articleId`,
    ],
    [
      'with a turn of another conversation',
      () => set('turn', { conversationId: 'another' }),
      () => `line ${lineOf('turn')}, field conversationId`,
    ],
    [
      'with a rating of another turn',
      () => set('feedback', { messageId: 'msg_01kakv2fxse7wtg6x5r0h8rjbm' }),
      () => 'messageId',
    ],
    [
      'with details that are invalid JSON',
      () => set('audit', { details: '{{' }),
      () => 'field details: expected a JSON object',
    ],
    [
      'with a changed audit row',
      () => set('audit', { subject: OTHER }),
      () => `line ${lineOf('audit')}: expected an unbroken chain of audit rows (hash_mismatch)`,
    ],
    [
      'with a gap in the audit log',
      () => without('audit'),
      () => 'expected an unbroken chain of audit rows (link_broken)',
    ],
    ['that is truncated', () => lines.slice(0, -1).join('\n'), () => 'not whole'],
    ['with a missing line', () => without('event'), () => 'field lines'],
    [
      'with lines after the end line',
      () => `${archive}${lines.at(-1)}\n`,
      () => 'expected nothing after the last line',
    ],
    [
      'with lines in the wrong order',
      () => [lines[0], lines[lineOf('event') - 1], ...lines.slice(1)].join('\n'),
      () => 'line 3, field type: expected no member here any more',
    ],
  ])('rejects an archive %s and stores nothing', async (_, text, expected) => {
    const { code, stderr } = await cli.runInProcess(['workspace', 'import', fileOf(text())]);
    expect(stderr).toContain(expected());
    expect(code).toBe(1);
    expect(listFilledTables()).toEqual([]);
  });

  it('rejects a missing file', async () => {
    const { code, stderr } = await cli.runInProcess(['workspace', 'import', join(folder, 'nothing.ndjson')]);
    expect([code, stderr]).toEqual([1, expect.stringContaining('cannot be read: ENOENT')]);
  });
});

/** The archive with one more line before the first one of this type. */
const inFrontOf = (type: string, line: Fields) => changed(type, (first) => [line, first]);
const first = (type: string): Fields => JSON.parse(lines[lineOf(type) - 1]!);

/** The first event of a type, with other data. */
function eventWith(kind: string, change: (data: Fields) => unknown): string {
  const at = lines.findIndex((line) => line.includes(`"kind":"${kind}"`));
  const event = JSON.parse(lines[at]!) as Fields & { data: string };
  const data = change(JSON.parse(event.data));
  const line = { ...event, data: typeof data === 'string' ? data : JSON.stringify(data) };
  return `${lines.with(at, JSON.stringify(line)).join('\n')}\n`;
}

function voiceWith(fields: Fields): string {
  return set('workspace', { voice: { ...(first('workspace').voice as Fields), ...fields } });
}

function framesWith(...more: unknown[]): string {
  const frames = first('turn').frames as string[];
  const texts = more.map((frame) => (typeof frame === 'string' ? frame : JSON.stringify(frame)));
  return set('turn', { frames: [...frames, ...texts] });
}

const nested = (levels: number) => `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`;
const cited = { type: 'citation', seq: 1, title: 5 };

describe('importing values that the service could not return', () => {
  it.each([
    ['a version at the maximum', () => set('workspace', { version: 2_147_483_647 }), 'version'],
    ['an unknown time zone', () => voiceWith({ timeZone: 'Shop/Time' }), 'voice.timeZone'],
    ['a UTC offset as time zone', () => voiceWith({ timeZone: '+01:00' }), 'voice.timeZone'],
    ['a contact without any way', () => set('workspace', { contact: {} }), 'contact'],
    ['a contact with an invalid link', () => set('workspace', { contact: { url: 'https://[' } }), 'contact'],
    ['an invalid source locale', () => set('workspace', { sourceLocale: 'xx--yy' }), 'sourceLocale'],
    ['an article with an invalid locale', () => set('article', { locale: 'de-DE-x-' }), 'locale'],
    ['a revision with an invalid locale', () => set('article_revision', { locale: '--' }), 'locale'],
    ['a translation with an invalid locale', () => set('translation', { locale: 'null-' }), 'locale'],
    ['a translation into the source locale', () => set('translation', { locale: 'en' }), 'locale'],
    ['a turn with an invalid locale', () => set('turn', { requestedLocale: '12' }), 'requestedLocale'],
    ['an email in upper case', () => set('member', { email: 'Ada@Shop.example' }), 'email'],
    ['a time before 1970', () => set('member', { createdAt: '1950-01-01T00:00:00.000Z' }), 'createdAt'],
    ['a time in the year 9999', () => set('event', { at: '9999-12-31T23:59:59.999Z' }), 'at'],
    [
      'a conversation from the year 9999',
      () => set('conversation', { startedAt: '9999-12-31T23:59:59.999Z' }),
      'startedAt',
    ],
    ['a turn count over the limit', () => set('conversation', { turnCount: 1_000_001 }), 'turnCount'],
    ['a next turn index over the limit', () => set('conversation', { nextTurnIdx: 10_002 }), 'nextTurnIdx'],
    ['a turn index over the limit', () => set('turn', { turnIdx: 10_001 }), 'turnIdx'],
    ['a question over the limit', () => set('turn', { question: 'x'.repeat(4001) }), 'question'],
    ['an answer over the limit', () => set('turn', { answer: 'x'.repeat(200_001) }), 'answer'],
    ['a frame of invalid type', () => framesWith('citation'), 'frames.'],
    ['a frame of unknown type', () => framesWith({ type: 'pigeon' }), 'frames.'],
    ['a frame with the wrong shape', () => framesWith(cited), 'frames.'],
    [
      'a frame with a line break',
      () => framesWith('{"type":"status",\n"seq":1,"phase":"retrieving"}'),
      'frames.',
    ],
    ['a rating with an invalid id', () => set('feedback', { id: 'fb one' }), 'id'],
    ['an event with an invalid id', () => set('event', { id: 'evt_"' }), 'id'],
    ['an event of unknown kind', () => set('event', { kind: 'pigeon' }), 'kind'],
    ['an event with data of another kind', () => set('event', { kind: 'feedback' }), 'data'],
    [
      'an event with an invalid value',
      () => eventWith('feedback', (data) => ({ ...data, rating: 'sideways' })),
      'data.rating',
    ],
    ['an event without a required field', () => eventWith('turn', () => ({})), 'data.path'],
    [
      'an event with an unknown field',
      () => eventWith('boot', (data) => ({ ...data, wings: 2 })),
      'data.wings',
    ],
    ['a deeply nested event', () => eventWith('boot', () => nested(400_000)), 'data'],
    [
      'an event with a duplicate field',
      () => eventWith('feedback', (data) => `{"rating":[],${JSON.stringify(data).slice(1)}`),
      'data',
    ],
    ['an audit row with an invalid id', () => set('audit', { id: 'x'.repeat(128) }), 'id'],
    ['an action over the limit', () => set('audit', { action: 'x'.repeat(65) }), 'action'],
    ['a subject over the limit', () => set('audit', { subject: 'x'.repeat(129) }), 'subject'],
    ['details with an infinite number', () => set('audit', { details: '{"a":1e999}' }), 'details'],
    ['details that grow when serialized', () => set('audit', { details: '{"a":1e20}' }), 'details'],
    ['deeply nested details', () => set('audit', { details: nested(5000) }), 'details'],
    ['details that are an array', () => set('audit', { details: '[1]' }), 'details'],
  ])('rejects %s with its line and field, and stores nothing', async (_, text, field) => {
    const { code, stderr } = await cli.runInProcess(['workspace', 'import', fileOf(text())]);
    expect(stderr).toMatch(/line \d+, field \S+: expected ./);
    expect(stderr).toContain(`, field ${field}`);
    expect(code).toBe(1);
    expect(listFilledTables()).toEqual([]);
  });

  it.each([
    [
      'another conversation',
      () => inFrontOf('conversation', { ...first('conversation'), id: 'empty' }),
      'conversation',
    ],
    [
      'a group of questions',
      () => inFrontOf('inbox_group', { ...first('conversation'), id: 'empty' }),
      'inbox_group',
    ],
  ])('rejects a conversation directly followed by %s, and stores nothing', async (_, text, next) => {
    const { code, stderr } = await cli.runInProcess(['workspace', 'import', fileOf(text())]);
    expect(stderr).toContain(`line ${lineOf(next) + 1}: expected a turn of empty`);
    expect(code).toBe(1);
    expect(listFilledTables()).toEqual([]);
  });
});

/** Stores the longest and strangest values that the service accepts. */
const ODD = '\u0001"\\\u2028👩‍🚀';

async function askOddly({ harness }: FilledTeam): Promise<void> {
  await harness.boot({ path: `/${'\u0001'.repeat(2000)}?x` });
  const visitor = await visit(harness, 'accepted');
  const { jwt } = visitor;
  const visitorId = harness.pseudonym(visitor);
  const conversation_id = 'conv-odd';
  const message = ODD.repeat(CHAT_LIMITS.messageCharsMax).slice(0, CHAT_LIMITS.messageCharsMax - 1);
  await harness.ask(jwt, { conversation_id, message, turn_idx: CHAT_LIMITS.turnIdxMax });
  const action_results = [{ action_id: ODD, outcome: 'done' }];
  const headers = { 'accept-language': 'sl-rozaj-biske-1994, i-klingon;q=0.5' };
  const [start] = await harness.ask(jwt, { conversation_id, action_results }, headers);
  const message_id = start?.type === 'message_start' ? start.message_id : '';
  const comment = ODD.repeat(CHAT_LIMITS.feedbackCharsMax).slice(0, CHAT_LIMITS.feedbackCharsMax);
  const rating = {
    json: { message_id, rating: 'down', comment, reasons: ['outdated', 'incorrect', 'off_topic'] },
    headers: { authorization: `Bearer ${jwt}` },
  };
  expect((await harness.fetch('/feedback', rating)).status).toBe(200);
  // Simulates a process that ended during the answer.
  const { conversations } = harness.service.store.in(harness.workspace.id);
  await conversations.openTurn(openTurn({ conversationId: conversation_id, visitorId }), []);
}

/** Changes the language of the English article to German, which archives its German translation. */
async function moveArticle({ harness, article, owner }: FilledTeam): Promise<void> {
  const { json } = await owner.get<{ slug: string }>(`/knowledge/articles/${article.id}`);
  const file = join(folder, 'moved.jsonl');
  writeFileSync(
    file,
    JSON.stringify({ slug: json.slug, locale: 'de', title: 'Laternen', answer: 'Sie leuchten.' }),
  );
  const there = commandLine(harness.dataDir, clock.now);
  await there.json(['knowledge', 'import', '--workspace', harness.workspace.id, file]);
}

it('an export of every accepted extreme imports and exports again byte for byte', async () => {
  const team = await openFilled('oddword');
  await askOddly(team);
  await moveArticle(team);
  const settings = { name: ODD.slice(1), voice: { timeZone: 'asia/calcutta' }, sourceLocale: 'iw' };
  expect((await team.owner.patch('', settings)).status).toBe(200);
  const { events } = team.harness.service.store.in(team.workspace.id);
  const data = { kind: 'realtime', provider: 'provider_a', seconds: 0.1 + 0.2, outcome: 'unreported' };
  await events.append([{ id: newId('evt'), atMillis: clock.now(), type: 'voice', data }]);
  const { text } = await team.owner.get('/export');
  expect(text).toContain('"turnIdx":10000');
  expect(text).toContain('"locale":"de","status":"archived"');
  await team.close();

  await cli.json(['workspace', 'import', fileOf(text)]);
  const { stdout } = await cli.runInProcess(['workspace', 'export', '--workspace', team.workspace.id]);
  expect(stdout).toBe(text);
});
