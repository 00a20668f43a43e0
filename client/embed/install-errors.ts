import { buildBootBody, type InstallError } from './boot.ts';
import type { Emit } from './conversation.ts';

const cli = (command: string) => `npm run -s guidepost -- ${command}`;

type Message = (error: InstallError & { request: string }) => string;

/** How to fix an origin that is not allowed, or an unknown app id. */
const explainDomains: Message = ({ appId, apiUrl }) =>
  `If the app id is correct, add ${location.origin} to the allowed domains of its workspace: in the dashboard ` +
  `(${apiUrl}/dashboard) under Settings, or on the server with "${cli(`workspace set ID --domain ${location.origin}`)}". ` +
  `Repeat --domain for every domain, since the list is replaced. ${explainWorkspace(appId)}`;

const explainWorkspace = (appId = '') =>
  `"${cli('workspace list')}" shows the ID of the workspace with app id "${appId}".`;

const unreachable: Message = ({ apiUrl }) =>
  `Could not reach ${apiUrl} from ${location.origin}. Check data-gp-api, that the service is running, and that the page's ` +
  'content security policy allows connections to it (connect-src).';

const MESSAGES: Readonly<Record<string, Message>> = {
  api_missing: () =>
    'The script tag has no data-gp-api, so no visitor token is minted and the guide does not start. ' +
    'Add data-gp-api="https://…" with the address of the Guidepost service ' +
    '(on a <guidepost-guide> element the attribute is called api).',
  api_wrong: ({ apiUrl }) =>
    `data-gp-api="${apiUrl}" is not an http or https address, so no visitor token is minted and the guide does not start. ` +
    'Use the full address of the Guidepost service, such as https://guide.example.com.',
  app_missing: () =>
    'The script tag has no data-gp-app, so the guide does not start. ' +
    `Add data-gp-app="gp_…" with the app id of your workspace. You find it in the dashboard under Settings, or with ` +
    `"${cli('workspace list')}" (on a <guidepost-guide> element the attribute is called app).`,
  app_wrong: ({ appId }) =>
    `data-gp-app="${appId}" is not an app id, so the guide does not start. ` +
    'An app id starts with gp_, followed by 4 to 64 letters, digits, "_" or "-".',
  'boot/origin_not_allowed': (error) =>
    `App id "${error.appId}" is unknown, or ${location.origin} is not among its allowed domains${error.request}. ` +
    explainDomains(error),
  // The service sends no CORS headers to pages that it does not allow.
  blocked: (error) =>
    `${error.apiUrl} is running, but does not allow this page: app id "${error.appId}" is unknown, or ` +
    `${location.origin} is not among its allowed domains. ${explainDomains(error)}`,
  headers: ({ apiUrl }) =>
    `${apiUrl} allows this page, but not the headers that a script of the page adds to its requests. Let that script leave ` +
    'requests to this address alone, or let a proxy in front of the service pass OPTIONS requests on.',
  'boot/origin_mismatch': ({ request }) =>
    `The service received a different Origin header than ${location.origin}. A proxy on the way rewrites it${request}.`,
  'boot/workspace_disabled': ({ appId, request }) =>
    `The workspace of app id "${appId}" is disabled, or not on the rollout list of the server${request}. ` +
    `Enable it with "${cli('workspace enable ID')}". ${explainWorkspace(appId)}`,
  'boot/unavailable': ({ request }) =>
    `The guide is currently switched off for all workspaces${request}. Switch it on with "${cli('killswitch off')}".`,
  'rate_limit/exceeded': ({ retryAfterSeconds, request }) =>
    `Too many requests from this network. Try again in ${retryAfterSeconds ?? 60} seconds${request}.`,
  network: unreachable,
  timeout: unreachable,
  protocol: ({ apiUrl }) => `${apiUrl} does not respond like a Guidepost service. Check data-gp-api.`,
  bot: () => 'The service takes this browser for a crawler by its user agent, and issued no visitor token.',
  chat_off: () => 'Chat is switched off for this workspace.',
  chunk: () =>
    'Could not load the panel from the folder of guide.js. Check the connection, and that the content security policy of ' +
    'this page allows scripts from that origin (script-src).',
};

/** Errors of a boot that a script of the page may cause which wraps `fetch`: it may add cookies, headers or parameters. */
const MAY_BE_CHANGED = ['network', 'protocol', 'request/invalid', 'boot/origin_mismatch'];

/**
 * Explains to the page's developer why the guide does not start. Loaded only then. Before that it tries once more with the browser's
 * own `fetch`, if a script of the page has replaced it.
 */
export async function reportInstallError(
  error: InstallError,
  deps: { fetch: typeof fetch; emit: Emit },
  retry: () => void,
): Promise<void> {
  if (MAY_BE_CHANGED.includes(error.code) && replaceFetch(deps)) return retry();
  deps.emit('error', { code: error.code });
  console.error(`Guidepost: ${await explainInstallError(error)}`);
}

let isReplaced = false;

/** Takes `fetch` from an empty frame, which no script of the page has changed. False when there is nothing to gain by it. */
function replaceFetch(deps: { fetch: typeof fetch }): boolean {
  if (isReplaced || /\[native code]/.test(Function.prototype.toString.call(fetch))) return false;
  isReplaced = true;
  const frame = document.createElement('iframe');
  frame.hidden = true;
  document.head.appendChild(frame);
  const { fetch: own } = frame.contentWindow as unknown as typeof globalThis;
  frame.remove();
  deps.fetch = own.bind(window);
  return true;
}

async function explainInstallError(error: InstallError): Promise<string> {
  const code = error.code === 'network' ? await findCause(error) : error.code;
  const request = error.requestId ? ` (request ${error.requestId})` : '';
  const message = Object.hasOwn(MESSAGES, code) ? MESSAGES[code] : undefined;
  return message?.({ ...error, request }) ?? `The guide could not start: ${code}${request}.`;
}

/**
 * Tells apart what `fetch` reports alike: a service that does not respond, one that does not allow this page, and one that does not
 * allow the headers which a script of the page adds to every `fetch`.
 */
async function findCause({ appId = '', apiUrl = '' }: InstallError): Promise<string> {
  if (await posts(`${apiUrl}/boot`, buildBootBody(appId))) return 'headers';
  const isReachable = await fetch(`${apiUrl}/healthz`, {
    mode: 'no-cors',
    credentials: 'omit',
    cache: 'no-store',
  }).then(
    () => true,
    () => false,
  );
  return isReachable ? 'blocked' : 'network';
}

/** Whether a request succeeds that scripts which wrap `fetch` do not see. */
function posts(url: string, body: string): Promise<boolean> {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest();
    request.onloadend = () => resolve(request.status === 200);
    request.open('POST', url);
    request.send(body);
  });
}
