import { deflateSync as deflate } from 'node:zlib';
import iconv from 'iconv-lite';
import { describe, expect, it } from 'vitest';
import type { FileContents } from '../../../server/sources/document.ts';
import { readFile } from '../../../server/sources/files/read-file.ts';
import { fc } from '../../support/seeded-random.ts';
import { buildDocx, heading, paragraph } from './docx-file.ts';
import { buildPdf } from './pdf-file.ts';
import { buildZip, type ZipEntry } from './zip-file.ts';

/** Files say what their authors wrote: numbers, order, names and letters stay. */

const { signal } = new AbortController();
const read = (name: string, content: string | Uint8Array, sourceLocale = 'en'): Promise<FileContents> =>
  readFile(
    { name, bytes: Buffer.from(content as Uint8Array) },
    { sourceLocale, nowMillis: Date.parse('2026-06-01'), signal },
  );

async function readAnswer(name: string, content: string | Uint8Array): Promise<string> {
  const { documents, skipped } = await read(name, content);
  expect(skipped).toEqual([]);
  return documents[0]!.answer;
}

const NAMESPACE = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';

describe('Word', () => {
  const step = (text: string, list: number, level = 0) =>
    `<w:p><w:pPr><w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="${list}"/></w:numPr></w:pPr><w:r><w:t>${text}</w:t></w:r></w:p>`;
  const level = (at: number, format: string, text: string, start = 1) =>
    `<w:lvl w:ilvl="${at}"><w:start w:val="${start}"/><w:numFmt w:val="${format}"/><w:lvlText w:val="${text}"/></w:lvl>`;
  const numbering = `<w:numbering ${NAMESPACE}><w:abstractNum w:abstractNumId="0">${level(0, 'decimal', '%1.')}${level(1, 'lowerLetter', '%2)')}</w:abstractNum><w:abstractNum w:abstractNumId="1">${level(0, 'decimal', '%1.', 5)}${level(1, 'decimal', '%1.%2.')}</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride></w:num><w:num w:numId="3"><w:abstractNumId w:val="1"/></w:num></w:numbering>`;
  const relations = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/numbering" Target="numbering.xml"/></Relationships>`;
  const more = { 'word/numbering.xml': numbering, 'word/_rels/document.xml.rels': relations };

  it('continues a list after a paragraph', async () => {
    const body = [step('One', 1), step('Two', 1), paragraph('Wait.'), step('Three', 1)].join('');
    expect(await readAnswer('a.docx', buildDocx(body, { more }))).toBe('1. One\n2. Two\n\nWait.\n\n3. Three');
  });

  it('restarts a list where the document says so, and starts at other numbers', async () => {
    const body = [
      step('One', 1),
      paragraph('Then:'),
      step('New', 2),
      paragraph('And:'),
      step('Five', 3),
    ].join('');
    expect(await readAnswer('a.docx', buildDocx(body, { more }))).toBe(
      '1. One\n\nThen:\n\n1. New\n\nAnd:\n\n5. Five',
    );
  });

  it('writes numbers of other forms before the text', async () => {
    const body = [
      step('One', 1),
      step('Half', 1, 1),
      step('Rest', 1, 1),
      step('Two', 1),
      step('Inner', 1, 1),
    ].join('');
    expect(await readAnswer('a.docx', buildDocx(body, { more }))).toBe(
      '1. One\n\n   - a) Half\n   - b) Rest\n\n2. Two\n   - a) Inner',
    );
  });

  it('keeps exponents', async () => {
    const raised = '<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:t>3</w:t></w:r>';
    const body = `<w:p><w:r><w:t>It holds 10</w:t></w:r>${raised}<w:r><w:t> litres.</w:t></w:r></w:p>`;
    expect(await readAnswer('a.docx', buildDocx(body))).toBe('It holds 10³ litres.');
  });

  it('is found where its relations say', async () => {
    const type = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument';
    const main = `<w:document ${NAMESPACE}><w:body>${paragraph('Within 20 days.')}</w:body></w:document>`;
    const file = buildZip([
      {
        name: '[Content_Types].xml',
        content:
          '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/></Types>',
      },
      {
        name: '_rels/.rels',
        content: `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="${type}" Target="/word/document2.xml"/></Relationships>`,
      },
      { name: 'word/document2.xml', content: main },
    ]);
    expect(await readAnswer('a.docx', file)).toBe('Within 20 days.');
  });

  it('keeps short chapters, and refuses chapters without text', async () => {
    const body = [
      heading(1, 'Abroad?'),
      paragraph('No.'),
      heading(1, 'Later'),
      heading(1, 'Fee?'),
      paragraph('Yes.'),
    ].join('');
    const { documents, skipped } = await read('faq.docx', buildDocx(body));
    expect(documents.map(({ title, answer }) => [title, answer])).toEqual([
      ['Abroad?', 'No.'],
      ['Fee?', 'Yes.'],
    ]);
    expect(skipped).toEqual([{ place: 'faq.docx#later', reason: 'no_content' }]);
  });
});

