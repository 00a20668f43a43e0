import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Conversation } from '../../contract/chat.ts';
import { type ChatEvent, chatEvent } from '../../contract/chat-event.ts';
import type { ErrorBody } from '../../contract/errors.ts';
import { CHAT_LIMITS } from '../../contract/limits/chat.ts';
import type { PreviewReply } from '../../contract/preview.ts';
import { onSqlite } from '../support/cluster/harness-cluster.ts';
import { eventsOf, type Harness, ORIGIN, openHarness, question, textOf } from '../support/harness.ts';
import { seeds } from '../support/seeds.ts';
import { openTeam, type Team } from '../support/team.ts';

type Of<T extends ChatEvent['type']> = Extract<ChatEvent, { type: T }>;

function only<T extends ChatEvent['type']>(events: readonly ChatEvent[], type: T): Of<T>[] {
  return events.filter((event): event is Of<T> => event.type === type);
}

const first = <T extends ChatEvent['type']>(events: readonly ChatEvent[], type: T): Of<T> =>
  only(events, type)[0]!;

describe('POST /chat', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await openHarness();
  });
  afterAll(() => harness.close());

  it('streams events with consecutive seq and exactly one terminal event', async () => {
    const { jwt } = await harness.boot();
    const response = await harness.fetch('/chat', {
      json: question(),
      headers: { authorization: `Bearer ${jwt}` },
    });
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
    expect(response.headers.get('x-accel-buffering')).toBe('no');
    expect(response.headers.get('cache-control')).toContain('no-transform');
    const stream = await response.text();
    const events = eventsOf(stream);
    for (const event of events) expect(() => chatEvent.parse(event)).not.toThrow();
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index));
    expect(events[0]?.type).toBe('message_start');
    const terminal = events.filter(({ type }) => type === 'message_end' || type === 'error');
    expect(terminal).toEqual([events.at(-1)]);
    const messageId = first(events, 'message_start').message_id;
    const frames = stream.split('\n\n').filter((block) => block.startsWith('event: '));
    for (const [index, block] of frames.entries()) {
      const [name, id, data, ...more] = block.split('\n');
      expect(name).toBe(`event: ${events[index]!.type}`);
      expect(id).toBe(`id: ${messageId}:${index}`);
      expect(data).toMatch(/^data: \{/);
      expect(more).toEqual([]);
    }
  });

  it('quotes the published text verbatim with correct offsets', async () => {
    const { jwt } = await harness.boot();
    const events = await harness.ask(jwt, { message: 'For how long does the link work?' });
    const answer = [...textOf(events)];
    const source = seeds.find(({ slug }) => slug === 'reset-password')!;
    expect(only(events, 'citation').length).toBeGreaterThan(0);
    for (const citation of only(events, 'citation')) {
      expect(source.answer).toContain(citation.quote);
      expect(answer.slice(citation.start, citation.end).join('')).toBe(citation.quote);
      expect(citation).toMatchObject({
        title: source.title,
        revision: 1,
        content_locale: 'en',
        stale: false,
        url: source.url,
      });
    }
    expect(textOf(events)).toContain('The link works for one hour and only once.');
    const end = first(events, 'message_end');
    expect(end).toMatchObject({ finish_reason: 'stop', text_length: answer.length, next_turn_idx: 1 });
    expect(end.answer_confidence).toBeGreaterThan(0.3);
  });

  it("answers in the visitor's language, or gives the fallback reason", async () => {
    const { jwt } = await harness.boot();
    const german = await harness.ask(
      jwt,
      { message: 'Wie kann ich mein Passwort zurücksetzen?', conversation_id: 'de' },
      { 'accept-language': 'de-AT,de;q=0.9,en;q=0.5' },
    );
    expect(first(german, 'citation')).toMatchObject({
      requested_locale: 'de-AT',
      content_locale: 'de',
      fallback_reason: 'base_language',
      title: 'Passwort zurücksetzen',
    });
    expect(first(german, 'citation').translation_id).toMatch(/^tr_/);
    const exact = await harness.ask(
      jwt,
      { message: 'Como redefinir a senha?', conversation_id: 'pt' },
      { 'accept-language': 'pt-BR' },
    );
    expect(first(exact, 'citation')).toMatchObject({ content_locale: 'pt-BR', requested_locale: 'pt-BR' });
    expect(first(exact, 'citation')).not.toHaveProperty('fallback_reason');
    const source = await harness.ask(
      jwt,
      { message: 'How long does delivery abroad take?', conversation_id: 'fr' },
      { 'accept-language': 'fr' },
    );
    expect(first(source, 'citation')).toMatchObject({
      content_locale: 'en',
      fallback_reason: 'source_article',
    });
  });

  it.each(['', '*', '*;q=0.5', 'not a tag', ';;;', 'de;q=0'])(
    'names one requested locale in all events of an answer for Accept-Language "%s"',
    async (header) => {
      const { jwt } = await harness.boot();
      const turn = { message: 'For how long does the link work?', conversation_id: `any-${header.length}` };
      const events = await harness.ask(jwt, turn, { 'accept-language': header });
      expect(first(events, 'message_start').requested_locale).toBe('en');
      expect(only(events, 'citation').map((cited) => cited.requested_locale)).toContain('en');
      expect(new Set(only(events, 'citation').map((cited) => cited.requested_locale)).size).toBe(1);
    },
  );

  it('answers no_knowledge with the nearest articles when nothing matches', async () => {
    const { jwt } = await harness.boot();
    const events = await harness.ask(jwt, { message: 'Who won the chess olympiad in 1972?' });
    expect(first(events, 'message_end')).toMatchObject({ finish_reason: 'no_knowledge', citation_count: 0 });
    expect(only(events, 'citation')).toEqual([]);
    const german = await harness.ask(
      jwt,
      { message: 'Wer gewann 1972 die Schacholympiade?', conversation_id: 'de-2' },
      { 'accept-language': 'de' },
    );
    expect(textOf(german)).toContain('nichts gefunden');
  });

  it('suggests a few articles, never the cited one', async () => {
    const { jwt } = await harness.boot();
    const events = await harness.ask(jwt, { message: 'How do I return an order?' });
    const cited = first(events, 'citation').title;
    const titles = only(events, 'suggestions').flatMap(({ items }) => items.map(({ title }) => title));
    expect(titles).not.toContain(cited);
    expect(titles.length).toBeLessThanOrEqual(3);
  });

  it('marks the language of suggestions that have no text in the language of the visitor', async () => {
    const { jwt } = await harness.boot();
    const greeted = await harness.ask(jwt, { message: 'Bonjour' }, { 'accept-language': 'fr' });
    const titles = only(greeted, 'suggestions').flatMap(({ items }) => items.map(({ title }) => title));
    expect(titles).toEqual(titles.map(() => expect.stringMatching(/ \(anglais\)$/)));
    expect(titles.length).toBeGreaterThan(0);
  });

  it('proposes the target that the question names', async () => {
    const { jwt } = await harness.boot();
    const targets = [
      { gp_id: 'orders', name: 'Your orders', role: 'link', confidence: 0.8, in_viewport: true },
      {
        gp_id: 'gift',
        name: 'Gift cards',
        role: 'link',
        confidence: 0.9,
        in_viewport: false,
        document_bbox: { x: 10, y: 2000, width: 80, height: 20 },
      },
    ];
    const events = await harness.ask(jwt, {
      message: 'Where are the gift cards?',
      capture_context: { targets },
    });
    expect(first(events, 'action')).toMatchObject({
      kind: 'scroll_to',
      target: { gp_id: 'gift', label: 'Gift cards', confidence: 0.9, document_bbox: { y: 2000 } },
    });
    const without = await harness.ask(jwt, {
      message: 'Where are the gift cards?',
      conversation_id: 'no-targets',
    });
    expect(only(without, 'action')).toEqual([]);
  });

  it('rejects page URLs of another origin and invalid ones', async () => {
    const { jwt } = await harness.boot();
    const send = (url: string) =>
      harness.fetch('/chat', { json: question({ url }), headers: { authorization: `Bearer ${jwt}` } });
    expect(await (await send('https://other.example/account')).json()).toMatchObject({
      error: 'chat/url_mismatch',
    });
    expect(await (await send('http://shop.example.com/')).json()).toMatchObject({
      error: 'chat/url_mismatch',
    });
    const none = await (await send('not an address')).json();
    expect(none).toMatchObject({ error: 'request/invalid', issues: [{ path: 'body.url' }] });
  });

  it('rejects messages that are invisible or too long', async () => {
    const { jwt } = await harness.boot();
    for (const message of ['', '  \n\t ', 'x'.repeat(CHAT_LIMITS.messageCharsMax + 1)]) {
      const response = await harness.fetch('/chat', {
        json: question({ message }),
        headers: { authorization: `Bearer ${jwt}` },
      });
      const error = (await response.json()) as ErrorBody;
      expect(error.error).toBe('request/invalid');
      const paths = error.issues?.map(({ path }) => path);
      expect(new Set(paths)).toEqual(new Set(['body.message']));
    }
  });
});

