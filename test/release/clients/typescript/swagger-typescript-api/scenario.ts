import { readEvents } from '../event-stream.ts';
import { baseUrl, type ErrorReply, runScenario } from '../scenario.ts';
import { Api, type ChatEvent, type ErrorBody, type HttpResponse } from './generated/client.ts';

const { boot, chat, consent } = new Api({ baseUrl });
/** The generator leaves out the format of answers where the document declares 400. */
const { api } = new Api({ baseUrl, baseApiParams: { format: 'json' } });

type Reply<T> = Promise<HttpResponse<T, ErrorBody>>;

const unwrap = async <T>(call: Reply<T>): Promise<T> => (await call).data;

/** The generated functions throw the response. */
async function getError<T>(call: Reply<T>): Promise<ErrorReply> {
  const { ok, status, error } = await call.catch((thrown: Awaited<Reply<T>>) => thrown);
  if (ok) throw new Error('expected an error');
  return { status, body: error };
}

await runScenario({
  boot: (body, headers) => unwrap(boot.bootGuide(body, { headers })),
  consent: (body, headers) => unwrap(consent.recordConsent(body, { headers })),
  async *chat(body, headers) {
    const { body: stream } = await chat.sendMessage(body, {}, { headers });
    yield* readEvents<ChatEvent>(stream);
  },
  async signIn(body, headers) {
    const reply = await api.signIn(body, { headers });
    return reply.headers.get('set-cookie');
  },
  createArticle: (tenantId, body, headers) => unwrap(api.createArticle(tenantId, body, { headers })),
  publishArticle: ({ tenantId, articleId }, body, headers) =>
    unwrap(api.publishArticle(tenantId, articleId, body, { headers })),
  createTranslation: ({ tenantId, articleId }, body, headers) =>
    unwrap(api.createTranslation(tenantId, articleId, body, { headers })),
  submitTranslation: ({ tenantId, articleId, translationId }, body, headers) =>
    unwrap(api.submitTranslation(tenantId, articleId, translationId, body, { headers })),
  reviewTranslation: ({ tenantId, articleId, translationId }, body, headers) =>
    unwrap(api.reviewTranslation(tenantId, articleId, translationId, body, { headers })),
  publishTranslation: ({ tenantId, articleId, translationId }, body, headers) =>
    unwrap(api.publishTranslation(tenantId, articleId, translationId, body, { headers })),
  exportConversations: (query, headers) => unwrap(api.exportConversations(query, { headers })),
  readUnknownArticle: ({ tenantId, articleId }, headers) =>
    getError(api.readArticle(tenantId, articleId, { headers })),
  exportWithUnknownKey: (headers) => getError(api.exportConversations({}, { headers })),
});
