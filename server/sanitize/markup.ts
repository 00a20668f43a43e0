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
  return repeatUntilStable(text, (round) => stripOnce(round, false));
}

/** Removes comments and HTML tags from article text. Code stays unchanged. */
export function stripMarkup(text: string): string {
  if (!text.includes('<')) return text;
  return repeatUntilStable(text, (round) =>
    round
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
  const find = (what: string, from: number): number => {
    if (missing.has(what)) return -1;
    const at = lower.indexOf(what, from);
    if (at < 0) missing.add(what);
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
  find: (what: string, from: number) => number,
  includeTags: boolean,
): number {
  if (text.startsWith('<!--', openAt)) {
    const closeAt = find('-->', openAt + 4);
    return closeAt < 0 ? openAt + 4 : closeAt + 3;
  }
  const head = text.slice(openAt, openAt + TAG_CHARS_MAX);
  const silent = HIDDEN_ELEMENT.exec(head)?.[1]?.toLowerCase();
  const closeAt = head.indexOf('>');
  const tag = head.slice(0, closeAt + 1);
  const isTag = (TAG_SYNTAX.test(tag) || ELEMENT.test(tag)) && !PLACEHOLDER.test(tag);
  if (closeAt < 0 || !(silent || (includeTags && isTag))) return openAt;
  if (!silent || head[closeAt - 1] === '/') return openAt + closeAt + 1;
  const closeTagAt = find(`</${silent}`, openAt + closeAt + 1);
  if (closeTagAt < 0) return openAt + closeAt + 1;
  const last = find('>', closeTagAt);
  return last < 0 ? text.length : last + 1;
}

/** Lowercases ASCII letters only, so that offsets stay the same. */
function lowercaseAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
