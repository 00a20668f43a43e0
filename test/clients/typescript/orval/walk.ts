import { eventsOf } from '../event-stream.ts';
import { baseUrl, type Refused, walk } from '../walk.ts';
import * as api from './generated/client.ts';

// The generated functions call the address of the current page; a script has to prepend the host.
const plainFetch = globalThis.fetch;
globalThis.fetch = (address, init) => plainFetch(`${baseUrl}${address}`, init);

type Good = { status: 200 | 201; data: unknown };
type Bad = { status: Exclude<number, 200 | 201>; data: api.ErrorBody };

async function the<T extends { status: number; data: unknown }>(
  call: Promise<T>,
): Promise<Extract<T, Good>['data']> {
  const reply = await call;
  if (reply.status >= 300) throw new Error(`${reply.status} ${JSON.stringify(reply.data)}`);
  return reply.data as Extract<T, Good>['data'];
}

async function refusal(call: Promise<Good | Bad>): Promise<Refused> {
  const { status, data } = await call;
  if (status === 200 || status === 201) throw new Error('was not refused');
  return { status, body: data as api.ErrorBody };
}

await walk({
  boot: (body, headers) => the(api.bootGuide(body, { headers })),
  consent: (body, headers) => the(api.recordConsent(body, { headers })),
  async *chat(body, headers) {
    const text: unknown = await the(api.sendMessage(body, { headers }));
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
