import { toPlainText } from './text-blocks.ts';

type Cited = { url?: string | undefined; quote: string };

const WORDS_PER_END = 5;

/**
 * Builds the URL of the article with a text fragment, so that browsers scroll to the cited words and highlight them.
 */
export function buildPassageUrl({ url, quote }: Cited): string | undefined {
  const address = parseWebUrl(url);
  if (address === undefined) return undefined;
  // Each end of a fragment matches within one line of text, as the page shows it.
  const lines = toPlainText(quote)
    .split('\n')
    .flatMap((line) => line.replace(/^\s*(?:[-*+•]|\d{1,3}[.)])\s/, '').trim() || []);
  const first = (lines[0] ?? '').split(/\s+/);
  const last = (lines.at(-1) ?? '').split(/\s+/);
  const isShort = lines.length === 1 && first.length <= WORDS_PER_END * 2;
  const ends = isShort ? [first] : [first.slice(0, WORDS_PER_END), last.slice(-WORDS_PER_END)];
  const words = ends.map((end) => encodeURIComponent(end.join(' ')).replaceAll('-', '%2D'));
  return `${address}${address.includes('#') ? '' : '#'}:~:text=${words.join()}`;
}

function parseWebUrl(url: string | undefined): string | undefined {
  try {
    const { protocol, href } = new URL(url ?? '', location.href);
    return url && (protocol === 'https:' || protocol === 'http:') ? href : undefined;
  } catch {
    return undefined;
  }
}