describe('conversations', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await openHarness();
  });
  afterAll(() => harness.close());

  it('keeps a conversation id that is new or belongs to the visitor', async () => {
    const { jwt } = await harness.boot();
    for (const [turnIdx, message] of ['How do I return an order?', 'And gift cards?'].entries()) {
      const events = await harness.ask(jwt, { message, conversation_id: 'mine', turn_idx: turnIdx });
      const start = first(events, 'message_start');
      expect(start).toMatchObject({
        conversation_id: 'mine',
        conversation_rotated: false,
        turn_idx: turnIdx,
      });
      expect(first(events, 'message_end').next_turn_idx).toBe(turnIdx + 1);
    }
  });

  it('rotates conversation ids of other visitors without revealing whose they are', async () => {
    const [a, b] = [await harness.boot(), await harness.boot()];
    await harness.ask(a.jwt, { conversation_id: 'taken' });
    const start = first(await harness.ask(b.jwt, { conversation_id: 'taken', turn_idx: 7 }), 'message_start');
    expect(start).toMatchObject({
      conversation_rotated: true,
      previous_conversation_id: 'taken',
      turn_idx: 0,
    });
    expect(start.conversation_id).toMatch(/^conv_/);
    const again = first(await harness.ask(a.jwt, { conversation_id: 'taken', turn_idx: 1 }), 'message_start');
    expect(again.conversation_rotated).toBe(false);
  });

  it('returns a conversation to its own visitor only', async () => {
    const [a, b] = [await harness.boot(), await harness.boot()];
    const events = await harness.ask(a.jwt, {
      conversation_id: 'readable',
      message: 'How do I return an order?',
    });
    const read = (jwt: string, id: string) =>
      harness.fetch(`/conversations/${id}`, { headers: { authorization: `Bearer ${jwt}` } });
    const conversation = (await (await read(a.jwt, 'readable')).json()) as Conversation;
    expect(conversation).toMatchObject({ conversation_id: 'readable', next_turn_idx: 1 });
    expect(conversation.turns).toEqual([
      expect.objectContaining({
        message: 'How do I return an order?',
        answer: textOf(events),
        state: 'complete',
        finish_reason: 'stop',
        citations: only(events, 'citation'),
      }),
    ]);
    const foreign = (await (await read(b.jwt, 'readable')).json()) as ErrorBody;
    const missing = (await (await read(b.jwt, 'never-was')).json()) as ErrorBody;
    expect({ ...foreign, request_id: '' }).toEqual({ ...missing, request_id: '' });
    expect(foreign.error).toBe('conversation/not_found');
  });

  it('stores the last rating of an own answer and rejects others', async () => {
    const [a, b] = [await harness.boot(), await harness.boot()];
    const { message_id } = first(await harness.ask(a.jwt, { conversation_id: 'rated' }), 'message_start');
    const rate = (jwt: string, json: object) =>
      harness.fetch('/feedback', { json, headers: { authorization: `Bearer ${jwt}` } });
    expect(await (await rate(a.jwt, { message_id, rating: 'down', comment: 'Too short' })).json()).toEqual({
      ok: true,
    });
    expect(await (await rate(a.jwt, { message_id, rating: 'up' })).json()).toEqual({ ok: true });
    const headers = { authorization: `Bearer ${a.jwt}` };
    expect(await (await harness.fetch('/conversations/rated', { headers })).json()).toMatchObject({
      turns: [{ message_id, rating: 'up' }],
    });
    expect(await (await rate(b.jwt, { message_id, rating: 'up' })).json()).toMatchObject({
      error: 'message/not_found',
    });
  });

  it('stores the reasons of a bad rating, and rejects reasons that are unknown, repeated or with a good one', async () => {
    const { jwt } = await harness.boot();
    const { message_id } = first(await harness.ask(jwt, { conversation_id: 'reasons' }), 'message_start');
    const headers = { authorization: `Bearer ${jwt}` };
    const rate = async (rating: string, reasons: unknown) => {
      const response = await harness.fetch('/feedback', { json: { message_id, rating, reasons }, headers });
      const { issues } = (await response.json()) as { issues?: { path: string; message: string }[] };
      return { status: response.status, issues };
    };
    expect(await rate('down', ['off_topic', 'incorrect'])).toEqual({ status: 200 });
    for (const reasons of [[], ['rude'], ['outdated', 'outdated'], 'outdated']) {
      const { status, issues } = await rate('down', reasons);
      expect([status, issues?.[0]?.path.startsWith('body.reasons')], String(reasons)).toEqual([400, true]);
    }
    expect(await rate('up', ['outdated'])).toMatchObject({
      status: 400,
      issues: [{ path: 'body', message: 'There is no field "reasons" here.' }],
    });
  });

  it('deletes conversations when the visitor is erased', async () => {
    const { jwt } = await harness.boot();
    const { message_id } = first(await harness.ask(jwt, { conversation_id: 'to-erase' }), 'message_start');
    const auth = { authorization: `Bearer ${jwt}` };
    await harness.fetch('/feedback', { json: { message_id, rating: 'up' }, headers: auth });
    const erased = await harness.fetch('/visitor', { method: 'DELETE', headers: auth });
    expect(await erased.json()).toMatchObject({ ok: true, conversations: 1, feedback: 1 });
  });

  // The test reads the files of SQLite.
  it.runIf(onSqlite)('leaves no text in the database files after erasure', async () => {
    const { jwt, visitor_id } = await harness.boot();
    await harness.ask(jwt, { conversation_id: 'words', message: 'Quillfeather wants a new password' });
    const filesWith = (text: string) => {
      const { file } = harness.config.database;
      return [file, `${file}-wal`].filter((name) => readFileSync(name).includes(text)).length;
    };
    expect(filesWith('Quillfeather')).toBeGreaterThan(0);
    await harness.fetch('/visitor', { method: 'DELETE', headers: { authorization: `Bearer ${jwt}` } });
    const pseudonym = harness.pseudonym({ visitor_id });
    // The database's log is cleared by the first tick during which no other job reads.
    await expect
      .poll(async () => {
        await harness.service.tick();
        return [filesWith('Quillfeather'), filesWith(pseudonym)];
      })
      .toEqual([0, 0]);
  });
});

