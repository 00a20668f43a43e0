import { hash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import { BUCKETS, type Bucket, type BucketName } from '../../contract/limits.ts';
import type { Clock } from '../clock.ts';
import type { RateWindow, RateWindows } from '../storage/rate-windows.ts';
import { throwApiError } from './errors.ts';
import { toAddress } from './network.ts';

/** Everything a bucket may count by; each bucket uses one or two of these. */
export type RateLimitSubject = {
  readonly clientAddress: string;
  readonly visitorId?: string;
  readonly workspaceId?: string;
  readonly memberId?: string;
  /** A user id, or the email address of a sign-in attempt. */
  readonly account?: string;
  readonly keyId?: string;
};

export type Limiter = {
  /** Consumes one point from each bucket in order and records what is left; throws 429 at the first empty one. */
  consume(buckets: readonly BucketName[], subject: RateLimitSubject, state?: RateLimitState): Promise<void>;
  /** Stores the windows that changed since the last call. */
  save(): Promise<void>;
};

/** `RateLimit-Policy` of each bucket. Visitors are not told what their workspace has left. */
const POLICIES = new Map(
  Object.entries(BUCKETS)
    .filter(([, { per }]) => per !== 'workspace')
    .map(([name, { points, windowSeconds }]) => [name, `"${name}";q=${points};w=${windowSeconds}`]),
);

/** What is left of the buckets that a request consumed from, as draft-ietf-httpapi-ratelimit-headers writes it. */
export class RateLimitState {
  #policies = '';
  #limits = '';

  record(bucket: BucketName, pointsLeft: number, millisLeft: number): void {
    const policy = POLICIES.get(bucket);
    if (policy === undefined) return;
    const limit = `"${bucket}";r=${pointsLeft};t=${Math.ceil(millisLeft / 1000)}`;
    this.#policies = this.#policies === '' ? policy : `${this.#policies}, ${policy}`;
    this.#limits = this.#limits === '' ? limit : `${this.#limits}, ${limit}`;
  }

  setHeaders(response: ServerResponse): void {
    if (this.#limits === '') return;
    response.setHeader('ratelimit-policy', this.#policies);
    response.setHeader('ratelimit', this.#limits);
  }
}

/** A window of one point is not worth a row: after a restart its owner gains at most one request. */
const STORED_POINTS_MIN = 2;
const ROWS_PER_SAVE = 500;

/**
 * Windows live in memory and are persisted, so limits survive a restart. Keys are stored as digests with a secret, so the table holds
 * no addresses or visitor ids.
 */
export async function openLimiter(
  stored: RateWindows,
  clock: Clock,
  secret: string,
  onExceeded: (bucket: BucketName, subject: RateLimitSubject) => void = () => {},
): Promise<Limiter> {
  const names = Object.keys(BUCKETS) as BucketName[];
  const limiters = new Map(names.map((name) => [name, createBucket(name, BUCKETS[name])]));
  const hashKey = (key: string) => hash('sha256', `${secret} ${key}`, 'base64url');
  /** Windows from before the start by bucket and digest, until their subject returns. */
  const restored = new Map((await stored.load(clock.now())).map((window) => [window.key, window]));
  const restore = async (name: BucketName, key: string) => {
    const window = restored.get(`${name} ${hashKey(key)}`);
    if (!window) return;
    restored.delete(window.key);
    const seconds = (window.expiresAtMillis - clock.now()) / 1000;
    if (seconds > 0) await limiters.get(name)!.set(key, window.points, seconds);
  };

  let changed = new Map<string, RateWindow>();
  const remember = (name: BucketName, key: string, { consumedPoints, msBeforeNext }: RateLimiterRes) => {
    if (consumedPoints < STORED_POINTS_MIN) return;
    const expiresAtMillis = clock.now() + msBeforeNext;
    changed.set(`${name} ${key}`, { key, points: consumedPoints, expiresAtMillis });
  };

  return {
    async consume(buckets, subject, state) {
      for (const name of buckets) {
        const key = toKey(BUCKETS[name], subject);
        if (restored.size > 0) await restore(name, key);
        try {
          const window = await limiters.get(name)!.consume(key);
          remember(name, key, window);
          state?.record(name, window.remainingPoints, window.msBeforeNext);
        } catch (result) {
          if (result instanceof Error) throw result;
          const window = result as RateLimiterRes;
          remember(name, key, window);
          state?.record(name, 0, window.msBeforeNext);
          onExceeded(name, subject);
          throwExceeded(name, window);
        }
      }
    },
    async save() {
      const rows = [...changed].map(([named, window]) => {
        const bucket = named.slice(0, named.length - window.key.length);
        return { ...window, key: bucket + hashKey(window.key) };
      });
      changed = new Map();
      for (const { key, expiresAtMillis } of restored.values()) {
        if (expiresAtMillis <= clock.now()) restored.delete(key);
      }
      for (let at = 0; at < rows.length; at += ROWS_PER_SAVE) {
        await stored.save(rows.slice(at, at + ROWS_PER_SAVE), clock.now());
      }
    },
  };
}

function createBucket(name: BucketName, bucket: Bucket): RateLimiterMemory {
  return new RateLimiterMemory({ keyPrefix: name, points: bucket.points, duration: bucket.windowSeconds });
}

function throwExceeded(name: BucketName, result: RateLimiterRes): never {
  const bucket: Bucket = BUCKETS[name];
  const rest = Math.max(1, Math.ceil(result.msBeforeNext / 1000));
  const retryAfterSec = bucket.retryAfter === 'fixed' ? bucket.windowSeconds : rest;
  throwApiError('rate_limit/exceeded', undefined, { bucket: name, retryAfterSec });
}

function toKey(bucket: Bucket, subject: RateLimitSubject): string {
  if (bucket.per === 'visitor') return `${subject.workspaceId}/${subject.visitorId}`;
  if (bucket.per === 'workspace') return `${subject.workspaceId}`;
  if (bucket.per === 'member') return `${subject.memberId}`;
  if (bucket.per === 'key') return `${subject.keyId}`;
  if (bucket.per === 'account') return `${subject.account}`;
  if (bucket.per === 'ip_and_account') return `${toAddress(subject.clientAddress)} ${subject.account}`;
  return toAddress(subject.clientAddress);
}
