import type { GuideError, GuideStorage } from '../index.ts';

export type Settings = {
  readonly appId: string;
  readonly apiUrl: string;
  /** `data-gp-lang`: the page says which language its visitor chose. Asked for late, since a page may set it late. */
  readonly chosenLanguage: () => string | undefined;
};

const APP_ID = /^gp_[0-9A-Za-z_-]{4,64}$/;

/** Reads the script tag, or says in a sentence for the console what is wrong with it. */
export function readSettings(script: Element | null): Settings | { readonly complaint: string } {
  const appId = script?.getAttribute('data-gp-app')?.trim() ?? '';
  const api = script?.getAttribute('data-gp-api')?.trim() ?? '';
  if (api === '')
    return complain(
      'The script tag has no data-gp-api, so no visitor token is minted and the guide does not start. ' +
        'Add data-gp-api="https://…" with the address of the Guidepost service.',
    );
  const apiUrl = httpUrlOf(api);
  if (apiUrl === undefined)
    return complain(
      `data-gp-api="${api}" is not an http or https address, so no visitor token is minted and the guide does not start. ` +
        'Write the full address of the Guidepost service, such as https://guide.example.com.',
    );
  if (appId === '')
    return complain(
      'The script tag has no data-gp-app, so the guide does not start. ' +
        'Add data-gp-app="gp_…" with the app id of your workspace.',
    );
  if (!APP_ID.test(appId))
    return complain(
      `data-gp-app="${appId}" is not an app id, so the guide does not start. ` +
        'An app id begins with gp_, then 4 to 64 letters, digits, "_" or "-".',
    );
  const chosenLanguage = () => script?.getAttribute('data-gp-lang')?.trim() || undefined;
  return { appId, apiUrl, chosenLanguage };
}

/** What a developer needs to know when the guide cannot start. */
export function bootComplaint({ appId, apiUrl }: Settings, error: GuideError): string {
  const { origin } = location;
  const request = error.requestId ? ` (request ${error.requestId})` : '';
  switch (error.code) {
    case 'boot/origin_not_allowed':
      return `The service does not know app id "${appId}", or ${origin} is not among its allowed domains${request}.`;
    case 'boot/origin_mismatch':
      return `The service saw another Origin header than ${origin}; something between the page and it rewrites the header${request}.`;
    case 'boot/workspace_disabled':
      return `The workspace of app id "${appId}" is disabled or not rolled out yet${request}.`;
    case 'boot/unavailable':
      return `The guide is switched off for every workspace at the moment${request}.`;
    case 'rate_limit/exceeded':
      return `Too many boots from this network; it may try again in ${error.retryAfterSeconds ?? 60} seconds${request}.`;
    case 'network':
    case 'timeout':
      return (
        `${apiUrl} could not be reached from ${origin}. Check data-gp-api, and that ${origin} is among the allowed ` +
        `domains of app id "${appId}": a browser hides the answer to a page of another domain.`
      );
    case 'protocol':
      return `${apiUrl} answers, but not like a Guidepost service. Check data-gp-api.`;
    default:
      return `The guide could not start: ${error.code}. ${error.message}${request}`;
  }
}

/** Even to look at `localStorage` may throw, so nothing does before it is needed. */
export const deviceStorage: GuideStorage = {
  getItem: (key) => localStorage.getItem(key),
  setItem: (key, value) => localStorage.setItem(key, value),
  removeItem: (key) => localStorage.removeItem(key),
};

const complain = (complaint: string) => ({ complaint });

function httpUrlOf(address: string): string | undefined {
  try {
    const url = new URL(address);
    return url.protocol === 'https:' || url.protocol === 'http:' ? url.href.replace(/\/+$/, '') : undefined;
  } catch {
    return undefined;
  }
}