describe('HTML', () => {
  const page = (body: string, head = '') =>
    `<html lang="en"><head><title>Fee</title>${head}</head><body><main><h1>Fee</h1>${body}</main></body></html>`;
  it.each([
    ['short text', '<p>No.</p>', 'No.'],
    ['exponents and indices', '<p>10<sup>3</sup> m<sup>2</sup> of H<sub>2</sub>O</p>', '10³ m² of H₂O'],
    [
      'words without their footnotes',
      '<p>The price<sup>1</sup> rises.<sup>[2]</sup></p>',
      'The price rises.',
    ],
    ['numbers of items', '<ol><li>A</li><li value="5">B</li></ol>', '1. A\n\n5) B'],
    [
      'parameters of links',
      '<p><a href="https://a.example/?b=1&c=2">A</a></p>',
      '[A](https://a.example/?b=1&c=2)',
    ],
    [
      'questions in buttons',
      '<h3><button aria-expanded="false" aria-controls="x">Why?</button></h3><div id="x" hidden><p>Because.</p></div>',
      '### Why?\n\nBecause.',
    ],
    [
      'names of tabs',
      '<div role="tablist"><button role="tab" aria-controls="x">Web</button></div><div role="tabpanel" id="x" hidden><p>Open it.</p></div>',
      '**Web**\n\nOpen it.',
    ],
  ])('keeps %s', async (_, body, answer) => {
    expect(await readAnswer('a.html', page(body))).toBe(answer);
  });

  it.each([
    ['www.google.com/url?q=https://shop.example/terms&amp;sa=D'],
    ['eur01.safelinks.protection.outlook.com/?url=https%3A%2F%2Fshop.example%2Fterms&amp;data=05'],
    ['l.facebook.com/l.php?u=https%3A%2F%2Fshop.example%2Fterms&amp;h=AT'],
    ['slack-redir.net/link?url=https%3A%2F%2Fshop.example%2Fterms'],
    ['urldefense.com/v3/__https://shop.example/terms__;!!A'],
  ])('leads links through %s to their target', async (address) => {
    expect(await readAnswer('a.html', page(`<p><a href="https://${address}">Terms</a></p>`))).toBe(
      '[Terms](https://shop.example/terms)',
    );
  });

  it.each([
    [
      'Confluence',
      '<div class="page-metadata">Created by Ann</div><p>Yes.</p><div class="pageSection group"><h2 id="attachments">Attachments:</h2><div class="greybox">a.png</div></div><div id="footer">Document generated</div>',
    ],
    [
      'WordPress',
      '<div class="entry-meta"><span class="byline">by Ann</span></div><p>Yes.</p><div class="sharedaddy"><h3>Share this:</h3></div><div id="respond" class="comment-respond">Reply</div>',
    ],
    ['Notion', '<table class="properties"><tr><th>Created by</th><td>Ann</td></tr></table><p>Yes.</p>'],
    [
      'Google Docs',
      '<p>Yes.<sup><a href="#cmnt1" id="cmnt_ref1">[a]</a></sup></p><div><p><a href="#cmnt_ref1" id="cmnt1">[a]</a> Check</p></div>',
    ],
    ['Word', '<p class="MsoToc1">Fee 1</p><p>Yes.</p><p class="MsoFooter">Page 1</p>'],
  ])('of %s loses what surrounds the text', async (_, body) => {
    expect(await readAnswer('a.html', page(body))).toBe('Yes.');
  });

  it('of Notion with a status of draft is not published', async () => {
    const { skipped } = await read(
      'a.html',
      page('<table class="properties"><tr><th>Status</th><td>Draft</td></tr></table><p>Yes.</p>'),
    );
    expect(skipped).toMatchObject([{ reason: 'draft' }]);
  });
});

