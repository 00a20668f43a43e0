import { z } from 'zod';
import { audience as audienceField } from '../../../contract/article-fields.ts';
import { webAddress } from '../../../contract/fields.ts';
import { ARTICLE_LIMITS } from '../../../contract/limits/articles.ts';
import { REQUEST_LIMITS } from '../../../contract/limits/requests.ts';
import { ExpectedError } from '../../base/expected-error.ts';
import { parseContentLocale } from '../../base/locale-registry.ts';
import { getSystemErrorText } from '../../base/log.ts';
import { normalizeLine, normalizeText, SLUG } from '../article-content.ts';
import { toTag } from '../collection-and-tag-names.ts';
import { type FieldProblem, type Fields, toText } from './front-matter.ts';
import { findDraftMark } from './publication.ts';

/** Validates and normalizes imported articles. */

const line = (charsMax: number) => z.string().transform(normalizeLine).pipe(z.string().min(1).max(charsMax));

const title = line(ARTICLE_LIMITS.titleCharsMax);
const answer = z.string().transform(normalizeText).pipe(z.string().min(1).max(ARTICLE_LIMITS.answerCharsMax));

const aliases = z
  .array(line(ARTICLE_LIMITS.aliasCharsMax))
  .max(ARTICLE_LIMITS.aliasesMax)
  .default([])
  .transform((texts) => [...new Set(texts)]);

const locale = z.string().transform((tag, context) => {
  const canonical = parseContentLocale(tag.trim());
  if (canonical !== undefined) return canonical;
  context.addIssue({ code: 'custom', message: 'expected a registered language tag such as de or pt-BR' });
  return z.NEVER;
});

const slug = z
  .string()
  .transform(normalizeLine)
  .pipe(
    z
      .string()
      .min(1)
      .max(ARTICLE_LIMITS.slugCharsMax)
      .regex(SLUG, 'expected only letters, digits and . _ ~ / -, starting with a letter or digit'),
  );

const url = z.string().trim().pipe(webAddress(REQUEST_LIMITS.urlCharsMax));

const collection = line(ARTICLE_LIMITS.collectionNameCharsMax);

const tag = z.string().transform((text, context) => {
  const normalized = toTag(text);
  if (normalized !== undefined) return normalized;
  const message = 'expected letters, digits, spaces and . _ -, starting with a letter or digit';
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
});

const tags = z
  .array(tag)
  .max(ARTICLE_LIMITS.tagsPerArticleMax)
  .transform((given) => [...new Set(given)].sort());

const audience = audienceField.transform((entries) => entries.map((entry) => entry.normalize('NFC')));

const variant = { title, answer, aliases };

export const importLine = z
  .strictObject({
    slug,
    locale,
    ...variant,
    url: url.optional(),
    collection: collection.optional(),
    tags: tags.optional(),
    audience: audience.optional(),
    translations: z
      .array(z.strictObject({ locale, ...variant }))
      .max(ARTICLE_LIMITS.localesPerArticleMax)
      .default([]),
  })
  .superRefine(({ locale: source, translations }, context) => {
    const taken = new Set([source]);
    translations.forEach((translation, at) => {
      if (taken.has(translation.locale)) {
        const message =
          translation.locale === source
            ? `expected a locale other than the article's own (${source})`
            : `expected each locale only once, but ${translation.locale} is repeated`;
        context.addIssue({ code: 'custom', path: ['translations', at, 'locale'], message });
      }
      taken.add(translation.locale);
    });
  });

/** The fields of an article that front matter may state. */
export const articleFields = { title, slug, locale, aliases, url, collection, tags };

/** Front matter of a Markdown file. */
export const frontMatter = z.strictObject({
  title,
  slug: slug.optional(),
  locale: locale.optional(),
  aliases,
  url: url.optional(),
});

export const markdownAnswer = answer;

type LineTranslation = z.output<typeof importLine>['translations'][number];

/** A validated article. Translations from Markdown files may have their own URL. */
export type ArticleInput = Omit<z.output<typeof importLine>, 'translations' | 'url'> & {
  url?: string | undefined;
  translations: readonly (LineTranslation & { url?: string | undefined })[];
};

/** Converts validation issues to import problems. */
export function toFieldProblems(error: z.ZodError): readonly FieldProblem[] {
  return error.issues.flatMap((issue): FieldProblem[] => {
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({
        field: toFieldPath([...issue.path, key]),
        expected: 'a known field',
      }));
    }
    return [
      {
        ...(issue.path.length > 0 ? { field: toFieldPath(issue.path) } : {}),
        expected: issue.message.replace(/^(?:Invalid input: |Too big: |Too small: )?(?:expected )?/, ''),
      },
    ];
  });
}

const toFieldPath = (path: readonly PropertyKey[]) => path.map(String).join('.').slice(0, 200);

/** A position in the imported files. */
export type SourcePosition = {
  file: string;
  /** Starts at one. */
  line?: number;
};

export type ImportProblem = SourcePosition & FieldProblem;

/** A text that is not public, with the mark that says so. */
export type ImportDraft = SourcePosition & { mark: string; slug?: string };

/** Readers yield items in source order: an article, a draft, or the problems of an unreadable part. */
export type ImportItem =
  | { article: ArticleInput; at: SourcePosition; bytesRead: number }
  | { draft: ImportDraft; bytesRead: number }
  | { problems: readonly ImportProblem[]; bytesRead: number };

/** Thrown when the source cannot be read at all; the message is shown to the user. */
export class ImportSourceError extends ExpectedError {
  override readonly name = 'ImportSourceError';
}

/** Wraps errors of the file system; returns any other error unchanged. */
export function toImportSourceError(path: string, error: unknown): unknown {
  const reason = getSystemErrorText(error);
  if (reason === undefined) return error;
  return new ImportSourceError(`${path} cannot be read: ${reason}.`, { cause: error });
}

/** Validates a value in the format of an import line. */
export function parseItem(
  value: unknown,
  at: SourcePosition,
  bytesRead: number,
  nowMillis: number,
): ImportItem {
  const fields = toFields(value);
  const mark = findDraftMark(fields, nowMillis);
  if (mark) return { draft: { ...at, mark, slug: slug.safeParse(fields.slug).data }, bytesRead };
  const result = importLine.safeParse(value);
  if (result.success) return { article: result.data, at, bytesRead };
  return { problems: toFieldProblems(result.error).map((problem) => ({ ...at, ...problem })), bytesRead };
}

/** The fields of a value of JSON, with scalars as text. */
const toFields = (value: unknown): Fields =>
  typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, toText(inner)]))
    : {};

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Returns undefined when the bytes are not valid UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}
