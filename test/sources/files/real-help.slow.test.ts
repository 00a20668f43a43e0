import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readFile } from '../../../server/sources/files/read-file.ts';
import { buildZip } from './zip-file.ts';

/** Reads the human-translated GNOME help, as JSONL and as HTML pages in one folder per locale. */

const FILE = join(import.meta.dirname, '../../../server/demo/knowledge/gnome-help.jsonl');
const options = { sourceLocale: 'en', nowMillis: Date.now(), signal: new AbortController().signal };

type Text = { locale: string; title: string; answer: string };
type Topic = Text & { slug: string; translations?: readonly Text[] };

const topics = readFileSync(FILE, 'utf8')
  .trim()
  .split('\n')
  .map((line): Topic => JSON.parse(line));
const texts = topics.flatMap(({ slug, translations = [], ...source }) =>
  [source, ...translations].map((text) => ({ ...text, slug })),
);

const encode = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const toPage = ({ locale, title, answer }: Text) =>
  `<!doctype html><html lang="${locale}"><title>${encode(title)} – Help</title><nav><a href="/">Home</a></nav>` +
  `<main><h1>${encode(title)}</h1>${answer
    .split('\n\n')
    .map((part) => `<p>${encode(part)}</p>`)
    .join('')}</main><footer>All rights reserved</footer></html>`;

it.each([
  ['lines', 'help.jsonl', () => readFileSync(FILE)],
  [
    'pages of HTML',
    'help.zip',
    () =>
      buildZip(texts.map((text) => ({ name: `${text.locale}/${text.slug}.html`, content: toPage(text) }))),
  ],
])('reads a real help center as %s, each topic with its translations', async (_kind, name, build) => {
  const { documents, skipped } = await readFile({ name, bytes: build() }, options);
  expect(skipped).toEqual([]);
  expect(documents).toHaveLength(texts.length);
  expect(documents.filter(({ translationOf }) => translationOf === undefined)).toHaveLength(topics.length);
  const titlesOf = (all: readonly Text[]) =>
    all.map(({ locale, title }) => `${locale} ${title.normalize().replace(/\s+/g, ' ').trim()}`).sort();
  expect(titlesOf(documents)).toEqual(titlesOf(texts));
  expect(documents.filter(({ answer }) => /All rights reserved|\bHome\b.*\(\//.test(answer))).toEqual([]);
});
