import { describe, expect, it } from 'vitest';
import type { RetrievedPassage } from '../../server/chat/citations.ts';
import { createDroppedCounts, OutputRules } from '../../server/chat/output-rules.ts';
import type { EngineEvent } from '../../server/engine/engine.ts';
import { fc } from '../support/seeded-random.ts';
import { DISGUISED_LINKS, ORDINARY_TEXTS } from './disguised-links.ts';

const passage: RetrievedPassage = {
  articleId: 'art_1',
  revision: 1,
  title: 'Returns',
  text:
    'Read https://shop.example.com/help/returns first, or [the list](https://shop.example.com/list "All of it"). ' +
    'Write to help@shop.example.com. Type <name> and press <kbd>Enter</kbd>. Files such as config.example/x stay. ' +
    '`[a-z](\\d+)` is a pattern. Call [us](tel:+442079460000), +44 (20) 7946-0000.\n[ref]: https://shop.example.com/ref',
  url: 'https://shop.example.com/articles/returns',
  contentLocale: 'en',
  confidence: 1,
  quotes: [],
  stale: false,
};

function filterChunks(...chunks: readonly string[]) {
  const dropped = createDroppedCounts();
  const origins = ['https://www.acme.test', 'https://*.acme.test'];
  const rules = new OutputRules({ passages: [passage], nearest: [], pageText: '', origins }, dropped);
  const emitted = chunks.map((chunk) => rules.addText(chunk));
  emitted.push(rules.flush());
  return { text: emitted.join(''), emitted, dropped };
}

const lettersOf = (text: string) => [...Array(text.length).keys()].map((at) => text[at]!);

