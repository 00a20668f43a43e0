import type { ServerResponse } from 'node:http';
import { BUCKETS, type BucketName } from '../../contract/limits.ts';

/** The numbers of each bucket as `RateLimit-Policy` says them; what a workspace has left is nothing for its visitors to know. */
const POLICIES = new Map(
  Object.entries(BUCKETS)
    .filter(([, { per }]) => per !== 'workspace')
    .map(([name, { points, windowSeconds }]) => [name, `"${name}";q=${points};w=${windowSeconds}`]),
);

/**
 * What a request has left of the buckets that it drew from, told with its answer in the words of
 * draft-ietf-httpapi-ratelimit-headers.
 */
export class Quota {
  #policies = '';
  #limits = '';

  noteConsumed(bucket: BucketName, pointsLeft: number, millisLeft: number): void {
    const policy = POLICIES.get(bucket);
    if (policy === undefined) return;
    const limit = `"${bucket}";r=${pointsLeft};t=${Math.ceil(millisLeft / 1000)}`;
    this.#policies = this.#policies === '' ? policy : `${this.#policies}, ${policy}`;
    this.#limits = this.#limits === '' ? limit : `${this.#limits}, ${limit}`;
  }

  tell(response: ServerResponse): void {
    if (this.#limits === '') return;
    response.setHeader('ratelimit-policy', this.#policies);
    response.setHeader('ratelimit', this.#limits);
  }
}
