import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createGuide, type Guide, type GuideOptions } from '../../client/sdk/index.ts';
import type { ChatEvent } from '../../contract/chat-event.ts';
import { type Harness, ORIGIN, openHarness, USER_AGENT } from '../support/harness.ts';

/** A visitor's journey from the first question to erasure, through the client SDK. */

describe('a visitor from Austria', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await openHarness();
  });
  afterAll(() => harness.close());

  const openPage = (path: string, options: Partial<GuideOptions> = {}): Guide =>
    createGuide({
      baseUrl: harness.baseUrl,
      appId: harness.appId,
      origin: ORIGIN,
      path,
      acceptLanguage: 'de-AT',
      headers: { 'user-agent': USER_AGENT },
      ...options,
    });

  async function ask(guide: Guide, message: string): Promise<ChatEvent[]> {
    const events: ChatEvent[] = [];
    const turn = { message, domDigest: 'main > h1 Hilfe', url: `${ORIGIN}/hilfe` };
    for await (const event of guide.chat(turn)) events.push(event as ChatEvent);
    return events;
  }

  it('asks, consents, continues on the next page, rates the answer and is erased on request', async () => {
    const first = openPage('/hilfe');
    const { consent_directive: directive, features } = await first.boot();
    expect(directive).toMatchObject({ mode: 'opt_in', reason: 'region_unknown', ask: true });
    expect(directive.ai_disclosure).toMatchObject({ required: true, locale: 'de' });
    expect(features.persist_visitor).toBe(false);

    const answer = await ask(first, 'Wie gebe ich eine Bestellung zurück?');
    const citation = answer.find((event) => event.type === 'citation');
    expect(citation).toMatchObject({
      title: 'Eine Bestellung zurückgeben',
      requested_locale: 'de-AT',
      content_locale: 'de',
      fallback_reason: 'base_language',
    });

    expect(await first.consent('accepted')).toEqual({ ok: true, recorded: true });
    expect(first.state?.features.persist_visitor).toBe(true);
    const { visitor_id: visitorId } = first.state!;
    const { conversationId } = first;
    first.close();

    const second = openPage('/kasse', { visitorId });
    await second.boot();
    expect(second.state?.visitor_id).toBe(visitorId);
    expect(second.state?.consent_directive).toMatchObject({ reason: 'prior_decision', ask: false });
    const sofar = await second.conversation(conversationId);
    expect(sofar.turns.map(({ message }) => message)).toEqual(['Wie gebe ich eine Bestellung zurück?']);
    const start = answer[0]!;
    if (start.type !== 'message_start') throw new Error('the stream began with something else');
    await second.rate(start.message_id, 'up');

    expect(await second.erase()).toMatchObject({ ok: true, conversations: 1, feedback: 1 });
    await expect(second.conversation(conversationId)).rejects.toMatchObject({
      code: 'conversation/not_found',
    });
    second.close();
  });

  it('chats after refusing consent and leaves nothing in storage', async () => {
    const guide = openPage('/hilfe');
    await guide.boot();
    expect(await guide.consent('denied')).toEqual({ ok: true, recorded: true });
    const answer = await ask(guide, 'Passwort vergessen');
    expect(answer.at(-1)).toMatchObject({ type: 'message_end', finish_reason: 'stop' });
    const visitorId = harness.pseudonym(guide.state!);
    const here = harness.service.store.in(harness.workspace.id);
    expect((await here.events.list(1000)).filter((row) => row.visitorId === visitorId)).toEqual([]);
    harness.clock.advance(24 * 3_600_000 + 60_000);
    for (let step = 0; step < 61; step++) await harness.service.tick();
    await expect(guide.conversation()).rejects.toMatchObject({ code: 'conversation/not_found' });
    guide.close();
  });
});
