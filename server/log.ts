import pino from 'pino';

export type Log = pino.Logger;

/** JSON lines on standard output: no bodies, no secrets, no addresses of visitors. */
export function openLog(level: string): Log {
  // Lines are gathered for a moment, because a write for each request is what a log costs most.
  const destination = pino.destination({ dest: 1, sync: false, minLength: 8192 });
  const flush = setInterval(() => destination.flush(), 200);
  flush.unref();
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination);
}
