/** The name of an article in imports and exports: one word of any script, the same for as long as the article lives. */
export const SLUG = /^[\p{L}\p{N}][\p{L}\p{M}\p{N}._~/-]*$/u;

/** Leaves room for what makes it unique. */
const CHARS_MAX = 100;
/** After so many articles of the same name, numbers are no longer tried. */
const NUMBERS_MAX = 20;

/** A slug made of a title, as title-of-an-article. */
export function slugOf(title: string): string {
  const words = title
    .normalize('NFKC')
    .toLowerCase()
    .normalize('NFC')
    .replace(/['’ʼ]/gu, '')
    .match(/[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu);
  const slug = [...(words ?? []).join('-')].slice(0, CHARS_MAX).join('').replace(/-+$/, '');
  return slug === '' ? 'article' : slug;
}

/** Ways to tell articles of the same name apart: `a`, `a-2`, `a-3`, …, and at last one that nobody else can have. */
export function* slugsLike(slug: string, unique: string): Generator<string> {
  yield slug;
  for (let number = 2; number <= NUMBERS_MAX; number += 1) yield `${slug}-${number}`;
  yield `${slug}-${unique}`;
}
