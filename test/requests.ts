import { contract } from '../contract/index.ts';
import type { Route, Surface } from '../contract/route.ts';
import { type Answer, answerOf } from './answer.ts';
import { joinAs } from './dashboard/office.ts';
import { makeKey } from './export/keys.ts';
import { type Harness, ORIGIN, question, USER_AGENT } from './harness.ts';
import { conversationOf, type Sample, type Signed, tenantSamples } from './tenant-requests.ts';
import { waveFile } from './voice/scripted-speech.ts';

/** A good request for every route of the contract, and ways to spoil it. */

type OperationIdOf<S> = {
  [K in keyof S]: S[K] extends { metadata: { operationId: infer I extends string } } ? I : never;
}[keyof S];
export type OperationId = {
  [S in keyof typeof contract]: OperationIdOf<(typeof contract)[S]>;
}[keyof typeof contract];

export type Visitor = { readonly jwt: string; readonly visitorId: string };

/** A request that the route accepts: of a visitor who has asked one question before, or of an owner who is signed in. */
export const samples: Record<OperationId, (world: World) => Sample | Promise<Sample>> = {
  bootGuide: ({ harness }) => ({ body: { app_id: harness.appId, origin: ORIGIN, path: '/' } }),
  reportBlockedPage: ({ harness }) => ({ path: `/boot/blocked?app_id=${harness.appId}` }),
  sendMessage: () => ({ body: question() }),
  getConversation: ({ visitor }) => ({ path: `/conversations/conv-${visitor.visitorId}` }),
  rateMessage: ({ messageId }) => ({ body: { message_id: messageId, rating: 'up' } }),
  recordConsent: ({ visitor, harness }) => ({
    body: {
      visitor_id: visitor.visitorId,
      url: `${ORIGIN}/`,
      copy_version: '2026-11-01',
      at: harness.clock.now(),
      decision: 'accepted',
    },
  }),
  eraseVisitor: () => ({}),
  getTranscribeToken: () => ({}),
  transcribeAudio: () => ({ file: waveFile().toString('latin1') }),
  speakText: () => ({ body: { text: 'Good morning.' } }),
  reportVoiceUsage: async ({ harness, visitor }) => {
    const { json } = await answerOf<{ token: string }>(harness.fetch('/transcribe-token', bearer(visitor)));
    return { body: { token: json.token, elapsed_seconds: 5 } };
  },
  exportAnalytics: () => ({}),
  exportEvents: () => ({}),
  streamEvents: () => ({}),
  tabulateEvents: () => ({}),
  exportConversations: withConversation,
  streamConversations: withConversation,
  tabulateConversations: withConversation,
  exportTranscripts: withConversation,
  streamTranscripts: withConversation,
  tabulateTranscripts: withConversation,
  ...tenantSamples,
};

/** There is a conversation that may be kept. */
async function withConversation(world: World): Promise<Sample> {
  await conversationOf(world);
  return {};
}

export const surfaces: Record<string, Surface> = contract;
export const routes = Object.values(surfaces).flatMap((surface) => Object.values(surface));
export const named = routes.map((route) => [route.metadata.operationId as OperationId, route] as const);

export type World = Signed & {
  /** With every scope. */
  readonly apiKey: string;
  readonly visitor: Visitor;
  readonly messageId: string;
};

export async function visitorOf(harness: Harness): Promise<Visitor> {
  // Booting is limited per address, and these files boot more often than a visitor does.
  harness.clock.advance(1000);
  const { jwt, visitor_id } = await harness.boot();
  return { jwt, visitorId: visitor_id };
}

/** A visitor who has asked one question, an owner who has just signed in, and an API key; all are new each time. */
export async function worldOf(harness: Harness): Promise<World> {
  const visitor = await visitorOf(harness);
  const events = await harness.ask(visitor.jwt, { conversation_id: `conv-${visitor.visitorId}` });
  const start = events[0]!;
  const desk = await joinAs(harness, harness.workspace, 'owner');
  const { text: apiKey } = await makeKey(harness);
  return {
    harness,
    desk,
    apiKey,
    visitor,
    messageId: start.type === 'message_start' ? start.message_id : '',
  };
}

export function bearer({ jwt }: Visitor): { headers: Record<string, string> } {
  return { headers: { authorization: `Bearer ${jwt}` } };
}

export type Twist = {
  readonly headers?: Record<string, string>;
  /** Without its credential. */
  readonly anonymous?: boolean;
  /** Fields of a query, without the question mark. */
  readonly query?: string;
  readonly raw?: string;
  readonly extra?: Record<string, unknown>;
};

export type Prepared = {
  readonly method: string;
  readonly url: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: string | undefined;
};

export async function requestOf(
  world: World,
  id: OperationId,
  route: Route,
  twist: Twist = {},
): Promise<Prepared> {
  const { harness } = world;
  const sample = await samples[id](world);
  const path = withQuery(sample.path ?? route.path, twist.query).replace(':tenantId', harness.workspace.id);
  const sent = sample.body && { ...sample.body, ...twist.extra };
  const { upload } = route.metadata;
  const mediaType = upload ? `multipart/form-data; boundary=${BOUNDARY}` : 'application/json';
  return {
    method: route.method,
    url: `${harness.baseUrl}${path}`,
    path,
    headers: {
      'user-agent': USER_AGENT,
      ...(route.body || twist.raw ? { 'content-type': mediaType } : {}),
      ...(route.metadata.firstParty ? { 'sec-fetch-site': 'same-origin' } : { origin: ORIGIN }),
      ...(twist.anonymous ? {} : credentialOf(world, route)),
      ...twist.headers,
    },
    body: twist.raw ?? (upload ? formOf(upload.field, sample.file ?? '') : sent && JSON.stringify(sent)),
  };
}

export const BOUNDARY = 'a-boundary-of-the-tests';

/** A form with one file, and nothing after it. */
export function formOf(field: string, file: string, more = ''): string {
  const head = `content-disposition: form-data; name="${field}"; filename="blob"\r\ncontent-type: audio/webm`;
  return `--${BOUNDARY}\r\n${head}\r\n\r\n${file}\r\n${more}--${BOUNDARY}--\r\n`;
}

function withQuery(path: string, query: string | undefined): string {
  if (query === undefined) return path;
  return `${path}${path.includes('?') ? '&' : '?'}${query}`;
}

function credentialOf({ visitor, desk, apiKey }: World, { metadata }: Route): Record<string, string> {
  if (metadata.credential === 'visitor') return { authorization: `Bearer ${visitor.jwt}` };
  if (metadata.credential === 'api-key') return { 'x-api-key': apiKey };
  return metadata.credential === 'session' ? { cookie: desk.cookie } : {};
}

export function sendPrepared({ url, method, headers, body }: Prepared): Promise<Answer> {
  return answerOf(fetch(url, { method, headers, body: body ?? null }));
}

export async function send(world: World, id: OperationId, route: Route, twist?: Twist): Promise<Answer> {
  return sendPrepared(await requestOf(world, id, route, twist));
}
