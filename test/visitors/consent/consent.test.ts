import { describe, expect, it } from 'vitest';
import { CHAT_LIMITS } from '../../../contract/limits/chat.ts';
import { setOptionalPurposes } from '../../../server/visitors/consent/purposes.ts';
import {
  gpcDocument,
  hasGpcSignal,
  toStoragePermissions,
} from '../../../server/visitors/consent/visitor-consent.ts';
import { GERMANY, TEXAS, type Visitor } from '../../support/decisions.ts';
import { clock, ORIGIN } from '../../support/harness.ts';
import { expectError } from '../../support/response.ts';
import {
  ask,
  bootAgain,
  chain,
  decide,
  events,
  harness,
  openServiceBeforeEach,
  RECORDED,
  records,
  store,
} from '../../support/visitors-everywhere.ts';
import { forge, partsOf, secretsIn } from '../../tokens/forged-tokens.ts';

const HOUR = 3_600_000;

const NOT_RECORDED = { ok: true, recorded: false };

describe('consent over HTTP', () => {
  openServiceBeforeEach();

  describe('decisions', () => {
    it("records a decision of the token's visitor on a page of its origin", async () => {
      const visitor = await harness.boot({}, GERMANY);
      const { status, json } = await decide(visitor, {
        url: `${ORIGIN}/deep/page?q=secret#frag`,
        mode: 'opt_in',
        policy_version: visitor.consent_directive.policy_version,
        override_source: 'runtime',
      });
      expect([status, json]).toEqual([200, RECORDED]);
      const [record, ...more] = await records();
      expect(more).toEqual([]);
      expect(record).toMatchObject({
        workspaceId: harness.workspace.id,
        origin: ORIGIN,
        path: '/deep/page',
        decision: 'accepted',
        mode: 'opt_in',
        reason: 'prior_decision',
        policyKnown: true,
        snapshotSource: 'token',
        regionCode: 'DE',
        regionSource: 'edge_header',
        copyLocale: 'en',
        overrideSource: 'runtime',
        gpcHeader: false,
      });
      expect(record!.visitorId).toMatch(/^sub_/);
      expect(record!.purposes.analytics).toBe('granted');
    });

    it('records a fractional time in whole milliseconds, and any text as the version of the copy', async () => {
      const visitor = await harness.boot({}, GERMANY);
      const versions = ['Fassung 2026/11 „neu“ 🍪', '\0\ud800=1+1\n', '版'.repeat(256)];
      for (const [index, copy_version] of versions.entries()) {
        const { status, json } = await decide(visitor, { copy_version, at: 1_790_000_000_000.75 + index });
        expect([status, json]).toEqual([200, RECORDED]);
      }
      const stored = await records();
      expect(stored.map(({ copyVersion }) => copyVersion)).toEqual(versions);
      expect(stored.map(({ atMillis }) => atMillis)).toEqual(
        [0, 1, 2].map((index) => 1_790_000_000_000 + index),
      );
      for (const { receivedAtMillis, atMillis, clockSkewMillis } of stored)
        expect(clockSkewMillis).toBe(receivedAtMillis - atMillis);
    });

    it('returns recorded: false and stores nothing without a matching token', async () => {
      const visitor = await harness.boot({}, GERMANY);
      const stranger = await harness.boot({}, GERMANY);
      const { appId } = await harness.addWorkspace();
      const elsewhere = await harness.boot({ app_id: appId }, GERMANY);
      const { head, claims } = partsOf(visitor.jwt);
      const secret = Buffer.from(secretsIn(harness.dataDir).keys[0]!.secret, 'base64url');
      const now = Math.floor(clock.now() / 1000);
      const expired = forge(head, { ...claims, iat: now - 900, nbf: now - 900, exp: now - 10 }, secret);
      const none = { authorization: '' };
      const attempts = [
        decide(visitor, {}, none),
        decide(visitor, {}, { authorization: 'Bearer garbage' }),
        decide(visitor, {}, { authorization: `Bearer ${visitor.jwt.slice(0, -3)}` }),
        decide(visitor, {}, { authorization: `Bearer ${expired}` }),
        decide(visitor, {}, { authorization: `Bearer ${stranger.jwt}` }),
        decide(visitor, {}, { authorization: `Bearer ${elsewhere.jwt}` }),
        decide(visitor, { visitor_id: stranger.visitor_id }),
        decide(visitor, { visitor_id: visitor.visitor_id.toUpperCase() }),
        decide(visitor, { url: 'https://evil.example/' }),
        decide(visitor, { url: 'https://a.shop.example.com/' }),
        decide(visitor, { url: `${ORIGIN}:8443/` }),
        decide(visitor, { url: 'http://shop.example.com/' }),
        decide(visitor, { url: 'https://shop.example.com@evil.example/' }),
        decide(visitor, { url: 'javascript:alert(1)' }),
        decide(visitor, {}, { origin: 'https://evil.example' }),
        decide(visitor, {}, { origin: 'null' }),
      ];
      for (const attempt of attempts) {
        const { status, json } = await attempt;
        expect([status, json]).toEqual([200, NOT_RECORDED]);
      }
      expect(await chain()).toEqual([]);
      expect(await store().consents.getCurrentDecision(harness.pseudonym(visitor))).toBeUndefined();
    });

    it('allows CORS without a token for every page, so that it reveals nothing about workspaces', async () => {
      const visitor = await harness.boot({}, GERMANY);
      const readableOn = async (origin: string) =>
        (await decide(visitor, {}, { authorization: '', origin })).headers.get('access-control-allow-origin');
      expect(await readableOn(ORIGIN)).toBe(ORIGIN);
      expect(await readableOn('https://evil.example')).toBe('https://evil.example');
    });

    it.each<[string, Record<string, unknown>]>([
      ['no decision', { decision: undefined }],
      ['an unknown decision', { decision: 'maybe' }],
      ['a decision in capitals', { decision: 'ACCEPTED' }],
      ['no time', { at: undefined }],
      ['a time that is a string', { at: '2026-11-20' }],
      ['a negative time', { at: -1 }],
      ['no visitor', { visitor_id: undefined }],
      ['an empty visitor', { visitor_id: '' }],
      ['no page', { url: '' }],
      ['no copy version', { copy_version: '' }],
      ['a copy version that is too long', { copy_version: 'x'.repeat(257) }],
      ['a GPC signal that is a string', { gpc: 'true' }],
      ['an invalid region', { region: { country_code: 'Germany' } }],
      ['a region with an unknown field', { region: { country_code: 'DE', city: 'Berlin' } }],
      ['an unknown source of an override', { override_source: 'visitor' }],
      ['an unknown field', { consent: true }],
    ])('rejects %s, with and without a token', async (_what, fields) => {
      const visitor = await harness.boot({}, GERMANY);
      expectError(await decide(visitor, fields), 'request/invalid');
      expectError(await decide(visitor, fields, { authorization: '' }), 'request/invalid');
      expect(await chain()).toEqual([]);
    });
  });

  describe('data stored under consent', () => {
    const canRead = async (visitor: Visitor, id = `conv-${visitor.visitor_id}`) => {
      const { jwt } = await bootAgain(visitor);
      const response = await harness.fetch(`/conversations/${id}`, {
        headers: { authorization: `Bearer ${jwt}` },
      });
      return response.status === 200;
    };

    it('includes the visitor id only after acceptance', async () => {
      const visitor = await harness.boot({}, GERMANY);
      await ask(visitor);
      expect(
        (await events()).every((row) => row.visitorId === undefined && row.conversationId === undefined),
      ).toBe(true);
      const before = (await events()).length;
      expect((await decide(visitor)).json).toEqual(RECORDED);
      await ask(visitor, { turn_idx: 1 });
      const rows = (await events()).slice(before);
      expect(rows.map(({ type }) => type)).toEqual(expect.arrayContaining(['consent', 'turn', 'citation']));
      for (const row of rows) expect(row.visitorId).toBe(harness.pseudonym(visitor));
      const { features, consent_directive } = await bootAgain(visitor);
      expect(features).toMatchObject({ persist_visitor: true, screenshot: true });
      expect(consent_directive).toMatchObject({
        ask: false,
        reason: 'prior_decision',
        expires_at: expect.any(Number),
      });
    });

    it.each(['denied', 'rejected', 'browser-denied', 'gpc_auto_optout'])(
      'deletes event rows and stores none after %s',
      async (denial) => {
        const visitor = await harness.boot({}, TEXAS);
        await ask(visitor);
        expect((await events()).length).toBeGreaterThan(1);
        expect((await decide(visitor, { decision: denial })).json).toEqual(RECORDED);
        expect(await events()).toEqual([]);
        await ask(visitor, { turn_idx: 1 });
        const { features, consent_directive } = await bootAgain(visitor, TEXAS);
        expect(await events()).toEqual([]);
        expect(features).toMatchObject({ chat: true, persist_visitor: false, screenshot: false });
        expect(consent_directive).toMatchObject({ ask: false, purposes: { analytics: 'denied' } });
      },
    );

    it('stays the same when the prompt is dismissed', async () => {
      const visitor = await harness.boot({}, TEXAS);
      const before = await events();
      expect((await decide(visitor, { decision: 'dismissed' })).json).toEqual(RECORDED);
      expect((await events()).slice(0, before.length)).toEqual(before);
      await decide(visitor, { decision: 'denied' });
      await decide(visitor, { decision: 'dismissed' });
      expect(await events()).toEqual([]);
      expect((await bootAgain(visitor, TEXAS)).consent_directive.purposes.analytics).toBe('denied');
    });

    it("deletes a refusing visitor's conversations within a day, later ones too", async () => {
      const visitor = await harness.boot({}, TEXAS);
      await ask(visitor, { message: 'How do I return an order?' });
      await decide(visitor, { decision: 'denied' });
      clock.advance(10 * HOUR);
      await ask(await bootAgain(visitor, TEXAS), { conversation_id: 'later' });
      expect(await canRead(visitor)).toBe(true);
      clock.advance(13 * HOUR);
      await harness.service.tick();
      expect(await canRead(visitor)).toBe(true);
      clock.advance(HOUR);
      await harness.service.tick();
      expect(await canRead(visitor)).toBe(false);
      expect(await canRead(visitor, 'later')).toBe(true);
      clock.advance(10 * HOUR);
      await harness.service.tick();
      expect(await canRead(visitor, 'later')).toBe(false);
      expect(CHAT_LIMITS.deniedHistorySeconds).toBe(24 * 3600);
    });

    it('deletes each turn within a day even if the conversation continues', async () => {
      const visitor = await harness.boot({}, TEXAS);
      await decide(visitor, { decision: 'denied' });
      await ask(visitor);
      for (const turn_idx of [1, 2]) {
        clock.advance(11 * HOUR);
        await ask(await bootAgain(visitor, TEXAS), {
          conversation_id: `conv-${visitor.visitor_id}`,
          turn_idx,
        });
      }
      clock.advance(2 * HOUR);
      // A sweep that started before joins the first tick.
      await expect
        .poll(async () => {
          clock.advance(60_000);
          await harness.service.tick();
          return canRead(visitor);
        })
        .toBe(false);
    });

    it('keeps conversations when the visitor accepts after a denial', async () => {
      const visitor = await harness.boot({}, GERMANY);
      await decide(visitor, { decision: 'denied' });
      await ask(visitor);
      await decide(visitor);
      clock.advance(30 * HOUR);
      await harness.service.tick();
      expect(await canRead(visitor)).toBe(true);
    });

    it("leaves other visitors' data alone after a denial", async () => {
      const [one, other] = [await harness.boot({}, TEXAS), await harness.boot({}, TEXAS)];
      await ask(one);
      await ask(other);
      await decide(one, { decision: 'denied' });
      const rows = await events();
      expect(rows.length).toBeGreaterThan(1);
      for (const row of rows) expect(row.visitorId).toBe(harness.pseudonym(other));
      clock.advance(25 * HOUR);
      await harness.service.tick();
      expect([await canRead(one), await canRead(other)]).toEqual([false, true]);
    });
  });
});

