import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  FACT_CHARS_MAX,
  PROCEDURE_CHARS_MAX,
  selectQuotes,
} from '../../server/knowledge/answer/select-quotes.ts';
import { selectTranslatedQuotes } from '../../server/knowledge/answer/translated-quotes.ts';
import { splitSentences } from '../../server/knowledge/search/tokenize.ts';
import { measureCpuMillis } from '../support/cpu-time.ts';
import { fc } from '../support/seeded-random.ts';

type Variant = { locale: string; title: string; answer: string };

/** Scores sentences by the share of the question's words in them, which is simpler than the search. */
function toRequest({ locale, title, answer }: Variant, question: string) {
  const sentences = splitSentences(answer, locale);
  const segmenter = new Intl.Segmenter(locale, { granularity: 'word' });
  const read = (text: string) =>
    new Set([...segmenter.segment(text.toLowerCase())].map(({ segment }) => segment));
  const questionWords = read(question);
  const scores = sentences.map(({ start, end }) => {
    const words = read(answer.slice(start, end));
    return [...questionWords].filter((word) => words.has(word)).length / questionWords.size;
  });
  return { title, answer, sentences, scores, question, locale };
}

function quote(variant: Variant, question: string): string[] {
  return selectQuotes(toRequest(variant, question)).map(({ start, end }) => variant.answer.slice(start, end));
}

const inEnglish = (answer: string, title = 'Pair a mouse'): Variant => ({ locale: 'en', title, answer });
const EXPLANATION = `${'A mouse is a small device that you move with your hand on a table. '.repeat(4)}You need one.`;
const STEPS = 'Open Settings.\nClick Mouse.\nClick Pair.';

describe('a procedure', () => {
  it('is quoted whole, with its lead-in', () => {
    const answer = `${EXPLANATION}\nTo pair it:\n${STEPS}\nThis is how far it goes.\nQuickly pair a mouse\n${EXPLANATION}`;
    const [only, ...others] = quote(inEnglish(answer), 'How do I pair a mouse?');
    expect(others).toEqual([]);
    expect(only).toContain(`To pair it:\n${STEPS}`);
    expect(only).not.toContain('Quickly');
  });

  it('is quoted with the images of its steps and with its numbers', () => {
    const image = '![The list of devices](/images/img_01kakv2fxse7wtg6x5r0h8rjbm)';
    const steps = `To pair a mouse:\n\n1. Open Settings.\n2. Click Mouse.\n\n   ${image}\n3. Click Pair.`;
    const answer = `${EXPLANATION}\n\n${steps}\n\n${image}\n\nWell done`;
    const [only] = quote(inEnglish(answer), 'How do I pair a mouse?');
    expect(only).toContain(`${steps}\n\n${image}`);
  });

  it('is quoted from the section that the question names', () => {
    const answer = `${EXPLANATION}\n${STEPS}\nRemove a mouse\nOpen Devices.\nClick Remove.\nConfirm it.`;
    expect(quote(inEnglish(answer), 'Pair a mouse')[0]).toContain(STEPS);
    expect(quote(inEnglish(answer), 'How can I remove a mouse?')).toEqual([
      'Open Devices.\nClick Remove.\nConfirm it.',
    ]);
  });

  it('is cut after a step when it is long', () => {
    const steps = Array.from(
      { length: 60 },
      (_, at) => `${at + 1}. Turn wheel number ${at + 1} to the left.`,
    );
    const [only, ...others] = quote(
      inEnglish(`To pair a mouse:\n\n${steps.join('\n')}`),
      'How do I pair a mouse?',
    );
    expect(others).toEqual([]);
    expect(only!.length).toBeLessThanOrEqual(PROCEDURE_CHARS_MAX);
    expect(only!.length).toBeGreaterThan(PROCEDURE_CHARS_MAX - 100);
    expect(only).toMatch(/^To pair a mouse:\n\n1\. Turn .* left\.$/s);
  });

  it('keeps nested items', () => {
    const answer = '1. Open **Settings**:\n   - the mouse\n   - the keyboard\n2. Click Pair.';
    expect(quote(inEnglish(answer), 'How do I pair a mouse?')).toEqual([answer]);
  });
});

