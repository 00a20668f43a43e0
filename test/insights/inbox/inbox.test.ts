import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../../../server/base/ids.ts';
import { type Engine, EngineFailure } from '../../../server/engine/engine.ts';
import { createExtractiveEngine } from '../../../server/engine/extractive.ts';
import { GERMANY, type Visitor } from '../../support/decisions.ts';
import { expectError } from '../../support/response.ts';
import type { Team } from '../../support/team.ts';
import {
  accept,
  deny,
  KNOWN,
  openShop,
  rate,
  sendMessage,
  UNKNOWN,
  visit,
} from '../../support/visitor-actions.ts';

type Group = {
  id: string;
  state: string;
  asked: number;
  counts: { unanswered: number; ratedDown: number; lowConfidence: number };
  assigneeId?: string;
  articleId?: string;
  resolution?: { before: number; after: number };
  askedAgain?: { asked: number; answered: number };
  questions: { messageId: string; question: string; locale: string; kinds: string[]; comment?: string }[];
};
type Page = { data: Group[]; counts: Record<string, number>; nextCursor?: string };
type AskAgain = {
  group: Group;
  results: {
    question: string;
    before: { answered: boolean };
    after: { answered: boolean; articleId?: string };
  }[];
};

const extractive = createExtractiveEngine();

