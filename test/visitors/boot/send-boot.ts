import { request } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import type { BootReply } from '../../../contract/boot.ts';
import { type Harness, ORIGIN } from '../../support/harness.ts';
import { readResponse, type TestResponse } from '../../support/response.ts';

export const FOREIGN = 'https://evil.example';

export type Sent = { body?: unknown; headers?: Record<string, string> };

/** Boots from the workspace's page unless overridden. A body that is not an object is sent as it is. */
export function send(
  harness: Harness,
  { body = {}, headers = {} }: Sent = {},
): Promise<TestResponse<BootReply>> {
  const isFields = typeof body === 'object' && body !== null;
  const json = isFields ? { app_id: harness.appId, origin: ORIGIN, path: '/', ...body } : body;
  return readResponse<BootReply>(harness.fetch('/boot', { json, headers }));
}

/** Sends no User-Agent and no Origin unless `headers` has them. */
export async function sendPlainly(harness: Harness, body: object, headers: Record<string, string> = {}) {
  const json = JSON.stringify({ app_id: harness.appId, origin: ORIGIN, path: '/', ...body });
  const type = { 'content-type': 'application/json' };
  return new Promise<{ status: number; json: BootReply & { error?: string } }>((resolve, reject) => {
    request(`${harness.baseUrl}/boot`, { method: 'POST', headers: { ...type, ...headers } }, (response) => {
      textOf(response).then(
        (text) => resolve({ status: response.statusCode!, json: JSON.parse(text) }),
        reject,
      );
    })
      .on('error', reject)
      .end(json);
  });
}

export const eventsIn = (harness: Harness, workspaceId = harness.workspace.id) =>
  harness.service.store.in(workspaceId).events.list(1000);
