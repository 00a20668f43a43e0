import type { Client, RequestConfig, ResponseConfig } from '@kubb/plugin-client/clients/fetch';
import { setConfig } from '@kubb/plugin-client/clients/fetch';
import { eventsIn } from '../event-stream.ts';
import { baseUrl, type Headers, type Refused, walk } from '../walk.ts';
import * as api from './generated/index.ts';

setConfig({ baseURL: baseUrl });

async function the<T>(call: Promise<ResponseConfig<T>>): Promise<T> {
  const { status, data } = await call;
  if (status >= 300) throw new Error(`${status} ${JSON.stringify(data)}`);
  return data;
}

/**
 * The generated functions return an error where their type promises a success; the error's type is
 * exported separately.
 */
async function refusal<T>(
  call: Promise<ResponseConfig<unknown>>,
  as: (data: unknown) => T,
): Promise<T & Refused> {
  const { status, data } = await call;
  if (status < 300) throw new Error('was not refused');
  return { status, body: as(data) } as T & Refused;
}

/** The included client reads every response as JSON; a stream needs another one. */
const unread = (async ({ url, method, data, headers }: RequestConfig) => {
  const sent = { 'content-type': 'application/json', ...(headers as Headers) };
  const response = await fetch(`${baseUrl}${url}`, { method, headers: sent, body: JSON.stringify(data) });
  return { data: response.body, status: response.status, statusText: '', headers: response.headers };
}) as Client;

const json = (headers: Headers) => ({ headers: { ...headers, 'content-type': 'application/json' } });

await walk({
  boot: (body, headers) => the(api.bootGuide(body, json(headers))),
  consent: (body, headers) => the(api.recordConsent(body, json(headers))),
  async *chat(body, headers) {
    const stream: unknown = await the(api.sendMessage(body, {}, { ...json(headers), client: unread }));
    yield* eventsIn<api.ChatEvent>(stream as ReadableStream<Uint8Array>);
  },
  async signIn(body, headers) {
    const reply = await api.signIn(body, json(headers));
    return reply.headers.get('set-cookie');
  },
  createArticle: (tenantId, body, headers) => the(api.createArticle(tenantId, body, json(headers))),
  publishArticle: ({ tenantId, articleId }, body, headers) =>
    the(api.publishArticle(tenantId, articleId, body, json(headers))),
  createTranslation: ({ tenantId, articleId }, body, headers) =>
    the(api.createTranslation(tenantId, articleId, body, json(headers))),
  submitTranslation: ({ tenantId, articleId, translationId }, body, headers) =>
    the(api.submitTranslation(tenantId, articleId, translationId, body, json(headers))),
  reviewTranslation: ({ tenantId, articleId, translationId }, body, headers) =>
    the(api.reviewTranslation(tenantId, articleId, translationId, body, json(headers))),
  publishTranslation: ({ tenantId, articleId, translationId }, body, headers) =>
    the(api.publishTranslation(tenantId, articleId, translationId, body, json(headers))),
  exportConversations: (query, headers) => the(api.exportConversations(query, { headers })),
  missArticle: ({ tenantId, articleId }, headers) =>
    refusal(api.readArticle(tenantId, articleId, { headers }), (data) => data as api.ReadArticle404),
  missKey: (headers) =>
    refusal(api.exportConversations({}, { headers }), (data) => data as api.ExportConversations401),
});
