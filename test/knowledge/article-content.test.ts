import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ARTICLE_LIMITS } from '../../contract/limits/articles.ts';
import { stripMarkup, toVisibleText } from '../../server/base/visible-text.ts';
import { parseStructure } from '../../server/knowledge/answer/blocks.ts';
import { isEditorNote } from '../../server/knowledge/answer/editor-notes.ts';
import {
  hashContent,
  normalizeLine,
  normalizeText,
  summarize,
} from '../../server/knowledge/article-content.ts';
import { expectError } from '../support/response.ts';
import { fc } from '../support/seeded-random.ts';
import { openTeam, type Team } from '../support/team.ts';

describe('normalizeText', () => {
  it('is idempotent', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(normalizeText(normalizeText(text))).toBe(normalizeText(text));
        expect(normalizeLine(normalizeLine(text))).toBe(normalizeLine(text));
        expect(normalizeLine(text)).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('normalizing several lines', () => {
  it('removes leading line breaks and trailing white space', () => {
    const unit = fc.constantFrom('a', ' ', '\n', '\t', '\r', '\u00a0', '\u2028', '\u3000', '\ufeff', '<b>');
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 8 }), (text) => {
        const cleaned = toVisibleText(stripMarkup(toVisibleText(text)));
        expect(normalizeText(text)).toBe(cleaned.replace(/^\n+|\s+$/g, ''));
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('content hash', () => {
  const content = fc.record(
    {
      title: fc.string(),
      answer: fc.string(),
      aliases: fc.array(fc.string(), { maxLength: 2 }),
      url: fc.webUrl(),
    },
    { requiredKeys: ['title', 'answer', 'aliases'] },
  );

  it('does not depend on the order of fields', () => {
    fc.assert(
      fc.property(content, ({ title, answer, aliases, ...rest }) => {
        expect(hashContent({ ...rest, aliases, answer, title })).toBe(
          hashContent({ title, answer, aliases, ...rest }),
        );
      }),
    );
  });

  it('differs for contents that are equal only when concatenated', () => {
    const base = { title: 'a', answer: 'b', aliases: ['c'] };
    const others = [
      { title: 'ab', answer: '', aliases: ['c'] },
      { title: 'a', answer: 'b', aliases: ['c', ''] },
      { title: 'a', answer: 'bc', aliases: [] },
    ];
    expect(new Set([base, ...others].map(hashContent)).size).toBe(4);
  });

  it('ignores the URL, because a new URL needs no new translation', () => {
    const base = { title: 'a', answer: 'b', aliases: ['c'] };
    const moved = { ...base, url: 'https://shop.example' };
    expect(hashContent(moved)).toBe(hashContent(base));
  });

  it('equals the known hash, because stored hashes must stay valid', () => {
    expect(hashContent({ title: 'Returns', answer: 'Within 30 days.', aliases: ['refund'] })).toBe(
      '59560b0c4fb3b34b3a236d8b63bbe2fd271b6a8f57e5b02f31c7a2870e57c773',
    );
  });
});

const graphemes = (text: string) =>
  [...new Intl.Segmenter('und').segment(text)].map(({ segment }) => segment);

describe('summarize', () => {
  it('returns a short answer whole, on one line', () => {
    expect(summarize('Orders ship on weekdays.\n\nReturns are free.', 'en')).toBe(
      'Orders ship on weekdays. Returns are free.',
    );
  });

  it('ends with the last sentence that fits', () => {
    const sentence = 'This sentence is here to take up room in the summary of an answer, and nothing else.';
    const summary = summarize(`${sentence} `.repeat(10), 'en');
    expect(summary).toBe(`${sentence} ${sentence} ${sentence}`);
  });

  it('ends with a whole sentence in scripts without spaces between sentences', () => {
    const sentence = '登録した住所はいつでも変更できます。';
    const summary = summarize(sentence.repeat(40), 'ja');
    expect(summary.endsWith('。')).toBe(true);
    expect(summary.length).toBeGreaterThan(200);
  });

  it.each([
    ['en', 'word '],
    ['de', 'Donaudampfschifffahrtsgesellschaft '],
    ['ar', 'كلمة '],
    ['th', 'ภาษาไทยไม่มีช่องว่าง'],
    ['hi', 'क्षत्रिय'],
    ['ja', '東京都庁'],
    ['en', '👩‍👩‍👧‍👦'],
    ['en', 'e\u0301\u0323'],
  ])('cuts an endless sentence between graphemes: %s %s', (locale, piece) => {
    const answer = piece.repeat(200);
    const summary = summarize(answer, locale);
    expect(summary.length).toBeLessThanOrEqual(280);
    expect(summary.length).toBeGreaterThan(200);
    expect(summary.endsWith('…')).toBe(true);
    const shortened = graphemes(summary.slice(0, -1));
    expect(graphemes(answer).slice(0, shortened.length)).toEqual(shortened);
  });

  it('removes Markdown syntax', () => {
    const answer =
      '# Returns\n\n- Open **Orders**.\n- Choose [Return](https://shop.example/r).\n\n> Keep `the receipt`.';
    expect(summarize(answer, 'en')).toBe('Returns Open Orders. Choose Return. Keep the receipt.');
  });

  it('returns at most 280 well-formed characters on one line for any text', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 2_000 }).map((text) => text.toWellFormed()),
        fc.constantFrom('en', 'th', 'zh-Hans', 'ar', 'vi'),
        (answer, locale) => {
          const summary = summarize(answer, locale);
          expect(summary.length).toBeLessThanOrEqual(280);
          expect(summary.isWellFormed()).toBe(true);
          expect(summary).not.toMatch(/\n/);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('handles one grapheme that is longer than the limit', () => {
    const summary = summarize(`a${'\u0301'.repeat(1_000)}`, 'en');
    expect(summary.length).toBeLessThanOrEqual(280);
    expect(summary.startsWith('a\u0301')).toBe(true);
  });
});

describe('content of maximum length', () => {
  /** Content of maximum length must fit in the body limit, in every script and with every JSON escaping. */

  let team: Team;
  beforeAll(async () => {
    team = await openTeam();
  });
  afterAll(() => team.close());

  const post = (content: Record<string, unknown>) => team.as('owner').post('/knowledge/articles', content);
  const article = (content: Record<string, unknown>) => ({ title: 'T', answer: 'Yes.', ...content });

  it.each([
    ['a Japanese answer', { answer: 'あ'.repeat(ARTICLE_LIMITS.answerCharsMax) }],
    ['an emoji answer', { answer: '😀'.repeat(ARTICLE_LIMITS.answerCharsMax) }],
    ['an emoji title', { title: '😀'.repeat(ARTICLE_LIMITS.titleCharsMax) }],
    [
      'emoji search aliases',
      {
        aliases: Array.from(
          { length: ARTICLE_LIMITS.aliasesMax },
          (_, at) => String.fromCodePoint(0x1f600 + at) + '😀'.repeat(ARTICLE_LIMITS.aliasCharsMax - 1),
        ),
      },
    ],
  ])('accepts %s of maximum length', async (_what, content) => {
    const { status, json } = await post(article(content));
    expect(status, JSON.stringify(json).slice(0, 500)).toBe(201);
  });

  it('accepts text of maximum length when every character is escaped in JSON', async () => {
    const escaped = '\\ud83d\\ude00'.repeat(ARTICLE_LIMITS.answerCharsMax);
    const { baseUrl } = team.harness;
    const { status } = await fetch(`${baseUrl}/api/tenants/${team.workspace.id}/knowledge/articles`, {
      method: 'POST',
      headers: {
        cookie: team.as('owner').cookie,
        'sec-fetch-site': 'same-origin',
        'content-type': 'application/json',
      },
      body: `{"title":"Escaped","answer":"${escaped}"}`,
    });
    expect(status).toBe(201);
  });

  it('rejects text one character over the limit', async () => {
    const title = '😀'.repeat(ARTICLE_LIMITS.titleCharsMax + 1);
    expectError(await post(article({ title })), 'request/invalid');
    const answer = 'あ'.repeat(ARTICLE_LIMITS.answerCharsMax + 1);
    expectError(await post(article({ answer })), 'request/invalid');
  });
});

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

  it('keeps a paragraph that was wrapped by hand', () => {
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

describe('isEditorNote', () => {
  it.each([
    'TODO: add a picture',
    'FIXME this is wrong.',
    '[edit]',
    "I'd like this page to have more on how to start it.",
    'This section should be split out to a separate page.',
    'We should explain what a target is.',
  ])('recognizes "%s"', (line) => {
    expect(isEditorNote(line)).toBe(true);
  });

  it.each([
    'Add a page for every product.',
    'You should explain the problem to your administrator.',
    'We need to see your passport.',
    'This page lists the shortcuts.',
    'Edit the article and press Save.',
    'We should arrive within two days.',
  ])('does not recognize "%s"', (line) => {
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

  it('is split into ordered blocks without overlap', () => {
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
