import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { Bucket } from '../../../contract/limits/rate-limits.ts';
import type { Clock } from '../../base/clock.ts';

/** Points consumed by one key within one fixed window. */
export type Window = {
  key: string;
  points: number;
  expiresAt: number;
  /** The points of each network, in a bucket whose windows networks share. */
  networks?: Map<string, number>;
};

type BucketSize = Pick<Bucket, 'points' | 'windowSeconds' | 'sharing'>;

/**
 * Windows per bucket, of about 200 bytes each, and as much again for each network that shares one. Twice as many are
 * kept if all of them limit a caller.
 */
const WINDOWS_MAX = 50_000;
/** Share of the windows that is dropped at a time to make room, which takes less than a millisecond. */
const DROPPED_SHARE = 1 / 32;

/**
 * The windows of one bucket, bounded in number. When there are too many, windows that have expired or are hardly used
 * are dropped, so that a flood of new keys does not push out a window that limits a caller. The owner of a dropped
 * window gains at most a quarter of the points.
 */
export class RateWindowMap {
  readonly #windows = new Map<string, Window>();
  readonly #millis: number;
  readonly #lightPoints: number;
  readonly #windowsMax: number;

  constructor(bucket: BucketSize, windowsMax = WINDOWS_MAX) {
    this.#millis = bucket.windowSeconds * 1000;
    this.#lightPoints = bucket.points / 4;
    this.#windowsMax = windowsMax;
  }

  get size(): number {
    return this.#windows.size;
  }

  /** Returns the current window of the key, or a new one if there is none. */
  open(key: string, now: number): Window {
    const known = this.#windows.get(key);
    if (known && known.expiresAt > now) return this.#bound(known, now);
    // Delete first: the new window then goes to the end of the map, which keeps the map in the order of expiry.
    if (known) this.#windows.delete(key);
    return this.set(key, 0, now + this.#millis, now);
  }

  set(key: string, points: number, expiresAt: number, now: number): Window {
    if (this.#windows.size >= this.#windowsMax) this.#makeRoom(now);
    const window = this.#bound({ key, points, expiresAt }, now);
    this.#windows.set(key, window);
    return window;
  }

  dropExpired(now: number): void {
    for (const window of this.#windows.values()) {
      if (window.expiresAt > now + this.#millis) this.#bound(window, now);
      else if (window.expiresAt > now) return;
      else this.#windows.delete(window.key);
    }
  }

  /** Shortens a window that would last too long because the clock was set back. */
  #bound(window: Window, now: number): Window {
    window.expiresAt = Math.min(window.expiresAt, now + this.#millis);
    return window;
  }

  /**
   * Drops expired and hardly used windows, many at a time: iterating over a map first passes all recently deleted
   * entries. Gives up for now when it finds too few of them.
   */
  #makeRoom(now: number): void {
    const dropsMax = Math.ceil(this.#windowsMax * DROPPED_SHARE);
    let [tries, dropped] = [0, 0];
    for (const window of this.#windows.values()) {
      this.#windows.delete(window.key);
      tries += 1;
      const isLight = window.expiresAt <= now || window.points <= this.#lightPoints;
      // Back to the end of the queue.
      if (!isLight && this.#windows.size < 2 * this.#windowsMax) this.#windows.set(window.key, window);
      else dropped += 1;
      if (dropped === dropsMax || tries === 2 * dropsMax) return;
    }
  }
}

/** Whether the network has to leave the rest of the window to others. The script of the Redis adapter computes the same. */
function isShareUsed(
  { points, sharing }: BucketSize,
  { used, usedByNetwork, networks }: Record<'used' | 'usedByNetwork' | 'networks', number>,
): boolean {
  if (!sharing || used < points * sharing.beyond) return false;
  return usedByNetwork >= Math.max(sharing.leastPoints, points / networks);
}

/** A window of one point is not worth a row: after a restart its owner gains at most one request. */
const STORED_POINTS_MIN = 2;

/**
 * Implements the part of its storage that `RateLimiterMemory` uses to consume, reward and set. Windows expire by the
 * clock of the service, without timers.
 */
class WindowStorage {
  readonly #windows: RateWindowMap;
  readonly #bucket: BucketSize;
  readonly #clock: Clock;
  #changed = new Set<Window>();

  constructor(bucket: BucketSize, clock: Clock) {
    this.#windows = new RateWindowMap(bucket);
    this.#bucket = bucket;
    this.#clock = clock;
  }

  /** Counts a point for the network. Returns undefined, or how long the window lasts if the network's share of it is used. */
  takeShare(key: string, network: string): RateLimiterRes | undefined {
    const now = this.#clock.now();
    const window = this.#windows.open(key, now);
    window.networks ??= new Map();
    const used = window.networks.get(network) ?? 0;
    const networks = window.networks.size + (used === 0 ? 1 : 0);
    if (isShareUsed(this.#bucket, { used: window.points, usedByNetwork: used, networks })) {
      return new RateLimiterRes(0, window.expiresAt - now, window.points);
    }
    // An empty window refuses the request itself.
    if (window.points < this.#bucket.points) window.networks.set(network, used + 1);
    return undefined;
  }

  giveShareBack(key: string, network: string): void {
    const { networks } = this.#windows.open(key, this.#clock.now());
    const used = networks?.get(network) ?? 0;
    if (used > 1) networks?.set(network, used - 1);
    else networks?.delete(network);
  }

  /** Stops counting at the limit: refused requests store no rows, and one refund makes room for one request. */
  incrby(key: string, points: number): RateLimiterRes {
    const now = this.#clock.now();
    const window = this.#windows.open(key, now);
    const consumed = Math.max(0, window.points + points);
    if (consumed <= this.#bucket.points) {
      window.points = consumed;
      if (consumed >= STORED_POINTS_MIN) this.#changed.add(window);
    }
    return new RateLimiterRes(0, window.expiresAt - now, consumed);
  }

  set(key: string, points: number, seconds: number): void {
    const now = this.#clock.now();
    this.#windows.set(key, points, now + Math.round(seconds * 1000), now);
  }

  /** Returns the windows that changed since the last call. Drops expired windows. */
  takeChanged(): Iterable<Window> {
    const changed = this.#changed;
    this.#changed = new Set();
    this.#windows.dropExpired(this.#clock.now());
    return changed;
  }
}

/** The library's in-memory limiter, with a bounded number of windows. */
export class BucketLimiter extends RateLimiterMemory {
  /** The library's own storage is unbounded, and sets a timer for each window. */
  protected readonly _memoryStorage: WindowStorage;

  constructor(bucket: BucketSize, clock: Clock) {
    super({ keyPrefix: '', points: bucket.points, duration: bucket.windowSeconds });
    this._memoryStorage = new WindowStorage(bucket, clock);
  }

  /** Takes one point. Rejects with a `RateLimiterRes` when none is left, or when the network's share is used. */
  async take(key: string, network: string | undefined): Promise<RateLimiterRes> {
    const refusal = network === undefined ? undefined : this._memoryStorage.takeShare(key, network);
    if (refusal) throw refusal;
    return this.consume(key);
  }

  giveBack(key: string, network: string | undefined): void {
    if (network !== undefined) this._memoryStorage.giveShareBack(key, network);
    void this.reward(key);
  }

  takeChanged(): Iterable<Window> {
    return this._memoryStorage.takeChanged();
  }
}
