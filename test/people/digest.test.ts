import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Visitor } from '../support/decisions.ts';
import { ORIGIN } from '../support/harness.ts';
import { type MailServer, openMailServer } from '../support/mail-server.ts';
import { query } from '../support/other-program.ts';
import { readResponse } from '../support/response.ts';
import type { Team } from '../support/team.ts';
import { accept, openShop, sendMessage, UNKNOWN, visit } from '../support/visitor-actions.ts';

/** The weekly mail to members. */

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

let server: MailServer;
let team: Team;
let visitor: Visitor;
/** The addresses of members by id. */
let emails: Map<string, string>;
beforeEach(async () => {
  server = await openMailServer();
  team = await openShop({
    settings: { handover: { mode: 'always' } },
    env: {
      ...{ TRUSTED_PROXIES: 'loopback', EDGE_PROVIDER: 'cloudflare' },
      ...{ SMTP_URL: server.url, MAIL_FROM: 'guide@shop.example', PUBLIC_URL: 'https://guide.example' },
    },
  });
  const { data } = (await team.as('owner').get<{ data: { id: string; email: string }[] }>('/members')).json;
  emails = new Map(data.map(({ id, email }) => [id, email]));
});
afterEach(async () => {
  await team.close();
  await server.close();
});

const tick = async (millis = HOUR) => {
  team.harness.clock.advance(millis);
  await team.harness.service.tick();
};
/** Moves on to the given hour (UTC) of the next Monday. */
const toMonday = (hour: number) => {
  const now = new Date(team.harness.clock.now());
  const days = (8 - now.getUTCDay()) % 7 || 7;
  const then = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + days, hour);
  return tick(then - now.getTime());
};
/** Ends the week in which the test begins. */
async function startWeek(): Promise<void> {
  await toMonday(7);
  visitor = await visit(team);
}
async function askPerson(message = 'secret question'): Promise<void> {
  const json = { message, email: 'ada@example.com', url: `${ORIGIN}/`, locale: 'en', shown_seconds: 20 };
  const headers = { authorization: `Bearer ${visitor.jwt}` };
  expect((await team.harness.fetch('/handovers', { json, headers })).status).toBe(201);
}
const stored = () => team.harness.service.store.in(team.workspace.id).digests;
const digests = () => server.mails.filter(({ subject }) => subject?.startsWith('The week in'));

describe('the weekly mail', () => {
  it('counts what waits, once a week, for each member, without a word of a visitor', async () => {
    await startWeek();
    await accept(team, visitor);
    await sendMessage(team, visitor, 'c1', UNKNOWN);
    await askPerson();
    await askPerson();
    await expect
      .poll(async () => {
        await tick(60_000);
        return (await query(team.harness, 'SELECT message_id FROM inbox_questions')).length;
      })
      .toBe(1);
    await toMonday(5);
    expect(digests()).toEqual([]);
    await tick();
    await tick();
    expect(server.recipients.flat().sort()).toEqual([...emails.values()].sort());
    const [mail] = digests();
    for (const text of [
      'New questions without an answer: 1, in 1 topics',
      'New questions to a person: 2',
      'nobody has answered: 2',
      `https://guide.example/dashboard/w/${team.workspace.id}`,
    ])
      expect(mail!.text).toContain(text);
    expect(mail!.text).not.toMatch(/secret question|submarines|ada@|Translations/);
    await tick(DAY);
    const copy = await team.harness.afterCrash();
    await copy.service.tick();
    await copy.close();
    expect(digests()).toHaveLength(emails.size);
    await toMonday(6);
    await tick();
    expect(digests()).toHaveLength(2 * emails.size);
  });

  it('is not sent where nothing waits', async () => {
    await startWeek();
    await toMonday(7);
    await tick();
    expect(digests()).toEqual([]);
  });

  it('is turned off and on by its reader alone', async () => {
    const state = await team.as('member').get('/digest');
    expect(state.json).toEqual({ isOn: true, sendsMail: true });
    expect((await team.as('member').put('/digest', { isOn: false })).json).toEqual({
      isOn: false,
      sendsMail: true,
    });
    expect((await team.as('owner').get('/digest')).json).toMatchObject({ isOn: true });
    await startWeek();
    await askPerson();
    await toMonday(7);
    await tick();
    const { memberId } = team.as('member');
    expect(server.recipients.flat()).toHaveLength(emails.size - 1);
    expect(server.recipients.flat()).not.toContain(emails.get(memberId));
    await stored().set(memberId, null);
    await toMonday(7);
    await tick();
    expect(server.recipients.flat()).toContain(emails.get(memberId));
  });

  it('has a link that turns it off without a sign-in, by its button or at once by a mail program', async () => {
    await startWeek();
    await askPerson();
    await toMonday(7);
    await tick();
    const [mail] = digests();
    const line = (key: string) => mail!.headerLines.find((header) => header.key === key)!.line;
    expect(line('list-unsubscribe-post')).toBe('List-Unsubscribe-Post: List-Unsubscribe=One-Click');
    const path = /<https:\/\/guide\.example([^>]+)>/.exec(line('list-unsubscribe').replace(/\s+/g, ''))![1]!;
    expect(mail!.text).toContain(path);
    const reader = mail!.recipients[0]!;
    const memberId = [...emails].find(([, email]) => email === reader)![0];

    const headers = { 'accept-language': 'de-AT' };
    const page = await team.harness.fetch(path, { headers });
    expect(page.headers.get('content-type')).toContain('text/html');
    expect(await page.text()).toContain('<button>Abstellen</button>');
    expect(await stored().isOn(memberId)).toBe(true);
    const body = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' });
    const done = await team.harness.fetch(path, { method: 'POST', body, headers });
    expect(await done.text()).toContain('ist abgestellt');
    expect(await stored().isOn(memberId)).toBe(false);
  });

  it('is not turned off by a link that was changed', async () => {
    const { memberId } = team.as('member');
    const path = `/mail/unsubscribe/${memberId}.${'0'.repeat(26)}`;
    for (const each of [path, `/mail/unsubscribe/${memberId}`, '/mail/unsubscribe/%00']) {
      const { json } = await readResponse<{ error: string }>(team.harness.fetch(each, { method: 'POST' }));
      expect(json.error).toBe('request/not_found');
    }
    expect((await team.as('member').get('/digest')).json).toMatchObject({ isOn: true });
  });
});
