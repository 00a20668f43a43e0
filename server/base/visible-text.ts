/**
 * Untrusted text may hide instructions in invisible characters. The result is well-formed NFC text
 * of visible characters, line breaks and tabs. Joiners are kept where scripts and emoji need them.
 */

/** Controls, bidi overrides, zero-width and tag characters, fillers, private use and unassigned code points. */
const INVISIBLE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are exactly what is removed
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u00AD\u061C\u115F\u1160\u180E\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\u3164\uFEFF\uFFA0\uFFF0-\uFFFB]|[\u{1BCA0}-\u{1BCA3}\u{1D173}-\u{1D17A}\u{E0000}-\u{E0FFF}]|\u034F|[\u17B4\u17B5]|[\u180B-\u180D\u180F]|[\uFE00-\uFE0D]|\p{Co}|\p{Cn}/gu;

const LINE_BREAK = /\r\n?|[\u0085\u2028\u2029\v\f]/g;

/** Characters that a joiner may follow or precede. */
const JOINABLE_BEFORE = /[\p{L}\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}]/u;
const JOINABLE_AFTER = /[\p{L}\p{M}\p{Extended_Pictographic}]/u;

/** A joiner without a character to join. */
const LOOSE_JOINER = new RegExp(
  `(?<!${JOINABLE_BEFORE.source})[\\u200C\\u200D]|[\\u200C\\u200D](?!${JOINABLE_AFTER.source})`,
  'gu',
);

/**
 * The limit of Unicode's Stream-Safe Text Format. More marks only cover the text, and sorting them
 * takes quadratic time.
 */
const TOO_MANY_MARKS = /((?:\p{M}|[\u200C\u200D]){30})(?:\p{M}|[\u200C\u200D])+/gu;

/** Fast path: text without invisible characters, joiners, surrogates or combining characters. */
const PLAIN =
  /^[\t\n\x20-\x7e\u00a0-\u00ac\u00ae-\u02ff\u0391-\u03a1\u03a3-\u0482\u048a-\u052f\u3041-\u3096\u4e00-\u9fff]*$/;

export function toVisibleText(text: string): string {
  if (PLAIN.test(text)) return text;
  return (
    text
      .toWellFormed()
      .replace(LINE_BREAK, '\n')
      .replace(INVISIBLE, '')
      .replace(TOO_MANY_MARKS, '$1')
      .normalize('NFC')
      // Normalization can produce more marks.
      .replace(TOO_MANY_MARKS, '$1')
      .replace(LOOSE_JOINER, '')
      .normalize('NFC')
  );
}

/** Whether the text contains only visible characters. */
export function isVisible(text: string): boolean {
  return (
    PLAIN.test(text) || (text.isWellFormed() && text.search(INVISIBLE) < 0 && text.search(LOOSE_JOINER) < 0)
  );
}

/** Part of a text: the number of input characters and the output that replaces them. */
export type Piece = { consumed: number; output: string };

/**
 * The streaming variant of `toVisibleText`; the output does not depend on chunk boundaries. Buffers
 * an incomplete surrogate pair, and joiners until the next character is known. Does not normalize,
 * so quotes of published articles stay identical.
 */
export class VisibleStream {
  #pending = '';
  #lastOutput = '';
  #isAfterReturn = false;

