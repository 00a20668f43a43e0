import type { APIResponseError, Client } from '@notionhq/client';
import { SOURCE_LIMITS } from '../../../contract/limits/sources.ts';
import { RunFailed } from '../document.ts';
import type { ServiceApi } from '../service-api.ts';

/** The client of Notion's API, with our connections, and what its errors mean. */

export type ApiError = APIResponseError;

/** The service may be busy for a while; the connections have limits of their own. */
const TIMEOUT_MILLIS = SOURCE_LIMITS.sourceRunSecondsMax * 1000;

/** Loaded on first use. */
export async function createNotionClient({
  api,
  token,
  apiUrl,
}: {
  api: ServiceApi;
  token: string;
  apiUrl: string;
}): Promise<Client> {
  const { Client, LogLevel } = await import('@notionhq/client');
  return new Client({
    auth: token,
    baseUrl: apiUrl,
    retry: false,
    timeoutMs: TIMEOUT_MILLIS,
    logLevel: LogLevel.ERROR,
    logger: () => undefined,
    fetch: async (url, { method, headers, body } = {}) => {
      const {
        status,
        text,
        headers: received,
      } = await api.send(url, {
        method: method === 'POST' ? 'POST' : 'GET',
        ...(headers && { headers }),
        ...(typeof body === 'string' && { body }),
      });
      if (status === 401) throw new RunFailed('not_authorized', apiUrl);
      return { ok: status < 300, status, headers: received, text: async () => text };
    },
  });
}

/** Whether a page or block does not exist, or is not shared with the integration. */
export function isPageUnreadable(error: unknown): boolean {
  const { code } = error as { code?: string };
  return code === 'object_not_found' || code === 'restricted_resource';
}

type List = { has_more: boolean; next_cursor: string | null };

/** Yields the pages of a list. */
export async function* listAll<Page extends List>(
  list: (cursor: { start_cursor?: string }) => Promise<Page>,
): AsyncGenerator<Page> {
  let cursor: { start_cursor?: string } = {};
  for (let read = 0; read < SOURCE_LIMITS.listPagesMax; read += 1) {
    const page = await list(cursor);
    yield page;
    if (!page.has_more || page.next_cursor === null) return;
    cursor = { start_cursor: page.next_cursor };
  }
}
