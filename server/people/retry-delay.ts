const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** The pauses that Standard Webhooks recommends. Together, they are a few minutes short of three days. */
const DELAYS = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  20 * HOUR,
];

/** Returns how long to wait after so many failed attempts; undefined when it is time to give up, after three days. */
export const getRetryDelayMillis = (attempts: number): number | undefined => DELAYS[attempts - 1];
