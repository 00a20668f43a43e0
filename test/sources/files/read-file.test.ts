import { describe, expect, it } from 'vitest';
import type { FileContents } from '../../../server/sources/document.ts';
import { readFile } from '../../../server/sources/files/read-file.ts';
import { buildDocx, heading, item, link, paragraph, table } from './docx-file.ts';
import { buildPdf, type PdfLine } from './pdf-file.ts';
import { buildZip } from './zip-file.ts';

const { signal } = new AbortController();
const read = (name: string, content: string | Uint8Array): Promise<FileContents> =>
  readFile(
    { name, bytes: Buffer.from(content as Uint8Array) },
    { sourceLocale: 'en', nowMillis: Date.now(), signal },
  );
const PROSE = 'You can return any order within 30 days, without giving a reason, in every shop.';

describe('Markdown', () => {
  it('reads title, language and slug from the front matter, and ignores fields of other programs', async () => {
    const { documents } = await read(
      'returns.md',
      '---\ntitle: Returning an order\nslug: returns\nlocale: de\nlayout: page\nweight: 3\ntags: [Orders]\n---\nWithin 30 days.\n',
    );
    expect(documents).toEqual([
      {
        place: 'returns.md',
        title: 'Returning an order',
        answer: 'Within 30 days.',
        locale: 'de',
        aliases: [],
        slug: 'returns',
        tags: ['orders'],
      },
    ]);
  });

  it('takes the first heading, else the name of the file, where there is no front matter', async () => {
    const [headed] = (await read('a.md', '# Returning an order\n\nWithin 30 days.')).documents;
    expect(headed).toMatchObject({ title: 'Returning an order', answer: 'Within 30 days.', slug: 'a' });
    const [named] = (await read('returning-an-order.md', 'Within 30 days.')).documents;
    expect(named).toMatchObject({ title: 'Returning an order', answer: 'Within 30 days.' });
  });

  it('with our marker rejects other values than an import accepts', async () => {
    const { documents, skipped } = await read('a.md', '---\nguidepost: 1\ntitle: A\nurl: nowhere\n---\nB');
    expect(documents).toEqual([]);
    expect(skipped).toMatchObject([{ place: 'a.md', reason: 'invalid_article' }]);
    expect(skipped[0]!.detail).toContain('url');
  });
});

describe('plain text', () => {
  it('takes a short first line as the title', async () => {
    const { documents } = await read('note.txt', 'Returning an order\r\n\r\nWithin 30 days.\r\n');
    expect(documents).toMatchObject([{ title: 'Returning an order', answer: 'Within 30 days.' }]);
  });

  it('reads UTF-16 with a byte order mark', async () => {
    const { documents } = await read('note.txt', Buffer.from('\ufeffGrüße\n\nBis bald.', 'utf16le'));
    expect(documents).toMatchObject([{ title: 'Grüße', answer: 'Bis bald.' }]);
  });
});

describe('HTML', () => {
  it('takes the main content, and the canonical link as the address', async () => {
    const { documents } = await read(
      'returns.html',
      `<!doctype html><html lang="en"><head><title>Returns</title><link rel="canonical" href="https://shop.example.com/returns"></head>
       <body><nav>Home Shop Contact</nav><main><h1>Returning an order</h1><p>${PROSE}</p><ul><li>Keep the bill.</li></ul></main></body></html>`,
    );
    expect(documents).toMatchObject([
      { title: 'Returning an order', locale: 'en', url: 'https://shop.example.com/returns' },
    ]);
    expect(documents[0]!.answer).toBe(`${PROSE}\n\n- Keep the bill.`);
  });
});

