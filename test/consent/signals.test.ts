import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ConsentRecord } from '../../server/consent/evidence.ts';
import type { Harness } from '../harness.ts';
import { decide as decideAt, GERMANY, openEverywhere, TEXAS, type Visitor } from './deciding.ts';

const _HOUR = 3_600_000;

let harness: Harness;
beforeEach(async () => {
  harness = await openEverywhere();
});
afterEach(() => harness.close());

const decide = (visitor: Visitor, fields?: Record<string, unknown>, headers?: Record<string, string>) =>
  decideAt(harness, visitor, fields, headers);

const store = () => harness.service.store.in(harness.workspace.id);
const chain = () => store().consents.chain(1000);
const events = () => store().events.list(1000);
const records = async () => (await chain()).map(({ content }) => JSON.parse(content) as ConsentRecord);

const RECORDED = { ok: true, recorded: true };
const _NOT_RECORDED = { ok: true, recorded: false };

describe('what is stored', () => {
  const ask = (
    visitor: Visitor,
    fields: Record<string, unknown> = {},
    headers: Record<string, string> = {},
  ) => harness.ask(visitor.jwt, { conversation_id: `conv-${visitor.visitor_id}`, ...fields }, headers);
  const again = (visitor: Visitor, headers: Record<string, string> = GERMANY) =>
    harness.boot({ visitor_id: visitor.visitor_id }, headers);
  const _canRead = async (visitor: Visitor, id = `conv-${visitor.visitor_id}`) => {
    const { jwt } = await again(visitor);
    const response = await harness.fetch(`/conversations/${id}`, {
      headers: { authorization: `Bearer ${jwt}` },
    });
    return response.status === 200;
  };

  it('obeys the browser’s privacy signal even against an acceptance', async () => {
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

  it('obeys the signal also when only the header of the decision, its body or the boot carries it', async () => {
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
  ])(
    'obeys a signal that came with %s and %o from then on, until a decision comes without one',
    async (...signalled) => {
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
      expect((await events()).some(({ visitorId }) => visitorId === visitor.visitor_id)).toBe(true);
    },
  );

  it('keeps to the stricter rules of the place that the client claimed with its decision', async () => {
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
