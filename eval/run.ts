import { readFileSync } from 'node:fs';
import { type Seed, seeds } from '../test/fixtures/seeds.ts';
import { type Harness, openHarness } from '../test/harness.ts';
import { type Conversation, conversations } from './conversations.ts';
import { scoreTurn, type TurnScore } from './scoring.ts';

/** Runs every conversation against a real service over its public API and scores each turn. */
export async function runConversations(
  env: Readonly<Record<string, string>>,
  onTurn: (score: TurnScore) => void = () => {},
): Promise<TurnScore[]> {
  const scores: TurnScore[] = [];
  for (const about of ['desktop', 'shop'] as const) {
    const harness = await openHarness({ env, articles: about === 'shop' ? seeds : desktopArticles() });
    try {
      const slugs = await readSlugs(harness);
      for (const conversation of conversations.filter((one) => one.about === about)) {
        for (const score of await converse(harness, conversation, slugs)) {
          scores.push(score);
          onTurn(score);
        }
      }
    } finally {
      await harness.close();
    }
  }
  return scores;
}

let met = 0;

async function converse(
  harness: Harness,
  conversation: Conversation,
  slugs: ReadonlyMap<string, string>,
): Promise<TurnScore[]> {
  const headers = { 'accept-language': conversation.locale };
  const { jwt } = await harness.boot({}, headers);
  const scores: TurnScore[] = [];
  met += 1;
  for (const [turnIdx, turn] of conversation.turns.entries()) {
    const body = {
      message: turn.asks,
      conversation_id: `conv-of-eval-${met}`,
      turn_idx: turnIdx,
      dom_digest: 'main > h1 Help',
    };
    const events = await harness.ask(jwt, body, headers);
    scores.push(scoreTurn(conversation, turn, events, (articleId) => slugs.get(articleId) ?? articleId));
  }
  return scores;
}

async function readSlugs({ service, workspace }: Harness): Promise<Map<string, string>> {
  const articles = await service.store.in(workspace.id).articles.list(1000);
  return new Map(articles.map(({ id, slug }) => [id, slug]));
}

function desktopArticles(): Seed[] {
  const file = new URL('../server/demo/knowledge/gnome-help.jsonl', import.meta.url);
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Seed);
}
