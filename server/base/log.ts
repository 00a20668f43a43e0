import { getSystemErrorMessage } from 'node:util';
import pino from 'pino';

export type Log = pino.Logger;

const BUFFERED_CHARS_MAX = 65_536;
const BUFFERED_MILLIS_MAX = 200;

/** Logs JSON lines to standard output: no bodies, no secrets, no IP addresses. */
export function openLog(level: string): Log {
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, createBufferedDestination());
}

/**
 * Buffers lines, because one write per request dominates the cost of logging. Does not use pino's own buffer
 * (`minLength`), which measures its whole content again with every line.
 */
function createBufferedDestination(): pino.DestinationStream & { flush(): void } {
  const destination = pino.destination({ dest: 1, sync: false });
  let lines: string[] = [];
  let chars = 0;
  const flushLines = () => {
    if (lines.length > 0) destination.write(lines.join(''));
    lines = [];
    chars = 0;
  };
  setInterval(flushLines, BUFFERED_MILLIS_MAX).unref();
  return {
    write(line) {
      lines.push(line);
      chars += line.length;
      if (chars > BUFFERED_CHARS_MAX) flushLines();
    },
    flush() {
      flushLines();
      destination.flushSync();
    },
  };
}

/** Returns the operating system's message, such as "permission denied"; undefined for other errors. */
export function getSystemErrorText(error: unknown): string | undefined {
  const { errno } = error as NodeJS.ErrnoException;
  return errno === undefined ? undefined : getSystemErrorMessage(errno);
}
