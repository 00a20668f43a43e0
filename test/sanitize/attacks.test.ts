import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ChatEvent } from '../../contract/chat-event.ts';
import { type Seed, seeds } from '../fixtures/seeds.ts';
import { type Harness, ORIGIN, openHarness } from '../harness.ts';
import { createAttackerEngine } from './attacker-engine.ts';
import { type Attack, attacks, CANARY } from './attacks.ts';
import { forbiddenOn } from './wire-checker.ts';

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
