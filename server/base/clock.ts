/** The only source of time; tests replace it. */
export type Clock = {
  /** Milliseconds since the Unix epoch. */
  now: () => number;
};

/** Formats a time as ISO 8601 in UTC. */
export const toIsoString = (millis: number): string => new Date(millis).toISOString();

export const systemClock: Clock = { now: () => Date.now() };
