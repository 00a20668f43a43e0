/** Reads XQuAD: paragraphs serve as articles; questions have the offsets of their gold answers. */
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export type Split = 'dev' | 'test';
export type Article = { id: string; split: Split; text: string };
export type Question = {
  articleId: string;
  split: Split;
  text: string;
  goldStart: number;
  goldEnd: number;
};
export type Language = {
  locale: string;
  articles: readonly Article[];
  questions: readonly Question[];
};

type Line =
  | { t: 'meta' }
  | { t: 'a'; id: string; split: Split; context: string }
  | { t: 'q'; a: string; q: string; ans: { s: number; t: string }[] };

export const locales = ['en', 'es', 'de', 'ru', 'ar', 'zh'];

/** The data folder; `XQUAD_DIR` overrides the default. */
export function getXquadFolder(): string {
  return resolve(process.env.XQUAD_DIR ?? join(import.meta.dirname, '../../../shared/data/xquad'));
}

/** Throws a readable error if the file is missing. */
export function readLanguage(folder: string, locale: string): Language {
  const file = join(folder, `${locale}.jsonl`);
  if (!existsSync(file)) {
    throw new Error(
      `${file} does not exist. Set XQUAD_DIR to a folder with ${locales.join(', ')} as <language>.jsonl.`,
    );
  }
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);
  const articles = lines
    .filter((line) => line.t === 'a')
    .map(({ id, split, context }) => ({ id, split, text: context }));
  const splits = new Map(articles.map(({ id, split }) => [id, split]));
  const questions = lines
    .filter((line) => line.t === 'q')
    .map(({ a, q, ans }) => ({
      articleId: a,
      split: splits.get(a)!,
      text: q,
      goldStart: ans[0]!.s,
      goldEnd: ans[0]!.s + ans[0]!.t.length,
    }));
  return { locale, articles, questions };
}
