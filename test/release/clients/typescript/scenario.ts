import { strict as assert } from 'node:assert';

/** The scenario of every generated client. The folder of each generator adapts its client to `Client`. */

export type Headers = Record<string, string>;
export type BootReply = {
  jwt: string | null;
  visitor_id: string;
  config: { consent: { copy: { version: string } } };
};
export type Resource = { id: string; revision: number; status: string };
export type ErrorReply = {
  status: number;
  body: { error: string; request_id: string };
};
/** Lists every event type, so that clients without a discriminated union fail to compile. */
type StreamEvent =
  | { type: 'text_delta'; delta: string }
  | { type: 'citation'; title: string; quote: string }
  | { type: 'message_end'; finish_reason: string; text_length: number }
  | {
      type:
        | 'message_start'
        | 'status'
        | 'text_replace'
        | 'page_citation'
        | 'action'
        | 'suggestions'
        | 'notice'
        | 'error';
    };

export type Question = {
  message: string;
  dom_digest: string;
  conversation_id: string;
  turn_idx: number;
  url: string;
};
export type Consent = {
  visitor_id: string;
  url: string;
  copy_version: string;
  at: number;
  decision: 'accepted';
};
type TranslationPath = { tenantId: string; articleId: string; translationId: string };

/** The operations of the scenario, as the generated client calls them. */
export type Client = {
  boot(body: { app_id: string; origin: string; path: string }, headers: Headers): Promise<BootReply>;
  consent(body: Consent, headers: Headers): Promise<{ ok: boolean; recorded: boolean }>;
  chat(body: Question, headers: Headers): AsyncIterable<StreamEvent>;
  /** Returns the Set-Cookie header. */
  signIn(body: { email: string; password: string }, headers: Headers): Promise<string | null>;
  createArticle(
    tenantId: string,
    body: { title: string; answer: string },
    headers: Headers,
  ): Promise<Resource>;
  publishArticle(
    at: { tenantId: string; articleId: string },
    body: { baseRevision: number },
    headers: Headers,
  ): Promise<Resource>;
  createTranslation(
    at: { tenantId: string; articleId: string },
    body: { locale: string; title: string; answer: string },
    headers: Headers,
  ): Promise<Resource>;
  submitTranslation(at: TranslationPath, body: { baseRevision: number }, headers: Headers): Promise<Resource>;
  reviewTranslation(
    at: TranslationPath,
    body: { baseRevision: number; decision: 'approve' },
    headers: Headers,
  ): Promise<Resource>;
  publishTranslation(
    at: TranslationPath,
    body: { baseRevision: number },
    headers: Headers,
  ): Promise<Resource & { live?: { revision: number } }>;
  exportConversations(
    query: { limit: number },
    headers: Headers,
  ): Promise<{ data: readonly { id: string }[]; has_more: boolean }>;
  /** Reads an article that does not exist. */
  readUnknownArticle(at: { tenantId: string; articleId: string }, headers: Headers): Promise<ErrorReply>;
  /** Exports with an unknown API key. */
  exportWithUnknownKey(headers: Headers): Promise<ErrorReply>;
};

const getEnv = (name: string): string => {
  const value = process.env[`GUIDEPOST_${name}`];
  if (value === undefined) throw new Error(`GUIDEPOST_${name} is not set`);
  return value;
};

export const baseUrl = getEnv('URL');
const ORIGIN = getEnv('ORIGIN');
const tenantId = getEnv('TENANT_ID');
const conversation_id = `conv-scenario-${process.pid}`;

