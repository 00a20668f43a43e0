/** The articles that the turns are asked about. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { parse as parseYaml } from 'yaml';
import type { Seed } from '../test/support/seeds.ts';

/** Small workspaces, in which many questions are about a subject that no article describes. */
export const SMALL_CORPORA = ['gym', 'invoices', 'bikes', 'school', 'campsite', 'dentist'] as const;
export const CORPORA = ['gnome', 'gnome-partly', 'shop', 'store', ...SMALL_CORPORA] as const;
export type CorpusName = (typeof CORPORA)[number];

/** Returns the articles of a corpus; `demo` is the demo workspace. */
export function readArticles(corpus: CorpusName | 'demo'): Seed[] {
  if (corpus === 'demo') return readLines(DEMO_ARTICLES);
  if (corpus === 'gnome') return readHelpCentre();
  if (corpus === 'gnome-partly') return readHelpCentre().map(withoutTranslations);
  return parseYaml(readFileSync(join(import.meta.dirname, 'data', `${corpus}.yaml`), 'utf8')) as Seed[];
}

/** Returns whether the article has no translations in `gnome-partly`; about 30 of 100 are. */
function isUntranslated(slug: string): boolean {
  return hash(`held back ${slug}`) % 10 < 3;
}

/** The languages of the questions about `gnome-partly`; others are left out, because importing takes time. */
const PARTLY_LOCALES = ['de', 'fr', 'ja', 'ko', 'ru', 'uk', 'zh-CN'];

function withoutTranslations({ translations = [], ...article }: Seed): Seed {
  if (isUntranslated(article.slug)) return article;
  return { ...article, translations: translations.filter(({ locale }) => PARTLY_LOCALES.includes(locale)) };
}

const DEMO_ARTICLES = join(import.meta.dirname, '../server/demo/knowledge/gnome-help.jsonl');

/** Returns the demo's articles, with the translations of eval/data added. */
function readHelpCentre(): Seed[] {
  const demo = readLines<Seed>(DEMO_ARTICLES);
  const addedTranslations = readLines<{ slug: string; translations: NonNullable<Seed['translations']> }>(
    join(import.meta.dirname, 'data/gnome-help-translations.jsonl.gz'),
  );
  const bySlug = new Map(addedTranslations.map(({ slug, translations }) => [slug, translations]));
  return demo.map((article) => ({
    ...article,
    translations: [...(article.translations ?? []), ...(bySlug.get(article.slug) ?? [])],
  }));
}

function readLines<Line>(path: string): Line[] {
  const bytes = readFileSync(path);
  const text = (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);
}

/** FNV-1a with a final mix, because the lowest bit of FNV-1a depends on little of the text. */
export function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const byte of Buffer.from(text)) value = Math.imul(value ^ byte, 0x01000193);
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  return (value ^ (value >>> 13)) >>> 0;
}
