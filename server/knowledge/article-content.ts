import { hash } from 'node:crypto';
import { ARTICLE_LIMITS } from '../../contract/limits/articles.ts';
import { canonicalizeLocale, TAG_CHARS_MAX } from '../base/locale.ts';
import { parseContentLocale } from '../base/locale-registry.ts';
import { hasAtMostCharacters } from '../base/text.ts';
import { stripMarkup, toVisibleText } from '../base/visible-text.ts';
import { type RequestIssue, throwInvalidRequest } from '../http/errors.ts';
import type { ArticleContent } from '../storage/passages.ts';
import { splitSentences } from './search/tokenize.ts';

/** Content as a member sends it. */
export type ContentInput = {
  title: string;
  answer: string;
  aliases?: readonly string[] | undefined;
  url?: string | undefined;
};

/** Normalizes content as an import does. Throws 400 when a part is empty or too long afterwards. */
export function normalizeContent(
  { title, answer, aliases = [], url }: ContentInput,
  aliasesAt = 'body.aliases',
): ArticleContent {
  const content = {
    title: normalizeLine(title),
    answer: normalizeText(answer),
    aliases: [...new Set(aliases.map(normalizeLine))],
    url,
  };
  const issues = [
    ...findIssues('body.title', content.title, ARTICLE_LIMITS.titleCharsMax),
    ...findIssues('body.answer', content.answer, ARTICLE_LIMITS.answerCharsMax),
    ...content.aliases.flatMap((alias, at) =>
      findIssues(`${aliasesAt}.${at}`, alias, ARTICLE_LIMITS.aliasCharsMax),
    ),
  ];
  if (issues.length > 0) throwInvalidRequest(...issues);
  return content;
}

/** Checks a normalized text: normalizing can leave it empty and, in a few scripts, make it longer. */
function findIssues(path: string, text: string, charsMax: number): RequestIssue[] {
  if (text === '') {
    return [{ path, code: 'blank', message: 'Expected text other than whitespace and control characters.' }];
  }
  if (!hasAtMostCharacters(charsMax, text)) {
    return [
      {
        path,
        code: 'too_long',
        message: `Expected at most ${charsMax} characters after Unicode normalization (NFC).`,
      },
    ];
  }
  return [];
}

/** Returns the canonical form of a language tag. Throws 400 for an invalid BCP 47 tag. */
export function normalizeLocale(tag: string, path: string): string {
  const canonical = canonicalizeLocale(tag);
  if (canonical !== undefined && canonical.length <= TAG_CHARS_MAX) return canonical;
  return throwInvalidRequest({
    path,
    code: 'invalid_locale',
    message: 'Expected a BCP 47 language tag such as de or pt-BR.',
  });
}

/** Returns the canonical locale of a text. Throws 400 for one that is not registered. */
export function normalizeContentLocale(tag: string): string {
  return (
    parseContentLocale(tag) ??
    throwInvalidRequest({
      path: 'body.locale',
      code: 'invalid_locale',
      message: 'Expected a registered language tag without extensions, such as de or pt-BR.',
    })
  );
}

/**
 * Normalizes article text for storage: well-formed NFC with LF line breaks, without invisible
 * characters, and without HTML outside of code. Text is cleaned before storage because answers
 * quote it verbatim.
 */
export function normalizeText(text: string): string {
  return toVisibleText(stripMarkup(toVisibleText(text)))
    .replace(/^\n+/, '')
    .trimEnd();
}

/** Normalizes text of a single line, such as a title. */
export function normalizeLine(text: string): string {
  return normalizeText(text).replace(/\s+/g, ' ').trim();
}

/**
 * Hex SHA-256 of the translatable fields: title, answer and aliases, in order. The URL is excluded,
 * so that a new URL does not make translations stale. Hashes are stored, so the input format must
 * never change.
 */
export function hashContent({ title, answer, aliases }: Omit<ArticleContent, 'url'>): string {
  return hash('sha256', JSON.stringify([title, answer, aliases]));
}

/** Pattern of a slug, which identifies an article in imports and exports and never changes: letters of any script. */
export const SLUG = /^[\p{L}\p{N}][\p{L}\p{M}\p{N}._~/-]*$/u;

/** UTF-16 code units, so that the limit also holds for clients that count code points. */
export const SUMMARY_MAX = 280;
const ELLIPSIS = '…';

/**
 * Summarizes an answer in at most 280 characters: as many whole sentences as fit, else the first
 * sentence cut after a word or, for very long words, after a grapheme. Plain text on one line,
 * without Markdown.
 */
export function summarize(answer: string, locale: string): string {
  // Far more than a summary needs, even in heavily formatted text.
  const text = stripMarkdown(answer.slice(0, SUMMARY_MAX * 20));
  let summary = '';
  let from = 0;
  for (const { end } of splitSentences(text, locale)) {
    const sentence = toOneLine(text.slice(from, end));
    const joined = summary === '' ? sentence : `${summary} ${sentence}`;
    if (joined.length > SUMMARY_MAX) break;
    summary = joined;
    from = end;
  }
  return summary === '' ? truncateAtWord(toOneLine(text), locale) : summary;
}

const toOneLine = (text: string) => text.replace(/\s+/g, ' ').trim();

/** Strips block marks at line starts, and the marks of links, images, emphasis and code. */
function stripMarkdown(markdown: string): string {
  return markdown
    .replace(/^\[page \d+\]: #page=\d+$/gm, '')
    .replace(/^[ \t]*(?:#{1,6}[ \t]+|>[ \t]?|[-*+][ \t]+|(?:```|~~~).*$|(?:[-*_][ \t]*){3,}$)/gm, '')
    .replace(/!?\[([^\][]*)\]\([^()\s]*\)/g, '$1')
    .replace(/(\*\*|__|``|[*`])(?=\S)((?:(?!\1).)+)(?<=\S)\1/g, '$2');
}

/** Truncates with an ellipsis, after a word where possible, else after a grapheme. */
function truncateAtWord(text: string, locale: string): string {
  if (text.length <= SUMMARY_MAX) return text;
  const unitsMax = SUMMARY_MAX - ELLIPSIS.length;
  const lastWordEnd = findLastBreak(text, unitsMax, locale, 'word');
  const end = lastWordEnd > unitsMax / 2 ? lastWordEnd : findLastBreak(text, unitsMax, locale, 'grapheme');
  const start = text.slice(0, end > 0 ? end : unitsMax).replace(/[\ud800-\udbff]$/, '');
  return `${start.replace(/[\s,;:،、，；：–—-]+$/u, '')}${ELLIPSIS}`;
}

function findLastBreak(
  text: string,
  unitsMax: number,
  locale: string,
  granularity: 'word' | 'grapheme',
): number {
  let last = 0;
  // One extra unit shows whether a break falls exactly at the end.
  for (const { index } of new Intl.Segmenter(locale, { granularity }).segment(text.slice(0, unitsMax + 1))) {
    if (index <= unitsMax) last = index;
  }
  return last;
}
