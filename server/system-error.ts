import { getSystemErrorMessage } from 'node:util';

/** What the operating system says, such as "permission denied"; undefined for an error that is not from there. */
export function systemReason(error: unknown): string | undefined {
  const { errno } = error as NodeJS.ErrnoException;
  return errno === undefined ? undefined : getSystemErrorMessage(errno);
}
