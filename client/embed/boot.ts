import { bootGuide } from '../../generated/routes.ts';
import type { BootReply } from '../../generated/types.ts';
import { openAllowedStorage } from '../denial.ts';
import { getStorageKey, readVisitor, writeVisitor } from '../sdk/visitor-storage.ts';
import { getAddress } from './address.ts';

export type Settings = {
  appId: string;
  apiUrl: string;
  /** Read again for each boot, because the page may renew it. */
  userToken?: () => string | undefined;
};

/** Why the guide cannot start: invalid attributes, or a failed boot. */
export type InstallError = {
  code: string;
  appId?: string;
  apiUrl?: string;
  requestId?: string | undefined;
  retryAfterSeconds?: number | undefined;
};

const APP_ID = /^gp_[0-9A-Za-z_-]{4,64}$/;

/** Reads the attributes of the element. */
export function readSettings(host: Element): Settings | InstallError {
  const appId = host.getAttribute('app')?.trim() ?? '';
  const api = host.getAttribute('api')?.trim() ?? '';
  const apiUrl = parseHttpUrl(api);
  const attributes = { appId, apiUrl: api };
  if (apiUrl === undefined) return { code: api ? 'api_wrong' : 'api_missing', ...attributes };
  if (!APP_ID.test(appId)) return { code: appId ? 'app_wrong' : 'app_missing', ...attributes };
  return { appId, apiUrl, userToken: () => host.getAttribute('user') || undefined };
}

function parseHttpUrl(address: string): string | undefined {
  try {
    const { protocol, href } = new URL(address);
    return /^https?:$/.test(protocol) ? href.replace(/\/+$/, '') : undefined;
  } catch {
    return undefined;
  }
}

/** Reads the trace that the page has begun (W3C Trace Context), which the service continues. */
export function readTraceHeaders(): Record<string, string> {
  const traceparent = document.querySelector<HTMLMetaElement>('meta[name=traceparent]')?.content ?? '';
  return /^[\da-f-]{55}$/.test(traceparent) ? { traceparent } : {};
}

/** JSON.stringify omits undefined members. */
export function buildBootBody(appId: string, visitorId?: string, userToken?: string): string {
  const { globalPrivacyControl: gpc } = navigator as { globalPrivacyControl?: boolean };
  const { origin, pathname: path } = getAddress();
  return JSON.stringify({
    app_id: appId,
    origin,
    path,
    visitor_id: visitorId,
    user_token: userToken,
    gpc,
    // The panel has them.
    texts: false,
  });
}

/** Sends the first boot of a page, before the panel and the client are loaded. */
export async function sendFirstBoot(
  { appId, apiUrl, userToken }: Settings,
  acceptLanguage: string | undefined,
  fetch: typeof globalThis.fetch,
): Promise<BootReply | InstallError> {
  const storage = openAllowedStorage(appId);
  const key = getStorageKey(appId);
  const stored = readVisitor(storage, key);
  let response: Response;
  try {
    response = await fetch(apiUrl + bootGuide.path, {
      method: 'POST',
      credentials: 'omit',
      cache: 'no-store',
      // Without a content type the body is sent as text/plain, which needs no CORS preflight.
      headers: {
        ...readTraceHeaders(),
        ...(acceptLanguage ? { 'accept-language': acceptLanguage } : {}),
      },
      body: buildBootBody(appId, stored.visitorId, userToken?.()),
    });
  } catch {
    return { code: 'network' };
  }
  // biome-ignore lint/suspicious/noExplicitAny: a boot reply, an error, or a response of something else.
  const body: any = await response.json().catch(() => undefined);
  if (!response.ok || !body?.visitor_id || !body.features || !body.config?.branding)
    return {
      code: typeof body?.error === 'string' ? body.error : 'protocol',
      requestId: body?.request_id,
      retryAfterSeconds: body?.retryAfterSec,
    };
  const { visitorId } = readVisitor(storage, key);
  if (!body.features.persist_visitor) {
    // Keep what another tab has stored meanwhile, where the visitor has agreed.
    if (visitorId === stored.visitorId) writeVisitor(storage, key, undefined);
  } else if (visitorId !== body.visitor_id)
    writeVisitor(storage, key, { ...stored, visitorId: body.visitor_id });
  return body;
}
