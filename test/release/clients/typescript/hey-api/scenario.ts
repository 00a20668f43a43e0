import { baseUrl, type ErrorReply, runScenario } from '../scenario.ts';
import { client } from './generated/client.gen.ts';
import * as api from './generated/sdk.gen.ts';
import type { ErrorBody } from './generated/types.gen.ts';

client.setConfig({ baseUrl });

type Outcome<T> = { data: T | undefined; error: ErrorBody | undefined; response?: Response };

async function unwrap<T>(call: Promise<Outcome<T>>): Promise<T> {
  const { data, error, response } = await call;
  if (data === undefined) throw new Error(`${response?.status} ${error?.error}`);
  return data;
}

async function getError<T>(call: Promise<Outcome<T>>): Promise<ErrorReply> {
  const { error, response } = await call;
  if (!error || !response) throw new Error('expected an error');
  return { status: response.status, body: error };
}

await runScenario({
  boot: (body, headers) => unwrap(api.bootGuide({ body, headers })),
  consent: (body, headers) => unwrap(api.recordConsent({ body, headers })),
  async *chat(body, headers) {
    // The generated check rejects events of types that the document does not know.
    const lenient = { responseValidator: async () => {}, sseMaxRetryAttempts: 1 };
    const { stream } = await api.sendMessage({ body, headers, ...lenient });
    yield* stream;
  },
  async signIn(body, headers) {
    const { response } = await api.signIn({ body, headers });
    return response?.headers.get('set-cookie') ?? null;
  },
  createArticle: (tenantId, body, headers) =>
    unwrap(api.createArticle({ path: { tenantId }, body, headers })),
  publishArticle: (path, body, headers) => unwrap(api.publishArticle({ path, body, headers })),
  createTranslation: (path, body, headers) => unwrap(api.createTranslation({ path, body, headers })),
  submitTranslation: (path, body, headers) => unwrap(api.submitTranslation({ path, body, headers })),
  reviewTranslation: (path, body, headers) => unwrap(api.reviewTranslation({ path, body, headers })),
  publishTranslation: (path, body, headers) => unwrap(api.publishTranslation({ path, body, headers })),
  exportConversations: (query, headers) => unwrap(api.exportConversations({ query, headers })),
  readUnknownArticle: (path, headers) => getError(api.readArticle({ path, headers })),
  exportWithUnknownKey: (headers) => getError(api.exportConversations({ headers })),
});