export async function runScenario(client: Client): Promise<void> {
  let visitor: BootReply | undefined;
  const asVisitor = () => ({ origin: ORIGIN, authorization: `Bearer ${visitor?.jwt}` });

  await step('boot', async () => {
    const body = { app_id: getEnv('APP_ID'), origin: ORIGIN, path: '/' };
    visitor = await client.boot(body, { origin: ORIGIN });
    assert.ok(visitor.jwt);
    return 'yes';
  });
  await step('consent', async () => {
    const { visitor_id, config } = visitor!;
    const copy_version = config.consent.copy.version;
    const body = {
      visitor_id,
      url: `${ORIGIN}/`,
      copy_version,
      at: Date.now(),
      decision: 'accepted',
    } as const;
    const { ok, recorded } = await client.consent(body, asVisitor());
    assert.deepEqual([ok, recorded], [true, true]);
    return 'yes';
  });
  await step('stream', () => readStream(client, asVisitor()));
  let cookie = '';
  const asMember = () => ({ origin: baseUrl, cookie });
  await step('translation', async () => {
    const body = { email: getEnv('EMAIL'), password: getEnv('PASSWORD') };
    cookie = (await client.signIn(body, asMember()))?.split(';')[0] ?? '';
    assert.notEqual(cookie, '');
    await translate(client, asMember());
    return 'yes';
  });
  await step('export', async () => {
    const page = await client.exportConversations({ limit: 10 }, { 'x-api-key': getEnv('API_KEY') });
    assert.equal(page.has_more, false);
    assert.ok(page.data.some((row) => row.id === conversation_id));
    return 'yes';
  });
  await step('errors', async () => {
    const articleId = 'art_01kakv2fxse7wtg6x5r0h8rjbm';
    const missing = await client.readUnknownArticle({ tenantId, articleId }, asMember());
    assert.equal(missing.status, 404);
    assertStarts(missing.body.error, 'article/not_found');
    const rejected = await client.exportWithUnknownKey({
      'x-api-key': `pk_live_${'a'.repeat(47)}`,
    });
    assert.equal(rejected.status, 401);
    assertStarts(rejected.body.error, 'export/unauthorized');
    assert.match(rejected.body.request_id, /^req_/);
    return 'typed';
  });
}

/** The next version appends to the values of open enums. */
function assertStarts(value: string, start: string): void {
  assert.ok(value.startsWith(start), value);
}

async function step(name: string, act: () => Promise<string>): Promise<void> {
  const line = await act().then(
    (result) => ({ step: name, result }),
    (cause) => ({ step: name, failed: String(cause instanceof Error ? cause.stack : cause) }),
  );
  console.log(JSON.stringify(line));
}

/** Reads an answer to its end and checks whether its events arrive one by one. */
async function readStream(client: Client, headers: Headers): Promise<string> {
  const question = { message: 'How do I reset my password?', dom_digest: 'main > h1 Account', turn_idx: 0 };
  const body = { ...question, conversation_id, url: `${ORIGIN}/account` };
  const kinds = new Set<string>();
  const times: number[] = [];
  let text = '';
  let length = -1;
  for await (const event of client.chat(body, headers)) {
    kinds.add(event.type);
    times.push(performance.now());
    if (event.type === 'text_delta') text += event.delta;
    if (event.type === 'citation') assert.ok(text.includes(event.quote));
    if (event.type === 'message_end') length = event.text_length;
  }
  assert.equal(length, [...text].length);
  for (const kind of ['message_start', 'text_delta', 'citation', 'message_end'])
    assert.ok(kinds.has(kind), kind);
  return times.at(-1)! - times[0]! > 50 ? 'typed, incremental' : 'typed, buffered';
}

async function translate(client: Client, headers: Headers): Promise<void> {
  const article = await client.createArticle(
    tenantId,
    { title: 'Gift wrapping', answer: 'Choose gift wrapping at the checkout. It costs two euros.' },
    headers,
  );
  const at = { tenantId, articleId: article.id };
  const published = await client.publishArticle(at, { baseRevision: article.revision }, headers);
  assertStarts(published.status, 'published');
  const draft = await client.createTranslation(
    at,
    { locale: 'de', title: 'Geschenkverpackung', answer: 'Wählen Sie die Geschenkverpackung an der Kasse.' },
    headers,
  );
  const here = { ...at, translationId: draft.id };
  const submitted = await client.submitTranslation(here, { baseRevision: draft.revision }, headers);
  assertStarts(submitted.status, 'in_review');
  const review = { baseRevision: submitted.revision, decision: 'approve' } as const;
  const approved = await client.reviewTranslation(here, review, headers);
  assertStarts(approved.status, 'approved');
  const live = await client.publishTranslation(here, { baseRevision: approved.revision }, headers);
  assert.equal(live.live?.revision, live.revision);
}