describe('a fact', () => {
  it.each([
    ['en', 'The wheel number %d has a diameter of some metres. ', 'What is wheel number 7?', 'number 7 '],
    ['zh', '第%d号轮子的直径有好几米长，在很多年以前就已经由工匠制造好了。', '第7号轮子是什么？', '第7号'],
    [
      'th',
      'ล้อหมายเลข %d มีเส้นผ่านศูนย์กลางหลายเมตรและสร้างขึ้นเมื่อหลายปีก่อนโดยช่างฝีมือในเมืองนี้เอง ',
      'ล้อหมายเลข 7 คืออะไร',
      'หมายเลข 7 ',
    ],
  ])('is quoted with other sentences, up to a length, in %s', (locale, sentence, question, fact) => {
    const answer = Array.from({ length: 30 }, (_, at) => sentence.replace('%d', String(at))).join('');
    const quoted = quote({ locale, title: '-', answer }, question).join(' ');
    expect(quoted).toContain(fact);
    expect(quoted.length).toBeLessThanOrEqual(FACT_CHARS_MAX);
    expect(quoted.length).toBeGreaterThan(FACT_CHARS_MAX / 2);
  });

  it('is quoted with the second best sentence, each whole, and without the text between them', () => {
    const between = 'Grass grows slowly in the shade of tall trees near the river bank. '.repeat(12);
    const answer = `Blue mice live for two years. ${between}A blue mouse eats seeds at night.`;
    const question = 'How many years do blue mice live, and what does a blue mouse eat?';
    expect(quote(inEnglish(answer), question)).toEqual([
      expect.stringContaining('Blue mice live for two years.'),
      expect.stringContaining('A blue mouse eats seeds at night.'),
    ]);
  });

  it('is quoted with its list', () => {
    const answer = `${EXPLANATION}\n\nWe deliver to:\n\n- Norway\n- Iceland\n- Malta`;
    expect(quote(inEnglish(answer, 'Delivery'), 'Do you deliver to Malta?')).toEqual([
      'We deliver to:\n\n- Norway\n- Iceland\n- Malta',
    ]);
  });
});

describe('a table', () => {
  const HEAD = '| Country | Days | Price |\n| --- | --- | --- |';
  const ROWS = [
    '| Germany | 2 days | 4 euros |',
    '| Austria | 3 days | 6 euros |',
    '| Switzerland | 5 days | 12 euros |',
    '| Norway | 7 days | 15 euros |',
  ];
  const TABLE = [HEAD, ...ROWS].join('\n');
  const answer = `We send parcels abroad:\n\n${TABLE}\n\nParcels are insured.`;

  it('is quoted by the row that the question names, below the names of the columns', () => {
    const question = 'How many days does a parcel to Switzerland take?';
    expect(quote(inEnglish(answer), question)).toEqual([HEAD, ROWS[2]]);
  });

  it('is quoted by two rows that the question names', () => {
    const long = answer.replace('\n\nParcels', `\n| Spain | 6 days |\n| Italy | 6 days |\n\nParcels`);
    expect(quote(inEnglish(long), 'days to Norway or Austria')).toEqual([HEAD, ROWS[1], ROWS[3]]);
  });

  it('is quoted whole when the question names no row', () => {
    expect(quote(inEnglish(answer), 'How many days does a parcel abroad take?').join()).toContain(TABLE);
  });

  it('is quoted by a row without names of columns if it has none', () => {
    expect(quote(inEnglish(ROWS.join('\n')), 'price for Norway')).toEqual([ROWS[3]]);
  });

  it('is quoted by the corresponding row of a translation', () => {
    const german = answer
      .replace('Country | Days | Price', 'Land | Tage | Preis')
      .replace('Switzerland', 'Schweiz')
      .replaceAll(/ days/g, ' Tage');
    const shown = { title: 'Versand', answer: german, sentences: splitSentences(german, 'de') };
    const request = toRequest(inEnglish(answer), 'How many days to Switzerland?');
    expect(selectTranslatedQuotes(request, shown).map(({ start, end }) => german.slice(start, end))).toEqual([
      '| Land | Tage | Preis |\n| --- | --- | --- |',
      '| Schweiz | 5 Tage | 12 euros |',
    ]);
  });
});

