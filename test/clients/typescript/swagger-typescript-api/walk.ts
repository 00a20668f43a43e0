import { eventsIn } from '../event-stream.ts';
import { baseUrl, type Refused, walk } from '../walk.ts';
import { Api, type ChatEvent, type ErrorBody, type HttpResponse } from './generated/client.ts';

const { api, boot, chat, consent } = new Api({ baseUrl });

type Reply<T> = Promise<HttpResponse<T, ErrorBody>>;

const the = async <T>(call: Reply<T>): Promise<T> => (await call).data;

/** The generated functions throw the response. */
async function refusal<T>(call: Reply<T>): Promise<Refused> {
  const { ok, status, error } = await call.catch((thrown: Awaited<Reply<T>>) => thrown);
  if (ok) throw new Error('was not refused');
  return { status, body: error };
}

await walk({
  boot: (body, headers) => the(boot.bootGuide(body, { headers })),
  consent: (body, headers) => the(consent.recordConsent(body, { headers })),
  async *chat(body, headers) {
    const { body: stream } = await chat.sendMessage(body, { headers });
    yield* eventsIn<ChatEvent>(stream);
  },
  async signIn(body, headers) {
    const reply = await api.signIn(body, { headers });
    return reply.headers.get('set-cookie');
  },
  createArticle: (tenantId, body, headers) => the(api.createArticle(tenantId, body, { headers })),
  publishArticle: ({ tenantId, articleId }, body, headers) =>
    the(api.publishArticle(tenantId, articleId, body, { headers })),
  createTranslation: ({ tenantId, articleId }, body, headers) =>
    the(api.createTranslation(tenantId, articleId, body, { headers })),
  submitTranslation: ({ tenantId, articleId, translationId }, body, headers) =>
    the(api.submitTranslation(tenantId, articleId, translationId, body, { headers })),
  reviewTranslation: ({ tenantId, articleId, translationId }, body, headers) =>
    the(api.reviewTranslation(tenantId, articleId, translationId, body, { headers })),
  publishTranslation: ({ tenantId, articleId, translationId }, body, headers) =>
    the(api.publishTranslation(tenantId, articleId, translationId, body, { headers })),
  exportConversations: (query, headers) => the(api.exportConversations(query, { headers })),
  missArticle: ({ tenantId, articleId }, headers) =>
    refusal(api.readArticle(tenantId, articleId, { headers })),
  missKey: (headers) => refusal(api.exportConversations({}, { headers })),
});
