import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CHAT_LIMITS } from '../../contract/limits/chat.ts';
import { HANDOVER_LIMITS } from '../../contract/limits/handovers.ts';
import { BUCKETS } from '../../contract/limits/rate-limits.ts';
import { newId } from '../../server/base/ids.ts';
import type { Visitor } from '../support/decisions.ts';
import { ORIGIN } from '../support/harness.ts';
import { query } from '../support/other-program.ts';
import { expectError, readResponse } from '../support/response.ts';
import { closeTurn, openTurn } from '../support/stored-samples.ts';
import type { Team } from '../support/team.ts';
import { accept, deny, KNOWN, openShop, sendMessage, visit } from '../support/visitor-actions.ts';

/** No webhook is set up. */
const NOBODY = { mail: undefined, payload: undefined as never };

type Own = {
  handover_id: string;
  state: string;
  message: string;
  conversation_id?: string;
  replies: { text: string }[];
};
type Handover = {
  id: string;
  message: string;
  name?: string;
  assigneeId?: string;
  conversationId?: string;
  transcript?: { question: string; answer: string }[];
  replies: { text: string; createdBy: string }[];
  notes: { id: string; text: string }[];
};
type Page = { data: Handover[]; counts: { open: number; mine: number }; nextCursor?: string };

let team: Team;
let visitor: Visitor;
beforeEach(async () => {
  team = await openShop({ settings: { handover: { mode: 'when_needed', answerTime: 'within a day' } } });
  visitor = await visit(team);
});
afterEach(() => team.close());

const FORM = {
  message: 'My parcel is lost.',
  name: 'Ada Lovelace',
  email: 'ada@example.com',
  url: `${ORIGIN}/orders?token=secret#top`,
  locale: 'de-AT',
  shown_seconds: 20,
};

const post = (body: Record<string, unknown> = {}, headers: Record<string, string> = {}, who = visitor) =>
  readResponse<Own>(
    team.harness.fetch('/handovers', {
      json: { ...FORM, ...body },
      headers: { authorization: `Bearer ${who.jwt}`, ...headers },
    }),
  );
async function ask(body: Record<string, unknown> = {}, who = visitor): Promise<string> {
  const { status, json } = await post(body, {}, who);
  expect(status).toBe(201);
  return json.handover_id;
}
const listOwn = async (who = visitor) => {
  const headers = { authorization: `Bearer ${who.jwt}` };
  return (await readResponse<{ data: Own[] }>(team.harness.fetch('/handovers', { headers }))).json.data;
};
const list = async (search = '') => (await team.as('member').get<Page>(`/handovers${search}`)).json;
const read = (id: string) => team.as('admin').get<Handover>(`/handovers/${id}`);

