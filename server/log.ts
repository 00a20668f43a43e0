import pino from 'pino';

export type Log = pino.Logger;

const GATHERED_CHARS_MAX = 8192;
const GATHERED_MILLIS_MAX = 200;

/** JSON lines on standard output: no bodies, no secrets, no addresses of visitors. */
export function openLog(level: string): Log {
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, gathering());
}

/**
 * Lines are gathered for a moment, because a write for each request is what a log costs most. Gathered here, since the destination would
 * measure all that it holds again with every line.
 */
function gathering(): pino.DestinationStream & { flush(): void } {
  const destination = pino.destination({ dest: 1, sync: false });
  let lines: string[] = [];
  let chars = 0;
  const pass = () => {
    if (lines.length > 0) destination.write(lines.join(''));
    lines = [];
    chars = 0;
  };
  setInterval(pass, GATHERED_MILLIS_MAX).unref();
  return {
    write(line) {
      lines.push(line);
      chars += line.length;
      if (chars > GATHERED_CHARS_MAX) pass();
    },
    flush() {
      pass();
      destination.flushSync();
    },
  };
}
