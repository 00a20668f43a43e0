import type { GuideStorage } from '../sdk/visitor-storage.ts';

export type Settings = {
  readonly appId: string;
  readonly apiUrl: string;
};

/** What is wrong with the attributes, or with the answer to the boot. */
export type Complaint = {
  readonly code: string;
  readonly appId?: string;
  readonly apiUrl?: string;
  readonly requestId?: string | undefined;
  readonly retryAfterSeconds?: number | undefined;
};

const APP_ID = /^gp_[0-9A-Za-z_-]{4,64}$/;

/** Reads where the service is and who asks it, or says what is wrong with that. */
export function readSettings(host: Element): Settings | Complaint {
  const appId = host.getAttribute('app')?.trim() ?? '';
  const api = host.getAttribute('api')?.trim() ?? '';
  const apiUrl = httpUrlOf(api);
  const given = { appId, apiUrl: api };
  if (apiUrl === undefined) return { code: api ? 'api_wrong' : 'api_missing', ...given };
  if (!APP_ID.test(appId)) return { code: appId ? 'app_wrong' : 'app_missing', ...given };
  return { appId, apiUrl };
}

/** Even to look at `localStorage` may throw, so nothing does before it is needed. */
export const deviceStorage: GuideStorage = {
  getItem: (key) => localStorage.getItem(key),
  setItem: (key, value) => localStorage.setItem(key, value),
  removeItem: (key) => localStorage.removeItem(key),
};

function httpUrlOf(address: string): string | undefined {
  try {
    const { protocol, href } = new URL(address);
    return /^https?:$/.test(protocol) ? href.replace(/\/+$/, '') : undefined;
  } catch {
    return undefined;
  }
}