describe('POST /handovers', () => {
  it('stores what the visitor wrote, without the query of the page', async () => {
    const id = await ask();
    expect((await read(id)).json).toEqual({
      id,
      state: 'open',
      message: 'My parcel is lost.',
      name: 'Ada Lovelace',
      email: 'ada@example.com',
      pageUrl: `${ORIGIN}/orders`,
      locale: 'de-AT',
      visitorId: team.harness.pseudonym(visitor),
      createdAt: expect.any(String),
      replies: [],
      notes: [],
    });
  });

  it('copies nothing of the conversation unless the visitor lists its answers', async () => {
    await sendMessage(team, visitor, 'c1', KNOWN);
    const id = await ask({ conversation_id: 'c1' });
    const { json, text } = await read(id);
    expect(json.conversationId).toBe('c1');
    expect(json.transcript).toBeUndefined();
    expect(text).not.toContain('password');
  });

  it('copies the listed answers with their questions, and keeps them when the conversation is deleted', async () => {
    const { messageId } = await sendMessage(team, visitor, 'c1', KNOWN);
    await sendMessage(team, visitor, 'c1', 'Is it safe?', { turn_idx: 1 });
    const id = await ask({ conversation_id: 'c1', transcript: [messageId] });
    await deny(team, visitor);
    const { json } = await read(id);
    expect(json.transcript).toEqual([
      { question: KNOWN, answer: expect.stringContaining('Forgot password') },
    ]);
    expect(json.conversationId).toBeUndefined();
  });

  it('cuts a transcript of 10 MB to the documented size', async () => {
    await sendMessage(team, visitor, 'c1', KNOWN);
    const { conversations } = team.harness.service.store.in(team.workspace.id);
    const visitorId = team.harness.pseudonym(visitor);
    const messageIds: string[] = [];
    for (let at = 1; at <= HANDOVER_LIMITS.turnsMax; at += 1) {
      const messageId = newId('msg');
      // The sweep interrupts turns that began long ago.
      const begun = {
        messageId,
        conversationId: 'c1',
        visitorId,
        turnIdx: at,
        askedAt: team.harness.clock.now(),
      };
      await conversations.openTurn(openTurn(begun), []);
      await conversations.closeTurn(closeTurn(messageId, { answer: 'ß'.repeat(500_000) }), []);
      messageIds.push(messageId);
    }
    const { json, text } = await read(await ask({ conversation_id: 'c1', transcript: messageIds }));
    expect(json.transcript!.map(({ answer }) => answer.length)).toEqual(
      messageIds.map(() => HANDOVER_LIMITS.answerCharsMax),
    );
    expect(text.length).toBeLessThan(100_000);
  });

  it('rejects a body of 10 MB', async () => {
    expectError(await post({ message: 'a'.repeat(10 * 1024 * 1024) }), 'request/too_large');
  });

  it('rejects conversations and answers of another visitor', async () => {
    const other = await visit(team);
    const { messageId } = await sendMessage(team, other, 'theirs', KNOWN);
    await sendMessage(team, visitor, 'mine', KNOWN);
    expectError(await post({ conversation_id: 'theirs' }), 'conversation/not_found');
    expectError(await post({ transcript: [messageId] }), 'conversation/not_found');
    expectError(await post({ conversation_id: 'mine', transcript: [messageId] }), 'message/not_found');
  });

  it('rejects forms that were filled in like a program does', async () => {
    expectError(await post({ website: 'https://spam.example' }), 'handover/automated');
    expectError(await post({ shown_seconds: 1 }), 'handover/automated');
    expect((await list()).data).toEqual([]);
  });

  it('returns the first handover for a repeated key, and rejects the key with another message', async () => {
    const headers = { 'idempotency-key': 'once' };
    const [first, second] = [await post({}, headers), await post({ shown_seconds: 25 }, headers)];
    expect(second.json).toEqual(first.json);
    expectError(await post({ message: 'Another' }, headers), 'request/idempotency_mismatch');
    expect((await list()).counts.open).toBe(1);
  });

  it('stores one handover when requests with the same key arrive at once', async () => {
    const answers = await Promise.all([1, 2, 3].map(() => post({}, { 'idempotency-key': 'once' })));
    expect(new Set(answers.map(({ json }) => json.handover_id)).size).toBe(1);
    expect((await list()).counts.open).toBe(1);
  });

  it('limits the questions of a visitor in an hour', async () => {
    for (let sent = 0; sent < BUCKETS['handover/visitor-hour'].points; sent += 1) await ask();
    expectError(await post(), 'rate_limit/exceeded');
  });

  it('stores a name with line breaks as one line, and no control characters', async () => {
    const id = await ask({ name: 'Ada\r\nBcc: all@example.com\u0000\u202e', message: 'a\r\nb\u0007' });
    const { json } = await read(id);
    expect(json.name).toBe('Ada Bcc: all@example.com');
    expect(json.message).toBe('a\nb');
  });

  it('stores HTML as the text that it is', async () => {
    const message = '<img src=x onerror=alert(1)>';
    expect((await read(await ask({ message, name: '<b>Ada</b>' }))).json).toMatchObject({ message });
  });

  it('rejects an address with a line break, a message without text, and a page of another origin', async () => {
    expectError(await post({ email: 'ada@example.com\r\nBcc: b@example.com' }), 'request/invalid');
    expectError(await post({ message: '\u200b\u200b' }), 'request/invalid');
    expectError(await post({ url: 'https://elsewhere.example/' }), 'chat/url_mismatch');
  });

  it('is rejected where the workspace takes no questions, and while the guide is paused', async () => {
    expect(visitor.config.handover).toMatchObject({ mode: 'when_needed', answer_time: 'within a day' });
    await team.harness.pause();
    expectError(await post(), 'guide/paused');
    await team.harness.pause(false);
    await team.as('owner').patch('', { handover: { mode: 'off', answerTime: null } });
    team.harness.clock.advance(5000);
    expectError(await post(), 'handover/off');
    expect((await visit(team)).config.handover).toBeUndefined();
  });
});