describe('an encoding', () => {
  /** In windows-1258, tones follow their letters. */
  const encode = (text: string, encoding: string) =>
    iconv.encode(
      encoding === 'windows-1258'
        ? text
            .normalize('NFD')
            .replace(
              /(\p{L})(\u0323?)([\u0302\u0306\u031b])/gu,
              (_, letter, dot, sign) => `${letter}${sign}`.normalize() + dot,
            )
        : text,
      encoding,
    );

  it.each([
    ['windows-1252', 'de', 'Für alle Größen gilt das gleiche Maß.'],
    ['windows-1250', 'pl', 'Zamówienie można zwrócić w ciągu trzydziestu dni.'],
    ['windows-1251', 'ru', 'Вы можете вернуть заказ в течение тридцати дней.'],
    ['koi8-r', 'ru', 'Вы можете вернуть заказ в течение тридцати дней.'],
    ['shift_jis', 'ja', 'ご注文は三十日以内に返品できます。領収書をご用意ください。'],
    ['euc-kr', 'ko', '주문은 삼십일 이내에 반품할 수 있습니다.'],
    ['windows-1258', 'vi', 'Bạn có thể trả lại đơn hàng trong vòng ba mươi ngày kể từ khi nhận.'],
    ['macintosh', 'de', 'Für alle Größen gilt das gleiche Maß, auch für kleine Füße.'],
    ['macintosh', 'fr', 'Vous pouvez retourner la commande à l’entrepôt, même déballée, où que vous soyez.'],
  ])('that is not stated is guessed: %s, and the owner is told', async (encoding, locale, text) => {
    const { documents } = await read('a.txt', encode(text, encoding), locale);
    expect(documents).toMatchObject([
      { answer: text, remark: `the encoding is not stated: read as ${encoding}, a guess` },
    ]);
  });

  it.each([
    ['windows-1258', 'Trả lại đơn hàng đã nhận.'],
    ['x-mac-roman', 'Größe für Füße.'],
    ['macintosh', 'Größe für Füße.'],
    ['MacRoman', 'Größe für Füße.'],
    ['ibm850', 'Größe für Füße.'],
  ])('%s that HTML states is used', async (label, text) => {
    const html = `<meta charset="${label}"><title>A</title><p>${text}</p>`;
    const { documents } = await read('a.html', encode(html, label.replace('x-mac-roman', 'macintosh')));
    expect(documents).toMatchObject([{ answer: text, remark: undefined }]);
  });

  it('that HTML states is used for uploads', async () => {
    const html =
      '<html lang="de"><meta charset="windows-1252"><title>Größe</title><p>Die Größe ist gleich.</p>';
    const { documents } = await read('a.html', iconv.encode(html, 'windows-1252'));
    expect(documents).toMatchObject([{ title: 'Größe', answer: 'Die Größe ist gleich.', remark: undefined }]);
  });
});

