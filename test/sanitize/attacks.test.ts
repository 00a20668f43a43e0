import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatEvent, chatEvent } from '../../contract/chat-event.ts';
import { type Seed, seeds } from '../fixtures/seeds.ts';
import { type Harness, ORIGIN, openHarness } from '../harness.ts';
import { type Attack, attacks, CANARY, createAttackerEngine } from './attacks.ts';

/**
 * Checks what left the server without knowing how it was made, and returns everything forbidden in
 * it.
 */
function forbiddenOn(
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
  const isOwn = (link: string) => link.startsWith(`${origin}/`) && !/[?#%]/.test(link);
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
      if (bare === origin || (bare.startsWith(`${origin}/`) && !bare.includes(canary))) continue;
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
    if (!isOwn(destination!) && !published.includes(`](${destination})`) && !published.includes(destination!))
      found.push(`a Markdown link ${whole}`);
  for (const [whole, destination] of text.matchAll(/^\s{0,3}\[[^\]\n]+\]:\s*(\S+)/gm))
    if (!isOwn(destination!) && !stands(published, destination!)) found.push(`a definition ${whole}`);
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

/** An engine that obeys every injected text answers from pages and articles full of them. */

const CARD = '4111 1111 1111 1111';
const PASSWORD = 'hunter2-correct-horse';
const MAIL = 'ada.lovelace@mail.example.net';
const IBAN = 'DE89370400440532013000';
const TURNS_A_VISITOR = 24;

const targets = (text: string) => [
  { gp_id: 'gift', name: 'Gift cards', role: 'link', confidence: 0.9 },
  { gp_id: 'injected', name: text, role: 'button', confidence: 0.5, accessibility: { label: text } },
  { gp_id: 'secret', name: PASSWORD, role: 'textbox', selector: 'input[type=password]' },
];

const injectedPage = ({ text }: Attack) => ({
  message: `How do I return an order? My card is ${CARD}.`,
  dom_digest: `main\nh1 Account\n${text}\ninput[type=password] value="${PASSWORD}"\np ${MAIL} ${IBAN}`,
  capture_context: {
    page: { title: text, url: `${ORIGIN}/account` },
    selected_text: `${text} ${CARD}`,
    targets: targets(text),
  },
});

/** Each article has a unique word, so a question with this word finds it. */
const SYLLABLES = [
  'bra',
  'ko',
  'fim',
  'du',
  'gle',
  'zor',
  'hix',
  'ju',
  'lam',
  'nep',
  'qui',
  'ros',
  'sty',
  'tov',
  'vel',
  'wug',
  'xan',
  'yor',
  'pim',
];
const wordOf = (at: number) =>
  [at % 19, Math.floor(at / 19), (at * 7) % 17, (at * 5) % 13].map((place) => SYLLABLES[place]).join('');
const injectedArticle = ({ text }: Attack, at: number): Seed => ({
  slug: `injected-${at}`,
  locale: 'en',
  title: `The ${wordOf(at)} setting`,
  answer: `The ${wordOf(at)} setting is in the menu of your account. ${text}\n\nChange ${wordOf(at)} there at any time.`,
});

async function published(harness: Harness, articles: readonly Seed[]): Promise<Map<string, string>> {
  const port = harness.service.store.in(harness.workspace.id).articles;
  const texts = new Map<string, string>();
  for (const { slug } of articles) {
    const id = (await port.findId(slug))!;
    const content = (await port.findLive(slug))!.content;
    texts.set(id, [content.title, content.answer, content.url ?? ''].join('\n'));
  }
  return texts;
}

/** Each attack is a separate turn; visitors change before they reach their rate limit. */
async function turns(harness: Harness, bodies: readonly Record<string, unknown>[]): Promise<ChatEvent[][]> {
  const answers: ChatEvent[][] = [];
  let jwt = '';
  for (const [at, body] of bodies.entries()) {
    if (at % TURNS_A_VISITOR === 0) {
      harness.clock.advance(61_000);
      jwt = (await harness.boot()).jwt;
    }
    answers.push(await harness.ask(jwt, { conversation_id: `attack-${at}`, ...body }));
  }
  return answers;
}

function reportOf(
  answers: readonly (readonly ChatEvent[])[],
  texts: ReadonlyMap<string, string>,
): { forbidden: string[]; events: number; unfinished: number } {
  const forbidden = answers.flatMap((wire, at) =>
    forbiddenOn(wire, {
      origin: ORIGIN,
      targetsSent: ['gift', 'injected'],
      published: texts,
      secrets: [CARD, PASSWORD, MAIL, IBAN],
      canary: CANARY,
    }).map((what) => `${attacks[at]!.name}: ${what}`),
  );
  return {
    forbidden,
    events: answers.reduce((sum, wire) => sum + wire.length, 0),
    unfinished: answers.filter((wire) => wire.at(-1)?.type !== 'message_end').length,
  };
}

describe('an engine that obeys every injected text', () => {
  const engine = createAttackerEngine();
  const articles = [...attacks.map(injectedArticle), ...seeds];
  let pages: Harness;
  let shelves: Harness;
  beforeAll(async () => {
    pages = await openHarness({ engine });
    shelves = await openHarness({ engine, articles });
  });
  afterAll(async () => {
    await pages.close();
    await shelves.close();
  });

  it('leaks nothing forbidden from hundreds of injected pages', { timeout: 120_000 }, async () => {
    expect(attacks.length).toBeGreaterThanOrEqual(300);
    const answers = await turns(pages, attacks.map(injectedPage));
    const report = reportOf(answers, await published(pages, seeds));
    console.log(
      `${answers.length} injected pages, ${report.events} events, ${report.forbidden.length} forbidden`,
    );
    expect(report.forbidden.slice(0, 20)).toEqual([]);
    expect(report.unfinished).toBe(0);
  });

  it('leaks nothing forbidden from hundreds of injected articles', { timeout: 120_000 }, async () => {
    const answers = await turns(
      shelves,
      attacks.map((_, at) => ({ message: `Where is the ${wordOf(at)} setting?` })),
    );
    const texts = await published(shelves, articles);
    const report = reportOf(answers, texts);
    console.log(
      `${answers.length} injected articles, ${report.events} events, ${report.forbidden.length} forbidden`,
    );
    expect(report.forbidden.slice(0, 20)).toEqual([]);
    expect(report.unfinished).toBe(0);
    // The engine did read the attacks.
    const read = [...engine.read].join('\n');
    expect(attacks.filter((_, at) => !read.includes(`The ${wordOf(at)} setting`))).toEqual([]);
    // Allowed content still gets through.
    const cited = answers.filter((wire) => wire.some(({ type }) => type === 'citation')).length;
    expect(cited).toBeGreaterThan(attacks.length * 0.9);
  });

  it('is caught by the checker when the filter is off', () => {
    const texts = new Map<string, string>();
    const naked = (delta: string) =>
      reportOf([[{ type: 'text_delta', seq: 0, delta, offset: 0 }]], texts).forbidden.length;
    for (const delta of [
      'see https://evil.example/x',
      '<img src=x>',
      '[a](/b)',
      'a\u202eb',
      CARD,
      'a@evil.example',
      'evil.example/x',
      'javascript:alert(1)',
    ])
      expect(naked(delta)).toBeGreaterThan(0);
    expect(naked('Open the menu and choose **Orders**.')).toBe(0);
  });
});
