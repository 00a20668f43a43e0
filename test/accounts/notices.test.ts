import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newInvitation } from '../../server/accounts/members.ts';
import { newId } from '../../server/base/ids.ts';
import { hashToken, makeSessionToken } from '../../server/tokens/session-cookie.ts';
import { type Harness, openHarness } from '../support/harness.ts';
import { type MailServer, openMailServer } from '../support/mail-server.ts';
import { addPerson, browserAt, PASSWORD } from '../support/signed-in-client.ts';

const NEW_PASSWORD = 'eleven green lamps at dusk';
const OWNER = 'ada@shop.example';

let server: MailServer;
let harness: Harness;

beforeEach(async () => {
  server = await openMailServer();
  harness = await openHarness({ env: { SMTP_URL: server.url, MAIL_FROM: 'guide@shop.example' } });
  await addPerson(harness, OWNER);
});
afterEach(async () => {
  await harness.close();
  await server.close();
});

/** Returns the subjects of the mails since the last call. */
async function receive(): Promise<(string | undefined)[]> {
  harness.clock.advance(1_000);
  await harness.service.tick();
  return server.mails.splice(0).map(({ subject }) => subject);
}

describe('a notice about an account', () => {
  it('tells of a sign-in with a browser that is not known, and of no other', async () => {
    const browser = browserAt(harness, { 'accept-language': 'de-AT' });
    await browser.signIn(OWNER, 'not the password of anybody');
    expect(await receive()).toEqual([]);
    await browser.signIn(OWNER);
    expect(await receive()).toEqual(['Neue Anmeldung bei Guidepost: Firefox on Linux']);
    await browser.signIn(OWNER);
    expect(await receive()).toEqual([]);
  });

  it('does not tell of a browser that was known before the password changed elsewhere', async () => {
    const [known, other] = [browserAt(harness), browserAt(harness)];
    for (const browser of [known, other]) await browser.signIn(OWNER);
    await other.put('/api/password', { currentPassword: PASSWORD, newPassword: NEW_PASSWORD });
    await receive();
    const { device } = known;
    await known.signIn(OWNER, NEW_PASSWORD);
    expect(await receive()).toEqual([]);
    const forged = browserAt(harness);
    forged.device = device.split('.').with(2, 'A'.repeat(43)).join('.');
    await forged.signIn(OWNER, NEW_PASSWORD);
    expect(await receive()).toEqual(['New sign-in to Guidepost: Firefox on Linux']);
  });

  it("is in the owner's language, whatever the stranger's browser asks for", async () => {
    await browserAt(harness, { 'accept-language': 'es' }).signIn(OWNER);
    await browserAt(harness, { 'accept-language': 'ja' }).signIn(OWNER);
    const subjects = await receive();
    expect(subjects).toHaveLength(2);
    expect(subjects[1]).toBe('Nuevo inicio de sesión en Guidepost: Firefox on Linux');
  });

  it('tells of a changed password', async () => {
    const browser = browserAt(harness);
    await browser.signIn(OWNER);
    await receive();
    await browser.put('/api/password', { currentPassword: 'wrong', newPassword: NEW_PASSWORD });
    expect(await receive()).toEqual([]);
    const changed = await browser.put('/api/password', {
      currentPassword: PASSWORD,
      newPassword: NEW_PASSWORD,
    });
    expect(changed.status).toBe(200);
    expect(await receive()).toEqual(['Your Guidepost password was changed']);
  });

  it("tells of a password that an operator's link replaced", async () => {
    const token = makeSessionToken();
    const { workspace, clock, service } = harness;
    const invitation = newInvitation({
      workspaceId: workspace.id,
      email: OWNER,
      role: 'owner',
      tokenHash: hashToken(token),
      invitedBy: 'operator',
      createdAt: clock.now(),
      provesAddress: true,
    });
    await service.store.in(workspace.id).invitations.create(invitation, {
      id: newId('aud'),
      atMillis: clock.now(),
      actor: 'operator',
      action: 'invitation.created',
      subject: invitation.id,
      details: {},
    });
    await browserAt(harness).post('/api/invitations/accept', { token, password: NEW_PASSWORD });
    expect(await receive()).toEqual(['Your Guidepost password was changed']);
  });

  it('is not sent to who has just joined', async () => {
    const owner = browserAt(harness);
    await owner.signIn(OWNER);
    const path = `/api/tenants/${harness.workspace.id}/invitations`;
    const invited = await owner.post<{ link: string; mailed: boolean }>(path, {
      email: 'ines@shop.example',
      role: 'member',
    });
    expect(invited.json.mailed).toBe(true);
    await receive();
    const token = invited.json.link.split('#token=')[1]!;
    const joined = await browserAt(harness).post('/api/invitations/accept', {
      token,
      password: NEW_PASSWORD,
    });
    expect(joined.status).toBe(200);
    expect(await receive()).toEqual([]);
  });
});
