/** Slugs: words of a title as a name in addresses, imports and exports. Letters of every script are kept: people read them. */

/** Characters of a derived slug; leaves space for the suffix that makes it unique. */
const CHARS_MAX = 100;
/** After this many articles with the same title, a random suffix replaces the number. */
const NUMBERS_MAX = 20;

/** Derives a slug from a title, such as title-of-an-article. */
export function toSlug(title: string): string {
  const words = title
    .normalize('NFKC')
    .toLowerCase()
    .normalize('NFC')
    .replace(/['’ʼ]/gu, '')
    .match(/[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu);
  const slug = [...(words ?? []).join('-')].slice(0, CHARS_MAX).join('').replace(/-+$/, '');
  return slug === '' ? 'article' : slug;
}

/** Yields `a`, `a-2`, `a-3`, … and finally a slug with a unique suffix. */
export function* getSlugCandidates(slug: string, unique: string): Generator<string> {
  yield slug;
  for (let number = 2; number <= NUMBERS_MAX; number += 1) yield `${slug}-${number}`;
  yield `${slug}-${unique}`;
}
