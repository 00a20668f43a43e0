/**
 * Stores values of the guide for this tab. Browsers may deny access to `sessionStorage` altogether; then nothing is
 * stored.
 */

const getKey = (appId: string, name: string) => `guidepost:${appId}:${name}`;

export function readTab(appId: string, name: string): string | null {
  try {
    return sessionStorage.getItem(getKey(appId, name));
  } catch {
    return null;
  }
}

/** Stores a value. An empty one removes the key. */
export function writeTab(appId: string, name: string, value: string): void {
  try {
    if (value) sessionStorage.setItem(getKey(appId, name), value);
    else sessionStorage.removeItem(getKey(appId, name));
  } catch {}
}