describe('isolation between workspaces', () => {
  it("never answers from another workspace's articles", async () => {
    const harness = await openHarness();
    const other = await harness.addWorkspace({ allowedOrigins: [ORIGIN] });
    const { jwt } = await harness.boot({ app_id: other.appId });
    const events = await harness.ask(jwt, { message: 'How do I reset my password?' });
    expect(first(events, 'message_end').finish_reason).toBe('no_knowledge');
    expect(JSON.stringify(events)).not.toContain('sign-in page');
    await harness.close();
  });

  it('neither continues nor replaces a conversation id that another workspace uses', async () => {
    const harness = await openHarness();
    const other = await harness.addWorkspace({ allowedOrigins: [ORIGIN] });
    const visitors = [await harness.boot(), await harness.boot({ app_id: other.appId })];
    const answers = [];
    for (const { jwt } of visitors) answers.push(await harness.ask(jwt, { conversation_id: 'same' }));
    for (const events of answers) {
      expect(first(events, 'message_start')).toMatchObject({
        conversation_id: 'same',
        conversation_rotated: false,
      });
    }
    for (const { jwt } of visitors) {
      const headers = { authorization: `Bearer ${jwt}` };
      const read = await harness.fetch('/conversations/same', { headers });
      expect(((await read.json()) as { turns: unknown[] }).turns).toHaveLength(1);
    }
    const headers = { authorization: `Bearer ${visitors[1]!.jwt}` };
    const erased = await harness.fetch('/visitor', { method: 'DELETE', headers });
    expect(await erased.json()).toMatchObject({ conversations: 1 });
    const otherHeaders = { authorization: `Bearer ${visitors[0]!.jwt}` };
    expect((await harness.fetch('/conversations/same', { headers: otherHeaders })).status).toBe(200);
    await harness.close();
  });
});

