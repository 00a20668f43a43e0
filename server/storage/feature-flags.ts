export type FeatureFlag = 'kill_switch';

/**
 * Settings of the whole installation that take effect at once, in every process that shares the
 * database.
 */
export type FeatureFlags = {
  isOn(name: FeatureFlag): Promise<boolean>;
  set(name: FeatureFlag, on: boolean, atMillis: number): Promise<void>;
};
