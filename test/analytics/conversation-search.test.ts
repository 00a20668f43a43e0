import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listConversations } from '../../server/analytics/conversations.ts';
import { newId } from '../../server/ids.ts';
import type { Team } from '../accounts/team.ts';
import { closeTurn, openTurn } from '../storage/samples.ts';
import { openShop } from './visitor-actions.ts';

const TURNS = 45;

let team: Team;
const conversations = () => team.harness.service.store.in(team.workspace.id).conversations;

/** The rating and comment belong to the first turn. */
async function talk(
  conversationId: string,
  turns: readonly (readonly [question: string, answer: string])[],
  ratings: readonly (readonly ['up' | 'down', comment?: string])[] = [],
): Promise<void> {
  const visitorId = newId('vp');
  const now = team.harness.clock.now();
  for (const [turnIdx, [question, answer]] of turns.entries()) {
    const askedAt = now + turnIdx;
    const turn = openTurn({ conversationId, visitorId, turnIdx, question, askedAt });
    await conversations().openTurn(turn, []);
    await conversations().closeTurn(closeTurn(turn.messageId, { answer, finishedAt: askedAt }), []);
    const [rating, comment] = ratings[turnIdx] ?? [];
    const { messageId } = turn;
    const given = { id: newId('evt'), messageId, visitorId, atMillis: askedAt };
    if (rating) await conversations().rate({ ...given, rating, ...(comment ? { comment } : {}) }, []);
  }
}

beforeAll(async () => {
  team = await openShop();
  const long = Array.from({ length: TURNS }, (_, at) => [`Question ${at}?`, `Answer ${at}.`] as const);
  await talk('long', [...long, ['Où est la CRÈME brûlée?', 'Dans la cuisine.']]);
  await talk('two', [
    ['Where is my order?', 'On its way.'],
    ['And the kitchen?', 'Next door.'],
  ]);
  const rated = [['up', 'Merci beaucoup'], ['down']] as const;
  await talk(
    'rated',
    [
      ['Why?', 'Because.'],
      ['How?', 'Like this.'],
    ],
    rated,
  );
});
afterAll(() => team.close());

type Page = { data: { id: string }[] };
async function idsOf(query: Record<string, string>): Promise<string[]> {
  const path = `/conversations?${new URLSearchParams(query)}`;
  const { json } = await team.as('member').get<Page>(path);
  return json.data.map(({ id }) => id).toSorted();
}

describe('listConversations with a text filter', () => {
  it.each([
    [{ q: 'creme BRULÉE' }, ['long']],
    [{ q: 'cuisine question' }, []],
    [{ q: 'kitchen' }, ['two']],
    [{ q: 'merci' }, ['rated']],
    [{ q: 'because beaucoup' }, ['rated']],
    [{ q: 'Question 44' }, ['long']],
    [{ question: 'question 44' }, ['long']],
    [{ question: 'question' }, []],
    [{ rating: 'up' }, ['rated']],
    [{ rating: 'down' }, ['rated']],
    // Different turns of a conversation may match the different filters.
    [{ q: 'because', question: 'how', rating: 'down' }, ['rated']],
    [{ q: 'kitchen', question: 'where is my order!' }, ['two']],
    [{ q: 'kitchen', rating: 'up' }, []],
    [{ q: '\u0301' }, ['long', 'rated', 'two']],
  ])('returns the matches of %j', async (query, ids) => {
    expect(await idsOf(query)).toEqual(ids);
  });

  /** Counts how often a search lets other requests run. */
  async function turnsOfOthers(filter: { q?: string; question?: string }): Promise<number> {
    let turns = 0;
    await listConversations({ limit: 10, ...filter }, conversations(), async () => {
      turns += 1;
    });
    return turns;
  }

  it('lets other requests run while it searches long conversations', async () => {
    expect(await turnsOfOthers({ q: 'nowhere' })).toBeGreaterThan(TURNS / 10);
  });

  it('stops reading a conversation at the first match', async () => {
    const early = await turnsOfOthers({ question: 'Question 3' });
    expect(await turnsOfOthers({ question: 'Question 43' })).toBeGreaterThan(early);
  });
});
