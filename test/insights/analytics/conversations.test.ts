import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CHAT_LIMITS } from '../../../contract/limits/chat.ts';
import { newId } from '../../../server/base/ids.ts';
import { listConversations } from '../../../server/insights/conversations.ts';
import { GERMANY, type Visitor } from '../../support/decisions.ts';
import { expectError } from '../../support/response.ts';
import { closeTurn, openTurn } from '../../support/stored-samples.ts';
import type { Person, Team } from '../../support/team.ts';
import {
  accept,
  analyticsOf,
  deny,
  KNOWN,
  openShop,
  rate,
  sendMessage,
  UNKNOWN,
  visit,
} from '../../support/visitor-actions.ts';

type Listed = { id: string; visitorId: string; startedAt: string; [field: string]: unknown };
type Page = { data: Listed[]; nextCursor?: string };
type Note = { id: string; text: string };
type Transcript = { conversation: Listed; turns: Record<string, unknown>[]; notes: Note[] };

type FeedbackRow = {
  messageId: string;
  conversationId: string;
  rating: string;
  comment?: string;
  at: string;
};
type PageOf<T> = { data: T[]; nextCursor?: string };

describe('conversations and feedback', () => {
  let team: Team;
  let visitor: Visitor;
  beforeEach(async () => {
    team = await openShop();
    visitor = await visit(team);
  });
  afterEach(() => team.close());

  const list = async (query = '') => (await team.as('member').get<Page>(`/conversations${query}`)).json;
  const idsOf = async (query = '') => (await list(query)).data.map(({ id }) => id);
  const read = (id: string) => team.as('admin').get<Transcript>(`/conversations/${id}`);
  const now = () => new Date(team.harness.clock.now()).toISOString();

  describe('GET /conversations', () => {
    it('returns the first question, outcome and rating of each conversation, newest first', async () => {
      const before = now();
      await sendMessage(team, visitor, 'c1', UNKNOWN, {}, { 'accept-language': 'de' });
      const { messageId } = await sendMessage(team, visitor, 'c1', KNOWN, { turn_idx: 1 });
      await rate(team, visitor, { message_id: messageId, rating: 'up' });
      await sendMessage(team, visitor, 'c2', KNOWN, {}, { 'accept-language': 'en' });
      const { data, nextCursor } = await list();
      expect(nextCursor).toBeUndefined();
      expect(data.map(({ id }) => id)).toEqual(['c2', 'c1']);
      expect(data[0]).toEqual({
        id: 'c2',
        visitorId: team.harness.pseudonym(visitor),
        startedAt: expect.any(String),
        lastAt: data[0]!.startedAt,
        turns: 1,
        locale: 'en',
        firstMessage: KNOWN,
        answered: true,
      });
      expect(data[1]).toMatchObject({
        turns: 2,
        locale: 'de',
        firstMessage: UNKNOWN,
        answered: false,
        rating: 'up',
      });
      const { startedAt, lastAt } = data[1]!;
      const inTime = [before, startedAt, lastAt, now()];
      expect(inTime).toEqual(inTime.toSorted());
    });

    it('filters by time, visitor, language and whether the question was answered', async () => {
      const other = await visit(team);
      await sendMessage(team, visitor, 'a', KNOWN, {}, { 'accept-language': 'de' });
      team.harness.clock.advance(1000);
      const between = now();
      team.harness.clock.advance(1000);
      await sendMessage(team, other, 'b', UNKNOWN);
      await sendMessage(team, visitor, 'c', KNOWN);
      expect(await idsOf(`?from=${between}`)).toEqual(['c', 'b']);
      expect(await idsOf(`?to=${between}`)).toEqual(['a']);
      expect(await idsOf(`?visitorId=${team.harness.pseudonym(visitor)}`)).toEqual(['c', 'a']);
      expect(await idsOf('?locale=DE')).toEqual(['a']);
      expect(await idsOf('?answered=true')).toEqual(['c', 'a']);
      expect(await idsOf('?answered=false')).toEqual(['b']);
      const [, b] = (await list()).data;
      expect(await idsOf(`?from=${b!.startedAt}&to=${b!.startedAt}`)).toEqual([]);
      expect(await idsOf(`?visitorId=${newId('vp')}`)).toEqual([]);
    });

    it('returns each row once while conversations are added, even with equal timestamps', async () => {
      const { conversations } = team.harness.service.store.in(team.workspace.id);
      const askedAt = team.harness.clock.now();
      const ids = Array.from({ length: 60 }, (_, at) => `conv-${String(at).padStart(2, '0')}`);
      for (const [at, conversationId] of ids.entries()) {
        const turn = openTurn({ conversationId, askedAt: askedAt + Math.floor(at / 7) });
        await conversations.openTurn(turn, []);
        const finishReason = at % 10 === 0 ? 'no_knowledge' : 'stop';
        await conversations.closeTurn(closeTurn(turn.messageId, { finishReason }), []);
      }
      for (const filter of ['', '&answered=true', '&answered=false']) {
        const listed: string[] = [];
        let cursor = '';
        do {
          const page = await list(`?limit=6${filter}${cursor}`);
          expect(page.data.length).toBeLessThanOrEqual(6);
          listed.push(...page.data.map(({ id }) => id));
          cursor = page.nextCursor ? `&cursor=${page.nextCursor}` : '';
          await sendMessage(team, visitor, `later-${listed.length}`, KNOWN);
        } while (cursor);
        const isWanted = (_: string, at: number) =>
          filter === '' || (at % 10 === 0) === (filter === '&answered=false');
        expect(listed.filter((id) => id.startsWith('conv-'))).toEqual(ids.filter(isWanted).reverse());
      }
    });

    it('pages through conversations from before 1970', async () => {
      const { conversations } = team.harness.service.store.in(team.workspace.id);
      const ids = ['a', 'b', 'c'].map((name) => `${name}-${newId('conv')}`);
      for (const [at, conversationId] of ids.entries()) {
        const turn = openTurn({
          conversationId,
          visitorId: team.harness.pseudonym(visitor),
          askedAt: at - 86_400_000,
        });
        await conversations.openTurn(turn, []);
        await conversations.closeTurn(closeTurn(turn.messageId, { finishedAt: turn.askedAt }), []);
      }
      const listed: string[] = [];
      let cursor = '';
      do {
        const page = await list(`?limit=1${cursor}`);
        listed.push(...page.data.map(({ id }) => id));
        cursor = page.nextCursor ? `&cursor=${page.nextCursor}` : '';
      } while (cursor);
      expect(listed).toEqual(ids.toReversed());
    });

    it('accepts only plain digits as a limit', async () => {
      for (const limit of ['0x10', '1e2', '%201', '1.0', '']) {
        const response = await team.as('owner').get(`/conversations?limit=${limit}`);
        const { issues } = expectError(response, 'request/invalid');
        expect(issues, limit).toMatchObject([{ path: 'query.limit' }]);
      }
    });

    it('rejects cursors that it did not issue', async () => {
      const encode = (text: string) => Buffer.from(text).toString('base64url');
      for (const cursor of ['AAAA', encode('noon c1'), encode('12 '), encode(`12 ${'x'.repeat(257)}`)]) {
        const body = expectError(
          await team.as('owner').get(`/conversations?cursor=${cursor}`),
          'request/invalid',
        );
        expect(body.issues).toMatchObject([{ path: 'query.cursor', code: 'invalid_cursor' }]);
      }
    });
  });

  describe('GET /conversations/:id', () => {
    it('returns the turns with their sources and ratings', async () => {
      const german = { 'accept-language': 'de-AT' };
      const { messageId } = await sendMessage(team, visitor, 'c1', KNOWN, {}, german);
      await rate(team, visitor, {
        message_id: messageId,
        rating: 'down',
        comment: 'Too long',
        reasons: ['incorrect'],
      });
      await sendMessage(team, visitor, 'c1', UNKNOWN, { turn_idx: 1 });
      const { status, json } = await read('c1');
      expect(status).toBe(200);
      expect(json.conversation).toEqual((await list()).data[0]);
      expect(json.turns).toMatchObject([
        {
          turnIdx: 0,
          messageId,
          message: KNOWN,
          state: 'complete',
          finishReason: 'stop',
          rating: 'down',
          comment: 'Too long',
          reasons: ['incorrect'],
        },
        { turnIdx: 1, message: UNKNOWN, state: 'complete', finishReason: 'no_knowledge', citations: [] },
      ]);
      expect(json.turns[1]).not.toHaveProperty('rating');
      expect(json.turns[0]!.answer).not.toBe('');
      const [cited] = json.turns[0]!.citations as Record<string, unknown>[];
      expect(cited).toMatchObject({
        articleId: expect.stringMatching(/^art_/),
        translationId: expect.stringMatching(/^tr_/),
        title: 'Passwort zurücksetzen',
        contentLocale: 'de',
        fallbackReason: 'base_language',
        stale: false,
      });
    });

    it('returns the text of an interrupted answer', async () => {
      const { conversations } = team.harness.service.store.in(team.workspace.id);
      const turn = openTurn({ visitorId: team.harness.pseudonym(visitor), conversationId: 'broken' });
      await conversations.openTurn(turn, []);
      const { json } = await read('broken');
      expect(json.conversation).toMatchObject({ answered: false });
      expect(json.turns).toMatchObject([{ state: 'running', answer: '', citations: [] }]);
      expect(json.turns[0]).not.toHaveProperty('finishReason');
      expect(json.turns[0]).not.toHaveProperty('finishedAt');
    });

    it('returns only the sources of the last attempt of a restarted answer', async () => {
      const { conversations } = team.harness.service.store.in(team.workspace.id);
      const { events } = await sendMessage(team, visitor, 'c1', KNOWN);
      const cited = events.filter(({ type }) => type === 'citation');
      const turn = openTurn({ visitorId: team.harness.pseudonym(visitor), conversationId: 'again' });
      await conversations.openTurn(turn, []);
      const retry = { type: 'text_replace', seq: 9, text: '', reason: 'retry' };
      const frames = [...cited, retry, ...cited].map((event) => JSON.stringify(event));
      await conversations.closeTurn(closeTurn(turn.messageId, { frames }), []);
      const { json } = await read('again');
      expect(json.turns[0]!.citations).toHaveLength(cited.length);
      expect(cited.length).toBeGreaterThan(0);
    });

    it('returns 404 for unknown, foreign and non-consented conversations', async () => {
      const denier = await visit(team);
      await sendMessage(team, denier, 'denied', KNOWN);
      await deny(team, denier);
      await sendMessage(team, visitor, 'c1', KNOWN);
      const answers = [await read('unknown'), await read('denied')];
      answers.push(await team.as('stranger').get(`/api/tenants/${team.elsewhere.id}/conversations/c1`));
      const bodies = answers.map((response) => expectError(response, 'conversation/not_found'));
      expect(new Set(bodies.map(({ message }) => message)).size).toBe(1);
      const theirs = await team.as('stranger').get<Page>(`/api/tenants/${team.elsewhere.id}/conversations`);
      expect(theirs.json).toEqual({ data: [] });
      const path = `/api/tenants/${team.elsewhere.id}/conversations?visitorId=${team.harness.pseudonym(visitor)}`;
      expect((await team.as('stranger').get<Page>(path)).json).toEqual({ data: [] });
    });
  });

  describe('notes on a conversation', () => {
    const add = (who: Person, text = 'Called back.', id = 'c1') =>
      team.as(who).post<Note>(`/conversations/${id}/notes`, { text });
    const remove = (who: Person, noteId: string) => team.as(who).delete(`/conversations/c1/notes/${noteId}`);
    const notesOf = async (id = 'c1') => (await read(id)).json.notes;

    beforeEach(async () => {
      await sendMessage(team, visitor, 'c1', KNOWN);
    });

    it('are read with the conversation, oldest first', async () => {
      const { status, json } = await add('member');
      expect(status).toBe(201);
      await add('owner', 'Sent a card.');
      expect(await notesOf()).toEqual([json, expect.objectContaining({ text: 'Sent a card.' })]);
    });

    it('are deleted by their author, or by owners and admins', async () => {
      const [own, other] = [(await add('member')).json, (await add('admin')).json];
      expectError(await remove('member', other.id), 'tenant/role_required');
      expect((await remove('member', own.id)).status).toBe(200);
      expect((await remove('owner', other.id)).status).toBe(200);
      expectError(await remove('owner', other.id), 'conversation/note_not_found');
      expect(await notesOf()).toEqual([]);
    });

    it('are rejected for unknown conversations, for visitors who denied storage, and above the limit', async () => {
      expectError(await add('owner', 'Hello?', 'c2'), 'conversation/not_found');
      const { conversationNotes } = team.harness.service.store.in(team.workspace.id);
      const fields = { conversationId: 'c1', text: 'Again', createdAt: 1, createdBy: newId('mem') };
      for (let at = 0; at < CHAT_LIMITS.notesMax; at += 1)
        await conversationNotes.add({ ...fields, id: newId('note') }, CHAT_LIMITS.notesMax);
      expectError(await add('owner'), 'conversation/too_many_notes');
      await deny(team, visitor);
      expectError(await add('owner'), 'conversation/not_found');
    });

    it('are gone once the visitor is erased', async () => {
      await add('owner');
      const headers = { authorization: `Bearer ${visitor.jwt}` };
      await team.harness.fetch('/visitor', { method: 'DELETE', headers });
      const { conversationNotes } = team.harness.service.store.in(team.workspace.id);
      expect(await conversationNotes.list('c1')).toEqual([]);
    });
  });

  describe('conversations of visitors without consent', () => {
    it('appear after the visitor agrees and disappear after the visitor refuses', async () => {
      const silent = await visit(team, GERMANY);
      await sendMessage(team, silent, 'c1', KNOWN);
      expect(await idsOf()).toEqual([]);
      await accept(team, silent);
      expect(await idsOf()).toEqual(['c1']);
      await deny(team, silent);
      expect(await idsOf()).toEqual([]);
      expect((await read('c1')).status).toBe(404);
    });

    it('disappear after the visitor is erased', async () => {
      await sendMessage(team, visitor, 'c1', KNOWN);
      const headers = { authorization: `Bearer ${visitor.jwt}` };
      await team.harness.fetch('/visitor', { method: 'DELETE', headers });
      expect(await idsOf()).toEqual([]);
      expect((await read('c1')).status).toBe(404);
    });
  });

  const feedback = async (query = '') =>
    (await team.as('member').get<PageOf<FeedbackRow>>(`/feedback${query}`)).json;
  const commentsOf = async (query = '') => (await feedback(query)).data.map(({ comment }) => comment);
  const found = async (query: Record<string, string>) => {
    const params = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
    const { json } = await team
      .as('member')
      .get<PageOf<{ id: string }>>(`/conversations?${params.join('&')}`);
    return json.data.map(({ id }) => id);
  };

  async function rated(
    conversation: string,
    rating: 'up' | 'down',
    comment?: string,
    by = visitor,
    reasons?: string[],
  ) {
    const { messageId } = await sendMessage(team, by, conversation, KNOWN, {}, { 'accept-language': 'de' });
    team.harness.clock.advance(10);
    const optional = comment === undefined ? {} : { comment };
    expect((await rate(team, by, { message_id: messageId, rating, reasons, ...optional })).status).toBe(200);
    return messageId;
  }

  describe('GET /feedback', () => {
    it('returns question, answer and rating, newest first', async () => {
      await rated('c1', 'up');
      const messageId = await rated('c2', 'down', 'Too long.', visitor, ['off_topic']);
      const { data, nextCursor } = await feedback();
      expect(nextCursor).toBeUndefined();
      expect(data[0]).toStrictEqual({
        messageId,
        conversationId: 'c2',
        rating: 'down',
        comment: 'Too long.',
        reasons: ['off_topic'],
        at: expect.any(String),
        question: KNOWN,
        answer: expect.stringMatching(/\w/),
        locale: 'de',
      });
      expect(data[1]).toMatchObject({ conversationId: 'c1', rating: 'up' });
      expect(data[1]).not.toHaveProperty('comment');
      expect(data[1]).not.toHaveProperty('reasons');
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
      expect((await team.as('stranger').get<PageOf<FeedbackRow>>(path)).json.data).toStrictEqual([]);
    });
  });

  describe('GET /conversations by question and rating', () => {
    it('finds the conversation of an unanswered question in any turn', async () => {
      await sendMessage(team, visitor, 'c1', UNKNOWN);
      await sendMessage(team, visitor, 'c2', KNOWN);
      await sendMessage(team, visitor, 'c2', ` ${UNKNOWN.toUpperCase()}?`, { turn_idx: 1 });
      await sendMessage(team, visitor, 'c3', KNOWN);
      const [row] = (await analyticsOf(team)).unanswered;
      expect(row!.count).toBe(2);
      expect(await found({ question: row!.question, answered: 'false' })).toStrictEqual(['c2', 'c1']);
      expect(await found({ question: 'Something else' })).toStrictEqual([]);
    });

    it('filters by rating and by words in questions, answers and comments', async () => {
      await rated('c1', 'up', 'Très bien');
      await rated('c2', 'down');
      await sendMessage(team, visitor, 'c3', UNKNOWN);
      expect(await found({ rating: 'down' })).toStrictEqual(['c2']);
      expect(await found({ q: 'NORWAY submarines' })).toStrictEqual(['c3']);
      expect(await found({ q: 'tres' })).toStrictEqual(['c1']);
      expect(await found({ q: 'password', rating: 'up' })).toStrictEqual(['c1']);
      expect(await found({ q: 'bien norway' })).toStrictEqual([]);
    });
  });
});

const TURNS = 45;
describe('listConversations with a text filter', () => {
  let team: Team;
  const conversations = () => team.harness.service.store.in(team.workspace.id).conversations;

  /** Stores a conversation. Each rating belongs to the turn at the same index. */
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
      const ratingRow = { id: newId('evt'), messageId, visitorId, atMillis: askedAt };
      if (rating) await conversations().rate({ ...ratingRow, rating, ...(comment ? { comment } : {}) }, []);
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

  async function idsOf(query: Record<string, string>): Promise<string[]> {
    const path = `/conversations?${new URLSearchParams(query)}`;
    const { json } = await team.as('member').get<{ data: { id: string }[] }>(path);
    return json.data.map(({ id }) => id).toSorted();
  }

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
