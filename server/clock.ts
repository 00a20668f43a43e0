/** The only source of time. Tests put their own in its place. */
export type Clock = {
  /** Milliseconds since 1970. */
  readonly now: () => number;
};

/** A moment as the dashboard, the export and archives write it: ISO 8601, in UTC. */
export const toIsoString = (millis: number): string => new Date(millis).toISOString();

export const systemClock: Clock = { now: () => Date.now() };