describe('filtered answer text', () => {
  it.each([
    ['plain text', 'Open the menu. Choose 3.5 mm, e.g. the i.e. one; and/or TCP/IP, 1/2, km/h…'],
    ['simple Markdown', '**Bold** and *soft*, `code`, lists:\n\n- one\n- two\n\n1. three\n# Four\n> five'],
    ['comparisons', 'a < b and c > d, 1 <2, x<=y'],
    [
      'times, ratios and abbreviations',
      'At 10:30, ratio 16:9, Note: see "A.B. Smith". Dr.No? Yes.No matter.',
    ],
    ['many scripts', 'Öffnen. 設定を開く。打开“设置”。 Откройте меню. افتح القائمة. मेनू खोलें।'],
    ['emoji', 'Well done 👨\u200d👩\u200d👧 ❤\ufe0f 🇩🇪'],
    ['a passage word by word', passage.text],
    ['the URL of a passage', `See https://shop.example.com/articles/returns.`],
    ['an allowed link with another label', '[Returns](https://shop.example.com/help/returns)'],
    ['code with dots', 'Call `user_id` or file.txt, Node.js, main.py, v1.2.3'],
    ['a host of its articles', 'Visit shop.example.com or https://shop.example.com/.'],
    ['an address of its origins', 'See https://www.acme.test/account and app.acme.test/help.'],
    ['a phone number that it has', 'Call +44 20 7946 0000 or [us](tel:+442079460000).'],
  ])('keeps %s', (_what, text) => {
    expect(filterChunks(text)).toMatchObject({ text, dropped: { links: 0 } });
    expect(filterChunks(...lettersOf(text)).text).toBe(text);
  });

  it.each([
    ['a host that links fall together to', 'Go to [evil.](x)com or ev[il.com](x)', 'Go to evil.… or evil.…'],
    ['an image in a sentence', 'Look ![i](https://evil.example/i.png) here!', 'Look  here!'],
    ['a bare URL', 'Go to https://evil.example/x?d=1 now', 'Go to https:… now'],
    ['a URL without a scheme', 'Go to evil.example/x?d=1.', 'Go to evil.….'],
    ['a bare host', 'Go to evil.com now', 'Go to evil.… now'],
    ['a www host', 'www.evil.example', 'www.…'],
    ['an allowed URL with a query', 'https://shop.example.com/help/returns?d=secret', 'https:…'],
    ['a prefix of an allowed URL', 'https://shop.example.com/help', 'https:…'],
    ['an address in an address of its origins', 'https://www.acme.test/go/evil.example', 'https:…'],
    ['a query to its origins', 'https://www.acme.test/go?d=secret', 'https:…'],
    ['a host that only ends like its origins', 'https://evil-acme.test/', 'https:…'],
    ['a link reference whose label has two lines', '[b\nc]: /x', '[b\nc] : /x'],
    ['a Markdown link', 'See [here](https://evil.example).', 'See here.'],
    ['a relative Markdown link', '[out](/logout)', 'out'],
    ['an image', '![a](https://evil.example/a.png?d=1)', ''],
    ['an allowed link with a title', '[a](https://shop.example.com/list "x")', 'a'],
    ['a link after a link', '[a](x)(https://evil.example)', 'a(https:…)'],
    ['a link reference', '[a][b]\n\n[b]: https://evil.example', '[a][b]\n\n[b] : https:…'],
    ['a link reference in a list', '- [b]: /x', '- [b] : /x'],
    ['an HTML tag', 'a <img src=x onerror=alert(1)> b', 'a ‹img src=x onerror=alert(1)> b'],
    ['an unclosed tag', 'a <script', 'a ‹script'],
    ['an HTML comment', '<!-- x -->', '‹!-- x -->'],
    ['an autolink', '<https://evil.example>', '‹https:…>'],
    ['a javascript: link', '[x](javascript:alert(1))', 'x'],
    ['a bare javascript: URL', 'javascript:alert(1);x', 'javascript:…'],
    ['an email address', 'attacker@evil.example', 'attacker…'],
    ['a mailto: link', 'mailto:a', 'mailto:…'],
    ['bidi characters', 'a\u202eb\u2066c', 'abc'],
    ['tag characters', `a${String.fromCodePoint(0xe0041)}b`, 'ab'],
    ['zero-width characters in a URL', 'ht\u200btps://ev\u200bil.example', 'https:…'],
    ['control characters', 'a\u0007b\u001b[0m', 'ab[0m'],
    ['full-width letters', 'ｈｔｔｐｓ：／／ｅｖｉｌ．ｃｏｍ', 'ｈｔｔｐｓ：…'],
    ['character references', 'https&#58;&#47;&#47;evil.com', 'https…'],
    ['backslashes in a URL', 'https:\\\\evil.com', 'https:…'],
    ['a URL in bold', '**https://evil.example/a**', '**https:…**'],
    ['a URL between Chinese words', '请访问https://evil.example/x了解', '请访问https:…了解'],
    ['a lone surrogate', 'a\ud83d', 'a\ufffd'],
  ])('removes %s', (_what, text, left) => {
    expect(filterChunks(text).text).toBe(left);
    expect(filterChunks(...lettersOf(text)).text).toBe(left);
  });

  it.each(DISGUISED_LINKS)('removes %j', (link) => {
    const text = `Go to ${link} now`;
    const { text: left, dropped } = filterChunks(text);
    expect(dropped.links).toBeGreaterThan(0);
    expect(left).toMatch(/^Go to |^See/);
    expect(left).toMatch(/ now$/);
    expect(filterChunks(...lettersOf(text)).text).toBe(left);
    expect(filterChunks(left)).toMatchObject({ text: left, dropped: { links: 0 } });
  });

  it.each(ORDINARY_TEXTS)('keeps %j', (text) => {
    expect(filterChunks(text)).toMatchObject({ text, dropped: { links: 0 } });
    expect(filterChunks(...lettersOf(text)).text).toBe(text);
  });

  const hostile = fc
    .array(
      fc.oneof(
        fc.constantFrom(
          ...[
            'https://',
            'evil.example',
            '/x?d=',
            '](',
            ')',
            '[',
            ']:',
            ' ',
            '\n',
            '\n\n',
            '<img ',
            '<name>',
            '<kbd>',
            '>',
            '!',
            '(',
            '.',
            ':',
            '//',
            'www.',
            '@',
            'a',
            'B',
            '\\',
            '*',
            '_',
            '`',
          ],
          ...[
            '\u202e',
            '\u200b',
            '\u200d',
            '\u200c',
            '\ufe0f',
            '👨',
            '\ud83d',
            '\r',
            '\r\n',
            '中',
            'ü',
            'می',
            '&#58;',
            '：',
            '。',
            '例え',
            '+1 900',
            '555 0199',
            '%2E',
            'com',
            '…',
            '‹',
            'x'.repeat(700),
          ],
          ...[
            'https://shop.example.com/help/returns',
            '[the list](https://shop.example.com/list "All of it")',
            '[ref]: https://shop.example.com/ref',
            'help@shop.example.com',
          ],
        ),
        fc.string({ unit: 'binary', maxLength: 4 }),
      ),
      { maxLength: 30 },
    )
    .map((parts) => parts.join(''));

  it('does not depend on chunk boundaries', () => {
    fc.assert(
      fc.property(hostile, fc.array(fc.nat(3000), { maxLength: 12 }), (text, cuts) => {
        const places = [0, ...cuts.map((cut) => cut % (text.length + 1)).sort((a, b) => a - b), text.length];
        const chunks = places.slice(1).map((end, at) => text.slice(places[at], end));
        const whole = filterChunks(text);
        expect(filterChunks(...chunks).text).toBe(whole.text);
        expect(filterChunks(...chunks).dropped).toEqual(whole.dropped);
      }),
      { numRuns: 3000 },
    );
  });

  it('is the same when the answer arrives one character at a time', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(filterChunks(...lettersOf(text)).text).toBe(filterChunks(text).text);
      }),
      { numRuns: 300 },
    );
  });

  it('is idempotent', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const { text: once } = filterChunks(text);
        expect(filterChunks(once).text).toBe(once);
      }),
      { numRuns: 2000 },
    );
  });

  it('emits plain words without delay, except for a mark at their end', () => {
    const words = 'Open the menu, then choose Settings. '.split(/(?<= )/);
    const { emitted } = filterChunks(...words);
    expect(emitted.slice(0, -1)).toEqual(words);
  });

  it('never buffers more than the longest allowed URL', () => {
    const dropped = createDroppedCounts();
    const rules = new OutputRules({ passages: [passage], nearest: [], pageText: '' }, dropped);
    let emittedChars = 0;
    let left = 0;
    for (const chunk of [
      'https://',
      ...Array.from({ length: 100 }, () => 'x'.repeat(100)),
      ' and on. ',
      '[a](',
      ...Array.from({ length: 100 }, () => 'word '.repeat(20)),
    ]) {
      emittedChars += chunk.length;
      left += rules.addText(chunk).length;
    }
    expect(emittedChars).toBeGreaterThan(19_000);
    // Everything is emitted except the URL, the link target and an unfinished part.
    expect(left).toBeGreaterThan(7_000);
  });
});