describe('the inbox', () => {
  let team: Team;
  let visitor: Visitor;
  beforeEach(async () => {
    team = await openShop();
    visitor = await visit(team);
  });
  afterEach(() => team.close());

  const list = async (query = '') => (await team.as('member').get<Page>(`/inbox${query}`)).json;
  const change = (id: string, body: object, role: 'admin' | 'member' = 'admin') =>
    team.as(role).patch<Group>(`/inbox/${id}`, body);
  async function collect(): Promise<void> {
    team.harness.clock.advance(61_000);
    await team.harness.service.tick();
  }
  /** Asks the questions and returns all groups. */
  async function ask(...questions: string[]): Promise<Group[]> {
    for (const [index, question] of questions.entries())
      await sendMessage(team, visitor, `c${index}`, question);
    await collect();
    return (await list()).data;
  }
  const memberIdOf = async (role: 'owner' | 'admin' | 'member') =>
    (await team.as('owner').get<{ data: { id: string; role: string }[] }>('/members')).json.data.find(
      (member) => member.role === role,
    )!.id;

  describe('collecting', () => {
    it('groups questions that differ only in case and punctuation', async () => {
      const groups = await ask(UNKNOWN, `${UNKNOWN.toLowerCase()} !`, 'Can I pay with cowrie shells?', KNOWN);
      expect(groups.map(({ asked, questions }) => [asked, questions[0]!.question])).toEqual([
        [2, `${UNKNOWN.toLowerCase()} !`],
        [1, 'Can I pay with cowrie shells?'],
      ]);
      expect(groups[0]).toMatchObject({
        state: 'open',
        counts: { unanswered: 2, ratedDown: 0, lowConfidence: 0 },
      });
      expect((await list()).counts).toEqual({
        open: 2,
        mine: 0,
        unanswered: 2,
        ratedDown: 0,
        lowConfidence: 0,
      });
    });

    it('adds an answer that is rated down later with its reasons and comment, and removes it when it is rated up', async () => {
      const { messageId } = await sendMessage(team, visitor, 'c1', KNOWN);
      await collect();
      expect((await list()).data).toEqual([]);
      const feedback = { comment: 'Too short.', reasons: ['incorrect', 'off_topic'] };
      await rate(team, visitor, { message_id: messageId, rating: 'down', ...feedback });
      await collect();
      const [group] = (await list('?kind=rated_down')).data;
      expect(group!.questions).toMatchObject([{ messageId, kinds: ['rated_down'], ...feedback }]);
      expect((await list('?kind=unanswered')).data).toEqual([]);
      await rate(team, visitor, { message_id: messageId, rating: 'up' });
      await collect();
      expect((await list()).data).toEqual([]);
    });

    it("adds another visitor's question to the existing group", async () => {
      const [group] = await ask(UNKNOWN);
      await sendMessage(team, await visit(team), 'c9', UNKNOWN);
      await collect();
      expect((await list()).data).toMatchObject([{ id: group!.id, asked: 2 }]);
    });

    it('leaves out visitors without consent, and removes those who refuse or are erased', async () => {
      const undecided = await visit(team, GERMANY);
      await sendMessage(team, undecided, 'c2', UNKNOWN);
      expect(await ask('Can I pay with cowrie shells?')).toHaveLength(1);
      await accept(team, undecided);
      await collect();
      expect((await list()).data).toHaveLength(2);
      await deny(team, undecided);
      expect((await list()).data).toMatchObject([{ asked: 1 }]);
      const headers = { authorization: `Bearer ${visitor.jwt}` };
      await team.harness.fetch('/visitor', { method: 'DELETE', headers });
      expect((await list()).data).toEqual([]);
    });
  });

  describe('GET /inbox', () => {
    it('pages in both orders without repeating a group', async () => {
      await ask(UNKNOWN, 'Can I pay with cowrie shells?', UNKNOWN, 'Who won the 1954 world cup?');
      for (const [order, first] of [
        ['asked', UNKNOWN],
        ['recent', 'Who won the 1954 world cup?'],
      ]) {
        const seen: Group[] = [];
        let cursor: string | undefined = '';
        while (cursor !== undefined) {
          const page: Page = await list(`?order=${order}&limit=1${cursor && `&cursor=${cursor}`}`);
          seen.push(...page.data);
          cursor = page.nextCursor;
        }
        expect(new Set(seen.map(({ id }) => id)).size).toBe(3);
        expect(seen[0]!.questions[0]!.question).toBe(first);
      }
      expectError(await team.as('member').get('/inbox?cursor=bm8'), 'request/invalid');
      expectError(await team.as('member').get('/inbox?colour=red'), 'request/invalid');
    });

    it('shows nothing of another workspace', async () => {
      const [group] = await ask(UNKNOWN);
      const other = await team.harness.addWorkspace();
      const path = `/api/tenants/${other.id}/inbox`;
      expectError(await team.as('owner').get(`/inbox/${newId('ibx')}`), 'inbox/not_found');
      expect(path).not.toContain(team.workspace.id);
      expect(await team.harness.service.store.in(other.id).inbox.find(group!.id)).toBeUndefined();
    });
  });

  describe('PATCH /inbox/{groupId}', () => {
    it('assigns, resolves and reopens, and counts questions asked since it was resolved', async () => {
      const [group] = await ask(UNKNOWN, UNKNOWN);
      const assigneeId = await memberIdOf('admin');
      expect((await change(group!.id, { assigneeId })).json).toMatchObject({ state: 'assigned', assigneeId });
      expect((await list('?state=assigned')).data).toHaveLength(1);
      expect((await list('?state=open')).data).toHaveLength(0);
      expect((await team.as('admin').get<Page>('/inbox?for=me')).json.counts).toMatchObject({ mine: 1 });
      expect((await list('?for=nobody')).data).toEqual([]);
      expect((await change(group!.id, { state: 'resolved' })).json).toMatchObject({
        state: 'resolved',
        resolution: { before: 2, after: 0 },
      });
      expect((await list()).data).toEqual([]);
      await sendMessage(team, visitor, 'c8', UNKNOWN);
      await collect();
      expect((await list()).data).toMatchObject([{ id: group!.id, resolution: { before: 2, after: 1 } }]);
    });

    it('keeps a dismissed group dismissed when it is asked again', async () => {
      const [group] = await ask(UNKNOWN);
      await change(group!.id, { state: 'dismissed' });
      expect(await ask(UNKNOWN)).toEqual([]);
      expect((await list('?state=dismissed')).data).toMatchObject([{ id: group!.id, asked: 2 }]);
    });

    it('audits who assigned, resolved and reopened a group, but no change without effect', async () => {
      const [group] = await ask(UNKNOWN);
      const assigneeId = await memberIdOf('admin');
      for (const body of [{ assigneeId }, { assigneeId }, { state: 'resolved' }, { state: 'open' }])
        await change(group!.id, body);
      type Row = { action: string; subject: string; details: string };
      const { json } = await team.as('owner').get<{ data: Row[] }>('/audit?action=inbox.');
      expect(json.data.map(({ action, details }) => [action, JSON.parse(details)])).toEqual([
        ['inbox.reopened', { before: { state: 'resolved' }, after: { state: 'open' } }],
        ['inbox.resolved', { before: { state: 'open' }, after: { state: 'resolved' } }],
        ['inbox.assigned', { before: { assigneeId: null }, after: { assigneeId } }],
      ]);
      expect(json.data.every(({ subject }) => subject === group!.id)).toBe(true);
    });

    it('rejects members, unknown groups, assignees and articles, and unknown fields', async () => {
      const [group] = await ask(UNKNOWN);
      expectError(await change(group!.id, { state: 'resolved' }, 'member'), 'tenant/role_required');
      expectError(await change(newId('ibx'), { state: 'resolved' }), 'inbox/not_found');
      expectError(await change(group!.id, { assigneeId: newId('mem') }), 'member/not_found');
      expectError(await change(group!.id, { articleId: newId('art') }), 'article/not_found');
      expectError(await change(group!.id, { colour: 'red' }), 'request/invalid');
    });
  });

  describe('POST /inbox/{groupId}/ask-again', () => {
    it('answers from an article published since, and stores the outcome', async () => {
      const [group] = await ask(UNKNOWN);
      const askAgain = () => team.as('admin').post<AskAgain>(`/inbox/${group!.id}/ask-again`);
      const first = (await askAgain()).json;
      expect(first.results).toMatchObject([
        { question: UNKNOWN, before: { answered: false }, after: { answered: false } },
      ]);
      expect(first.group.askedAgain).toMatchObject({ asked: 1, answered: 0 });
      const { id, revision } = (
        await team.as('admin').post<{ id: string; revision: number }>('/knowledge/articles', {
          title: 'Do you sell submarines in Norway?',
          answer: 'Yes, we sell submarines in Norway. Orders take a year.',
        })
      ).json;
      await team.as('admin').post(`/knowledge/articles/${id}/publish`, { baseRevision: revision });
      const linked = (await change(group!.id, { articleId: id })).json;
      expect(linked.articleId).toBe(id);
      const { results, group: after } = (await askAgain()).json;
      expect(results).toMatchObject([{ after: { answered: true, articleId: id } }]);
      expect(after.askedAgain).toMatchObject({ asked: 1, answered: 1 });
      expect((await list()).data[0]!.askedAgain).toMatchObject({ asked: 1, answered: 1 });
    });

    it('is rejected for unknown groups and while the guide is paused', async () => {
      const [group] = await ask(UNKNOWN);
      expectError(await team.as('admin').post(`/inbox/${newId('ibx')}/ask-again`), 'inbox/not_found');
      await team.harness.pause();
      expectError(await team.as('admin').post(`/inbox/${group!.id}/ask-again`), 'guide/paused');
    });

    it('returns a retryable error when the engine fails', async () => {
      await team.close();
      let isBroken = false;
      const engine: Engine = {
        name: 'llm',
        async *answer(question, signal) {
          if (isBroken) throw new EngineFailure('busy', 7);
          yield* extractive.answer(question, signal);
        },
      };
      team = await openShop({ engine });
      visitor = await visit(team);
      const [group] = await ask(UNKNOWN);
      isBroken = true;
      expectError(await team.as('admin').post(`/inbox/${group!.id}/ask-again`), 'chat/answer_broke_off');
    });

    it('records no conversation and no event', async () => {
      const [group] = await ask(UNKNOWN);
      const { events, conversations } = team.harness.service.store.in(team.workspace.id);
      const before = (await events.list(1000)).length;
      await team.as('admin').post(`/inbox/${group!.id}/ask-again`);
      expect((await events.list(1000)).length).toBe(before);
      expect(await conversations.listConversations(10)).toHaveLength(1);
      expectError(await team.as('member').post(`/inbox/${group!.id}/ask-again`), 'tenant/role_required');
    });
  });
});