  push(chunk: string, isLast: boolean): readonly Piece[] {
    if (this.#pending === '' && !this.#isAfterReturn && PLAIN.test(chunk)) {
      this.#lastOutput = chunk.at(-1) ?? this.#lastOutput;
      return chunk === '' ? [] : [{ consumed: chunk.length, output: chunk }];
    }
    const text = this.#pending + chunk;
    this.#pending = '';
    const pieces: Piece[] = [];
    const emit = (consumed: number, output: string) => {
      pieces.push({ consumed, output });
      if (output !== '') this.#lastOutput = output;
    };
    let at = 0;
    while (at < text.length) {
      const character = getCharacterAt(text, at);
      const next = at + character.length;
      if (!isLast && next === text.length && /^[\ud800-\udbff]$/.test(character)) break;
      if (character === '\n' && this.#isAfterReturn) emit(1, '');
      else if (character === '\u200c' || character === '\u200d') {
        const joinersEnd = findJoinersEnd(text, next);
        if (joinersEnd === text.length && !isLast) break;
        const following = joinersEnd < text.length ? getCharacterAt(text, joinersEnd) : '';
        const isJoining =
          countJoiners(text, at, joinersEnd) === 1 &&
          JOINABLE_BEFORE.test(this.#lastOutput) &&
          JOINABLE_AFTER.test(following);
        emit(joinersEnd - at, isJoining ? character : '');
        this.#isAfterReturn = false;
        at = joinersEnd;
        continue;
      } else emit(character.length, toVisibleText(character));
      this.#isAfterReturn = character === '\r';
      at = next;
    }
    this.#pending = text.slice(at);
    return pieces;
  }
}

/** Avoids `codePointAt`: compiled by V8 13.6, it can read past the end of a sliced string. */
function getCharacterAt(text: string, at: number): string {
  const isHigh = /[\ud800-\udbff]/.test(text[at]!);
  const isPair = isHigh && at + 1 < text.length && /[\udc00-\udfff]/.test(text[at + 1]!);
  return isPair ? text[at]! + text[at + 1]! : text[at]!;
}

/** Returns the end of a run of joiners, including invisible characters between them. */
function findJoinersEnd(text: string, from: number): number {
  let at = from;
  while (at < text.length) {
    const character = getCharacterAt(text, at);
    const isJoiner = character === '\u200c' || character === '\u200d';
    // An incomplete surrogate pair at the end may become any character.
    const isHalfPair = at + 1 === text.length && /^[\ud800-\udbff]$/.test(character);
    if (isHalfPair) return text.length;
    if (!isJoiner && toVisibleText(character) !== '') return at;
    at += character.length;
  }
  return text.length;
}

function countJoiners(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to; at++) if (text[at] === '\u200c' || text[at] === '\u200d') count += 1;
  return count;
}

/** Removes markup that browsers do not show or that has effects of its own. */

/** Elements whose content browsers do not show as text. */
const HIDDEN_ELEMENT = /^<(script|style|template|noscript|iframe|object|embed|svg|math)(?=[\s>/])/i;

const ELEMENT =
  /^<\/?(?:a|abbr|acronym|address|applet|area|article|aside|audio|b|base|bdi|bdo|big|blink|blockquote|body|br|button|canvas|caption|center|cite|code|col|colgroup|data|datalist|dd|del|details|dfn|dialog|dir|div|dl|dt|em|embed|fieldset|figcaption|figure|font|footer|form|frame|frameset|h[1-6]|head|header|hgroup|hr|html|i|iframe|image|img|input|ins|kbd|label|legend|li|link|main|map|mark|marquee|math|menu|meta|meter|nav|nobr|noembed|noframes|noscript|object|ol|optgroup|option|output|p|param|picture|plaintext|portal|pre|progress|q|rp|rt|ruby|s|samp|script|search|section|select|slot|small|source|span|strike|strong|style|sub|summary|sup|svg|table|tbody|td|template|textarea|tfoot|th|thead|time|title|tr|track|tt|u|ul|var|video|wbr|xmp)(?=[\s>/])/i;
/** Without attributes, these are placeholders to fill in: `ssh <user>@<address>`. */
const PLACEHOLDER =
  /^<(?:address|label|time|data|link|option|map|output|param|summary|section|menu|image|input|table|area|dir)>/i;
/**
 * Closing tags, declarations and any name with attributes, but not an address in angle brackets.
 */
const TAG_SYNTAX = /^<(?:\/\p{L}|[!?][a-z[]|(?!https?:\/\/)[a-z][^=>]{0,200}=)/iu;

const TAG_CHARS_MAX = 2000;
/** Removing inner tags can reveal outer ones. */
const ROUNDS_MAX = 5;

/** Removes comments and the content of scripts and styles from page text. */
export function stripHiddenMarkup(text: string): string {
  return repeatUntilStable(text, (current) => stripOnce(current, false));
}

/** Removes comments and HTML tags from article text. Code stays unchanged. */
export function stripMarkup(text: string): string {
  if (!text.includes('<')) return text;
  return repeatUntilStable(text, (current) =>
    current
      .split(/(^ {0,3}```[^\n]*\n[\s\S]*?^ {0,3}```|`[^`\n]+`)/m)
      .map((part, at) => (at % 2 === 1 ? part : stripOnce(part, true)))
      .join(''),
  );
}

function repeatUntilStable(text: string, strip: (text: string) => string): string {
  let before = text;
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const after = strip(before);
    if (after === before) return after;
    before = after;
  }
  // Legitimate text never nests this deeply. Neutralize the remaining tags.
  return before.replace(/<(?=[a-z/!?])/gi, '‹');
}

function stripOnce(text: string, includeTags: boolean): string {
  const lower = lowercaseAscii(text);
  /** Remembers failed searches, to keep the total cost linear. */
  const missing = new Set<string>();
  const find = (needle: string, from: number): number => {
    if (missing.has(needle)) return -1;
    const at = lower.indexOf(needle, from);
    if (at < 0) missing.add(needle);
    return at;
  };
  let kept = '';
  let at = 0;
  for (;;) {
    const openAt = text.indexOf('<', at);
    if (openAt < 0) return kept + text.slice(at);
    kept += text.slice(at, openAt);
    at = findMarkupEnd(text, openAt, find, includeTags);
    if (at > openAt) continue;
    kept += '<';
    at += 1;
  }
}

/** Returns the end of the markup that starts at `openAt`, or `openAt` when there is none. */
function findMarkupEnd(
  text: string,
  openAt: number,
  find: (needle: string, from: number) => number,
  includeTags: boolean,
): number {
  if (text.startsWith('<!--', openAt)) {
    const closeAt = find('-->', openAt + 4);
    return closeAt < 0 ? openAt + 4 : closeAt + 3;
  }
  const head = text.slice(openAt, openAt + TAG_CHARS_MAX);
  const hiddenName = HIDDEN_ELEMENT.exec(head)?.[1]?.toLowerCase();
  const closeAt = head.indexOf('>');
  const tag = head.slice(0, closeAt + 1);
  const isTag = (TAG_SYNTAX.test(tag) || ELEMENT.test(tag)) && !PLACEHOLDER.test(tag);
  if (closeAt < 0 || !(hiddenName || (includeTags && isTag))) return openAt;
  if (!hiddenName || head[closeAt - 1] === '/') return openAt + closeAt + 1;
  const closeTagAt = find(`</${hiddenName}`, openAt + closeAt + 1);
  if (closeTagAt < 0) return openAt + closeAt + 1;
  const closeTagEnd = find('>', closeTagAt);
  return closeTagEnd < 0 ? text.length : closeTagEnd + 1;
}

/** Lowercases ASCII letters only, so that offsets stay the same. */
function lowercaseAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
