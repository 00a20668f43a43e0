import { getSystemErrorMessage } from 'node:util';

/** The operating system's message, such as "permission denied"; undefined for other errors. */
export function getSystemErrorText(error: unknown): string | undefined {
  const { errno } = error as NodeJS.ErrnoException;
  return errno === undefined ? undefined : getSystemErrorMessage(errno);
}