describe('names in a zip', () => {
  const zip = (names: readonly Buffer[], text: string) => {
    const bytes = buildZip(
      names.map(
        (_, at): ZipEntry => ({
          name: `${'x'.repeat(names[at]!.length - 3)}.md`,
          content: `# T${at}\n\n${text}`,
        }),
      ),
    );
    // Writes the raw names, and clears the flag that says UTF-8.
    for (const name of names) {
      const dummy = Buffer.from(`${'x'.repeat(name.length - 3)}.md`);
      for (let at = bytes.indexOf(dummy); at >= 0; at = bytes.indexOf(dummy, at + 1)) name.copy(bytes, at);
    }
    for (const [sign, offset] of [
      ['PK\x03\x04', 6],
      ['PK\x01\x02', 8],
    ] as const)
      for (let at = bytes.indexOf(sign); at >= 0; at = bytes.indexOf(sign, at + 1))
        bytes.writeUInt16LE(0, at + offset);
    return bytes;
  };
  it.each([
    ['UTF-8 of macOS', Buffer.from('Rückgabe.md'.normalize('NFD')), 'en', 'Within 30 days.', 'Rückgabe.md'],
    ['the code page of the workspace', iconv.encode('Größen.md', 'cp850'), 'de', 'Alle Größen.', 'Größen.md'],
    [
      'the code page of the content',
      iconv.encode('返品について.md', 'cp932'),
      'en',
      '返品は30日以内です。領収書をご用意ください。',
      '返品について.md',
    ],
    [
      'the code page of Russian content',
      iconv.encode('Возврат.md', 'cp866'),
      'en',
      'Вы можете вернуть заказ в течение тридцати дней.',
      'Возврат.md',
    ],
  ])('are read in %s', async (_, raw, locale, text, name) => {
    const { documents, skipped } = await read('a.zip', zip([raw], text), locale);
    expect(skipped).toEqual([]);
    expect(documents[0]!.place).toBe(`a.zip/${name}`);
  });
});

describe('tables of other help desks', () => {
  it.each([
    ['sep=;\r\ntitle;answer\r\nFee;Three, or four'],
    ['Question,Answer\nFee,"Three, or four"'],
    ['Article Title,Article Body,Status\nFee,"<p>Three, or four</p>",Published\nSecret,No,Draft'],
    ['Frage;Antwort\nFee;Three, or four'],
  ])('are read: %j', async (text) => {
    const { documents } = await read('a.csv', text);
    expect(documents).toMatchObject([{ title: 'Fee', answer: 'Three, or four' }]);
  });
});

