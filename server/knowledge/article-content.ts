import { hash } from 'node:crypto';
import { LIMITS } from '../../contract/limits.ts';
import { hasAtMostCharacters } from '../characters.ts';
import { type RequestIssue, throwInvalidRequest } from '../http/errors.ts';
import { withoutMarkup } from '../sanitize/markup.ts';
import { visibleText } from '../sanitize/visible-text.ts';
import type { ArticleContent } from '../storage/passages.ts';
import { canonicalizeLocale, TAG_CHARS_MAX } from './locale.ts';
import { splitSentences } from './search/tokenize.ts';

/** What an owner or admin sends. */
export type ContentInput = {
  readonly title: string;
  readonly answer: string;
  readonly aliases?: readonly string[] | undefined;
  readonly url?: string | undefined;
};

/** The content in the form in which it is kept, the same as after an import; refuses what is empty or too long in it. */
export function normalizeContent(
  { title, answer, aliases = [], url }: ContentInput,
  aliasesAt = 'body.aliases',
): ArticleContent {
  const kept = {
    title: normalizeLine(title),
    answer: normalizeText(answer),
    aliases: [...new Set(aliases.map(normalizeLine))],
    ...(url === undefined ? {} : { url }),
  };
  const problems = [
    ...problemsOf('body.title', kept.title, LIMITS.titleCharsMax),
    ...problemsOf('body.answer', kept.answer, LIMITS.answerCharsMax),
    ...kept.aliases.flatMap((alias, at) => problemsOf(`${aliasesAt}.${at}`, alias, LIMITS.aliasCharsMax)),
  ];
  if (url !== undefined && !URL.canParse(url)) {
    problems.push({ path: 'body.url', code: 'invalid_url', message: 'This is not an address.' });
  }
  if (problems.length > 0) throwInvalidRequest(...problems);
  return kept;
}

/** Normalising may leave nothing of a text, and a few scripts grow by it. */
function problemsOf(path: string, text: string, charsMax: number): RequestIssue[] {
  if (text === '') {
    return [
      { path, code: 'blank', message: 'There must be something besides blanks and control characters.' },
    ];
  }
  if (!hasAtMostCharacters(charsMax, text)) {
    return [
      { path, code: 'too_long', message: `In its composed form (NFC) it may have ${charsMax} characters.` },
    ];
  }
  return [];
}

/** The canonical form of a locale that somebody names; refuses what is no BCP 47 tag. */
export function normalizeLocale(tag: string, path: string): string {
  const canonical = canonicalizeLocale(tag);
  if (canonical !== undefined && canonical.length <= TAG_CHARS_MAX) return canonical;
  return throwInvalidRequest({
    path,
    code: 'invalid_locale',
    message: 'Expected a BCP 47 language tag such as de or pt-BR.',
  });
}

/**
 * Text of an article as it is kept: well-formed, composed (NFC), with plain line breaks, without invisible characters, and without HTML
 * but for what stands in code. What is served is quoted verbatim, so it is cleaned here and not when it is used.
 */
export function normalizeText(text: string): string {
  return visibleText(withoutMarkup(visibleText(text)))
    .replace(/^\n+/, '')
    .trimEnd();
}

/** The same for a text of one line, such as a title. */
export function normalizeLine(text: string): string {
  return normalizeText(text).replace(/\s+/g, ' ').trim();
}

/**
 * SHA-256, in hex, of what a translator reads: equal exactly when title, answer and aliases (in their order) are equal. The
 * address is not part of it, so that moving a page makes no translation stale. It is stored, so its form never changes.
 */
export function contentHash({ title, answer, aliases }: Omit<ArticleContent, 'url'>): string {
  return hash('sha256', JSON.stringify([title, answer, aliases]));
}

/** The name of an article in imports and exports: one word of any script, the same for as long as the article lives. */
export const SLUG = /^[\p{L}\p{N}][\p{L}\p{M}\p{N}._~/-]*$/u;

/** Leaves room for what makes it unique. */
const CHARS_MAX = 100;
/** After so many articles of the same name, numbers are no longer tried. */
const NUMBERS_MAX = 20;

/** A slug made of a title, as title-of-an-article. */
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

/** Ways to tell articles of the same name apart: `a`, `a-2`, `a-3`, …, and at last one that nobody else can have. */
export function* getSlugCandidates(slug: string, unique: string): Generator<string> {
  yield slug;
  for (let number = 2; number <= NUMBERS_MAX; number += 1) yield `${slug}-${number}`;
  yield `${slug}-${unique}`;
}

/** In UTF-16 units, so that it holds however characters are counted. */
const SUMMARY_MAX = 280;
const ELLIPSIS = '…';

/**
 * The beginning of an answer, at most 280 characters: as many whole sentences as fit, else the first one up to a word that
 * fits, else as many graphemes as fit. Plain text on one line; the marks of Markdown are left out.
 */
export function searchSummary(answer: string, locale: string): string {
  // Far more than a summary can take, however much of it is marks.
  const text = plain(answer.slice(0, SUMMARY_MAX * 20));
  let summary = '';
  let from = 0;
  for (const { end } of splitSentences(text, locale)) {
    const longer = oneLine(text.slice(from, end));
    const joined = summary === '' ? longer : `${summary} ${longer}`;
    if (joined.length > SUMMARY_MAX) break;
    summary = joined;
    from = end;
  }
  return summary === '' ? beginning(oneLine(text), locale) : summary;
}

const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim();

/** Headings, quotes, lists, rules and fences at the start of a line; links, images, emphasis and code in it. */
function plain(markdown: string): string {
  return markdown
    .replace(/^[ \t]*(?:#{1,6}[ \t]+|>[ \t]?|[-*+][ \t]+|(?:```|~~~).*$|(?:[-*_][ \t]*){3,}$)/gm, '')
    .replace(/!?\[([^\][]*)\]\([^()\s]*\)/g, '$1')
    .replace(/(\*\*|__|``|[*`])(?=\S)((?:(?!\1).)+)(?<=\S)\1/g, '$2');
}

/** The longest start that leaves room for the ellipsis, cut after a word, or after a grapheme where words are too long. */
function beginning(text: string, locale: string): string {
  if (text.length <= SUMMARY_MAX) return text;
  const room = SUMMARY_MAX - ELLIPSIS.length;
  const words = lastBreak(text, room, locale, 'word');
  const end = words > room / 2 ? words : lastBreak(text, room, locale, 'grapheme');
  const kept = text.slice(0, end > 0 ? end : room).replace(/[\ud800-\udbff]$/, '');
  return `${kept.replace(/[\s,;:،、，；：–—-]+$/u, '')}${ELLIPSIS}`;
}

function lastBreak(text: string, room: number, locale: string, granularity: 'word' | 'grapheme'): number {
  let last = 0;
  // One unit beyond the room tells whether a break stands exactly at its end.
  for (const { index } of new Intl.Segmenter(locale, { granularity }).segment(text.slice(0, room + 1))) {
    if (index <= room) last = index;
  }
  return last;
}