describe('citations of a filtered answer', () => {
  const citation = (
    quote: string,
    start: number,
    end: number,
  ): Extract<EngineEvent, { type: 'citation' }> => ({
    type: 'citation',
    passage,
    quote,
    start,
    end,
  });

  it('use offsets of the filtered text', () => {
    const rules = new OutputRules({ passages: [passage], nearest: [], pageText: '' }, createDroppedCounts());
    const quote = 'Type <name>';
    const before = 'Go to https://evil.example/x?d=1 \u202e now. ';
    let text = rules.addText(before) + rules.addText(quote);
    expect(rules.cite(citation(quote, before.length, before.length + quote.length))).toBe(true);
    const placed = rules.takePlaced();
    text += rules.addText(' More.') + rules.flush();
    const [cited] = [...placed, ...rules.takePlaced()];
    expect(text.slice(cited?.start, cited?.end)).toBe(quote);
  });

  it('wait until their whole text is emitted', () => {
    const rules = new OutputRules({ passages: [passage], nearest: [], pageText: '' }, createDroppedCounts());
    const text = 'See https://shop.example.com/help/returns';
    rules.addText(text);
    rules.cite(citation('Read https://shop.example.com/help/returns first', 0, text.length));
    expect(rules.takePlaced()).toEqual([]);
    rules.flush();
    expect(rules.takePlaced()).toMatchObject([{ start: 0, end: text.length }]);
  });

  it.each([
    ['text that is not in the passage', citation('Pay now', 0, 1)],
    ['empty text', citation('', 0, 1)],
    ['an offset beyond the answer', citation('Type <name>', 0, 99)],
    [
      'a passage that was not found in this turn',
      { ...citation('Type <name>', 0, 1), passage: { ...passage } },
    ],
  ])('are rejected with %s', (_what, event) => {
    const rules = new OutputRules({ passages: [passage], nearest: [], pageText: '' }, createDroppedCounts());
    rules.addText('Type');
    expect(rules.cite(event)).toBe(false);
  });
});
