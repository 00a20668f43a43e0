import { readFileSync } from 'node:fs';
import { type ApiFetcher, initClient, tsRestFetchApi } from '@ts-rest/core';
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest';
import type { ArticleRecord } from '../../contract/articles.ts';
import type { BootReply } from '../../contract/boot.ts';
import type { ErrorBody } from '../../contract/errors.ts';
import { contract } from '../../contract/index.ts';
import type { TranslationRecord } from '../../contract/translations.ts';
import { makeKey } from '../support/export-client.ts';
import { eventsOf, type Harness, ORIGIN, openHarness, textOf, USER_AGENT } from '../support/harness.ts';
import { openTeamOn, type Team } from '../support/team.ts';
import { defaultSpeech, waveFile } from '../support/voice-service.ts';

/** ts-rest's own client calls the service, and TypeScript checks what it sends and receives against the contract. */

let harness: Harness;
let team: Team;
beforeAll(async () => {
  harness = await openHarness({ speech: defaultSpeech() });
  team = await openTeamOn(harness);
});
afterAll(() => harness.close());

const origin = ORIGIN;
const page = { origin, 'user-agent': USER_AGENT };
const question = {
  message: 'How do I reset my password?',
  dom_digest: 'main > h1 Account',
  conversation_id: 'conv-of-ts-rest',
  turn_idx: 0,
  url: `${ORIGIN}/account`,
};

/** The default fetcher parses JSON Lines as one JSON value. */
const api: ApiFetcher = async (call) => {
  if (!call.route.path.endsWith('.ndjson')) return tsRestFetchApi(call);
  const response = await fetch(call.path, { headers: call.headers });
  const { status, headers } = response;
  return { status, headers, body: await (response.ok ? response.text() : response.json()) };
};

const clientWith = (baseHeaders: Record<string, string>) =>
  initClient(contract, { baseUrl: harness.baseUrl, baseHeaders, api });
type Client = ReturnType<typeof clientWith>;

async function bootVisitor(): Promise<{ visitor: Client; visitorId: string }> {
  const body = { app_id: harness.appId, origin, path: '/' };
  const booted = await clientWith(page).boot.boot({ body });
  if (booted.status !== 200) throw new Error(booted.body.error);
  const visitor = clientWith({ ...page, authorization: `Bearer ${booted.body.jwt}` });
  return { visitor, visitorId: booted.body.visitor_id };
}

const asOwner = () => clientWith({ cookie: team.as('owner').cookie, 'sec-fetch-site': 'same-origin' });
const withKey = async () => clientWith({ 'x-api-key': (await makeKey(harness)).text }).export;

describe('a visitor', () => {
  it('boots, asks and reads the stream as text, as docs/contract.md shows', async () => {
    const { baseUrl, appId } = harness;

    const { boot } = initClient(contract, { baseUrl, baseHeaders: page });
    const booted = await boot.boot({ body: { app_id: appId, origin, path: '/' } });
    if (booted.status !== 200) throw new Error(booted.body.error);

    const baseHeaders = { ...page, authorization: `Bearer ${booted.body.jwt}` };
    const { chat } = initClient(contract, { baseUrl, baseHeaders });
    const answer = await chat.sendMessage({ body: question });
    if (answer.status !== 200) throw new Error(answer.body.error);
    const events = answer.body.split('\n\n');

    expect(events.length).toBeGreaterThan(3);
    expect(textOf(eventsOf(answer.body))).toContain('password');
    const [, shown] = /^```ts\n\/\/ test\/contract\/ts-rest-client.test.ts\n([\s\S]*?)^```$/m.exec(
      readFileSync(new URL('../../docs/contract.md', import.meta.url), 'utf8'),
    )!;
    const withoutIndentation = (code: string) => code.replaceAll(/^ +/gm, '').trim();
    expect(withoutIndentation(readFileSync(import.meta.filename, 'utf8'))).toContain(
      withoutIndentation(shown!),
    );
  });

  it('decides about storage', async () => {
    const { visitor, visitorId } = await bootVisitor();
    const at = harness.clock.now();
    const decided = await visitor.consent.recordConsent({
      body: { visitor_id: visitorId, url: `${ORIGIN}/`, copy_version: '1', at, decision: 'accepted' },
    });
    expect(decided).toMatchObject({ status: 200, body: { ok: true, recorded: true } });
  });

  it('uploads a recording as a form and reads speech as a Blob', async () => {
    const { visitor } = await bootVisitor();
    const form = new FormData();
    form.append('audio', new Blob([waveFile() as Uint8Array<ArrayBuffer>], { type: 'audio/wav' }), 'a.wav');
    const heard = await visitor.voice.transcribeAudio({ body: form });
    expect(heard).toMatchObject({ status: 200, body: { model: 'scripted' } });
    const spoken = await visitor.voice.speakText({ body: { text: 'Good morning to you all.' } });
    if (spoken.status !== 200) throw new Error(spoken.body.error);
    expect(spoken.body.size).toBeGreaterThan(0);
  });

  it('without a token gets a typed error', async () => {
    const answer = await clientWith(page).chat.sendMessage({ body: question });
    if (answer.status !== 401) throw new Error(`the status is ${answer.status}`);
    expect(answer.body).toMatchObject({ error: 'chat/unauthorized', request_id: expect.any(String) });
  });
});

