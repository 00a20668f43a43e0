/**
 * Bounds how many turns are at work. More at once would share the processor and all end last; the others wait, and a
 * turn that would wait too long is refused before anything is spent on it.
 */
import { BUCKETS } from '../../contract/limits/rate-limits.ts';
import { ClientDisconnected } from './errors.ts';
import type { RequestContext } from './handler.ts';
import type { Owners } from './resource-limits.ts';

/**
 * Enough that some compute while others wait for the disk or for the thread of the embedding model. More would make a turn
 * of the event loop longer, in which connections wait.
 */
export const AT_WORK_MAX = 8;
/** A turn that would wait longer for those before it is refused. */
const WAIT_MILLIS_MAX = 300;
/** A network gets at most this many times the places that are free: three quarters where it is alone. */
const NETWORK_FACTOR = 3;
/** Where turns are slow, the burst of a visitor waits longer rather than being refused. */
const NETWORK_MIN = BUCKETS['chat/visitor-burst'].points;
/** One network alone never takes all. */
const PLACES_MIN = NETWORK_MIN + 2;
/** A request whose body takes longer loses its place. Otherwise clients could fill the queue with unfinished bodies. */
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

type Waiting = { owners: Owners; begin: () => void };
type AtWork = { owners: Owners; beganAt: number };

export class TurnQueue {
  readonly #now: () => number;
  /** Requests that have not entered the queue, in the order in which they came. */
  readonly #arriving = new Map<Turn, { owners: Owners; since: number }>();
  /** In the order in which they entered. */
  readonly #waiting = new Map<Turn, Waiting>();
  readonly #atWork = new Map<Turn, AtWork>();
  /** How much time the service spends for a turn. */
  #turnMillis = FIRST_TURN_MILLIS;
  /** The sum of all times between two changes of the number at work, each divided by that number: the share of one turn. */
  #sharedMillis = 0;
  #changedAt = 0;

  constructor(now = () => performance.now()) {
    this.#now = now;
  }

  /**
   * Counts a request that will enter the queue; otherwise the whole of a burst would be accepted. Returns false if it
   * would wait too long, or if its network holds too many places, so that one network cannot keep out the others.
   */
  expect(turn: Turn): boolean {
    this.#dropSlowArrivals();
    // Those at work are half done.
    const places = Math.max(PLACES_MIN, AT_WORK_MAX / 2 + WAIT_MILLIS_MAX / this.#turnMillis);
    const free = places - this.#arriving.size - this.#waiting.size - this.#atWork.size;
    // Most refusals end here, before anything is computed for them.
    if (free < 1) return false;
    const { owners } = turn;
    const held = [...this.#arriving.values(), ...this.#waiting.values(), ...this.#atWork.values()];
    const ofNetwork = countOf('network', owners, held) + 1;
    if (ofNetwork > Math.max(NETWORK_MIN, NETWORK_FACTOR * free)) return false;
    this.#arriving.set(turn, { owners, since: this.#now() });
    return true;
  }

  /** Stops counting a request that was answered or that waits for something else. */
  forget(turn: Turn): void {
    this.#arriving.delete(turn);
  }

  /** Waits until the turn may begin. @throws ClientDisconnected if the client leaves before. */
  async enter(turn: Turn): Promise<EndWork> {
    if (turn.signal.aborted) throw new ClientDisconnected();
    this.forget(turn);
    if (this.#atWork.size >= AT_WORK_MAX) await this.#wait(turn);
    else this.#begin(turn, turn.owners);
    return () => this.#end(turn);
  }

  #dropSlowArrivals(): void {
    const since = this.#now() - ARRIVING_MILLIS_MAX;
    for (const [turn, arrival] of this.#arriving) {
      if (arrival.since >= since) return;
      this.#arriving.delete(turn);
    }
  }

  #wait(turn: Turn): Promise<void> {
    const { owners, signal } = turn;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const leave = () => {
      this.#waiting.delete(turn);
      reject(new ClientDisconnected());
    };
    const begin = () => {
      signal.removeEventListener('abort', leave);
      this.#waiting.delete(turn);
      this.#begin(turn, owners);
      resolve();
    };
    signal.addEventListener('abort', leave, { once: true });
    this.#waiting.set(turn, { owners, begin });
    return promise;
  }

  #begin(turn: Turn, owners: Owners): void {
    this.#shareTime();
    this.#atWork.set(turn, { owners, beganAt: this.#sharedMillis });
  }

  #end(turn: Turn): void {
    const ended = this.#atWork.get(turn);
    if (!ended) return;
    this.#shareTime();
    this.#turnMillis += SMOOTHING * (this.#sharedMillis - ended.beganAt - this.#turnMillis);
    this.#atWork.delete(turn);
    this.#findNext()?.begin();
  }

  #shareTime(): void {
    const now = this.#now();
    this.#sharedMillis += (now - this.#changedAt) / Math.max(1, this.#atWork.size);
    this.#changedAt = now;
  }

  /** Returns the turn that has waited longest of those whose owners have the fewest turns at work. */
  #findNext(): Waiting | undefined {
    const atWork = [...this.#atWork.values()];
    let next: { waiting: Waiting; counts: number[] } | undefined;
    for (const waiting of this.#waiting.values()) {
      const counts = OWNER_KINDS.map((kind) => countOf(kind, waiting.owners, atWork));
      if (!next || isLess(counts, next.counts)) next = { waiting, counts };
    }
    return next?.waiting;
  }
}

function countOf(
  kind: (typeof OWNER_KINDS)[number],
  owners: Owners,
  turns: readonly { owners: Owners }[],
): number {
  return turns.filter((turn) => turn.owners[kind] === owners[kind]).length;
}

function isLess(counts: readonly number[], others: readonly number[]): boolean {
  const at = counts.findIndex((count, index) => count !== others[index]);
  return at >= 0 && counts[at]! < others[at]!;
}
