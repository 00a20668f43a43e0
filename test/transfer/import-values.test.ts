import { describe, expect, it } from 'vitest';
import {
  anArchiveAndAFolderForEach,
  changed,
  cli,
  type Fields,
  fileOf,
  lineOf,
  lines,
  rowsLeft,
  set,
} from './installations.ts';

anArchiveAndAFolderForEach();

/** The archive with one more line in front of the first one of this type. */
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

describe('a value that the service could answer with no more', () => {
  it.each([
    ['a version with no room for changes', () => set('workspace', { version: 2_147_483_647 }), 'version'],
    ['a time zone that is none', () => voiceWith({ timeZone: 'Shop/Time' }), 'voice.timeZone'],
    ['an offset in place of a time zone', () => voiceWith({ timeZone: '+01:00' }), 'voice.timeZone'],
    ['a language that is none', () => set('workspace', { sourceLocale: 'xx--yy' }), 'sourceLocale'],
    ['an article in no language', () => set('article', { locale: 'de-DE-x-' }), 'locale'],
    ['a revision in no language', () => set('article_revision', { locale: '--' }), 'locale'],
    ['a translation into no language', () => set('translation', { locale: 'null-' }), 'locale'],
    ['a translation into its own language', () => set('translation', { locale: 'en' }), 'locale'],
    ['a question in no language', () => set('turn', { requestedLocale: '12' }), 'requestedLocale'],
    ['an address in upper case', () => set('member', { email: 'Ada@Shop.example' }), 'email'],
    ['a moment before 1970', () => set('member', { createdAt: '1950-01-01T00:00:00.000Z' }), 'createdAt'],
    ['a moment at the end of time', () => set('event', { at: '9999-12-31T23:59:59.999Z' }), 'at'],
    [
      'a conversation that began then',
      () => set('conversation', { startedAt: '9999-12-31T23:59:59.999Z' }),
      'startedAt',
    ],
    ['more turns than are counted', () => set('conversation', { turnCount: 1_000_001 }), 'turnCount'],
    ['a next turn that nobody can send', () => set('conversation', { nextTurnIdx: 10_002 }), 'nextTurnIdx'],
    ['a turn that nobody can send', () => set('turn', { turnIdx: 10_001 }), 'turnIdx'],
    ['a question that nobody can ask', () => set('turn', { question: 'x'.repeat(4001) }), 'question'],
    ['an answer that nobody can read', () => set('turn', { answer: 'x'.repeat(200_001) }), 'answer'],
    ['a frame that is no JSON', () => framesWith('citation'), 'frames.'],
    ['a frame that is no event', () => framesWith({ type: 'pigeon' }), 'frames.'],
    ['a frame of another form', () => framesWith(cited), 'frames.'],
    ['a frame of two lines', () => framesWith('{"type":"status",\n"seq":1,"phase":"retrieving"}'), 'frames.'],
    ['a rating without a proper id', () => set('feedback', { id: 'fb one' }), 'id'],
    ['an event without a proper id', () => set('event', { id: 'evt_"' }), 'id'],
    ['an event of an unknown kind', () => set('event', { kind: 'pigeon' }), 'kind'],
    ['an event of another kind', () => set('event', { kind: 'feedback' }), 'data'],
    [
      'an event with a wrong value',
      () => eventWith('feedback', (data) => ({ ...data, rating: 'sideways' })),
      'data.rating',
    ],
    ['an event with too little', () => eventWith('turn', () => ({})), 'data.turn_idx'],
    ['an event with too much', () => eventWith('boot', (data) => ({ ...data, wings: 2 })), 'data.wings'],
    ['an event that goes deep', () => eventWith('boot', () => nested(400_000)), 'data'],
    [
      'an event with a field twice',
      () => eventWith('feedback', (data) => `{"rating":[],${JSON.stringify(data).slice(1)}`),
      'data',
    ],
    ['an audit row without a proper id', () => set('audit', { id: 'x'.repeat(128) }), 'id'],
    ['a long action', () => set('audit', { action: 'x'.repeat(65) }), 'action'],
    ['a long subject', () => set('audit', { subject: 'x'.repeat(129) }), 'subject'],
    ['details with an endless number', () => set('audit', { details: '{"a":1e999}' }), 'details'],
    ['details that grow when they are shown', () => set('audit', { details: '{"a":1e20}' }), 'details'],
    ['details that go deep', () => set('audit', { details: nested(5000) }), 'details'],
    ['details that are a list', () => set('audit', { details: '[1]' }), 'details'],
  ])('is refused with its place, and nothing stays: %s', async (_, text, field) => {
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
  ])(
    'is refused with its place, and nothing stays: a conversation that %s follows at once',
    async (_, text, next) => {
      const { code, stderr } = await cli.here(['workspace', 'import', fileOf(text())]);
      expect(stderr).toContain(`line ${lineOf(next) + 1}: expected a turn of empty`);
      expect(code).toBe(1);
      expect(rowsLeft()).toEqual([]);
    },
  );
});