describe('data stored under consent', () => {
  openServiceBeforeEach();
  it('follows the privacy signal even after an acceptance', async () => {
    const signal = { 'sec-gpc': '1' };
    const visitor = await harness.boot({}, { ...TEXAS, ...signal });
    const { json } = await decide(visitor, { decision: 'accepted', gpc: false }, signal);
    expect(json).toEqual(RECORDED);
    await ask(visitor, {}, signal);
    await harness.boot({ visitor_id: visitor.visitor_id }, { ...TEXAS, ...signal });
    expect(await events()).toEqual([]);
    const [record] = await records();
    expect(record).toMatchObject({
      decision: 'accepted',
      reason: 'gpc',
      gpcHeader: true,
      gpcBody: false,
      purposes: { analytics: 'denied' },
    });
  });

  it('follows a signal in the header, the body or the boot', async () => {
    for (const [bootHeaders, fields, headers] of [
      [{}, {}, { 'sec-gpc': '1' }],
      [{}, { gpc: true }, {}],
      [{ 'sec-gpc': '1' }, {}, {}],
    ] as const) {
      const visitor = await harness.boot({}, { ...TEXAS, ...bootHeaders });
      await decide(visitor, { decision: 'accepted', ...fields }, headers);
      expect(await events()).toEqual([]);
      expect((await records()).at(-1)).toMatchObject({ reason: 'gpc', purposes: { analytics: 'denied' } });
    }
  });

  it.each([
    ['dismissed', { gpc: true }, {}],
    ['accepted', { gpc: true }, {}],
    ['dismissed', {}, { 'sec-gpc': '1' }],
    ['accepted', {}, { 'sec-gpc': '1' }],
  ])('follows a signal sent with %s and %o until an acceptance without a signal', async (...signalled) => {
    const [decision, fields, headers] = signalled;
    const visitor = await harness.boot({}, TEXAS);
    await ask(visitor);
    expect((await decide(visitor, { decision, ...fields }, headers)).json).toEqual(RECORDED);
    await ask(visitor, { turn_idx: 1 });
    const { consent_directive } = await bootAgain(visitor, TEXAS);
    expect(consent_directive).toMatchObject({
      ask: false,
      reason: 'prior_decision',
      gpc: { received: false },
      purposes: { analytics: 'denied' },
    });
    expect(await events()).toEqual([]);
    await decide(visitor, { decision: 'dismissed' });
    await ask(visitor, { turn_idx: 2 });
    expect(await events()).toEqual([]);
    await decide(visitor, { decision: 'accepted' });
    await ask(visitor, { turn_idx: 3 });
    expect((await events()).some(({ visitorId }) => visitorId === harness.pseudonym(visitor))).toBe(true);
  });

  it('applies the stricter rules of the region claimed with the decision', async () => {
    const visitor = await harness.boot({}, TEXAS);
    const before = (await events()).length;
    const claim = { region: { country_code: 'DE' }, override_source: 'region_override' };
    expect((await decide(visitor, { decision: 'dismissed', ...claim })).json).toEqual(RECORDED);
    await ask(visitor);
    const rows = (await events()).slice(before);
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows) expect([row.visitorId, row.conversationId]).toEqual([undefined, undefined]);
    expect((await bootAgain(visitor, TEXAS)).consent_directive).toMatchObject({
      mode: 'opt_in',
      ask: true,
      purposes: { analytics: 'denied', retention: 'denied' },
    });
    await decide(visitor, { decision: 'accepted' });
    expect((await bootAgain(visitor, TEXAS)).consent_directive).toMatchObject({
      mode: 'opt_in',
      reason: 'prior_decision',
      purposes: { analytics: 'granted' },
    });
  });
});

