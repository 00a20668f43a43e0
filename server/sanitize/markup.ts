/** Removes markup that readers never see or that has effects of its own. */

/** Elements whose content is not text for readers. */
const SILENT = /^<(script|style|template|noscript|iframe|object|embed|svg|math)(?=[\s>/])/i;

const ELEMENT =
  /^<\/?(?:a|abbr|acronym|address|applet|area|article|aside|audio|b|base|bdi|bdo|big|blink|blockquote|body|br|button|canvas|caption|center|cite|code|col|colgroup|data|datalist|dd|del|details|dfn|dialog|dir|div|dl|dt|em|embed|fieldset|figcaption|figure|font|footer|form|frame|frameset|h[1-6]|head|header|hgroup|hr|html|i|iframe|image|img|input|ins|kbd|label|legend|li|link|main|map|mark|marquee|math|menu|meta|meter|nav|nobr|noembed|noframes|noscript|object|ol|optgroup|option|output|p|param|picture|plaintext|portal|pre|progress|q|rp|rt|ruby|s|samp|script|search|section|select|slot|small|source|span|strike|strong|style|sub|summary|sup|svg|table|tbody|td|template|textarea|tfoot|th|thead|time|title|tr|track|tt|u|ul|var|video|wbr|xmp)(?=[\s>/])/i;
/** Without attributes, these are placeholders to fill in: `ssh <user>@<address>`. */
const PLACEHOLDER =
  /^<(?:address|label|time|data|link|option|map|output|param|summary|section|menu|image|input|table|area|dir)>/i;
/**
 * Closing tags, declarations and any name with attributes, but not an address in angle brackets.
 */
const FORMAL = /^<(?:\/\p{L}|[!?][a-z[]|(?!https?:\/\/)[a-z][^=>]{0,200}=)/iu;

const TAG_CHARS_MAX = 2000;
/** Removing inner tags can reveal outer ones. */
const ROUNDS_MAX = 5;

/** Removes comments and the content of scripts and styles from page text. */
export function withoutHiddenMarkup(text: string): string {
  return settled(text, (round) => stripped(round, false));
}

/** Removes comments and HTML tags from article text. Code stays unchanged. */
export function withoutMarkup(text: string): string {
  if (!text.includes('<')) return text;
  return settled(text, (round) =>
    round
      .split(/(^ {0,3}```[^\n]*\n[\s\S]*?^ {0,3}```|`[^`\n]+`)/m)
      .map((part, at) => (at % 2 === 1 ? part : stripped(part, true)))
      .join(''),
  );
}

function settled(text: string, strip: (text: string) => string): string {
  let before = text;
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const after = strip(before);
    if (after === before) return after;
    before = after;
  }
  // Deeper nesting is not meant for readers.
  return before.replace(/<(?=[a-z/!?])/gi, '‹');
}

function stripped(text: string, tagsToo: boolean): string {
  const lower = asciiLower(text);
  /** Remember failed searches, to keep the total cost linear. */
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
    const opens = text.indexOf('<', at);
    if (opens < 0) return kept + text.slice(at);
    kept += text.slice(at, opens);
    at = endOfMarkup(text, opens, find, tagsToo);
    if (at > opens) continue;
    kept += '<';
    at += 1;
  }
}

/** The end of the markup that starts here; the same position when there is none. */
function endOfMarkup(
  text: string,
  opens: number,
  find: (what: string, from: number) => number,
  tagsToo: boolean,
): number {
  if (text.startsWith('<!--', opens)) {
    const closes = find('-->', opens + 4);
    return closes < 0 ? opens + 4 : closes + 3;
  }
  const head = text.slice(opens, opens + TAG_CHARS_MAX);
  const silent = SILENT.exec(head)?.[1]?.toLowerCase();
  const closes = head.indexOf('>');
  const tag = head.slice(0, closes + 1);
  const isTag = (FORMAL.test(tag) || ELEMENT.test(tag)) && !PLACEHOLDER.test(tag);
  if (closes < 0 || !(silent || (tagsToo && isTag))) return opens;
  if (!silent || head[closes - 1] === '/') return opens + closes + 1;
  const closing = find(`</${silent}`, opens + closes + 1);
  if (closing < 0) return opens + closes + 1;
  const last = find('>', closing);
  return last < 0 ? text.length : last + 1;
}

/** Lowercases ASCII letters only, so that offsets stay the same. */
function asciiLower(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
