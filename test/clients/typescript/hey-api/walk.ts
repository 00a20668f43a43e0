import { baseUrl, type Refused, walk } from '../walk.ts';
import { client } from './generated/client.gen.ts';
import * as api from './generated/sdk.gen.ts';
import type { ErrorBody } from './generated/types.gen.ts';

client.setConfig({ baseUrl });

type Outcome<T> = { data: T | undefined; error: ErrorBody | undefined; response?: Response };

async function the<T>(call: Promise<Outcome<T>>): Promise<T> {
  const { data, error, response } = await call;
  if (data === undefined) throw new Error(`${response?.status} ${error?.error}`);
  return data;
}

async function refusal<T>(call: Promise<Outcome<T>>): Promise<Refused> {
  const { error, response } = await call;
  if (!error || !response) throw new Error('was not refused');
  return { status: response.status, body: error };
}

await walk({
  boot: (body, headers) => the(api.bootGuide({ body, headers })),
  consent: (body, headers) => the(api.recordConsent({ body, headers })),
  async *chat(body, headers) {
    const { stream } = await api.sendMessage({ body, headers, sseMaxRetryAttempts: 1 });
    yield* stream;
  },
  async signIn(body, headers) {
    const { response } = await api.signIn({ body, headers });
    return response?.headers.get('set-cookie') ?? null;
  },
  createArticle: (tenantId, body, headers) => the(api.createArticle({ path: { tenantId }, body, headers })),
  publishArticle: (path, body, headers) => the(api.publishArticle({ path, body, headers })),
  createTranslation: (path, body, headers) => the(api.createTranslation({ path, body, headers })),
  submitTranslation: (path, body, headers) => the(api.submitTranslation({ path, body, headers })),
  reviewTranslation: (path, body, headers) => the(api.reviewTranslation({ path, body, headers })),
  publishTranslation: (path, body, headers) => the(api.publishTranslation({ path, body, headers })),
  exportConversations: (query, headers) => the(api.exportConversations({ query, headers })),
  missArticle: (path, headers) => refusal(api.readArticle({ path, headers })),
  missKey: (headers) => refusal(api.exportConversations({ headers })),
});
