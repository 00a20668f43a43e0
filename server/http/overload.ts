/**
 * Decides from the delay of the event loop which requests the server has time for, except chat turns, which queue. A loop
 * that its own work makes late while many requests are open means that they arrive faster than they are served; accepting
 * more would slow down all of them. Only processor time of this thread counts as delay: a busy machine is no reason to refuse.
 */

const TICK_MILLIS = 20;
/** The smallest factor by which a late tick multiplies the accepted part. */
const CUT_MAX = 0.3;
const PART_MIN = 0.02;
const GROWTH = 1.05;
const RETRY_SECONDS_MAX = 30;
/** Retry-After differs by up to this many seconds, or by its own value, so that clients do not all come back at once. */
const RETRY_SPREAD_SECONDS = 8;
const COUNTED_MILLIS = 1000;
/** With fewer open requests, other work of the process makes the loop late. */
const OPEN_REQUESTS_MIN = 20;

type OverloadGuardOptions = {
  /** Longer delays of the event loop by its own work count as overload. */
  delayMillisMax: number;
  now?: () => number;
  /** Processor time of this thread so far. */
  workMillis?: () => number;
  random?: () => number;
};

export class OverloadGuard {
  readonly #delayMillisMax: number;
  readonly #now: () => number;
  readonly #workMillis: () => number;
  readonly #random: () => number;
  #workAtTick: number;
  /** The part of the requests that is accepted, up to 1. */
  #acceptedPart = 1;
  #accepted = 0;
  #refused = 0;
  #countedSince: number;
  #retryAfterSec = 1;

  constructor({
    delayMillisMax,
    now = () => performance.now(),
    workMillis = getThreadMillis,
    random = Math.random,
  }: OverloadGuardOptions) {
    this.#delayMillisMax = delayMillisMax;
    this.#now = now;
    this.#workMillis = workMillis;
    this.#random = random;
    this.#countedSince = now();
    this.#workAtTick = workMillis();
  }

  /** Starts measuring; the returned function stops it. */
  start(): () => void {
    const timer = setInterval(() => this.tick(), TICK_MILLIS);
    timer.unref();
    return () => clearInterval(timer);
  }

  /** Call every 20 ms. */
  tick(): void {
    const delay = this.#getDelay();
    if (delay > this.#delayMillisMax) {
      const cut = Math.max(CUT_MAX, this.#delayMillisMax / delay);
      this.#acceptedPart = Math.max(PART_MIN, this.#acceptedPart * cut);
    } else this.#acceptedPart = Math.min(1, this.#acceptedPart * GROWTH);
    this.#workAtTick = this.#workMillis();
    const now = this.#now();
    if (now - this.#countedSince >= COUNTED_MILLIS) this.#count(now);
  }

  /**
   * Whether the event loop has time for another request. One that the loop reads at the end of a long turn counts as
   * having waited for the whole turn.
   */
  accepts(openRequests: number): boolean {
    return openRequests < OPEN_REQUESTS_MIN || this.#hasTime();
  }

  /** Counts an accepted request. */
  countAccepted(): void {
    this.#accepted += 1;
  }

  /** Counts a refused request and returns its seconds for Retry-After. */
  refuse(): number {
    this.#refused += 1;
    const spread = Math.max(RETRY_SPREAD_SECONDS, this.#retryAfterSec);
    return this.#retryAfterSec + Math.floor(this.#random() * spread);
  }

  #hasTime(): boolean {
    if (this.#getDelay() > this.#delayMillisMax) return false;
    return this.#acceptedPart === 1 || this.#random() < this.#acceptedPart;
  }

  #getDelay(): number {
    return this.#workMillis() - this.#workAtTick - TICK_MILLIS;
  }

  /** Sets Retry-After to the time that the refused requests would have taken at the rate of the accepted ones. */
  #count(now: number): void {
    const seconds = (this.#refused / Math.max(1, this.#accepted)) * ((now - this.#countedSince) / 1000);
    this.#retryAfterSec = Math.min(RETRY_SECONDS_MAX, Math.max(1, Math.ceil(seconds)));
    this.#accepted = this.#refused = 0;
    this.#countedSince = now;
  }
}

function getThreadMillis(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
