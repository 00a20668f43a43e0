import { describe, expect, it } from 'vitest';
import { BUCKETS } from '../../contract/limits/rate-limits.ts';
import { ClientDisconnected } from '../../server/http/errors.ts';
import type { Owners } from '../../server/http/resource-limits.ts';
import { AT_WORK_MAX, type EndWork, TurnQueue } from '../../server/http/turn-queue.ts';

/** A queue on a clock that the test moves, whose turns note when they begin. */
function openQueue() {
  let now = 0;
  const queue = new TurnQueue(() => now);
  const begun: string[] = [];
  const fill = (owners: Owners = {}) =>
    Promise.all(Array.from({ length: AT_WORK_MAX }, () => queue.enter({ owners, signal: idle })));
  return {
    queue,
    begun,
    pass(millis: number) {
      now += millis;
    },
    enter(name: string, owners: Owners = {}, signal = new AbortController().signal): Promise<EndWork> {
      const entered = queue.enter({ owners, signal });
      entered.then(
        () => begun.push(name),
        () => {},
      );
      return entered;
    },
    /** Starts as many turns as may be at work. */
    fill,
    /** Lets the queue measure turns that take so long each, as many as may be at work at once. */
    async measure(millis: number) {
      for (let round = 0; round < 10; round += 1) {
        const turns = await fill();
        now += millis * AT_WORK_MAX;
        for (const end of turns) end();
      }
    },
  };
}

const idle = new AbortController().signal;

/** Lets so many requests arrive; returns how many were accepted. */
function countAccepted(
  queue: TurnQueue,
  requests: number,
  ownersOf = (at: number): Owners => ({ network: `n${at}` }),
) {
  let accepted = 0;
  for (let at = 0; at < requests; at += 1)
    if (queue.expect({ owners: ownersOf(at), signal: idle })) accepted += 1;
  return accepted;
}

/** Lets promises settle. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('the queue of turns', () => {
  it('begins turns at once while few are at work, and the others in the order in which they came', async () => {
    const { enter, fill, begun } = openQueue();
    const [first, second] = await fill();
    void enter('a');
    void enter('b');
    await settle();
    expect(begun).toEqual([]);
    first!();
    await settle();
    expect(begun).toEqual(['a']);
    second!();
    await settle();
    expect(begun).toEqual(['a', 'b']);
  });

  it('lets a turn end its work once only', async () => {
    const { enter, fill, begun } = openQueue();
    const [first] = await fill();
    void enter('a');
    void enter('b');
    first!();
    first!();
    await settle();
    expect(begun).toEqual(['a']);
  });

  it.each<[string, Owners, Owners]>([
    ['workspace', { workspace: 'busy' }, { workspace: 'calm' }],
    ['network', { workspace: 'w', network: 'busy' }, { workspace: 'w', network: 'calm' }],
    ['visitor', { workspace: 'w', visitor: 'busy' }, { workspace: 'w', visitor: 'calm' }],
  ])(
    'begins the turn of a %s without turns at work before those of a busy one',
    async (_kind, busy, calm) => {
      const { enter, fill, begun } = openQueue();
      const [first, second] = await fill(busy);
      void enter('busy', busy);
      void enter('calm', calm);
      first!();
      second!();
      await settle();
      expect(begun).toEqual(['calm', 'busy']);
    },
  );

  it('is full when a turn that arrives would wait for more than 300 ms', async () => {
    const { queue, fill, measure } = openQueue();
    await measure(6);
    await fill({ network: 'other' });
    const accepted = countAccepted(queue, 1_000);
    expect(accepted).toBe(46);
  });

  it('keeps places free for other networks while one floods', async () => {
    const { queue } = openQueue();
    expect(countAccepted(queue, 1_000, () => ({ network: 'busy' }))).toBe(48);
    expect(queue.expect({ owners: { network: 'calm' }, signal: idle })).toBe(true);
  });

  it('keeps places free for other networks where turns are slow', async () => {
    const { queue, measure } = openQueue();
    await measure(100);
    const busy = countAccepted(queue, 1_000, () => ({ network: 'busy' }));
    expect(busy).toBe(BUCKETS['chat/visitor-burst'].points);
    expect(queue.expect({ owners: { network: 'calm' }, signal: idle })).toBe(true);
  });

  it('counts requests that have not reached it until they are answered', async () => {
    const { queue, fill } = openQueue();
    await fill({ network: 'other' });
    const requests = Array.from({ length: 1_000 }, (_, at) => ({
      owners: { network: `${at}` },
      signal: idle,
    }));
    const accepted = requests.filter((request) => queue.expect(request));
    expect(countAccepted(queue, 1)).toBe(0);
    for (const request of accepted) queue.forget(request);
    expect(countAccepted(queue, 1_000)).toBe(accepted.length);
  });

  it('counts requests that arrive slowly for a short time only', async () => {
    const { queue, fill, pass } = openQueue();
    await fill({ network: 'other' });
    const accepted = countAccepted(queue, 1_000);
    expect(countAccepted(queue, 1)).toBe(0);
    pass(301);
    expect(countAccepted(queue, 1_000)).toBe(accepted);
  });

  it('drops a waiting turn whose client leaves', async () => {
    const { enter, fill, begun } = openQueue();
    const [first] = await fill();
    const hangUp = new AbortController();
    const left = enter('left', {}, hangUp.signal);
    void enter('stays');
    hangUp.abort();
    await expect(left).rejects.toThrow(ClientDisconnected);
    first!();
    await settle();
    expect(begun).toEqual(['stays']);
  });
});
