import { hash } from 'node:crypto';
import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import { BUCKETS, type Bucket, type BucketName } from '../../contract/limits.ts';
import type { Clock } from '../clock.ts';
import type { RateWindow, RateWindows } from '../storage/rate-windows.ts';
import { throwApiError } from './errors.ts';
import type { Quota } from './quota.ts';

/** Who draws from a bucket; each bucket says which of these it counts. */
export type RateLimitSubject = {
  readonly clientAddress: string;
  readonly visitorId?: string;
  readonly workspaceId?: string;
  readonly memberId?: string;
  /** A user id, or the address that somebody tries to sign in with. */
  readonly account?: string;
  readonly keyId?: string;
};

export type Limiter = {
  /** Draws one point from each bucket in order, and notes what is left; refuses at the first that is empty. */
  consumeRateLimit(buckets: readonly BucketName[], subject: RateLimitSubject, quota?: Quota): Promise<void>;
  /** Stores the windows that changed since the last time. */
  save(): Promise<void>;
};

/** A window of one hit is not worth a row: after a restart its owner has at most one request more. */
const POINTS_WORTH_KEEPING = 2;
const ROWS_A_SAVE = 500;

/**
 * Windows run in memory and are kept behind it, so that a restart forgives nothing. What is kept tells nobody whose a window is:
 * addresses and visitors are named by a digest that only the holder of the secret can make.
 */
export async function openLimiter(
  kept: RateWindows,
  clock: Clock,
  secret: string,
  onRefused: (bucket: BucketName, subject: RateLimitSubject) => void = () => {},
): Promise<Limiter> {
  const names = Object.keys(BUCKETS) as BucketName[];
  const limiters = new Map(names.map((name) => [name, limiterOf(name, BUCKETS[name])]));
  const digestOf = (key: string) => hash('sha256', `${secret} ${key}`, 'base64url');
  /** Windows of before the start, by their bucket and digest, until their owner comes again. */
  const restored = new Map((await kept.load(clock.now())).map((window) => [window.key, window]));
  const takeUp = async (name: BucketName, key: string) => {
    const window = restored.get(`${name} ${digestOf(key)}`);
    if (!window) return;
    restored.delete(window.key);
    const seconds = (window.expiresAtMillis - clock.now()) / 1000;
    if (seconds > 0) await limiters.get(name)!.set(key, window.points, seconds);
  };

  let changed = new Map<string, RateWindow>();
  const remember = (name: BucketName, key: string, { consumedPoints, msBeforeNext }: RateLimiterRes) => {
    if (consumedPoints < POINTS_WORTH_KEEPING) return;
    const expiresAtMillis = clock.now() + msBeforeNext;
    changed.set(`${name} ${key}`, { key, points: consumedPoints, expiresAtMillis });
  };

  return {
    async consumeRateLimit(buckets, subject, quota) {
      for (const name of buckets) {
        const key = keyOf(BUCKETS[name], subject);
        if (restored.size > 0) await takeUp(name, key);
        try {
          const window = await limiters.get(name)!.consume(key);
          remember(name, key, window);
          quota?.noteConsumed(name, window.remainingPoints, window.msBeforeNext);
        } catch (result) {
          if (result instanceof Error) throw result;
          const window = result as RateLimiterRes;
          remember(name, key, window);
          quota?.noteConsumed(name, 0, window.msBeforeNext);
          onRefused(name, subject);
          refuseDraw(name, window);
        }
      }
    },
    async save() {
      const rows = [...changed].map(([named, window]) => {
        const bucket = named.slice(0, named.length - window.key.length);
        return { ...window, key: bucket + digestOf(window.key) };
      });
      changed = new Map();
      for (const { key, expiresAtMillis } of restored.values()) {
        if (expiresAtMillis <= clock.now()) restored.delete(key);
      }
      for (let at = 0; at < rows.length; at += ROWS_A_SAVE) {
        await kept.save(rows.slice(at, at + ROWS_A_SAVE), clock.now());
      }
    },
  };
}

function limiterOf(name: BucketName, bucket: Bucket): RateLimiterMemory {
  return new RateLimiterMemory({ keyPrefix: name, points: bucket.points, duration: bucket.windowSeconds });
}

function refuseDraw(name: BucketName, result: RateLimiterRes): never {
  const bucket: Bucket = BUCKETS[name];
  const rest = Math.max(1, Math.ceil(result.msBeforeNext / 1000));
  const retryAfterSec = bucket.retryAfter === 'fixed' ? bucket.windowSeconds : rest;
  throwApiError('rate_limit/exceeded', undefined, { bucket: name, retryAfterSec });
}

function keyOf(bucket: Bucket, subject: RateLimitSubject): string {
  if (bucket.per === 'visitor') return `${subject.workspaceId}/${subject.visitorId}`;
  if (bucket.per === 'workspace') return `${subject.workspaceId}`;
  if (bucket.per === 'member') return `${subject.memberId}`;
  if (bucket.per === 'key') return `${subject.keyId}`;
  if (bucket.per === 'account') return `${subject.account}`;
  if (bucket.per === 'ip_and_account') return `${networkOf(subject.clientAddress)} ${subject.account}`;
  return networkOf(subject.clientAddress);
}

/** An IPv6 customer owns a whole /64 and could draw from a fresh address each time. */
export function networkOf(address: string): string {
  if (isIPv4(address) || !ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return `${parsed.toByteArray().slice(0, 8).join('.')}/64`;
}