it.each<[string | string[] | undefined, boolean | undefined, boolean]>([
  ['1', undefined, true],
  ['1', false, true],
  ['0', true, true],
  [undefined, true, true],
  [['0', '1'], undefined, true],
  ['0, 1', undefined, true],
  ['1, 1', false, true],
  [undefined, undefined, false],
  [undefined, false, false],
  ['0', undefined, false],
  ['', undefined, false],
  ['true', undefined, false],
  ['?1', undefined, false],
  ['"1"', undefined, false],
  ['01', undefined, false],
  ['1.0', undefined, false],
  ['11', undefined, false],
  ['1;v=1', undefined, false],
  ['１', undefined, false],
  [[], undefined, false],
])('hasGpcSignal resolves header %j and body %j to %s', (secGpc, bodyGpc, signalled) => {
  expect(hasGpcSignal({ secGpc, bodyGpc })).toBe(signalled);
});

it('gpcDocument returns the support document and accepts only a full date', () => {
  expect(gpcDocument('2026-11-20')).toEqual({ gpc: true, lastUpdate: '2026-11-20' });
  for (const wrong of ['', '2026-11', '2026-13-01', '20 Nov 2026']) {
    expect(() => gpcDocument(wrong)).toThrow(RangeError);
  }
});

const DAY = 86_400_000;

