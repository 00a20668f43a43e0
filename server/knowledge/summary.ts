import { sentenceSpans } from './tokenize.ts';

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
  for (const { end } of sentenceSpans(text, locale)) {
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
