import { describe, expect, it } from 'vitest';
import { createLedger, type Holders, type ResourceLimit } from '../../server/http/ledger.ts';

const open = (limit: ResourceLimit) =>
  createLedger({ connections: limit, body_bytes: limit, streams: limit }, () => {});

/** Takes one after another until something refuses; returns how many were taken, and what refused. */
function fill(ledger: ReturnType<typeof open>, holders: Holders) {
  for (let taken = 0; ; taken += 1) {
    const refusal = ledger.open('streams', holders).add(1);
    if (refusal) return { taken, refusal };
  }
}

describe('ledger', () => {
  it('lets one holder take its share of an idle server, and leaves room for another', () => {
    const ledger = open({ total: 1000, shares: { workspace: 4 } });
    expect(fill(ledger, { workspace: 'a' })).toEqual({ taken: 800, refusal: 'workspace' });
    expect(fill(ledger, { workspace: 'b' })).toEqual({ taken: 160, refusal: 'workspace' });
  });

  it('keeps room for a newcomer while fifty networks take what they can', () => {
    const ledger = open({ total: 1000, shares: { network: 1 } });
    for (let network = 0; network < 8; network += 1) fill(ledger, { network: `n${network}` });
    for (let round = 0; round < 50; round += 1) fill(ledger, { network: `n${round % 8}` });
    expect(ledger.open('streams', { network: 'new' }).add(1)).toBeUndefined();
  });

  it('shares evenly between holders that take in turns', () => {
    const ledger = open({ total: 1000, shares: { workspace: 1 } });
    const taken = [0, 0, 0, 0];
    for (let round = 0; round < 1000; round += 1) {
      const at = round % 4;
      if (!ledger.open('streams', { workspace: `w${at}` }).add(1)) taken[at]! += 1;
    }
    for (const one of taken) expect(one).toBe(200);
  });

  it('tells how much a holder may take, and never less than the least share while there is room', () => {
    const ledger = open({ total: 1000, shares: { visitor: 0.01 }, leastShares: { visitor: 50 } });
    expect(ledger.room('streams', { visitor: 'a' })).toBe(50);
    expect(ledger.room('streams', {})).toBe(1000);
    const claim = ledger.open('streams', { visitor: 'a' });
    expect(claim.add(50)).toBeUndefined();
    expect(ledger.room('streams', { visitor: 'a' })).toBe(0);
    expect(ledger.room('streams', { visitor: 'b' })).toBe(50);
  });

  it('holds what was used in the end, also beyond the share', () => {
    const ledger = open({ total: 100, shares: { visitor: 0.5 } });
    const claim = ledger.open('streams', { visitor: 'a' });
    claim.add(10);
    claim.settle(4);
    expect(ledger.held('streams')).toBe(4);
    claim.settle(120);
    expect(ledger.room('streams', { visitor: 'b' })).toBe(0);
    claim.release();
    expect(ledger.held('streams')).toBe(0);
  });

  it('refuses by the total whoever asks', () => {
    const ledger = open({ total: 2, shares: {} });
    expect(fill(ledger, {})).toEqual({ taken: 2, refusal: 'total' });
    expect(ledger.refuses('streams', { workspace: 'a' }, 1)).toBe('total');
    expect(ledger.refuses('body_bytes', { workspace: 'a' }, 2)).toBeUndefined();
  });

  it('releases a claim that cannot grow, once', () => {
    const ledger = open({ total: 10, shares: {} });
    const [first, second] = [ledger.open('body_bytes', {}), ledger.open('body_bytes', {})];
    expect(first.add(6)).toBeUndefined();
    expect(second.add(4)).toBeUndefined();
    expect(second.add(1)).toBe('total');
    expect(ledger.held('body_bytes')).toBe(6);
    expect(first.add(4)).toBeUndefined();
    second.release();
    expect(second.add(0)).toBe('total');
    first.release();
    first.release();
    expect(ledger.held('body_bytes')).toBe(0);
  });

  it('gives back what a holder has released', () => {
    const ledger = open({ total: 4, shares: { network: 1 } });
    const claim = ledger.open('streams', { network: 'n' });
    expect(claim.add(2)).toBeUndefined();
    expect(ledger.refuses('streams', { network: 'n' }, 1)).toBe('network');
    claim.release();
    expect(ledger.refuses('streams', { network: 'n' }, 2)).toBeUndefined();
  });
});
