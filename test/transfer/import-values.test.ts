import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../contract/limits.ts';
import { newId } from '../../server/ids.ts';
import { commandLine } from '../cli/command-line.ts';
import { clock } from '../harness.ts';
import { openTurn } from '../storage/samples.ts';
import {
  anArchiveAndAFolderForEach,
  changed,
  cli,
  type Fields,
  type FilledTeam,
  fileOf,
  folder,
  lineOf,
  lines,
  openFilled,
  rowsLeft,
  set,
  visit,
} from './installations.ts';

anArchiveAndAFolderForEach();

/** The archive with one more line before the first one of this type. */
const inFrontOf = (type: string, line: Fields) => changed(type, (first) => [line, first]);
const first = (type: string): Fields => JSON.parse(lines[lineOf(type) - 1]!);

/** The first event of a kind, with other data. */
function eventWith(kind: string, change: (data: Fields) => unknown): string {
  const at = lines.findIndex((line) => line.includes(`"kind":"${kind}"`));
  const event = JSON.parse(lines[at]!) as Fields & { readonly data: string };
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
    ['an event without a required field', () => eventWith('turn', () => ({})), 'data.turn_idx'],
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
    const { code, stderr } = await cli.here(['workspace', 'import', fileOf(text())]);
    expect(stderr).toMatch(/line \d+, field \S+: expected ./);
    expect(stderr).toContain(`, field ${field}`);
    expect(code).toBe(1);
    expect(rowsLeft()).toEqual([]);
  });

  it.each([
    [
      'another conversation',
      () => inFrontOf('conversation', { ...first('conversation'), id: 'empty' }),
      'conversation',
    ],
    ['an event', () => inFrontOf('event', { ...first('conversation'), id: 'empty' }), 'event'],
  ])('rejects a conversation directly followed by %s, and stores nothing', async (_, text, next) => {
    const { code, stderr } = await cli.here(['workspace', 'import', fileOf(text())]);
    expect(stderr).toContain(`line ${lineOf(next) + 1}: expected a turn of empty`);
    expect(code).toBe(1);
    expect(rowsLeft()).toEqual([]);
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
  const message = ODD.repeat(LIMITS.messageCharsMax).slice(0, LIMITS.messageCharsMax - 1);
  await harness.ask(jwt, { conversation_id, message, turn_idx: LIMITS.turnIdxMax });
  const action_results = [{ action_id: ODD, outcome: 'done' }];
  const headers = { 'accept-language': 'sl-rozaj-biske-1994, i-klingon;q=0.5' };
  const [start] = await harness.ask(jwt, { conversation_id, action_results }, headers);
  const message_id = start?.type === 'message_start' ? start.message_id : '';
  const comment = ODD.repeat(LIMITS.feedbackCharsMax).slice(0, LIMITS.feedbackCharsMax);
  const rating = {
    json: { message_id, rating: 'down', comment },
    headers: { authorization: `Bearer ${jwt}` },
  };
  expect((await harness.fetch('/feedback', rating)).status).toBe(200);
  // As if the process had ended during the answer.
  const { conversations } = harness.service.store.in(harness.workspace.id);
  await conversations.openTurn(openTurn({ conversationId: conversation_id, visitorId }), []);
}

/** The English article becomes a German one, which archives its German translation. */
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
  const { stdout } = await cli.here(['workspace', 'export', '--workspace', team.workspace.id]);
  expect(stdout).toBe(text);
});