describe('any quote', () => {
  it("leaves out editors' notes, repeated lines, and the title", () => {
    const answer = `Pair a mouse\nOpen Settings.\nTODO: add a picture\nClick Mouse.\nClick Mouse.\nClick Pair.\nPair a mouse`;
    expect(quote(inEnglish(answer), 'Pair a mouse').join('\n')).toBe(STEPS);
  });

  it('is never empty for an answer that has a word', () => {
    expect(quote(inEnglish('# Pair a mouse'), 'What?')).toEqual(['# Pair a mouse']);
    expect(quote(inEnglish('Soon'), 'What?')).toEqual(['Soon']);
  });

  const word = fc.constantFrom(
    'Pair',
    'mouse.',
    'To:',
    '\n',
    '\n\n',
    '- ',
    '1. ',
    '# ',
    '```\n',
    '字。',
    'TODO',
    '|',
    '>',
    '  ',
  );
  it('is a verbatim part of the text, in order, and does not end with a lead-in', () => {
    fc.assert(
      fc.property(
        fc.array(word, { maxLength: 80 }),
        fc.constantFrom('Pair', 'How do I pair?', 'What is 字?'),
        (words, question) => {
          const variant = inEnglish(words.join(' '));
          const spans = selectQuotes(toRequest(variant, question));
          let end = 0;
          for (const span of spans) {
            expect(span.start).toBeGreaterThanOrEqual(end);
            expect(span.end).toBeGreaterThan(span.start);
            end = span.end;
          }
          expect(end).toBeLessThanOrEqual(variant.answer.length);
          expect(spans.reduce((sum, { start, end }) => sum + end - start, 0)).toBeLessThanOrEqual(
            PROCEDURE_CHARS_MAX,
          );
        },
      ),
    );
  });

  it.each(['a', '# ', '1. ', '```\n', '|\n', 'a.\n', 'a:\n', '字。', '<!--', 'If a, ', '  - a\n'])(
    'is selected in linear time from 100,000 characters of %j',
    async (piece) => {
      const answer = piece.repeat(100_000 / piece.length);
      const sentences = [{ start: 0, end: 5 }];
      const request = { ...inEnglish(answer), sentences, scores: [1], question: 'Pair a mouse' };
      expect(await measureCpuMillis(() => selectQuotes(request))).toBeLessThan(500);
      const shown = { title: 'Eine Maus koppeln', answer, sentences };
      expect(await measureCpuMillis(() => selectTranslatedQuotes(request, shown))).toBeLessThan(500);
    },
  );
});

describe('a translation', () => {
  it('is quoted by the sentences that correspond to those of the searched article', () => {
    const english = inEnglish(
      `${EXPLANATION}\n\nTo pair it:\n\n${STEPS}\n\nNobody translated this sentence yet.`,
    );
    const answer = `Eine Maus ist ein kleines Gerät.\n\nUm sie zu koppeln:\n\nÖffnen Sie Einstellungen.\nKlicken Sie auf Maus.\nKlicken Sie auf Koppeln.`;
    const shown = { title: 'Eine Maus koppeln', answer, sentences: splitSentences(answer, 'de') };
    const spans = selectTranslatedQuotes(toRequest(english, 'How do I pair a mouse?'), shown);
    expect(spans.map(({ start, end }) => answer.slice(start, end)).join('\n')).toContain(
      'Um sie zu koppeln:\n\nÖffnen Sie Einstellungen.\nKlicken Sie auf Maus.\nKlicken Sie auf Koppeln.',
    );
  });
});

/** Articles of the demo with a procedure, and words of its first and last step in each language. */
const HELP = readFileSync(new URL('../../server/demo/knowledge/gnome-help.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line): { slug: string; translations: Variant[] } & Variant => JSON.parse(line));

describe('the help of a desktop', () => {
  it.each([
    ['a11y-bouncekeys', 'en', 'Open the Activities overview', 'Switch the Bounce Keys switch to on.'],
    ['a11y-bouncekeys', 'de', 'Öffnen Sie die Aktivitäten-Übersicht', 'Schalten Sie Springende Tasten ein.'],
    ['files-recover', 'en', 'Open the Activities overview', 'Restore From Trash'],
    ['net-vpn-connect', 'en', 'Open the Activities overview', 'then press Add once you are finished'],
    ['contacts-add-remove', 'en', 'Press the + button', 'press Remove'],
  ])('answers the title of %s with all of its steps in %s', (slug, locale, first, last) => {
    const article = HELP.find((one) => one.slug === slug)!;
    const variant = [article, ...article.translations].find((one) => one.locale === locale)!;
    const quotes = quote(variant, variant.title).join('\n');
    expect(quotes).toContain(first);
    expect(quotes).toContain(last);
  });

  it('is never quoted at length, or with a lead-in at the end', () => {
    for (const article of HELP) {
      for (const variant of [article, ...article.translations]) {
        const quotes = quote(variant, variant.title);
        expect(quotes.length, variant.title).toBeGreaterThan(0);
        for (const text of quotes) expect(text).not.toMatch(/[:：]$/);
        expect(quotes.join('').length).toBeLessThanOrEqual(PROCEDURE_CHARS_MAX);
      }
    }
  });
});