describe('an answer', () => {
  it('offers a person to a visitor who asks for one, also when it is read again', async () => {
    const { events } = await sendMessage(team, visitor, 'c1', 'I want to talk to a person');
    expect(events.at(-1)).toMatchObject({ type: 'message_end', offers_person: true });
    const headers = { authorization: `Bearer ${visitor.jwt}` };
    const { json } = await readResponse<{ turns: object[] }>(
      team.harness.fetch('/conversations/c1', { headers }),
    );
    expect(json.turns).toEqual([expect.objectContaining({ offers_person: true })]);
    expect(JSON.stringify(json)).toContain('people are there for you');
  });
});

describe('GET /handovers', () => {
  it("returns the visitor's own questions with replies, newest first, and no notes", async () => {
    const id = await ask();
    const other = await visit(team);
    await ask({}, other);
    team.harness.clock.advance(1000);
    await ask({ message: 'And another' });
    await team.as('member').post(`/handovers/${id}/replies`, { text: 'It arrives <b>today</b>.' });
    await team.as('member').post(`/handovers/${id}/notes`, { text: 'Be kind.' });
    const [newest, oldest] = await listOwn();
    expect(newest).toMatchObject({ message: 'And another', state: 'open', replies: [] });
    expect(oldest).toMatchObject({ handover_id: id, state: 'answered' });
    expect(oldest!.replies.map(({ text }) => text)).toEqual(['It arrives <b>today</b>.']);
    expect(JSON.stringify(oldest)).not.toContain('kind');
    expect(await listOwn(other)).toHaveLength(1);
  });
});

