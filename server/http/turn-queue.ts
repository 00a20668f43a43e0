/**
 * Bounds how many turns are at work. More at once would share the processor and all end last; the others wait, and a
 * turn that would wait too long is refused before anything is spent on it.
 */
import { BUCKETS } from '../../contract/limits/rate-limits.ts';
import { ClientDisconnected } from './errors.ts';
import type { RequestContext } from './handler.ts';
import type { Owners } from './resource-limits.ts';

/** Enough that some compute while others wait for the disk or for the thread of the embedding model. */
const AT_WORK_MAX = 16;
/** A turn that would wait longer for those before it is refused. */
const WAIT_MILLIS_MAX = 300;
/** Where turns are slow, the burst of a visitor waits longer rather than being refused. */
const PLACES_MIN = BUCKETS['chat/visitor-burst'].points + 2;
/** A network gets at most this many times the places that are free: three quarters where it is alone. */
const NETWORK_FACTOR = 3;
/** Requests that arrive more slowly do not count, so that nobody fills the queue with unfinished bodies. */
const ARRIVING_MILLIS_MAX = 300;
/** How much a turn that ends changes the estimate of what a turn takes. */
const SMOOTHING = 0.1;
const FIRST_TURN_MILLIS = 5;
/** Owners of the more important kind are compared first. */
const OWNER_KINDS = ['workspace', 'network', 'visitor'] as const;

/** A request that starts a turn. */
type Turn = Pick<RequestContext, 'owners' | 'signal'>;

/** Ends the work of a turn; calls after the first do nothing. */
export type EndWork = () => void;

type Entry = { owners: Owners } & (
  | { state: 'arriving'; since: number }
  | { state: 'waiting'; begin: () => void }
  | { state: 'at work'; beganAt: number }
);

export class TurnQueue {
  readonly #now: () => number;
  /** In the order in which they came. */
  readonly #entries = new Map<Turn, Entry>();
  /** How much time the service spends for a turn. */
  #turnMillis = FIRST_TURN_MILLIS;
  /** How much time each turn got of those that were at work all the time, when it last changed how many are. */
  #sharedMillis = 0;
  #changedAt = 0;

  constructor(now = () => performance.now()) {
    this.#now = now;
  }

  /**
   * Counts a request that will enter the queue, or else a burst would be let in whole. Returns false if it would wait
   * too long, or if its network holds too many places already: a flood of one keeps no other from the queue.
   */
  expect(turn: Turn): boolean {
    const { owners } = turn;
    // Those at work are half done.
    const places = Math.max(PLACES_MIN, AT_WORK_MAX / 2 + WAIT_MILLIS_MAX / this.#turnMillis);
    const now = this.#now();
    let ofNetwork = 1;
    for (const [other, entry] of this.#entries) {
      if (entry.state === 'arriving' && entry.since < now - ARRIVING_MILLIS_MAX) this.#entries.delete(other);
      else if (entry.owners.network === owners.network) ofNetwork += 1;
    }
    const free = places - this.#entries.size;
    if (free < 1 || ofNetwork > Math.max(PLACES_MIN, NETWORK_FACTOR * free)) return false;
    this.#entries.set(turn, { owners, state: 'arriving', since: now });
    return true;
  }

  /** Counts a request no more that was answered or waits for something else. */
  forget(turn: Turn): void {
    if (this.#entries.get(turn)?.state === 'arriving') this.#entries.delete(turn);
  }

  /** Waits until the turn may begin. @throws ClientDisconnected if the client leaves before. */
  async enter(turn: Turn): Promise<EndWork> {
    if (turn.signal.aborted) throw new ClientDisconnected();
    const { owners } = turn;
    this.#entries.delete(turn);
    if (this.#listAtWork().length >= AT_WORK_MAX) await this.#wait(turn, owners);
    else this.#begin(turn, owners);
    return () => this.#end(turn);
  }

  #wait(turn: Turn, owners: Owners): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const leave = () => {
      this.#entries.delete(turn);
      reject(new ClientDisconnected());
    };
    const begin = () => {
      turn.signal.removeEventListener('abort', leave);
      this.#begin(turn, owners);
      resolve();
    };
    turn.signal.addEventListener('abort', leave, { once: true });
    this.#entries.set(turn, { owners, state: 'waiting', begin });
    return promise;
  }

  #begin(turn: Turn, owners: Owners): void {
    this.#shareTime();
    this.#entries.set(turn, { owners, state: 'at work', beganAt: this.#sharedMillis });
  }

  #end(turn: Turn): void {
    const entry = this.#entries.get(turn);
    if (entry?.state !== 'at work') return;
    this.#shareTime();
    this.#turnMillis += SMOOTHING * (this.#sharedMillis - entry.beganAt - this.#turnMillis);
    this.#entries.delete(turn);
    this.#beginNext();
  }

  #shareTime(): void {
    const now = this.#now();
    this.#sharedMillis += (now - this.#changedAt) / Math.max(1, this.#listAtWork().length);
    this.#changedAt = now;
  }

  /** Begins the turn that has waited longest of those whose owners have the fewest turns at work. */
  #beginNext(): void {
    const atWork = this.#listAtWork();
    let next: { begin: () => void; counts: number[] } | undefined;
    for (const entry of this.#entries.values()) {
      if (entry.state !== 'waiting') continue;
      const counts = OWNER_KINDS.map(
        (kind) => atWork.filter(({ owners }) => owners[kind] === entry.owners[kind]).length,
      );
      if (!next || isLess(counts, next.counts)) next = { begin: entry.begin, counts };
    }
    next?.begin();
  }

  #listAtWork(): Entry[] {
    return [...this.#entries.values()].filter(({ state }) => state === 'at work');
  }
}

function isLess(counts: readonly number[], others: readonly number[]): boolean {
  const at = counts.findIndex((count, index) => count !== others[index]);
  return at >= 0 && counts[at]! < others[at]!;
}
