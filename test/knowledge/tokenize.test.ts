import { describe, expect, it } from 'vitest';
import { normalizeForSearch } from '../../server/base/text.ts';
import { decodeNormalized, indexPassage } from '../../server/knowledge/search/chunks.ts';
import { MARKER, splitSentences, tokenize } from '../../server/knowledge/search/tokenize.ts';
import { fc } from '../support/seeded-random.ts';
import { complete } from './corpus.ts';

function sentences(text: string, locale: string): string[] {
  return splitSentences(text, locale).map(({ start, end }) => text.slice(start, end));
}

function words(text: string, locale: string, isQuestion = false): string[] {
  const found: string[] = [];
  for (const unit of tokenize(text, locale, isQuestion)) {
    if (unit <= MARKER.denseNext) found.push('');
    else found.push(`${found.pop()}${String.fromCharCode(unit)}`);
  }
  return found;
}

describe('folding', () => {
  it.each([
    ['Ünïcödé STRASSE Straße', 'en', 'unicode strasse strasse'],
    ['İstanbul Iğdır', 'tr', 'istanbul igdir'],
    ['أحمد إلى مدرسة مَدْرَسَة', 'ar', 'احمد الي مدرسه مدرسه'],
    ['Ёлка', 'ru', 'елка'],
    ['Οδός', 'el', 'οδοσ'],
    ['ｆｕｌｌ ｗｉｄｔｈ ﬁ', 'en', 'full width fi'],
    ['हिन्दी ガギ 한국어 ไทย', 'en', 'हिन्दी ガギ 한국어 ไทย'],
    ['٢٠٢٦ ۱۴', 'ar', '2026 14'],
  ])('folds %s in locale %s to %s', (text, locale, folded) => {
    expect(normalizeForSearch(text, locale)).toBe(folded);
  });

  it('removes combining marks in some scripts only, among any other marks', () => {
    /** The reference: a single expression, but quadratic in time. */
    const behindLetter = /(?<=[\p{sc=Latn}\p{sc=Grek}\p{sc=Cyrl}\p{sc=Hebr}\p{sc=Arab}]\p{M}*)\p{Mn}/gu;
    const sign = fc.constantFrom(
      ...['a', 'é', '1', ' ', '-', 'ω', 'я', 'א', 'ب', 'क', 'ก', '中', '한', '\ud800', '😀', '\u200d'],
      // Without a script, Hebrew, Arabic, Cyrillic, Indic and Thai; also spacing and enclosing
      // marks.
      ...['\u0301', '\u0334', '\u0591', '\u0610', '\u0483', '\u093c', '\u0e31', '\u3099'],
      ...['\u0903', '\u093e', '\u20dd', '\u0488'],
    );
    fc.assert(
      fc.property(fc.string({ unit: sign, maxLength: 12 }), (text) => {
        const decomposed = text.normalize('NFKC').toLowerCase().normalize('NFD');
        expect(normalizeForSearch(text, 'und')).toBe(decomposed.replace(behindLetter, '').normalize('NFC'));
      }),
      { numRuns: 5_000 },
    );
  });

  it('matches Vietnamese with and without tone marks', () => {
    expect(words('ngân hàng', 'vi')).toEqual(['ngân', 'ngan', 'hàng', 'hang']);
    expect(words('ngan hang', 'vi', true)).toEqual(['ngan', 'hang']);
  });

  it('splits words at apostrophes and drops punctuation', () => {
    expect(words("L'écran, c’est «prêt»!", 'fr')).toEqual(['l', 'ecran', 'c', 'est', 'pret']);
    expect(words(' ?!… ', 'en')).toEqual([]);
  });

  it('marks Chinese words that are adjacent', () => {
    const marks = tokenize('丹佛野马 队', 'zh').filter((unit) => unit <= MARKER.denseNext);
    expect([...marks]).toEqual([MARKER.dense, MARKER.denseNext, MARKER.dense]);
  });
});

describe('splitting sentences', () => {
  it.each([
    ['en', 'Mr. Fox met J. R. Smith. They left.', ['Mr. Fox met J. R. Smith.', 'They left.']],
    ['de', 'Am 12. Mai kam er z. B. an. Dann ging er.', ['Am 12. Mai kam er z. B. an.', 'Dann ging er.']],
    ['zh', '打开设置。选择语言。', ['打开设置。', '选择语言。']],
    [
      'en',
      'Open the menu\nChoose Print\n\n  Press Enter.  ',
      ['Open the menu', 'Choose Print', 'Press Enter.'],
    ],
    ['en', '\n---\n* * *\n', []],
  ])('splits %s text %j into %j', (locale, text, expected) => {
    expect(sentences(text, locale)).toEqual(expected);
  });

  it('splits long enough Thai text at a space', () => {
    const clause = 'เปิดการตั้งค่าแล้วเลือกภาษาที่ต้องการใช้งานในระบบของคุณเพื่อให้หน้าจอแสดงผลเป็นภาษานั้นทันทีทุกครั้ง';
    expect(sentences(`${clause} ${clause} กด ตกลง`, 'th')).toEqual([clause, `${clause} กด ตกลง`]);
  });

  it('splits text without full stops at a space', () => {
    const long = 'word '.repeat(2_000);
    expect(Math.max(...sentences(long, 'en').map(({ length }) => length))).toBeLessThanOrEqual(1_200);
    expect(sentences(long, 'en').join(' ').length).toBe(long.trim().length);
  });

  it('returns ordered, disjoint ranges inside the text that cover every word', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom('. ', '\n', 'Dr. ', '。', '? ', ' ', '😀', 'ไทย ', 'слово', '\ud800', '1. '),
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 60 }),
        fc.constantFrom('en', 'de', 'th', 'zh', 'ar'),
        (parts, locale) => {
          const text = parts.join('');
          let last = 0;
          let between = '';
          for (const { start, end } of splitSentences(text, locale)) {
            expect(start).toBeGreaterThanOrEqual(last);
            expect(end).toBeGreaterThan(start);
            between += text.slice(last, start);
            last = end;
          }
          expect(last).toBeLessThanOrEqual(text.length);
          expect(between + text.slice(last)).not.toMatch(/[\p{L}\p{N}]/u);
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('indexing an answer', () => {
  it('cuts 100,000 characters into chunks whose sentences map back to the text', () => {
    const answer = Array.from(
      { length: 2_400 },
      (_, at) => `Sentence number ${at} speaks of topic ${at % 7}.`,
    ).join(' ');
    const { chunks } = indexPassage(complete({ articleId: 'a', locale: 'en', title: 'Long', answer }));
    expect(chunks.length).toBeGreaterThan(20);
    const texts = chunks.flatMap((chunk) =>
      decodeNormalized(chunk.normalized).sentences.map(({ start, end }) => answer.slice(start, end)),
    );
    expect(texts).toHaveLength(2_400);
    expect(texts[1_234]).toBe('Sentence number 1234 speaks of topic 2.');
  });

  it('decodes the same from unaligned bytes', () => {
    const [chunk] = indexPassage(
      complete({ articleId: 'a', locale: 'de', title: 'T', answer: 'Erster Satz. Zweiter Satz.' }),
    ).chunks;
    const shifted = new Uint8Array(chunk!.normalized.length + 3);
    shifted.set(chunk!.normalized, 3);
    expect(decodeNormalized(shifted.subarray(3))).toEqual(decodeNormalized(chunk!.normalized));
  });
});