const CONTACT = {
  email: 'help@shop.example',
  url: 'https://shop.example/contact_(us)?from=guide',
  phone: '+43 1 234 5678',
};
const PERSON = 'I want to talk to a person';
const UNKNOWN = 'Who won the chess olympiad in 1972?';

describe('contact', () => {
  let team: Team;
  beforeAll(async () => {
    team = await openTeam();
    await team.as('admin').patch('', { contact: CONTACT });
    team.harness.clock.advance(1001);
  });
  afterAll(() => team.close());

  async function ask(message: string, language = 'en'): Promise<readonly ChatEvent[]> {
    const { jwt } = await team.harness.boot();
    const body = { message, conversation_id: `${language}-${message.length}` };
    return team.harness.ask(jwt, body, { 'accept-language': language });
  }

  describe('the contact of a workspace', () => {
    it.each([
      ['en', PERSON, 'stop'],
      ['de', 'Ich möchte mit einem Menschen sprechen', 'stop'],
      ['en', UNKNOWN, 'no_knowledge'],
      ['de', 'Wer gewann 1972 die Schacholympiade?', 'no_knowledge'],
    ])('is named in full in %s when a visitor says "%s"', async (language, message, finishReason) => {
      const events = await ask(message, language);
      expect(events.at(-1)).toMatchObject({ type: 'message_end', finish_reason: finishReason });
      for (const way of Object.values(CONTACT)) expect(textOf(events)).toContain(way);
    });

    it('is not named in answers from articles', async () => {
      expect(textOf(await ask('How do I reset my password?'))).not.toContain(CONTACT.email);
    });

    it.each([PERSON, UNKNOWN])('is named in the preview of "%s"', async (message) => {
      const { json } = await team.as('member').post<PreviewReply>('/preview', { message, locale: 'en' });
      for (const way of Object.values(CONTACT)) expect(json.answer).toContain(way);
    });
  });

  describe('a workspace without a contact', () => {
    it('leaves no placeholder in its answer to visitors who want a person', async () => {
      const plain = await openTeam();
      try {
        const { jwt } = await plain.harness.boot();
        const answer = textOf(await plain.harness.ask(jwt, { message: PERSON }, { 'accept-language': 'en' }));
        expect(answer).not.toContain('You can reach the team here');
        expect(answer).not.toMatch(/undefined|\{contact\}/);
      } finally {
        await plain.close();
      }
    });
  });
});
