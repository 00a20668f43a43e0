import { describe, expect, it } from 'vitest';
import { parseStructure } from '../../server/knowledge/answer/blocks.ts';
import { isEditorNote } from '../../server/knowledge/answer/editor-notes.ts';
import { fc } from '../fixtures/seeded-random.ts';

/** Sections as lines: `# heading`, then each block with its kind and its units. */
function show(answer: string, title = 'Title') {
  const { units, sections } = parseStructure(answer, title);
  const read = (at: number) => answer.slice(units[at]!.wordsStart, units[at]!.end);
  return sections.flatMap(({ heading, blocks }) => [
    ...(heading === undefined ? [] : [`# ${read(heading)}`]),
    ...blocks.map(({ kind, from, to }) => [
      kind,
      ...Array.from({ length: to - from }, (_, index) => read(from + index)),
    ]),
  ]);
}

describe('the structure of Markdown', () => {
  it('has headings, lists with what announces them, code and tables', () => {
    const answer = [
      '# Title',
      'Some *text* that somebody wrapped after sixty',
      'characters, so that it is on two lines.',
      '',
      'To reset it:',
      '',
      '1. Open **Settings**.',
      '   - Under *System*',
      '2. Run:',
      '   ```',
      '   reset',
      '   ```',
      '3. Wait.',
      '',
      'Limits',
      '------',
      '- one',
      '- two',
      '',
      '```',
      'a: b',
      '',
      '# no heading',
      '```',
      '',
      '| a | b |',
      '|---|---|',
    ].join('\n');
    expect(show(answer)).toEqual([
      '# Title',
      ['paragraph', 'Some *text* that somebody wrapped after sixty\ncharacters, so that it is on two lines.'],
      [
        'list',
        'To reset it:',
        'Open **Settings**.',
        'Under *System*',
        'Run:',
        '```\n   reset\n   ```',
        'Wait.',
      ],
      '# Limits',
      ['list', 'one', 'two'],
      ['code', '```\na: b\n\n# no heading\n```'],
      ['table', '| a | b |\n|---|---|'],
    ]);
  });

  it('takes enumerations of other scripts for lists', () => {
    expect(show('步骤：\n1、打开设置。\n2、点击网络。')).toEqual([
      ['list', '步骤：', '打开设置。', '点击网络。'],
    ]);
    expect(show('१. सेटिंग खोलें।\n२. नेटवर्क चुनें।')).toEqual([['list', 'सेटिंग खोलें।', 'नेटवर्क चुनें।']]);
    expect(show('۱) تنظیمات را باز کنید.\n۲) شبکه را برگزینید.')).toEqual([
      ['list', 'تنظیمات را باز کنید.', 'شبکه را برگزینید.'],
    ]);
  });
});

const EXPLANATION = `${'A mouse is a small device that you move with your hand on a table. '.repeat(4)}You need one.`;

describe('the structure of plain text', () => {
  it.each(['\n', '\n\n'])('has headings and steps by the length of their lines, parted by %j', (gap) => {
    const lines = [
      EXPLANATION,
      'Open Settings.',
      'Click Mouse.',
      'Click Pair. Wait a moment.',
      'Remove a mouse',
      EXPLANATION,
    ];
    expect(show(lines.join(gap))).toEqual([
      ['paragraph', EXPLANATION],
      ['list', 'Open Settings.', 'Click Mouse.', 'Click Pair. Wait a moment.'],
      '# Remove a mouse',
      ['paragraph', EXPLANATION],
    ]);
  });

  it.each([
    ['ja', '接続するには:', '設定を開きます。', 'マウスをクリックします。'],
    ['hi', 'जोड़ने के लिए:', 'सेटिंग खोलें।', 'माउस पर क्लिक करें।'],
    ['fa', 'برای اتصال:', 'تنظیمات را باز کنید.', 'روی موشواره کلیک کنید.'],
    ['th', 'วิธีเชื่อมต่อ:', 'เปิดการตั้งค่า', 'คลิกเมาส์'],
  ])('keeps a lead-in and its steps together in %s', (_, ...lines) => {
    expect(show(lines.join('\n'))).toEqual([['list', ...lines]]);
  });

  it('keeps a paragraph whose lines somebody wrapped', () => {
    const lines = [
      'The mouse is paired with the computer as soon as both',
      'of them are in range of each other and the battery is',
      'full.',
    ];
    expect(show(lines.join('\n'))).toEqual([['paragraph', lines.join('\n')]]);
  });

  it('does not take the title at the start of the text for content', () => {
    expect(show('Pair a mouse\nOpen Settings.\nClick Mouse.', 'Pair a mouse')).toEqual([
      '# Pair a mouse',
      ['list', 'Open Settings.', 'Click Mouse.'],
    ]);
  });
});

describe("editors' notes", () => {
  it.each([
    'TODO: add a picture',
    'FIXME this is wrong.',
    '[edit]',
    "I'd like this page to have more on how to start it.",
    'This section should be split out to a separate page.',
    'We should explain what a target is.',
  ])('knows "%s"', (line) => {
    expect(isEditorNote(line)).toBe(true);
  });

  it.each([
    'Add a page for every product.',
    'You should explain the problem to your administrator.',
    'We need to see your passport.',
    'This page lists the shortcuts.',
    'Edit the article and press Save.',
    'We should arrive within two days.',
  ])('quotes "%s"', (line) => {
    expect(isEditorNote(line)).toBe(false);
  });
});

describe('any text', () => {
  const piece = fc.constantFrom(
    '# ',
    '- ',
    '1. ',
    '```',
    '\n',
    '\n\n',
    ':',
    '.',
    '*',
    '_',
    '|',
    '>',
    '<!--',
    '-->',
    '   ',
    'word ',
    '字',
    '。',
    '\u2028',
    '\ud83d\ude00',
  );

  it('is cut into blocks in its order, which share no character', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        const answer = pieces.join('');
        const { units, sections } = parseStructure(answer, 'Title');
        let end = 0;
        for (const unit of units) {
          expect(unit.start).toBeGreaterThanOrEqual(end);
          expect(unit.wordsStart).toBeGreaterThanOrEqual(unit.start);
          expect(unit.end).toBeGreaterThanOrEqual(unit.wordsStart);
          end = unit.end;
        }
        expect(end).toBeLessThanOrEqual(answer.length);
        let last = 0;
        for (const { from, itemsFrom, to } of sections.flatMap(({ blocks }) => blocks)) {
          expect(from).toBeGreaterThanOrEqual(last);
          expect(itemsFrom).toBeGreaterThanOrEqual(from);
          expect(to).toBeGreaterThan(itemsFrom);
          last = to;
        }
        expect(last).toBeLessThanOrEqual(units.length);
      }),
    );
  });
});
