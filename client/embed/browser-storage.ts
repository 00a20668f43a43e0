/** Values of the guide in the browser, for this tab or for the device. Browsers may refuse to keep them; then nothing is kept. */

/** Even reading the property may throw. */
type GetStorage = () => Storage;
const ofTab: GetStorage = () => sessionStorage;
const ofDevice: GetStorage = () => localStorage;

const getKey = (appId: string, name: string) => `guidepost:${appId}:${name}`;

export function readTab(appId: string, name: string, getStorage = ofTab): string | null {
  try {
    return getStorage().getItem(getKey(appId, name));
  } catch {
    return null;
  }
}

/** An empty value removes the key. */
export function writeTab(appId: string, name: string, value: string, getStorage = ofTab): void {
  try {
    if (value) getStorage().setItem(getKey(appId, name), value);
    else getStorage().removeItem(getKey(appId, name));
  } catch {}
}

/** Keeps a refusal for the next page, without naming the visitor. Without it the next page would not know of it. */
export const keepChoice = (appId: string, isRefusal: boolean): void =>
  writeTab(appId, 'declined', isRefusal ? '1' : '', ofDevice);

export const hasDeclined = (appId: string): boolean => readTab(appId, 'declined', ofDevice) !== null;
