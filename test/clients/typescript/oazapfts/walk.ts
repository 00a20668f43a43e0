import { eventsOf } from '../event-stream.ts';
import { baseUrl, type Refused, walk } from '../walk.ts';
import * as api from './generated/client.ts';

api.defaults.baseUrl = baseUrl;

type Good = { status: 200 | 201; data: unknown };
type Bad = { data: api.ErrorBody };

async function the<T extends { status: number; data: unknown }>(
  call: Promise<T>,
): Promise<Extract<T, Good>['data']> {
  const reply = await call;
  if (reply.status >= 300) throw new Error(`${reply.status} ${JSON.stringify(reply.data)}`);
  return reply.data as Extract<T, Good>['data'];
}

async function refusal<T extends { status: number; data: unknown }>(call: Promise<T>): Promise<Refused> {
  const { status, data } = await call;
  if (status < 300) throw new Error('was not refused');
  const body: Exclude<T, Good> extends Bad ? api.ErrorBody : never = data as never;
  return { status, body };
}

await walk({
  boot: (body, headers) => the(api.bootGuide(body, { headers })),
  consent: (body, headers) => the(api.recordConsent(body, { headers })),
  async *chat(body, headers) {
    const text: unknown = await the(api.sendMessage(body, {}, { headers }));
    yield* eventsOf<api.ChatEvent>(String(text));
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
