import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Team } from '../accounts/team.ts';
import type { Visitor } from '../consent/decisions.ts';
import { analyticsOf, deny, KNOWN, openShop, rate, say, UNKNOWN, visit } from './visitor-actions.ts';

let team: Team;
let visitor: Visitor;
beforeEach(async () => {
  team = await openShop();
  visitor = await visit(team);
});
afterEach(() => team.close());

type Row = { messageId: string; conversationId: string; rating: string; comment?: string; at: string };
type Page<T> = { data: T[]; nextCursor?: string };

const feedback = async (query = '') => (await team.as('member').get<Page<Row>>(`/feedback${query}`)).json;
const commentsOf = async (query = '') => (await feedback(query)).data.map(({ comment }) => comment);
const found = async (query: Record<string, string>) => {
  const params = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  const { json } = await team.as('member').get<Page<{ id: string }>>(`/conversations?${params.join('&')}`);
  return json.data.map(({ id }) => id);
};

async function rated(conversation: string, rating: 'up' | 'down', comment?: string, by = visitor) {
  const { messageId } = await say(team, by, conversation, KNOWN, {}, { 'accept-language': 'de' });
  team.harness.clock.advance(10);
  const optional = comment === undefined ? {} : { comment };
  expect((await rate(team, by, { message_id: messageId, rating, ...optional })).status).toBe(200);
  return messageId;
}

describe('GET /feedback', () => {
  it('returns question, answer and rating, newest first', async () => {
    await rated('c1', 'up');
    const messageId = await rated('c2', 'down', 'Too long.');
    const { data, nextCursor } = await feedback();
    expect(nextCursor).toBeUndefined();
    expect(data[0]).toStrictEqual({
      messageId,
      conversationId: 'c2',
      rating: 'down',
      comment: 'Too long.',
      at: expect.any(String),
      question: KNOWN,
      answer: expect.stringMatching(/\w/),
      locale: 'de',
    });
    expect(data[1]).toMatchObject({ conversationId: 'c1', rating: 'up' });
    expect(data[1]).not.toHaveProperty('comment');
  });

  it('filters by rating, comment and time, and returns pages', async () => {
    await rated('c1', 'up', 'one');
    await rated('c2', 'down', 'two');
    await rated('c3', 'down');
    await rated('c4', 'up', 'four');
    expect(await commentsOf('?rating=up')).toStrictEqual(['four', 'one']);
    expect(await commentsOf('?commented=true')).toStrictEqual(['four', 'two', 'one']);
    expect(await commentsOf('?rating=down&commented=false')).toStrictEqual([undefined]);
    const { data } = await feedback();
    const [from, to] = [data[2]!, data[0]!].map(({ at }) => encodeURIComponent(at));
    expect(await commentsOf(`?from=${from}&to=${to}`)).toStrictEqual([undefined, 'two']);
    const paged: unknown[] = [];
    let cursor = '';
    do {
      const page = await feedback(`?commented=true&limit=1${cursor}`);
      paged.push(...page.data.map(({ comment }) => comment));
      cursor = page.nextCursor ? `&cursor=${page.nextCursor}` : '';
    } while (cursor);
    expect(paged).toStrictEqual(['four', 'two', 'one']);
  });

  it('omits visitors who refused and other workspaces', async () => {
    await deny(team, visitor);
    await rated('c1', 'down', 'Nobody reads this.');
    expect(await commentsOf()).toStrictEqual([]);
    await rated('c2', 'up', 'Somebody does.', await visit(team));
    expect(await commentsOf()).toStrictEqual(['Somebody does.']);
    const path = `/api/tenants/${team.elsewhere.id}/feedback`;
    expect((await team.as('stranger').get<Page<Row>>(path)).json.data).toStrictEqual([]);
  });
});

describe('GET /conversations by question and rating', () => {
  it('finds the conversation of an unanswered question in any turn', async () => {
    await say(team, visitor, 'c1', UNKNOWN);
    await say(team, visitor, 'c2', KNOWN);
    await say(team, visitor, 'c2', ` ${UNKNOWN.toUpperCase()}?`, { turn_idx: 1 });
    await say(team, visitor, 'c3', KNOWN);
    const [row] = (await analyticsOf(team)).unanswered;
    expect(row!.count).toBe(2);
    expect(await found({ question: row!.question, answered: 'false' })).toStrictEqual(['c2', 'c1']);
    expect(await found({ question: 'Something else' })).toStrictEqual([]);
  });

  it('filters by rating and by words in questions, answers and comments', async () => {
    await rated('c1', 'up', 'Très bien');
    await rated('c2', 'down');
    await say(team, visitor, 'c3', UNKNOWN);
    expect(await found({ rating: 'down' })).toStrictEqual(['c2']);
    expect(await found({ q: 'NORWAY submarines' })).toStrictEqual(['c3']);
    expect(await found({ q: 'tres' })).toStrictEqual(['c1']);
    expect(await found({ q: 'password', rating: 'up' })).toStrictEqual(['c1']);
    expect(await found({ q: 'bien norway' })).toStrictEqual([]);
  });
});
