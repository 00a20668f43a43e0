import { describe, expect, it } from 'vitest';
import { gpcDocument, hasGpcSignal } from '../../server/consent/gpc.ts';
import { TEXAS } from './decisions.ts';
import {
  again,
  aServiceEverywhereForEach,
  ask,
  decide,
  events,
  harness,
  RECORDED,
  records,
} from './harness.ts';

describe('data stored under consent', () => {
  aServiceEverywhereForEach();
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
  ])('follows a signal sent with %s and %o until a decision without one', async (...signalled) => {
    const [decision, fields, headers] = signalled;
    const visitor = await harness.boot({}, TEXAS);
    await ask(visitor);
    expect((await decide(visitor, { decision, ...fields }, headers)).json).toEqual(RECORDED);
    await ask(visitor, { turn_idx: 1 });
    const { consent_directive } = await again(visitor, TEXAS);
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
    expect((await again(visitor, TEXAS)).consent_directive).toMatchObject({
      mode: 'opt_in',
      ask: true,
      purposes: { analytics: 'denied', retention: 'denied' },
    });
    await decide(visitor, { decision: 'accepted' });
    expect((await again(visitor, TEXAS)).consent_directive).toMatchObject({
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
])('resolves header %j and body %j to %s', (secGpc, bodyGpc, signalled) => {
  expect(hasGpcSignal({ secGpc, bodyGpc })).toBe(signalled);
});

it('returns the support document with a full date', () => {
  expect(gpcDocument('2026-11-20')).toEqual({ gpc: true, lastUpdate: '2026-11-20' });
  for (const wrong of ['', '2026-11', '2026-13-01', '20 Nov 2026']) {
    expect(() => gpcDocument(wrong)).toThrow(RangeError);
  }
});