describe('handovers of a workspace', () => {
  it('are listed by state and assignee, newest first, page by page', async () => {
    const ids: string[] = [];
    for (const message of ['One', 'Two', 'Three']) {
      ids.unshift(await ask({ message }));
      team.harness.clock.advance(10);
    }
    const first = await list('?limit=2');
    expect(first.data.map(({ id }) => id)).toEqual(ids.slice(0, 2));
    expect((await list(`?cursor=${first.nextCursor}`)).data.map(({ id }) => id)).toEqual(ids.slice(2));
    const { memberId } = team.as('member');
    const changed = await team.as('owner').patch<Handover>(`/handovers/${ids[0]}`, { assigneeId: memberId });
    expect(changed.json.assigneeId).toBe(memberId);
    expect((await list('?for=me')).data.map(({ id }) => id)).toEqual([ids[0]]);
    expect((await list('?for=nobody')).data.map(({ id }) => id)).toEqual(ids.slice(1));
    await team.as('member').patch(`/handovers/${ids[0]}`, { state: 'closed', assigneeId: null });
    expect((await list('?state=closed')).data.map(({ id }) => id)).toEqual([ids[0]]);
    expect((await list()).counts).toEqual({ open: 2, mine: 0 });
  });

  it('become answered by a reply, which the audit names without its text', async () => {
    const id = await ask();
    const { status, json } = await team
      .as('member')
      .post<{ id: string }>(`/handovers/${id}/replies`, { text: 'Hello.' });
    expect(status).toBe(201);
    expect((await read(id)).json).toMatchObject({ state: 'answered', replies: [json] });
    const audit = await team.as('owner').get(`/audit?subject=${id}`);
    expect(audit.text).toContain('handover.replied');
    expect(audit.text).not.toContain('Hello.');
  });

  it('have notes, which their authors, owners and admins delete', async () => {
    const id = await ask();
    const add = (who: 'member' | 'admin') =>
      team.as(who).post<{ id: string }>(`/handovers/${id}/notes`, { text: 'Called.' });
    const [own, other] = [(await add('member')).json, (await add('admin')).json];
    const remove = (who: 'member' | 'owner', note: { id: string }) =>
      team.as(who).delete(`/handovers/${id}/notes/${note.id}`);
    expectError(await remove('member', other), 'tenant/role_required');
    expect((await remove('member', own)).status).toBe(200);
    expect((await remove('owner', other)).status).toBe(200);
    expectError(await remove('owner', other), 'handover/note_not_found');
  });

  it('reject more replies and notes than the limits', async () => {
    const id = await ask();
    const { handovers } = team.harness.service.store.in(team.workspace.id);
    const by = { handoverId: id, text: 'Again', createdAt: 1, createdBy: newId('mem') };
    const audit = { atMillis: 1, actor: by.createdBy, action: 'handover.replied', subject: id, details: {} };
    for (let at = 0; at < HANDOVER_LIMITS.repliesMax; at += 1)
      await handovers.reply(
        { ...by, id: newId('hor') },
        HANDOVER_LIMITS.repliesMax,
        {
          ...audit,
          id: newId('aud'),
        },
        NOBODY,
      );
    for (let at = 0; at < CHAT_LIMITS.notesMax; at += 1)
      await handovers.addNote({ ...by, id: newId('note') }, CHAT_LIMITS.notesMax);
    const member = team.as('member');
    expectError(await member.post(`/handovers/${id}/replies`, { text: 'Hi' }), 'handover/too_many_replies');
    expectError(await member.post(`/handovers/${id}/notes`, { text: 'Hi' }), 'handover/too_many_notes');
  });

  it('are unknown to other workspaces, whose members cannot be assigned', async () => {
    const id = await ask();
    const stranger = team.as('stranger');
    const path = `/api/tenants/${team.elsewhere.id}/handovers/${id}`;
    expectError(await stranger.get(path), 'handover/not_found');
    expectError(await stranger.patch(path, { state: 'closed' }), 'handover/not_found');
    expectError(await stranger.post(`${path}/replies`, { text: 'Hi' }), 'handover/not_found');
    expectError(await stranger.post(`${path}/notes`, { text: 'Hi' }), 'handover/not_found');
    expectError(await stranger.delete(`${path}/notes/${newId('note')}`), 'handover/note_not_found');
    const change = { assigneeId: stranger.memberId };
    expectError(await team.as('owner').patch(`/handovers/${id}`, change), 'member/not_found');
  });

  it('leave nothing of an erased visitor', async () => {
    await accept(team, visitor);
    const { messageId } = await sendMessage(team, visitor, 'c1', KNOWN);
    const id = await ask({ message: 'canary', conversation_id: 'c1', transcript: [messageId] });
    await team.as('member').post(`/handovers/${id}/replies`, { text: 'canary' });
    await team.as('member').post(`/handovers/${id}/notes`, { text: 'canary' });
    const headers = { authorization: `Bearer ${visitor.jwt}` };
    await team.harness.fetch('/visitor', { method: 'DELETE', headers });
    for (const table of ['handovers', 'handover_replies', 'handover_notes'])
      expect(await query(team.harness, `SELECT count(*) AS rows FROM ${table}`)).toEqual([{ rows: 0 }]);
  });

  it('are deleted when they are older than the retention', async () => {
    await ask();
    await team.as('owner').patch('', { retention: { conversationDays: 30 } });
    team.harness.clock.advance(31 * 86_400_000);
    await expect
      .poll(async () => {
        await team.harness.service.tick();
        return query(team.harness, 'SELECT count(*) AS rows FROM handovers');
      })
      .toEqual([{ rows: 0 }]);
  });
});
