import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ChatEvent } from '../../contract/chat-event.ts';
import type { PreviewReply } from '../../contract/preview.ts';
import { openTeam, type Team } from '../accounts/team.ts';

const CONTACT = {
  email: 'help@shop.example',
  url: 'https://shop.example/contact_(us)?from=guide',
  phone: '+43 1 234 5678',
};
const PERSON = 'I want to talk to a person';
const UNKNOWN = 'Who won the chess olympiad in 1972?';

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

const textOf = (events: readonly ChatEvent[]) =>
  events.flatMap((event) => (event.type === 'text_delta' ? [event.delta] : [])).join('');

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
  it('says so to visitors who want a person', async () => {
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
