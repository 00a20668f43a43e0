import Bowser from 'bowser';

const USER_AGENT_CHARS_MAX = 512;

/** Names browser and system, so that users recognize their devices: "Firefox on Linux". */
export function getDeviceName(userAgent: string | undefined): string {
  if (!userAgent) return 'Unknown device';
  const { browser, os, platform } = Bowser.parse(userAgent.slice(0, USER_AGENT_CHARS_MAX));
  const system = platform.model ?? os.name;
  if (browser.name && system) return `${browser.name} on ${system}`;
  return browser.name || system || 'Unknown device';
}
