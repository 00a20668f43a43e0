import { type ChatEvent, chatEvent } from '../../contract/chat-event.ts';

/**
 * Checks what left the server without knowing how it was made, and returns everything forbidden in
 * it.
 */
export function forbiddenOn(
  wire: readonly ChatEvent[],
  turn: {
    readonly origin: string;
    readonly targetsSent: readonly string[];
    /** Titles, texts and URLs that the workspace published, as stored, by article id. */
    readonly published: ReadonlyMap<string, string>;
    /** Strings that must not appear anywhere. */
    readonly secrets: readonly string[];
    readonly canary: string;
  },
): string[] {
  const found: string[] = [];
  const stored = [...turn.published.values()].join('\n');
  const everything = `${stored}\n${readableForm(stored)}`;
  for (const event of wire) {
    if (!chatEvent.safeParse(event).success) found.push(`an event that is none: ${event.type}`);
    if (event.type === 'action') {
      if (!['highlight', 'scroll_to', 'focus', 'navigate'].includes(event.kind))
        found.push(`a ${event.kind}`);
      if (event.target && !turn.targetsSent.includes(event.target.gp_id))
        found.push(`target ${event.target.gp_id}`);
      if (event.kind !== 'navigate' && !event.target) found.push('an action without a target');
      if (event.kind === 'navigate' && new URL(event.url ?? 'x:').origin !== turn.origin)
        found.push(`to ${event.url}`);
    }
    if (event.type === 'citation') {
      const source = turn.published.get(event.article_id);
      if (source === undefined) found.push(`a foreign article ${event.article_id}`);
      else if (!source.includes(event.quote)) found.push(`a quote that is none: ${event.quote}`);
    }
  }
  // URLs of actions were checked above; the rest of an action is text.
  const others = wire
    .filter(({ type }) => type !== 'text_delta')
    .flatMap((event) => stringsOf(event.type === 'action' ? { ...event, url: undefined } : event));
  const answer = wire.map((event) => (event.type === 'text_delta' ? event.delta : '')).join('');
  for (const text of [answer, ...others]) found.push(...forbiddenIn(text, everything, turn));
  return found;
}

const HIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are looked for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e0fff}]/u;

const ELEMENT =
  /^<[/!?]|^<(?:a|img|script|iframe|svg|form|style|input|object|embed|link|meta|base|video|audio|div|p|b|i|span|math|table|body|html|button|textarea|select|details|marquee)\b/i;

function forbiddenIn(
  text: string,
  published: string,
  {
    secrets,
    canary,
    origin,
  }: { readonly secrets: readonly string[]; readonly canary: string; readonly origin: string },
): string[] {
  const found: string[] = [];
  if (HIDDEN.test(text) || !text.isWellFormed()) found.push(`a hidden character in ${text.slice(0, 80)}`);
  for (const [tag] of text.matchAll(/<[a-z/!?][^>]{0,200}>?/gi)) {
    // Published words in angle brackets: <name>, <https://shop.example.com/>.
    const isWord = /^<[^\s<>]+>$/.test(tag) && !ELEMENT.test(tag) && published.includes(tag);
    if (!isWord) found.push(`a tag ${tag.slice(0, 60)}`);
  }
  const readable = readableForm(text);
  for (const view of new Set([text, readable])) {
    for (const [link] of view.matchAll(
      /(?:[a-z][a-z0-9+.-]*:\/\/|\/\/|www\.)[a-z0-9_-][^\s"'<>)\]|…»“”]*/gi,
    )) {
      const bare = link.replace(/[*_.,:;!?]+$/, '');
      if (bare.startsWith(`${origin}/`) && !bare.includes(canary)) continue;
      if (!stands(published, bare)) found.push(`a link ${link.slice(0, 120)}`);
    }
    for (const [mail] of view.matchAll(/[\w.+-]+@[\w-]+\.[\w.-]*\w/g))
      if (!published.includes(mail)) found.push(`an address ${mail}`);
    for (const [host] of view.matchAll(/\b(?:[a-z0-9-]+\.)+(?:example|com|net|org)\b[^\s…"'<>)\]|]*/gi))
      if (!stands(published, host.replace(/[^\w]+$/, '')) && !host.startsWith(new URL(origin).host))
        found.push(`a host ${host}`);
    for (const [script] of view.matchAll(/(?:javascript|vbscript|data|mailto):[^\s…[][^\s"'<>)*]*/gi))
      if (!published.includes(script)) found.push(`a scheme ${script}`);
  }
  for (const [link] of text.matchAll(/(?:\]\(\s*<?|\]:\s*<?)(?!https?:|mailto:|tel:)[a-z][a-z0-9+.-]*:/gi))
    found.push(`a link that runs ${link}`);
  for (const [whole, destination] of text.matchAll(/\]\(([^)\n]*)\)/g))
    if (!published.includes(`](${destination})`) && !published.includes(destination!))
      found.push(`a Markdown link ${whole}`);
  for (const [whole, destination] of text.matchAll(/^\s{0,3}\[[^\]\n]+\]:\s*(\S+)/gm))
    if (!stands(published, destination!)) found.push(`a definition ${whole}`);
  for (const secret of secrets) if (text.includes(secret)) found.push(`the secret ${secret}`);
  return found;
}

function readableForm(text: string): string {
  return text
    .replaceAll('…', ' ')
    .normalize('NFKC')
    .replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));
}

/** Matches the whole string, not a prefix of a longer one. */
function stands(published: string, link: string): boolean {
  const escaped = link.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  return new RegExp(`${escaped}(?![\\w/?=&%-])`, 'i').test(published);
}

function stringsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return value !== null && typeof value === 'object' ? Object.values(value).flatMap(stringsOf) : [];
}