describe('CSV', () => {
  it.each([',', ';', '\t'])('reads tables with %j between their cells', async (delimiter) => {
    const rows = [
      ['Title', 'answer', 'aliases', 'tags', 'other'],
      ['Returning an order', '"Within 30 days,\n""always""; free."', 'refund|send back', 'orders', 'x'],
    ];
    const { documents } = await read('faq.csv', rows.map((row) => row.join(delimiter)).join('\r\n'));
    expect(documents).toEqual([
      {
        place: 'faq.csv#returning-an-order',
        title: 'Returning an order',
        answer: 'Within 30 days,\n"always"; free.',
        locale: 'en',
        aliases: ['refund', 'send back'],
        tags: ['orders'],
      },
    ]);
  });

  it('joins rows of one slug as languages of one article, and refuses a language twice', async () => {
    const { documents, skipped } = await read(
      'faq.csv',
      'slug,locale,title,answer\nreturns,de,Rückgabe,30 Tage.\nreturns,en,Returns,30 days.\nreturns,de,Retouren,Nie.',
    );
    expect(documents.map(({ place, translationOf }) => [place, translationOf])).toEqual([
      ['faq.csv#returns', undefined],
      ['faq.csv#returns.de', 'faq.csv#returns'],
    ]);
    expect(skipped).toMatchObject([{ place: 'faq.csv#line-4', reason: 'duplicate' }]);
  });

  it('refuses rows without an answer, named by the slug of their title, and keeps the others', async () => {
    const { documents, skipped } = await read('faq.csv', 'title,answer\nA,\nB,Yes.');
    expect(documents).toHaveLength(1);
    expect(skipped).toEqual([{ place: 'faq.csv#a', reason: 'no_content' }]);
  });
});

describe('JSONL', () => {
  it('reads import lines with their translations, and refuses other lines by their number', async () => {
    const lines = [
      {
        slug: 'returns',
        locale: 'en',
        title: 'Returns',
        answer: '30 days.',
        collection: 'Orders',
        translations: [{ locale: 'de', title: 'Rückgabe', answer: '30 Tage.' }],
      },
      { slug: 'x', locale: 'en', title: 'No answer' },
      { slug: 'returns', locale: 'en', title: 'Returns', answer: 'Again.' },
    ].map((line) => JSON.stringify(line));
    const { documents, skipped } = await read('faq.jsonl', `${lines.join('\n')}\nno json\n`);
    expect(documents).toMatchObject([
      { place: 'faq.jsonl#returns', slug: 'returns', collection: 'Orders' },
      { place: 'faq.jsonl#returns.de', locale: 'de', translationOf: 'faq.jsonl#returns' },
    ]);
    expect(skipped.map(({ place, reason }) => [place, reason])).toEqual([
      ['faq.jsonl#line-2', 'invalid_article'],
      ['faq.jsonl#line-3', 'duplicate'],
      ['faq.jsonl#line-4', 'invalid_article'],
    ]);
  });
});

const filler = (words: string, lines: number): PdfLine[] =>
  Array.from({ length: lines }, (_, at) => [10, `${words} This sentence has the number ${at}.`]);

describe('PDF', () => {
  const FOOTER: PdfLine = [8, 'Shop manual, 2026'];

  it('reads a short one as one article, with paragraphs, headings, lists and hyphenated words', async () => {
    const { documents } = await read(
      'returns.pdf',
      buildPdf(
        [
          [
            [18, 'Returning an order'],
            [10, 'You can return any order with-'],
            [10, 'in 30 days.'],
            [13, 'What you need'],
            [10, '\u2022 The bill'.replace('\u2022', '\x95')],
            [10, '\x95 The box'],
          ],
        ],
        { info: '/Title (Returns)' },
      ),
    );
    expect(documents).toMatchObject([{ place: 'returns.pdf', title: 'Returns', locale: 'en' }]);
    expect(documents[0]!.answer).toBe(
      '## Returning an order\n\nYou can return any order within 30 days.\n\n### What you need\n\n- The bill\n- The box',
    );
  });

  it('makes an article of each chapter of the outline, and of the chapters of a long one', async () => {
    const page = (title: string, words: string): PdfLine[] => [[16, title], ...filler(words, 60), FOOTER];
    const { documents } = await read(
      'manual.pdf',
      buildPdf(
        [page('1 Ordering', 'Order here.'), page('2 Returning', 'Return there.'), page('Overview', 'Pay.')],
        {
          outline: [
            { title: '1 Ordering', page: 1, inner: [{ title: 'Overview', page: 1 }] },
            { title: '2 Returning', page: 2, inner: [{ title: 'Overview', page: 3 }] },
          ],
        },
      ),
    );
    expect(documents.map(({ place, title }) => [place, title])).toEqual([
      ['manual.pdf#1-ordering', '1 Ordering'],
      ['manual.pdf#2-returning', '2 Returning'],
      ['manual.pdf#overview', 'Overview'],
    ]);
    expect(documents[1]!.answer).toMatch(/^Return there\. This sentence has the number 0\./);
    expect(documents.map(({ answer }) => answer).join()).not.toContain('Shop manual');
  });

  it('marks where pages begin, but not within a list or after a lead-in', async () => {
    const { documents } = await read(
      'returns.pdf',
      buildPdf([
        [
          [10, 'Pack the parcel as it came.'],
          [30, ''],
          [10, 'You need:'],
        ],
        [
          [10, '1. the bill'],
          [10, '2. the box'],
        ],
        [
          [10, '3. the form'],
          [30, ''],
          [10, 'Send it back.'],
        ],
        [[10, 'Wait for our letter.']],
      ]),
    );
    expect(documents[0]!.answer).toBe(
      'Pack the parcel as it came.\n\nYou need:\n\n1. the bill\n2. the box\n3. the form\n\n' +
        '[page 3]: #page=3\n\nSend it back.\n\n[page 4]: #page=4\n\nWait for our letter.',
    );
  });

  it('takes headings as chapters where there is no outline', async () => {
    const { documents } = await read(
      'manual.pdf',
      buildPdf([
        [[16, 'Ordering'], ...filler('Order here.', 45)],
        [[16, 'Returning'], ...filler('Return there.', 45)],
      ]),
    );
    expect(documents.map(({ title }) => title)).toEqual(['Ordering', 'Returning']);
  });
});

