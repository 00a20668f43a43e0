import createClient from 'openapi-fetch';
import { eventsIn } from '../event-stream.ts';
import { baseUrl, type Refused, walk } from '../walk.ts';
import type { components, paths } from './generated/schema.ts';

const client = createClient<paths>({ baseUrl });

type Outcome<T> = { data?: T; error?: components['schemas']['ErrorBody']; response: Response };

async function the<T>(call: Promise<Outcome<T>>): Promise<T> {
  const { data, error, response } = await call;
  if (data === undefined) throw new Error(`${response.status} ${error?.error}`);
  return data;
}

async function refusal<T>(call: Promise<Outcome<T>>): Promise<Refused> {
  const { error, response } = await call;
  if (!error) throw new Error(`was not refused: ${response.status}`);
  return { status: response.status, body: error };
}

const ARTICLES = '/api/tenants/{tenantId}/knowledge/articles';

await walk({
  boot: (body, headers) => the(client.POST('/boot', { body, headers })),
  consent: (body, headers) => the(client.POST('/consent', { body, headers })),
  async *chat(body, headers) {
    const stream = await the(client.POST('/chat', { body, headers, parseAs: 'stream' }));
    yield* eventsIn<components['schemas']['ChatEvent']>(stream);
  },
  async signIn(body, headers) {
    const { response } = await client.POST('/api/session', { body, headers });
    return response.headers.get('set-cookie');
  },
  createArticle: (tenantId, body, headers) =>
    the(client.POST(ARTICLES, { params: { path: { tenantId } }, body, headers })),
  publishArticle: (path, body, headers) =>
    the(client.POST(`${ARTICLES}/{articleId}/publish`, { params: { path }, body, headers })),
  createTranslation: (path, body, headers) =>
    the(client.POST(`${ARTICLES}/{articleId}/translations`, { params: { path }, body, headers })),
  submitTranslation: (path, body, headers) =>
    the(
      client.POST(`${ARTICLES}/{articleId}/translations/{translationId}/submit-review`, {
        params: { path },
        body,
        headers,
      }),
    ),
  reviewTranslation: (path, body, headers) =>
    the(
      client.POST(`${ARTICLES}/{articleId}/translations/{translationId}/review`, {
        params: { path },
        body,
        headers,
      }),
    ),
  publishTranslation: (path, body, headers) =>
    the(
      client.POST(`${ARTICLES}/{articleId}/translations/{translationId}/publish`, {
        params: { path },
        body,
        headers,
      }),
    ),
  exportConversations: (query, headers) =>
    the(client.GET('/api/export/conversations', { params: { query }, headers })),
  missArticle: (path, headers) =>
    refusal(client.GET(`${ARTICLES}/{articleId}`, { params: { path }, headers })),
  missKey: (headers) => refusal(client.GET('/api/export/conversations', { headers })),
});
