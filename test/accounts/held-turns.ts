import { AT_ONCE_MAX, inTurn, WAITING_MAX } from '../../server/accounts/hashing-turns.ts';

/** Takes every place where a password could be hashed, or wait to be, until it is told to let go. */
export function holdAllTurns(): () => Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const held = Array.from({ length: AT_ONCE_MAX + WAITING_MAX }, () => inTurn(() => promise));
  return async () => {
    resolve();
    await Promise.all(held);
  };
}