describe('Word', () => {
  it('reads headings, lists, tables and links, and no macro', async () => {
    const { documents } = await read(
      'returns.docx',
      buildDocx(
        heading(1, 'Returning an order') +
          paragraph(PROSE) +
          heading(2, 'What you need') +
          item('The bill') +
          item('The box') +
          table([
            ['Country', 'Days'],
            ['Norway', '60'],
          ]) +
          link('Forms'),
      ),
    );
    expect(documents).toMatchObject([{ place: 'returns.docx', title: 'Returning an order', locale: 'en' }]);
    const { answer } = documents[0]!;
    for (const part of [
      PROSE,
      '## What you need',
      '- The bill\n- The box',
      '| Norway',
      '[Forms](https://shop.example.com/forms)',
    ]) {
      expect(answer).toContain(part);
    }
    expect(answer).not.toContain('Shell');
  });

  it('makes an article of each chapter', async () => {
    const { documents } = await read(
      'manual.docx',
      buildDocx(
        heading(1, 'Ordering') + paragraph(PROSE) + heading(1, 'Returning') + paragraph(`${PROSE} Or later.`),
      ),
    );
    expect(documents.map(({ place, title }) => [place, title])).toEqual([
      ['manual.docx#ordering', 'Ordering'],
      ['manual.docx#returning', 'Returning'],
    ]);
  });
});

describe('zip', () => {
  it('reads all types, joins languages by file name, and skips files that systems add', async () => {
    const { documents, skipped } = await read(
      'help.zip',
      buildZip([
        { name: 'help/', content: '' },
        { name: 'help/returns.de.md', content: '# Rückgabe\n\n30 Tage.' },
        { name: 'help/returns.md', content: '# Returns\n\n30 days.' },
        { name: 'help/fr/returns.md', content: '# Retours\n\n30 jours.' },
        { name: 'help/faq.csv', content: 'title,answer\nA,Yes.' },
        { name: 'help/logo.png', content: 'PNG' },
        { name: 'help/.DS_Store', content: 'x' },
        { name: '__MACOSX/help/._returns.md', content: 'x' },
        { name: 'help/forms.docx', content: buildDocx(heading(1, 'Forms') + paragraph(PROSE)) },
      ]),
    );
    expect(
      documents.map(({ place, locale, translationOf }) => [place, locale, translationOf]).sort(),
    ).toEqual([
      ['help.zip/help/faq.csv#a', 'en', undefined],
      ['help.zip/help/forms.docx', 'en', undefined],
      ['help.zip/help/fr/returns.md', 'fr', 'help.zip/help/returns.md'],
      ['help.zip/help/returns.de.md', 'de', 'help.zip/help/returns.md'],
      ['help.zip/help/returns.md', 'en', undefined],
    ]);
    expect(skipped).toEqual([{ place: 'help.zip/help/logo.png', reason: 'unsupported_type', detail: 'png' }]);
  });
});

it('stops at once when it is aborted, and reads the next file', async () => {
  const controller = new AbortController();
  const reading = readFile(
    { name: 'a.md', bytes: Buffer.from('# A\n\nB') },
    { sourceLocale: 'en', nowMillis: Date.now(), signal: controller.signal },
  );
  controller.abort(new Error('gone'));
  await expect(reading).rejects.toThrow('gone');
  expect((await read('a.md', '# A\n\nB')).documents).toHaveLength(1);
});
