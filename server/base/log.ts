import { getSystemErrorMessage } from 'node:util';
import pino from 'pino';

export type Log = pino.Logger;

/** One write per request would dominate the cost of logging. */
const BUFFER = { minLength: 8_192, periodicFlush: 200 };

/** Logs JSON lines to standard output: no bodies, no secrets, no IP addresses. */
export function openLog(level: string): Log {
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination({ sync: false, ...BUFFER }),
  );
}

/** Returns the operating system's message, such as "permission denied"; undefined for other errors. */
export function getSystemErrorText(error: unknown): string | undefined {
  const { errno } = error as NodeJS.ErrnoException;
  return errno === undefined ? undefined : getSystemErrorMessage(errno);
}
