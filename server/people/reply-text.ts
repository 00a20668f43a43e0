import { fromHtml } from 'hast-util-from-html';
import { toText } from 'hast-util-to-text';
import { HANDOVER_LIMITS } from '../../contract/limits/handovers.ts';
import { normalizeText, truncate } from '../base/text.ts';
import { REPLY_MARK } from './reply-address.ts';

/** The text that a person has written in a mail, without what the mail program quotes. */

/** Later text is quoted: a reply has at most 4,000 characters. */
const CHARS_MAX = 64 * 1024;
const LINE_CHARS_MAX = 2_000;
const HTML_CHARS_MAX = 128 * 1024;
/** Of start and end tags. The time to parse elements that nest grows with the square of their number. */
const HTML_TAGS_MAX = 2_000;
const SEPARATOR = /^\s*(?:-{2,}[^-]{0,80}-{2,}|_{10,})\s*$/;
const SIGNATURE = /^-- ?$/;
const HEADER = /^[*\s]*\p{L}[\p{L} ]{0,20}\s?[*:]/u;
const QUOTED = /^\s*[>|]/;
const ATTRIBUTION_LINES_MAX = 3;

type ReceivedText = { text: string; html: string };

/** Returns undefined if nothing is left. `sender` is the address that the quoted mail came from. */
export function readReplyText({ text, html }: ReceivedText, sender: string): string | undefined {
  const whole = /\S/.test(text) ? text.slice(0, CHARS_MAX) : readHtml(html);
  const lines = whole.replace(/\r\n?/g, '\n').split('\n');
  const mark = lines.findIndex((line) => line.includes(REPLY_MARK));
  const above = keepWritten(mark < 0 ? lines : lines.slice(0, mark), sender, mark >= 0);
  // Some people write below what they answer, between the lines that are marked as quoted.
  const isBelow = mark >= 0 && QUOTED.test(lines[mark]!);
  const written = toReply(above) ?? (isBelow ? toReply(keepWritten(lines, sender, false)) : undefined);
  return written;
}

function toReply(lines: readonly string[]): string | undefined {
  const text = normalizeText(lines.join('\n').replace(/\n{3,}/g, '\n\n'), CHARS_MAX);
  if (text === undefined || text.length <= HANDOVER_LIMITS.replyCharsMax) return text;
  return `${truncate(text, HANDOVER_LIMITS.replyCharsMax - 1)}…`;
}

/** Drops quoted lines, what introduces them, and everything from a signature or the header of the quoted mail on. */
function keepWritten(lines: readonly string[], sender: string, isFollowedByQuote: boolean): string[] {
  const kept: string[] = [];
  for (const line of lines) {
    const isHeader = HEADER.test(line.slice(0, LINE_CHARS_MAX)) && line.includes(sender);
    if (SIGNATURE.test(line) || SEPARATOR.test(line.slice(0, LINE_CHARS_MAX)) || isHeader) return kept;
    if (QUOTED.test(line)) dropAttribution(kept);
    else kept.push(line);
  }
  if (isFollowedByQuote) dropAttribution(kept);
  return kept;
}

/** Drops the last lines if they introduce a quotation, such as `On Monday at 10:42, Guidepost wrote:`. */
function dropAttribution(kept: string[]): void {
  while (kept.length > 0 && kept.at(-1)!.trim() === '') kept.pop();
  // Not all lines: this is called for each quoted one.
  const nearest = kept.slice(-ATTRIBUTION_LINES_MAX - 1);
  const last = nearest.slice(nearest.findLastIndex((line) => line.trim() === '') + 1);
  const isAttribution = /[:：]\s*$/.test(last.at(-1) ?? '') && last.some((line) => /\d/.test(line));
  if (isAttribution && last.length <= ATTRIBUTION_LINES_MAX) kept.length -= last.length;
}

/** A reply stands above what it quotes. */
function keepBeginning(html: string): string {
  let end = -1;
  for (let tags = 0; tags <= HTML_TAGS_MAX; tags += 1) {
    end = html.indexOf('<', end + 1);
    if (end < 0) return html.slice(0, HTML_CHARS_MAX);
  }
  return html.slice(0, Math.min(end, HTML_CHARS_MAX));
}

function readHtml(html: string): string {
  try {
    return toText(fromHtml(keepBeginning(html))).slice(0, CHARS_MAX);
  } catch {
    // Elements that nest too deep for the stack.
    return '';
  }
}
