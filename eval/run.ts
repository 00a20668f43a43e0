/** Asks a real service every turn over its public API, and the owners' search for the same messages. */
import { setTimeout as delay } from 'node:timers/promises';
import type { ChatEvent } from '../contract/chat-event.ts';
import { type Harness, openHarness } from '../test/support/harness.ts';
import { joinAs, type MemberClient } from '../test/support/team.ts';
import { CORPORA, type CorpusName, readArticles } from './corpora.ts';
import type { ModelProxy } from './model-proxy.ts';
import { type Articles, indexArticles, scoreTurn, type TurnScore } from './score.ts';
import { type Conversation, type PageTarget, readConversations, type Turn } from './turns.ts';

type RunOptions = {
  /** Environment variables of the service. */
  env?: Readonly<Record<string, string>>;
  half?: string | undefined;
  category?: string | undefined;
  corpora?: readonly CorpusName[] | undefined;
  /** Asks only every nth conversation. */
  every?: number;
  /** Records requests to the model, if the service uses one. */
  proxy?: ModelProxy | undefined;
  onTurn?(score: TurnScore): void;
};

export async function runConversations(options: RunOptions = {}): Promise<TurnScore[]> {
  const { half, category, corpora = CORPORA, every = 1 } = options;
  const chosen = readConversations().filter(
    (conversation) =>
      (half === undefined || conversation.half === half) &&
      (category === undefined || conversation.turns.some((turn) => turn.category === category)),
  );
  const scores: TurnScore[] = [];
  for (const corpus of corpora) {
    const corpusConversations = chosen
      .filter((conversation) => conversation.corpus === corpus)
      .filter((_, at) => at % every === 0);
    if (corpusConversations.length === 0) continue;
    scores.push(...(await runCorpus(corpus, corpusConversations, options)));
  }
  return scores.filter((score) => category === undefined || score.turn.category === category);
}

async function runCorpus(
  corpus: CorpusName,
  conversations: readonly Conversation[],
  { env = {}, proxy, onTurn }: RunOptions,
): Promise<TurnScore[]> {
  const seeds = readArticles(corpus);
  const harness = await openHarness({ env, articles: seeds });
  try {
    await learnDictionaries(harness);
    if (harness.config.embeddings) await embedTexts(harness);
    const articles = indexArticles(seeds, await readSlugs(harness));
    const owner = await joinAs(harness, harness.workspace, 'owner');
    const scores: TurnScore[] = [];
    for (const [number, conversation] of conversations.entries()) {
      for await (const score of converse({ harness, owner, articles, proxy }, conversation, number)) {
        scores.push(score);
        onTurn?.(score);
      }
    }
    return scores;
  } finally {
    await harness.close();
  }
}

const SETTLING_ROUNDS_MAX = 10;
const POLL_MILLIS = 20;

/** Advances the clock until dictionaries are learned from the published texts. */
async function learnDictionaries({ service, clock, logged }: Harness): Promise<void> {
  for (let round = 0; round < SETTLING_ROUNDS_MAX; round += 1) {
    clock.advance(10_000);
    await service.tick();
    if (logged.some(({ msg }) => msg === 'dictionaries learned')) return;
  }
  throw new Error('No dictionaries were learned.');
}

/** Waits until all texts are embedded. */
async function embedTexts({ service, clock, logged }: Harness): Promise<void> {
  const isDone = (line: Harness['logged'][number]) =>
    line.msg === 'texts embedded' && line.total === line.passages;
  while (!logged.some(isDone)) {
    if (logged.some(({ msg }) => msg === 'could not embed texts'))
      throw new Error('Texts were not embedded.');
    clock.advance(10_000);
    await service.tick();
    await delay(POLL_MILLIS);
  }
}

type RunContext = {
  harness: Harness;
  owner: MemberClient;
  articles: Articles;
  proxy: ModelProxy | undefined;
};

async function* converse(
  { harness, owner, articles, proxy }: RunContext,
  conversation: Conversation,
  number: number,
): AsyncGenerator<TurnScore> {
  const { locale, turns } = conversation;
  const headers = { 'accept-language': locale };
  const { jwt } = await harness.boot({}, headers);
  for (const [turnIdx, turn] of turns.entries()) {
    // Stays below the rate limits.
    harness.clock.advance(1000);
    const body = {
      message: turn.asks,
      conversation_id: `conv-of-eval-${number}`,
      turn_idx: turnIdx,
      dom_digest: 'main > h1 Help',
      ...capturePage(conversation, turn),
    };
    proxy?.takeSent();
    const events: ChatEvent[] = await harness.ask(jwt, body, headers);
    const sent = proxy?.takeSent();
    const found = await searchSlugs(owner, turn, locale);
    yield scoreTurn({ conversation, turnIdx, turn, events, found, articles, sent });
  }
}

/** Returns the slugs of the articles that owners' search finds, best first. */
async function searchSlugs(owner: MemberClient, { asks }: Turn, locale: string): Promise<string[]> {
  const query = new URLSearchParams({ q: asks, locale, limit: '5' });
  const { status, json } = await owner.get<{ data: { slug: string }[] }>(`/knowledge/search?${query}`);
  if (status !== 200) throw new Error(`search responded with HTTP ${status} for ${asks}`);
  return json.data.map(({ slug }) => slug);
}

function capturePage({ pages }: Conversation, { page }: Turn): Record<string, unknown> {
  if (page === undefined) return {};
  const targets = pages[page];
  if (!targets) throw new Error(`There is no page ${page}.`);
  return { capture_context: { page: { title: page }, targets: targets.map(toCaptureTarget) } };
}

const ROW_PIXELS = 40;

function toCaptureTarget({ id, role, name }: PageTarget, index: number) {
  const bbox = { x: 20, y: 20 + index * ROW_PIXELS, width: 160, height: 30 };
  return {
    gp_id: id,
    selector: `#${id}`,
    role,
    name,
    viewport_bbox: bbox,
    document_bbox: bbox,
    confidence: 0.9,
    in_viewport: true,
  };
}

async function readSlugs({ service, workspace }: Harness): Promise<Map<string, string>> {
  const articles = await service.store.in(workspace.id).articles.list(1000);
  return new Map(articles.map(({ id, slug }) => [id, slug]));
}
