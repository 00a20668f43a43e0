import { parseEvents } from '../event-stream.ts';
import { baseUrl, type ErrorReply, runScenario } from '../scenario.ts';
import * as api from './generated/client.ts';

api.defaults.baseUrl = baseUrl;

type Good = { status: 200 | 201; data: unknown };
type Bad = { data: api.ErrorBody };

async function unwrap<T extends { status: number; data: unknown }>(
  call: Promise<T>,
): Promise<Extract<T, Good>['data']> {
  const reply = await call;
  if (reply.status >= 300) throw new Error(`${reply.status} ${JSON.stringify(reply.data)}`);
  return reply.data as Extract<T, Good>['data'];
}

async function getError<T extends { status: number; data: unknown }>(call: Promise<T>): Promise<ErrorReply> {
  const { status, data } = await call;
  if (status < 300) throw new Error('expected an error');
  const body: Exclude<T, Good> extends Bad ? api.ErrorBody : never = data as never;
  return { status, body };
}

await runScenario({
  boot: (body, headers) => unwrap(api.bootGuide(body, { headers })),
  consent: (body, headers) => unwrap(api.recordConsent(body, { headers })),
  async *chat(body, headers) {
    const text: unknown = await unwrap(api.sendMessage(body, {}, { headers }));
    yield* parseEvents<api.ChatEvent>(String(text));
  },
  async signIn(body, headers) {
    const reply = await api.signIn(body, { headers });
    return reply.headers.get('set-cookie');
  },
  createArticle: (tenantId, body, headers) => unwrap(api.createArticle(tenantId, body, {}, { headers })),
  publishArticle: ({ tenantId, articleId }, body, headers) =>
    unwrap(api.publishArticle(tenantId, articleId, body, { headers })),
  createTranslation: ({ tenantId, articleId }, body, headers) =>
    unwrap(api.createTranslation(tenantId, articleId, body, {}, { headers })),
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