describe('a program with an API key', () => {
  it('reads events as JSON, JSON Lines and CSV', async () => {
    await bootVisitor();
    const { exportEvents, streamEvents, tabulateEvents } = await withKey();
    const query = { type: 'boot' } as const;
    const events = await exportEvents({ query: { ...query, limit: '1' } });
    if (events.status !== 200) throw new Error(events.body.error);
    const lines = await streamEvents({ query });
    if (lines.status !== 200) throw new Error(lines.body.error);
    expect([JSON.parse(lines.body.split('\n')[0]!)]).toEqual(events.body.data);
    const table = await tabulateEvents({ query });
    if (table.status !== 200) throw new Error(table.body.error);
    expect(table.body).toContain(events.body.data[0]!.id);
  });

  it('learns which parameter is wrong', async () => {
    const { exportEvents } = await withKey();
    const events = await exportEvents({ query: { limit: '0' } });
    if (events.status !== 400) throw new Error(`the status is ${events.status}`);
    expect(events.body.issues).toMatchObject([{ path: 'query.limit' }]);
  });
});

describe('a member with a session', () => {
  it('creates and lists a translation', async () => {
    const { articles, translations } = asOwner();
    const { id: tenantId } = team.workspace;
    const article = await articles.createArticle({
      params: { tenantId },
      headers: { 'idempotency-key': 'once' },
      body: { title: 'Wi-Fi', answer: 'Open the system menu.', locale: 'en' },
    });
    if (article.status !== 201) throw new Error(article.body.error);
    const params = { tenantId, articleId: article.body.id };
    const body = { locale: 'de', title: 'WLAN', answer: 'Öffnen Sie das Systemmenü.' };
    const created = await translations.createTranslation({ params, body });
    if (created.status !== 201) throw new Error(created.body.error);
    const listed = await translations.listTranslations({ params });
    expect(listed).toMatchObject({ status: 200, body: { data: [{ id: created.body.id, locale: 'de' }] } });
  });

  it('sends a POST without a body', async () => {
    const sourceId = 'src_01kakv2fxse7wtg6x5r0h8rjbm';
    const runId = 'run_01kakv2fxse7wtg6x5r0h8rjbm';
    const params = { tenantId: team.workspace.id, sourceId, runId };
    const canceled = await asOwner().sourceRuns.cancelSourceRun({ params });
    expect(canceled).toMatchObject({ status: 404, body: { error: 'source/run_not_found' } });
  });
});

type Reply<Call extends (...args: never) => Promise<unknown>, Status> = Extract<
  Awaited<ReturnType<Call>>,
  { status: Status }
>;
type Body<Call extends (...args: never) => Promise<{ body: unknown }>, Status> =
  Reply<Call, Status> extends {
    body: infer B;
  }
    ? B
    : never;

describe('the types of the client', () => {
  it('name the body of each status', () => {
    type Groups = Client;
    expectTypeOf<Body<Groups['boot']['boot'], 200>>().toEqualTypeOf<BootReply>();
    expectTypeOf<Body<Groups['articles']['createArticle'], 201>>().toEqualTypeOf<ArticleRecord>();
    expectTypeOf<Body<Groups['translations']['createTranslation'], 201>>().toEqualTypeOf<TranslationRecord>();
    expectTypeOf<Body<Groups['chat']['sendMessage'], 200>>().toEqualTypeOf<string>();
    expectTypeOf<Body<Groups['export']['streamEvents'], 200>>().toEqualTypeOf<string>();
    expectTypeOf<Body<Groups['export']['tabulateEvents'], 200>>().toEqualTypeOf<string>();
    expectTypeOf<Body<Groups['voice']['speakText'], 200>>().toEqualTypeOf<Blob>();
    expectTypeOf<Body<Groups['chat']['sendMessage'], 401 | 403 | 409 | 429>>().toEqualTypeOf<ErrorBody>();
    expectTypeOf<Body<Groups['articles']['createArticle'], 409>>().toEqualTypeOf<ErrorBody>();
  });

  it('know every status that a route declares', () => {
    expectTypeOf<Awaited<ReturnType<Client['boot']['boot']>>['status']>().toEqualTypeOf<
      200 | 400 | 403 | 413 | 415 | 429 | 500 | 503
    >();
    expectTypeOf<Reply<Client['boot']['boot'], 201>>().toBeNever();
  });

  /** Compiled, never called. */
  const _rejected = async ({ boot, chat, voice, sourceRuns, export: exporting }: Client) => {
    const body = { app_id: 'gp_1', origin, path: '/' };
    // @ts-expect-error: `app` is no field of a boot.
    await boot.boot({ body: { ...body, app: 'gp_1' } });
    // @ts-expect-error: a path is required.
    await boot.boot({ body: { app_id: 'gp_1', origin } });
    // @ts-expect-error: a turn index is a number.
    await chat.sendMessage({ body: { ...question, turn_idx: '0' } });
    // @ts-expect-error: a form is no string.
    await voice.transcribeAudio({ body: 'RIFF' });
    // @ts-expect-error: this POST takes no body.
    await sourceRuns.cancelSourceRun({ params: { tenantId: '', sourceId: '', runId: '' }, body: {} });
    // @ts-expect-error: the path needs a run.
    await sourceRuns.cancelSourceRun({ params: { tenantId: '', sourceId: '' } });
    // @ts-expect-error: `color` is no type of event.
    await exporting.exportEvents({ query: { type: 'color' } });
    const booted = await boot.boot({ body });
    // @ts-expect-error: the token is known only after the status is.
    booted.body.jwt;
  };
});
