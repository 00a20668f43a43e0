import { readFileSync } from 'node:fs';
import { type Seed, seeds } from '../test/fixtures/seeds.ts';
import { type Harness, openHarness } from '../test/harness.ts';
import { type Conversation, conversations } from './conversations.ts';
import { judge, type Verdict } from './judge.ts';

/** Runs every conversation against a real service over its public API and judges each turn. */
export async function runConversations(
  env: Readonly<Record<string, string>>,
  onTurn: (verdict: Verdict) => void = () => {},
): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  for (const about of ['desktop', 'shop'] as const) {
    const harness = await openHarness({ env, articles: about === 'shop' ? seeds : desktopArticles() });
    try {
      const slugs = await slugsOf(harness);
      for (const conversation of conversations.filter((one) => one.about === about)) {
        for (const verdict of await converse(harness, conversation, slugs)) {
          verdicts.push(verdict);
          onTurn(verdict);
        }
      }
    } finally {
      await harness.close();
    }
  }
  return verdicts;
}

let met = 0;

async function converse(
  harness: Harness,
  conversation: Conversation,
  slugs: ReadonlyMap<string, string>,
): Promise<Verdict[]> {
  const headers = { 'accept-language': conversation.locale };
  const { jwt } = await harness.boot({}, headers);
  const verdicts: Verdict[] = [];
  met += 1;
  for (const [turnIdx, turn] of conversation.turns.entries()) {
    const body = {
      message: turn.asks,
      conversation_id: `conv-of-eval-${met}`,
      turn_idx: turnIdx,
      dom_digest: 'main > h1 Help',
    };
    const events = await harness.ask(jwt, body, headers);
    verdicts.push(judge(conversation, turn, events, (articleId) => slugs.get(articleId) ?? articleId));
  }
  return verdicts;
}

async function slugsOf({ service, workspace }: Harness): Promise<Map<string, string>> {
  const articles = await service.store.in(workspace.id).articles.list(1000);
  return new Map(articles.map(({ id, slug }) => [id, slug]));
}

function desktopArticles(): Seed[] {
  const file = new URL('../server/demo/knowledge/gnome-help.jsonl', import.meta.url);
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Seed);
}