it('toStoragePermissions allows persistence, analytics and export after acceptance', () => {
  expect(toStoragePermissions(setOptionalPurposes('granted'), { decision: 'accepted', gpc: false })).toEqual({
    analytics: true,
    persistVisitor: true,
    screenshot: true,
    exportable: true,
    forgetEvents: false,
  });
});

it.each(['denied', 'rejected', 'browser-denied', 'gpc_auto_optout'] as const)(
  'toStoragePermissions keeps conversations only for a day after %s',
  (decision) => {
    expect(toStoragePermissions(setOptionalPurposes('denied'), { decision, gpc: false })).toEqual({
      analytics: false,
      persistVisitor: false,
      screenshot: false,
      exportable: false,
      deleteConversationsWithinMillis: DAY,
      forgetEvents: true,
    });
  },
);

it('toStoragePermissions returns the same before a decision and after a dismissed prompt', () => {
  const waiting = toStoragePermissions(setOptionalPurposes('denied'));
  expect(waiting).toMatchObject({ analytics: false, persistVisitor: false, forgetEvents: false });
  expect(waiting.deleteConversationsWithinMillis).toBe(DAY);
  const dismissed = { decision: 'dismissed', gpc: false } as const;
  expect(toStoragePermissions(setOptionalPurposes('denied'), dismissed)).toEqual(waiting);
});

it('toStoragePermissions deletes earlier event rows when a privacy signal comes with any decision', () => {
  const signalled = { decision: 'dismissed', gpc: true } as const;
  expect(toStoragePermissions(setOptionalPurposes('denied'), signalled).forgetEvents).toBe(true);
});

it('toStoragePermissions follows each purpose independently', () => {
  const measuredOff = { ...setOptionalPurposes('granted'), analytics: 'denied' } as const;
  expect(toStoragePermissions(measuredOff)).toMatchObject({
    analytics: false,
    persistVisitor: true,
    exportable: true,
  });
  const retentionOff = { ...setOptionalPurposes('granted'), retention: 'denied' } as const;
  expect(toStoragePermissions(retentionOff)).toMatchObject({ analytics: true, exportable: false });
});
