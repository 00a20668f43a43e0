/** The only source of time. Tests put their own in its place. */
export type Clock = {
  /** Milliseconds since 1970. */
  readonly now: () => number;
};

export const systemClock: Clock = { now: () => Date.now() };
