export type FeatureFlag = 'kill_switch';

/** Settings of the whole installation that act at once, in every process on the same data. */
export type FeatureFlags = {
  isOn(name: FeatureFlag): Promise<boolean>;
  set(name: FeatureFlag, on: boolean, atMillis: number): Promise<void>;
};