describe('PDF', () => {
  const draw = (content: string) => buildPdf([[]], { content: deflate(content) });
  const words = (x: number, y: number, text: string, size = 12, color = '0 0 0') =>
    `${color} rg BT /F1 ${size} Tf ${x} ${y} Td (${text}) Tj ET`;

  it('keeps exponents, and drops marks of footnotes', async () => {
    const content = [
      words(72, 700, 'It holds 10'),
      words(128, 705, '3', 8),
      words(140, 700, 'litres, for a price.'),
      words(229, 705, '1', 8),
    ].join('\n');
    expect(await readAnswer('a.pdf', draw(content))).toBe('It holds 10³ litres, for a price.');
  });

  /** Draws each line with one command, its letters from left to right as they are seen. */
  const drawSeen = (...lines: string[]) => {
    const letters = [...new Set(lines.join('').replace(/[ -~]/g, ''))].join('');
    const toCode = (letter: string) =>
      letters.includes(letter) ? 128 + letters.indexOf(letter) : letter.charCodeAt(0);
    const encode = (text: string) => Buffer.from([...text].map(toCode));
    const content = lines.map(
      (line, at) => `BT /F1 12 Tf 72 ${700 - 40 * at} Td <${encode(line).toString('hex')}> Tj ET`,
    );
    return buildPdf([[]], { content: deflate(content.join('\n')), letters });
  };

  it.each([
    ['Hebrew with a number', '.םימי 30 ךותב ריזחהל רשפא', 'אפשר להחזיר בתוך 30 ימים.'],
    ['Hebrew with Latin words', '.My Shop ב ריזחהל רשפא', 'אפשר להחזיר ב My Shop.'],
    [
      'Arabic in the forms of its letters',
      '\ufef2\ufee7\ufe8e\ufea0\ufee3 30 \ufee1\ufeee\ufef3',
      'يوم 30 مجاني',
    ],
    ['Arabic ligatures', '\ufee1\ufefc\ufeb3', 'سلام'],
    ['Arabic in brackets', '(\ufef2\ufee7\ufe8e\ufea0\ufee3) 5.50 \ufee1\ufeee\ufef3', 'يوم 5.50 (مجاني)'],
    [
      'an Arabic word in a Latin line',
      'Press \ufef2\ufee7\ufe8e\ufea0\ufee3 and wait.',
      'Press مجاني and wait.',
    ],
  ])('reads %s, drawn from left to right, in its order', async (_, seen, answer) => {
    expect(await readAnswer('a.pdf', drawSeen(seen))).toBe(answer);
  });

  it('keeps the rows of a table', async () => {
    const row = (y: number, ...cells: string[]) =>
      cells.map((text, at) => words(72 + at * 120, y, text)).join('\n');
    const content = [
      row(700, 'Zone', 'Small', 'Big'),
      row(680, 'Inland', '4 euros', '9 euros'),
      row(660, 'Abroad', '11 euros', '19 euros'),
    ].join('\n');
    expect(await readAnswer('a.pdf', draw(content))).toBe(
      '| Zone | Small | Big |\n| - | - | - |\n| Inland | 4 euros | 9 euros |\n| Abroad | 11 euros | 19 euros |',
    );
  });

  it('leaves out text in the color of the paper, or below a shape', async () => {
    const content = [
      words(72, 700, 'Shown to all.'),
      words(72, 660, 'White words', 12, '1 1 1'),
      words(72, 620, 'Covered words'),
      '0 0 0 rg 60 610 300 30 re f',
      '0 0 0.5 rg 60 570 300 30 re f',
      words(72, 580, 'White on blue', 12, '1 1 1'),
    ].join('\n');
    expect(await readAnswer('a.pdf', draw(content))).toBe('Shown to all.\n\nWhite on blue');
  });
});

describe('Markdown of Notion', () => {
  const id = (digit: number) => `${digit}`.repeat(32);
  const files = [
    {
      name: `Help ${id(1)}.md`,
      content: `# Help\n\nRead [about returns](Help%20${id(1)}/Returns%20${id(2)}.md) and [more](https://shop.example/more).\n`,
    },
    {
      name: `Help ${id(1)}/Returns ${id(2)}.md`,
      content: '# Returns?\n\nStatus: Published\nOwner: Ann\nShown in: App, Web\n\nWithin 30 days.\n',
    },
    { name: `Help ${id(1)}/Fees ${id(3)}.md`, content: '# Fees\n\nStatus: Draft\n\nThree.\n' },
    {
      name: `Help ${id(1)}/Hours ${id(4)}.md`,
      content: '# Hours\n\nMonday: 9 to 17\nFriday: 9 to 12\n\nClosed in May.\n',
    },
    { name: `Help ${id(1)}/Hours ${id(5)}.md`, content: '# Hours in May\n\nNone.\n' },
    { name: `Help ${id(1)}/Table ${id(6)}.csv`, content: 'Question,Answer\nFree?,Yes.\n' },
    { name: `Help ${id(1)}/Table ${id(6)}_all.csv`, content: 'Question,Answer\nFree?,Yes.\nOpen?,No.\n' },
  ];

  it('loses ids and properties, and keeps titles, text and lines with a colon', async () => {
    const { documents, skipped } = await read('notion.zip', buildZip(files));
    expect(documents.map(({ title, slug, answer }) => [title, slug, answer])).toEqual([
      ['Help', 'Help', 'Read about returns and [more](https://shop.example/more).'],
      ['Hours', `Help-${id(1)}/Hours-${id(4)}`, 'Monday: 9 to 17\nFriday: 9 to 12\n\nClosed in May.'],
      ['Hours in May', `Help-${id(1)}/Hours-${id(5)}`, 'None.'],
      ['Returns?', 'Help/Returns', 'Within 30 days.'],
      ['Free?', undefined, 'Yes.'],
      ['Open?', undefined, 'No.'],
    ]);
    expect(skipped).toMatchObject([
      { place: `notion.zip/Help ${id(1)}/Table ${id(6)}.csv`, reason: 'duplicate' },
      { place: `notion.zip/Help ${id(1)}/Fees ${id(3)}.md`, reason: 'draft', detail: 'Status: Draft' },
    ]);
  });

  it('links to the files of the export where visitors can open them', async () => {
    const { documents } = await readFile(
      { name: 'notion.zip', bytes: buildZip(files) },
      { sourceLocale: 'en', nowMillis: 0, signal, baseUrl: 'https://shop.example/help/' },
    );
    expect(documents[0]!.answer).toContain(
      `[about returns](https://shop.example/help/Help%20${id(1)}/Returns%20${id(2)}.md)`,
    );
  });
});

