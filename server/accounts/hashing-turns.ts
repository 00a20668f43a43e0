import { throwApiError } from '../http/errors.ts';

/** Hashing a password takes 19 MB and a core for a while: only so many are hashed at once, and only so many wait. */
export const AT_ONCE_MAX = 4;
export const WAITING_MAX = 32;
const RETRY_SECONDS = 2;

let running = 0;
const waiting: (() => void)[] = [];

/** Does the work when it is its turn. Refuses when too many wait already. */
export async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running < AT_ONCE_MAX) running += 1;
  else await turn();
  try {
    return await work();
  } finally {
    // Who waits takes over the place.
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  }
}

function turn(): Promise<void> {
  if (waiting.length >= WAITING_MAX) {
    throwApiError('server/overloaded', 'passwords to hash', { retryAfterSec: RETRY_SECONDS });
  }
  return new Promise((resolve) => waiting.push(resolve));
}
