import { z } from 'zod';
import { ARTICLE_LIMITS } from '../../../contract/limits/articles.ts';
import { SLUG } from '../../knowledge/article-content.ts';
import { articleFields, toFieldProblems } from '../../knowledge/import/article-input.ts';
import type { Fields } from '../../knowledge/import/front-matter.ts';
import type { SourceDocument } from '../document.ts';
import { readLocale } from '../html-head.ts';
import { SkippedFile } from './reader.ts';

/** Reads the fields of front matter: our own strictly, those of other tools where they fit. */

type DocumentFields = Partial<
  Pick<SourceDocument, 'title' | 'slug' | 'locale' | 'url' | 'collection' | 'tags'>
> & { aliases: readonly string[] };

/** A file with this field was written for Guidepost. */
const MARKER = 'guidepost';

const { title, slug, locale, aliases, url, collection, tags } = articleFields;
const ownFields = z.strictObject({
  [MARKER]: z.unknown(),
  ...z.object({ title, slug, locale, url, collection, tags }).partial().shape,
  aliases,
});

export function readFields(fields: Fields): DocumentFields {
  if (!Object.hasOwn(fields, MARKER)) return readForeignFields(fields);
  const result = ownFields.safeParse(fields);
  if (result.success) return result.data;
  const [first] = toFieldProblems(result.error);
  throw new SkippedFile('invalid_article', `${first!.field ?? 'front matter'}: expected ${first!.expected}`);
}

function readForeignFields(fields: Fields): DocumentFields {
  const read = <Value>(schema: z.ZodType<Value>, ...values: unknown[]): Value | undefined => {
    for (const value of values) {
      const result = schema.safeParse(value);
      if (result.success) return result.data;
    }
    return undefined;
  };
  return {
    title: read(title, cutTitle(fields.title), cutTitle(fields.linkTitle), cutTitle(fields.sidebar_label)),
    slug: typeof fields.slug === 'string' ? fitSlug(fields.slug) : undefined,
    locale: [fields.locale, fields.lang, fields.language]
      .map((tag) => (typeof tag === 'string' ? readLocale(tag) : undefined))
      .find(Boolean),
    url: read(url, fields.url),
    collection: read(collection, fields.collection),
    aliases: toList(fields.aliases).filter(
      (alias) => !isPath(alias) && alias.length <= ARTICLE_LIMITS.aliasCharsMax,
    ),
    tags: fields.tags === undefined ? undefined : toTags(fields.tags),
  };
}

const cutTitle = (value: unknown) =>
  typeof value === 'string' ? value.slice(0, ARTICLE_LIMITS.titleCharsMax).toWellFormed() : undefined;

/** Old addresses of a page, which are no other names for it. */
const isPath = (alias: string) => /^(?:\.{0,2}\/|https?:)|^[^\s/]+(?:\/[^\s/]*)+$|\.html?$/i.test(alias);

/** A list of texts, which may be written as one text, or as objects with a label. */
function toList(value: unknown): string[] {
  if (typeof value === 'string')
    return value
      .split(/[,;\n]/)
      .map((part) => part.trim())
      .filter(Boolean);
  if (!Array.isArray(value)) return [];
  return value.flatMap((each) => {
    const named = typeof each === 'object' && each ? (each.label ?? each.name ?? each.title) : each;
    return typeof named === 'string' && named.trim() !== '' ? [named.trim()] : [];
  });
}

function toTags(value: unknown): string[] {
  const fitting = toList(value).flatMap((text) => tags.safeParse([text.replace(/^#/, '')]).data ?? []);
  return [...new Set(fitting)].sort().slice(0, ARTICLE_LIMITS.tagsPerArticleMax);
}

/** Makes a slug of a name or an address: `/Über uns/` becomes `Über-uns`. Undefined if nothing is left. */
export function fitSlug(text: string): string | undefined {
  const path = text
    .normalize('NFC')
    .replace(/^https?:\/\/[^/]*/, '')
    .split(/[/\\]+/)
    .map((part) => part.replace(/[^\p{L}\p{M}\p{N}._~-]+/gu, '-').replace(/-+$/, ''))
    .filter((part) => part !== '')
    .join('/')
    .replace(/^[^\p{L}\p{N}]+/u, '');
  const slugText = [...path]
    .slice(0, ARTICLE_LIMITS.slugCharsMax)
    .join('')
    .replace(/[-/]+$/, '');
  return SLUG.test(slugText) ? slugText : undefined;
}
