import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readFile } from '../../../server/sources/files/read-file.ts';

/** Files as owners have them, each of a kind that a tool like this one once read wrongly. */

const FOLDER = join(import.meta.dirname, 'reports');
const { signal } = new AbortController();

/** Returns the articles as `title: answer`, and the refusals as `place: reason (detail)`. */
async function read(name: string): Promise<string[]> {
  const { documents, skipped } = await readFile(
    { name, bytes: readFileSync(join(FOLDER, name)) },
    { sourceLocale: 'en', nowMillis: Date.parse('2026-06-01'), signal },
  );
  return [
    ...documents.map(({ title, answer }) => `${title}: ${answer}`),
    ...skipped.map(({ place, reason, detail }) => `${place}: ${reason} (${detail})`),
  ];
}

const FILES: readonly [problem: string, name: string, ...expected: string[]][] = [
  ['a draft of Hugo', 'hugo-draft.md', 'hugo-draft.md: draft (draft: true)'],
  [
    'an unpublished page of Jekyll',
    'jekyll-unpublished.md',
    'jekyll-unpublished.md: draft (published: false)',
  ],
  [
    'right-to-left lines that Chromium printed',
    'rtl.pdf',
    'החזרת מוצר: אפשר להחזיר כל מוצר בתוך 30 ימים מיום הקנייה, עם החשבונית המקורית.\n\nהכסף חוזר בתוך 5 ימים.',
  ],
  [
    'exponents in HTML, and a table with merged cells',
    'dl-table.html',
    'Fees: **Standard**\n\n3 euros\n\n**Express**\n\n9 euros\n\n| Zone | Price | |\n| - | - | - |\n| | small | big |\n| EU | 5 | 9 |\n\nH₂O and 10³ m².\n\nPrice: 15 euros.\n\n返',
  ],
  ['exponents in PDF', 'sup.pdf', 'Tank: The tank holds 10³ litres of H₂O and weighs 5 kg.'],
  [
    'a table in PDF',
    'tablepdf.pdf',
    'Fees: | Zone | Small | Big |\n| - | - | - |\n| Inland | 4 euros | 9 euros |\n| Abroad | 11 euros | 19 euros |',
  ],
  [
    'short chapters in Word',
    'faq.docx',
    'Do you ship abroad?: Yes, to Norway.',
    'Is there a fee?: No.',
    'Who pays the return?: You pay the return unless the goods are broken or we sent the wrong ones to you.',
  ],
  ['a short document of Word', 'one-short.docx', 'One short: Opening hours: 9 to 17.'],
  ['a short page', 'short.html', 'Fee: None at all.'],
  [
    'a numbered list that a paragraph interrupts',
    'continue.docx',
    'Continue: How to send a parcel by post:\n\n1. Open the box.\n2. Put the goods in.\n\nWait for the beep of the machine.\n\n3. Close the box.\n4. Take the receipt.',
  ],
  [
    'HTML in Markdown',
    'details.md',
    'Invoices: **Where is my invoice?**\n\nIn your account under **Orders**.\n\n| Plan | Price |\n| - | - |\n| Basic | 5 EUR |\n\nPress `Ctrl`+`C`.\nThen paste.',
  ],
  [
    'tags of GitBook',
    'gitbook.md',
    'Delivery zones: > Islands take two days more.\n\n**Mainland**\n\nTwo days.\n\n**Islands**\n\nFour days.',
  ],
  [
    'a zip of macOS',
    'mac.zip',
    'Rückgabe für Größen: Send it back within 30 days please, all sizes.',
    '返品について: 返品は30日以内です。',
  ],
  ['MDX', 'mdx-page.mdx', 'Gift cards: > Gift cards never expire.\n\nThe highest amount is 200 dollars.'],
  [
    'front matter and containers of Docusaurus',
    'docusaurus.md',
    'Refund steps: the short way: > **Before you begin**\n>\n> Have the order number ready.\n\n> Never send the parcel without a label.\n\n**Web**\n\n1. Open **Orders**.\n2. Choose *Refund*.\n\n**App**\n\n1. Tap the menu.\n\nRefunds arrive in 5 days.\n\n## Partial refunds\n\nYou can refund a part of the order.',
  ],
  ['a title that YAML takes for a number', 'numeric.md', '2024: Year in review.'],
  [
    'a title that YAML takes for a field',
    'colon.md',
    'colon.md: invalid_article (front matter: expected valid YAML (Nested mappings are not allowed in compact mappings))',
  ],
  ['Word on the web', 'online.docx', 'Online: Exchange of goods is possible within 20 days.'],
  [
    'HTML that states its encoding at once',
    'short-meta.html',
    'Größen: Für alle Größen gilt das gleiche Maß, auch für kleine.',
  ],
  ['HTML that states its encoding late', 'late-meta.html', 'Größe: Die Größe ist für alle gleich.'],
  [
    'links of Google Docs',
    'gdocs.html',
    'Opening an account: 1. Open the site\n2. Click register\n\n- with your e-mail\n\n3. Confirm the link\n\nSee [the terms](https://shop.example/terms).',
  ],
  ['the first line of Excel', 'excel-sep.csv', 'Fee: It costs 3 euros'],
  ['locales with an underscore', 'locale-us.csv', 'Hello: Hello world text', 'Hallo: Hallo Welt'],
  ['questions and answers', 'faq.csv', 'Can I pay by card?: Yes you can.'],
  [
    'an export of Intercom',
    'intercom.csv',
    'Returning: Send it **back** in 30 days.\n\n- Box\n- Label',
    'intercom.csv#draft-one: draft (State: draft)',
  ],
];

it.each(FILES)('a file with %s is read as its author meant it: %s', async (_, name, ...expected) => {
  expect(await read(name)).toEqual(expected);
});

it('every file of the folder is tried', () => {
  expect(FILES.map(([, name]) => name).sort()).toEqual(readdirSync(FOLDER).sort());
});
