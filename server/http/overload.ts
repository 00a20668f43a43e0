/**
 * Decides from the delay of the event loop which requests the server has time for. A late loop while many requests are
 * open means that they arrive faster than they are served; accepting more would slow down all of them.
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
/** With fewer open requests, other work of the process or of the machine makes the loop late. */
const OPEN_REQUESTS_MIN = 20;

export type OverloadGuardOptions = {
  /** Longer delays of the event loop count as overload. */
  delayMillisMax: number;
  now?: () => number;
  random?: () => number;
};

export class OverloadGuard {
  readonly #delayMillisMax: number;
  readonly #now: () => number;
  readonly #random: () => number;
  #tickedAt: number;
  #wasLate = false;
  /** The part of the requests that is accepted, up to 1. */
  #acceptedPart = 1;
  #accepted = 0;
  #refused = 0;
  #countedSince: number;
  #retryAfterSec = 1;

  constructor({ delayMillisMax, now = () => performance.now(), random = Math.random }: OverloadGuardOptions) {
    this.#delayMillisMax = delayMillisMax;
    this.#now = now;
    this.#random = random;
    this.#tickedAt = this.#countedSince = now();
  }

  /** Starts measuring; the returned function stops it. */
  start(): () => void {
    const timer = setInterval(() => this.tick(), TICK_MILLIS);
    timer.unref();
    return () => clearInterval(timer);
  }

  /** Call every 20 ms. A single late turn of the loop, such as a garbage collection, changes nothing. */
  tick(): void {
    const now = this.#now();
    const delay = now - this.#tickedAt - TICK_MILLIS;
    this.#tickedAt = now;
    const isLate = delay > this.#delayMillisMax;
    if (!isLate) this.#acceptedPart = Math.min(1, this.#acceptedPart * GROWTH);
    else if (this.#wasLate) {
      this.#acceptedPart = Math.max(
        PART_MIN,
        this.#acceptedPart * Math.max(CUT_MAX, this.#delayMillisMax / delay),
      );
    }
    this.#wasLate = isLate;
    if (now - this.#countedSince >= COUNTED_MILLIS) this.#count(now);
  }

  /**
   * Returns the seconds for Retry-After if the event loop is too late to serve this request; else undefined. A request
   * that the loop reads at the end of a long turn counts as having waited for the whole turn.
   */
  refuse(openRequests: number): number | undefined {
    if (openRequests < OPEN_REQUESTS_MIN || this.#hasTime()) {
      this.#accepted += 1;
      return undefined;
    }
    this.#refused += 1;
    const spread = Math.max(RETRY_SPREAD_SECONDS, this.#retryAfterSec);
    return this.#retryAfterSec + Math.floor(this.#random() * spread);
  }

  #hasTime(): boolean {
    const waited = this.#now() - this.#tickedAt - TICK_MILLIS;
    return (
      waited <= this.#delayMillisMax && (this.#acceptedPart === 1 || this.#random() < this.#acceptedPart)
    );
  }

  /** Sets Retry-After to the time that the refused requests would have taken at the rate of the accepted ones. */
  #count(now: number): void {
    const seconds = (this.#refused / Math.max(1, this.#accepted)) * ((now - this.#countedSince) / 1000);
    this.#retryAfterSec = Math.min(RETRY_SECONDS_MAX, Math.max(1, Math.ceil(seconds)));
    this.#accepted = this.#refused = 0;
    this.#countedSince = now;
  }
}
