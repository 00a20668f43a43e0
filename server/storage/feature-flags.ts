export type SwitchName = 'kill_switch';

/** Settings of the whole installation that act at once, in every process on the same data. */
export type FeatureFlags = {
  isOn(name: SwitchName): Promise<boolean>;
  set(name: SwitchName, on: boolean, atMillis: number): Promise<void>;
};