describe('parts of pages', () => {
  it('that other files insert, or that MkDocs excludes, are not published', async () => {
    const files = [
      {
        name: 'mkdocs.yml',
        content: 'site_name: A\nexclude_docs: |\n  internal/\n  *.tmp.md\ndraft_docs: |\n  next.md\n',
      },
      { name: 'docs/a.md', content: '# A\n\n--8<-- "shared/part.md"\n\nText.' },
      { name: 'docs/shared/part.md', content: 'A part.' },
      { name: 'docs/internal/b.md', content: '# B\n\nText.' },
      { name: 'docs/next.md', content: '# C\n\nText.' },
    ];
    const { documents, skipped } = await read('a.zip', buildZip(files));
    expect(documents.map(({ title }) => title)).toEqual(['A']);
    expect(skipped.filter(({ reason }) => reason === 'draft').map(({ place }) => place)).toEqual([
      'a.zip/docs/internal/b.md',
      'a.zip/docs/next.md',
      'a.zip/docs/shared/part.md',
    ]);
  });
});

describe('every file of an upload', () => {
  it('is an article or a refusal with a reason', async () => {
    const text = fc.constantFrom(
      '',
      ' ',
      'No.',
      '# T',
      '# T\n\nYes.',
      '---\ntitle: 2024\n---\n',
      '---\ndraft: true\n---\nX',
      '\0',
      '<p></p>',
      '{',
      'title,answer\nA,B\nC,\n',
      '---\nbroken: [\n---\nX',
    );
    const file = fc.record({
      folder: fc.constantFrom('', 'de/', '_part/', 'Über uns/'),
      type: fc.constantFrom('md', 'mdx', 'txt', 'html', 'csv', 'jsonl', 'pdf', 'docx', 'png', 'tmp'),
      content: text,
    });
    const chapters = fc.array(fc.boolean(), { minLength: 2, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(fc.array(file, { maxLength: 30 }), chapters, async (files, hasText) => {
        const named = files.map(({ folder, type, content }, at) => ({
          name: `${folder}${at}.${type}`,
          content,
        }));
        const body = hasText.map((has, at) => heading(1, `Chapter ${at}`) + (has ? paragraph('No.') : ''));
        const zip = [...named, { name: 'faq.docx', content: buildDocx(body.join('')) }];
        const { documents, skipped } = await read('a.zip', buildZip(zip));
        const places = [...documents, ...skipped].map(({ place }) => place);
        for (const { name } of named)
          expect(
            places.some((place) => place === `a.zip/${name}` || place.startsWith(`a.zip/${name}#`)),
            name,
          ).toBe(true);
        expect(places.filter((place) => place.startsWith('a.zip/faq.docx#'))).toHaveLength(hasText.length);
      }),
      { numRuns: 20 },
    );
  });
});
