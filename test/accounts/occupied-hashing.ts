import { HASHES_QUEUED_MAX, HASHES_RUNNING_MAX, limitHashing } from '../../server/accounts/password.ts';

/** Fills the password hashing queue until the returned function is called. */
export function occupyHashing(): () => Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const occupied = Array.from({ length: HASHES_RUNNING_MAX + HASHES_QUEUED_MAX }, () =>
    limitHashing(() => promise),
  );
  return async () => {
    resolve();
    await Promise.all(occupied);
  };
}
