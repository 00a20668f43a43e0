import createClient from 'openapi-fetch';
import { readEvents } from '../event-stream.ts';
import { baseUrl, type ErrorReply, runScenario } from '../scenario.ts';
import type { components, paths } from './generated/schema.ts';

const client = createClient<paths>({ baseUrl });

type Outcome<T> = { data?: T; error?: components['schemas']['ErrorBody']; response: Response };

async function unwrap<T>(call: Promise<Outcome<T>>): Promise<T> {
  const { data, error, response } = await call;
  if (data === undefined) throw new Error(`${response.status} ${error?.error}`);
  return data;
}

async function getError<T>(call: Promise<Outcome<T>>): Promise<ErrorReply> {
  const { error, response } = await call;
  if (!error) throw new Error(`expected an error: ${response.status}`);
  return { status: response.status, body: error };
}

const ARTICLES = '/api/tenants/{tenantId}/knowledge/articles';

await runScenario({
  boot: (body, headers) => unwrap(client.POST('/boot', { body, headers })),
  consent: (body, headers) => unwrap(client.POST('/consent', { body, headers })),
  async *chat(body, headers) {
    const stream = await unwrap(client.POST('/chat', { body, headers, parseAs: 'stream' }));
    yield* readEvents<components['schemas']['ChatEvent']>(stream);
  },
  async signIn(body, headers) {
    const { response } = await client.POST('/api/session', { body, headers });
    return response.headers.get('set-cookie');
  },
  createArticle: (tenantId, body, headers) =>
    unwrap(client.POST(ARTICLES, { params: { path: { tenantId } }, body, headers })),
  publishArticle: (path, body, headers) =>
    unwrap(client.POST(`${ARTICLES}/{articleId}/publish`, { params: { path }, body, headers })),
  createTranslation: (path, body, headers) =>
    unwrap(client.POST(`${ARTICLES}/{articleId}/translations`, { params: { path }, body, headers })),
  submitTranslation: (path, body, headers) =>
    unwrap(
      client.POST(`${ARTICLES}/{articleId}/translations/{translationId}/submit-review`, {
        params: { path },
        body,
        headers,
      }),
    ),
  reviewTranslation: (path, body, headers) =>
    unwrap(
      client.POST(`${ARTICLES}/{articleId}/translations/{translationId}/review`, {
        params: { path },
        body,
        headers,
      }),
    ),
  publishTranslation: (path, body, headers) =>
    unwrap(
      client.POST(`${ARTICLES}/{articleId}/translations/{translationId}/publish`, {
        params: { path },
        body,
        headers,
      }),
    ),
  exportConversations: (query, headers) =>
    unwrap(client.GET('/api/export/conversations', { params: { query }, headers })),
  readUnknownArticle: (path, headers) =>
    getError(client.GET(`${ARTICLES}/{articleId}`, { params: { path }, headers })),
  exportWithUnknownKey: (headers) => getError(client.GET('/api/export/conversations', { headers })),
});
