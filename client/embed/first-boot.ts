import { bootGuide, reportBlockedPage } from '../../generated/routes.ts';
import type { BootReply } from '../../generated/types.ts';
import { openVisitorStorage } from '../sdk/visitor-storage.ts';
import { type Complaint, deviceStorage, type Settings } from './settings.ts';

/** The first boot of a page, made before the panel and all of the client are loaded. */
export async function firstBoot(
  { appId, apiUrl }: Settings,
  acceptLanguage: string | undefined,
): Promise<BootReply | Complaint> {
  const visitor = openVisitorStorage(appId, deviceStorage);
  const { globalPrivacyControl: gpc } = navigator as { globalPrivacyControl?: boolean };
  const complaint = { appId, apiUrl };
  let response: Response;
  try {
    response = await send(apiUrl + bootGuide.path, {
      headers: {
        'content-type': 'application/json',
        ...(acceptLanguage ? { 'accept-language': acceptLanguage } : {}),
      },
      // What is undefined is not sent.
      body: JSON.stringify({
        app_id: appId,
        origin: location.origin,
        path: location.pathname,
        visitor_id: visitor.visitorId,
        gpc,
      }),
    });
  } catch {
    return { code: 'network', ...complaint };
  }
  // biome-ignore lint/suspicious/noExplicitAny: either kind of answer, or something that is no answer of the service.
  const body: any = await response.json().catch(() => undefined);
  if (!response.ok || !body?.visitor_id || !body.features || !body.config?.branding)
    return {
      code: typeof body?.error === 'string' ? body.error : 'protocol',
      ...complaint,
      requestId: body?.request_id,
      retryAfterSeconds: body?.retryAfterSec,
    };
  visitor.visitorId = body.visitor_id;
  visitor.setAllowed(body.features.persist_visitor);
  return body;
}

/**
 * A browser does not say whether nobody answered or the page was not let in. The service can be told of this page without
 * being asked first, which it shows to its owner.
 */
export async function isBlocked({ appId, apiUrl }: Settings): Promise<boolean> {
  const told = send(`${apiUrl}${reportBlockedPage.path}?app_id=${appId}`, { mode: 'no-cors' });
  return told.then(
    () => true,
    () => false,
  );
}

function send(address: string, init: RequestInit): Promise<Response> {
  return fetch(address, { method: 'POST', credentials: 'omit', cache: 'no-store', ...init });
}
