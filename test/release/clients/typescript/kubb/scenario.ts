import type { Client, RequestConfig, ResponseConfig } from '@kubb/plugin-client/clients/fetch';
import { setConfig } from '@kubb/plugin-client/clients/fetch';
import { readEvents } from '../event-stream.ts';
import { baseUrl, type ErrorReply, type Headers, runScenario } from '../scenario.ts';
import * as api from './generated/index.ts';

setConfig({ baseURL: baseUrl });

async function unwrap<T>(call: Promise<ResponseConfig<T>>): Promise<T> {
  const { status, data } = await call;
  if (status >= 300) throw new Error(`${status} ${JSON.stringify(data)}`);
  return data;
}

/**
 * The generated functions return an error where their type promises a success; the error's type is exported separately.
 */
async function getError<T>(
  call: Promise<ResponseConfig<unknown>>,
  as: (data: unknown) => T,
): Promise<T & ErrorReply> {
  const { status, data } = await call;
  if (status < 300) throw new Error('expected an error');
  return { status, body: as(data) } as T & ErrorReply;
}

/** The included client parses every response as JSON, so streaming needs another one. */
const streaming = (async ({ url, method, data, headers }: RequestConfig) => {
  const sent = { 'content-type': 'application/json', ...(headers as Headers) };
  const response = await fetch(`${baseUrl}${url}`, { method, headers: sent, body: JSON.stringify(data) });
  return { data: response.body, status: response.status, statusText: '', headers: response.headers };
}) as Client;

const json = (headers: Headers) => ({ headers: { ...headers, 'content-type': 'application/json' } });

await runScenario({
  boot: (body, headers) => unwrap(api.bootGuide(body, json(headers))),
  consent: (body, headers) => unwrap(api.recordConsent(body, json(headers))),
  async *chat(body, headers) {
    const stream: unknown = await unwrap(
      api.sendMessage(body, {}, {}, { ...json(headers), client: streaming }),
    );
    yield* readEvents<api.ChatEvent>(stream as ReadableStream<Uint8Array>);
  },
  async signIn(body, headers) {
    const reply = await api.signIn(body, json(headers));
    return reply.headers.get('set-cookie');
  },
  createArticle: (tenantId, body, headers) => unwrap(api.createArticle(tenantId, body, {}, json(headers))),
  publishArticle: ({ tenantId, articleId }, body, headers) =>
    unwrap(api.publishArticle(tenantId, articleId, body, json(headers))),
  createTranslation: ({ tenantId, articleId }, body, headers) =>
    unwrap(api.createTranslation(tenantId, articleId, body, {}, json(headers))),
  submitTranslation: ({ tenantId, articleId, translationId }, body, headers) =>
    unwrap(api.submitTranslation(tenantId, articleId, translationId, body, json(headers))),
  reviewTranslation: ({ tenantId, articleId, translationId }, body, headers) =>
    unwrap(api.reviewTranslation(tenantId, articleId, translationId, body, json(headers))),
  publishTranslation: ({ tenantId, articleId, translationId }, body, headers) =>
    unwrap(api.publishTranslation(tenantId, articleId, translationId, body, json(headers))),
  exportConversations: (query, headers) => unwrap(api.exportConversations(query, { headers })),
  readUnknownArticle: ({ tenantId, articleId }, headers) =>
    getError(api.readArticle(tenantId, articleId, { headers }), (data) => data as api.ReadArticleError),
  exportWithUnknownKey: (headers) =>
    getError(api.exportConversations({}, { headers }), (data) => data as api.ExportConversationsError),
});
