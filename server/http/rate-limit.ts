import { hash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { BUCKETS, type Bucket, type BucketName } from '../../contract/limits.ts';
import type { Clock } from '../clock.ts';
import type { RateWindow, RateWindows } from '../storage/rate-windows.ts';
import { throwApiError } from './errors.ts';
import { toAddress, toNetwork } from './network.ts';
import { RateWindowMap, type Window } from './rate-windows.ts';

/** Everything a bucket may count by; each bucket uses one or two of these. */
export type RateLimitSubject = {
  readonly clientAddress: string;
  readonly visitorId?: string;
  readonly workspaceId?: string;
  readonly memberId?: string;
  /** A user id, or the email address of a sign-in attempt. */
  readonly account?: string;
  /** A browser in which the user of the account has signed in, or a session of the user. */
  readonly device?: string;
  readonly keyId?: string;
};

export type Limiter = {
  /**
   * Consumes one point from each bucket and records what is left. Throws 429 for the first empty one, and then consumes from none: a caller
   * over one limit costs nobody else. Returns the windows, for the request to remember.
   */
  consume(
    buckets: readonly BucketName[],
    subject: RateLimitSubject,
    state?: RateLimitState,
  ): readonly Window[];
  /** Stores the windows that changed since the last call. */
  save(): Promise<void>;
};

/** `RateLimit-Policy` of each bucket. Visitors are not told what their workspace, or others in their network, have left. */
const POLICIES = new Map(
  Object.entries(BUCKETS)
    .filter(([, { per }]) => per !== 'workspace' && per !== 'network')
    .map(([name, { points, windowSeconds }]) => [name, `"${name}";q=${points};w=${windowSeconds}`]),
);

/** What is left of the buckets that a request consumed from, as draft-ietf-httpapi-ratelimit-headers writes it. */
export class RateLimitState {
  #policies = '';
  #limits = '';
  #consumed: readonly Window[] = [];

  /** Remembers the windows that the request consumed from. */
  remember(windows: readonly Window[]): void {
    this.#consumed = this.#consumed.length === 0 ? windows : [...this.#consumed, ...windows];
  }

  /** Gives back what the request consumed, when the server then had no room for it. */
  refund(): void {
    for (const window of this.#consumed) window.points = Math.max(0, window.points - 1);
    this.#consumed = [];
  }

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
const RESTORED_MAX = 200_000;

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
  const windowsOf = new Map(names.map((name) => [name, new RateWindowMap(BUCKETS[name])]));
  const hashKey = (key: string) => hash('sha256', `${secret} ${key}`, 'base64url');
  const restored = await loadWindows(stored, clock.now());
  const open = (name: BucketName, subject: RateLimitSubject, now: number) => {
    const key = toKey(BUCKETS[name], subject);
    const windows = windowsOf.get(name)!;
    const earlier = restored.size > 0 ? restored.get(`${name} ${hashKey(key)}`) : undefined;
    if (!earlier) return windows.open(key, now);
    restored.delete(earlier.key);
    return windows.set(key, earlier.points, earlier.expiresAtMillis, now);
  };

  let changed = new Map<Window, BucketName>();

  return {
    consume(buckets, subject, state) {
      const now = clock.now();
      const windows = buckets.map((name) => open(name, subject, now));
      const exceeded = windows.findIndex(({ points }, at) => points >= BUCKETS[buckets[at]!].points);
      if (exceeded >= 0) {
        const name = buckets[exceeded]!;
        const millisLeft = windows[exceeded]!.expiresAt - now;
        state?.record(name, 0, millisLeft);
        onExceeded(name, subject);
        throwExceeded(name, millisLeft);
      }
      for (let at = 0; at < windows.length; at += 1) {
        const [name, window] = [buckets[at]!, windows[at]!];
        window.points += 1;
        if (window.points >= STORED_POINTS_MIN) changed.set(window, name);
        state?.record(name, BUCKETS[name].points - window.points, window.expiresAt - now);
      }
      return windows;
    },
    async save() {
      const now = clock.now();
      const rows = [...changed].map(([{ key, points, expiresAt }, name]) => {
        return { key: `${name} ${hashKey(key)}`, points, expiresAtMillis: expiresAt };
      });
      changed = new Map();
      for (const { key, expiresAtMillis } of restored.values()) {
        if (expiresAtMillis <= now) restored.delete(key);
      }
      for (const windows of windowsOf.values()) windows.dropExpired(now);
      for (let at = 0; at < rows.length; at += ROWS_PER_SAVE) {
        await stored.save(rows.slice(at, at + ROWS_PER_SAVE), now);
      }
    },
  };
}

/** Windows from before the start by bucket and digest, until their subject returns. */
async function loadWindows(stored: RateWindows, nowMillis: number): Promise<Map<string, RateWindow>> {
  const windows = [...(await stored.load(nowMillis))];
  if (windows.length > RESTORED_MAX) windows.sort((a, b) => b.points - a.points).splice(RESTORED_MAX);
  return new Map(windows.map((window) => [window.key, window]));
}

function throwExceeded(name: BucketName, millisLeft: number): never {
  const bucket: Bucket = BUCKETS[name];
  const rest = Math.max(1, Math.ceil(millisLeft / 1000));
  const retryAfterSec = bucket.retryAfter === 'fixed' ? bucket.windowSeconds : rest;
  throwApiError('rate_limit/exceeded', undefined, { bucket: name, retryAfterSec });
}

function toKey(bucket: Bucket, subject: RateLimitSubject): string {
  if (bucket.per === 'visitor') return `${subject.workspaceId}/${subject.visitorId}`;
  if (bucket.per === 'workspace') return `${subject.workspaceId}`;
  if (bucket.per === 'network') return toNetwork(subject.clientAddress);
  if (bucket.per === 'member') return `${subject.memberId}`;
  if (bucket.per === 'key') return `${subject.keyId}`;
  if (bucket.per === 'account') return `${subject.account}`;
  if (bucket.per === 'device') return `${subject.account} ${subject.device}`;
  if (bucket.per === 'ip_and_account') return `${toAddress(subject.clientAddress)} ${subject.account}`;
  return toAddress(subject.clientAddress);
}
