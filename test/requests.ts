import { contract } from '../contract/index.ts';
import type { Route, Surface } from '../contract/route.ts';
import { type Answer, answerOf } from './answer.ts';
import { type Harness, ORIGIN, question, USER_AGENT } from './harness.ts';

/** A good request for every route of the contract, and ways to spoil it. */

type OperationIdOf<S> = {
  [K in keyof S]: S[K] extends { metadata: { operationId: infer I extends string } } ? I : never;
}[keyof S];
export type OperationId = {
  [S in keyof typeof contract]: OperationIdOf<(typeof contract)[S]>;
}[keyof typeof contract];

export type Visitor = { readonly jwt: string; readonly visitorId: string };

/** A request that the route accepts, for a visitor who has asked one question before. */
type Sample = { readonly path?: string; readonly body?: Record<string, unknown> };

export const samples: Record<
  OperationId,
  (world: { harness: Harness; visitor: Visitor; messageId: string }) => Sample
> = {
  bootGuide: ({ harness }) => ({ body: { app_id: harness.appId, origin: ORIGIN, path: '/' } }),
  sendMessage: () => ({ body: question() }),
  getConversation: () => ({ path: '/conversations/conv-of-a-test' }),
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
};

export const surfaces: Record<string, Surface> = contract;
export const routes = Object.values(surfaces).flatMap((surface) => Object.values(surface));
export const named = routes.map((route) => [route.metadata.operationId as OperationId, route] as const);

export type World = { readonly visitor: Visitor; readonly messageId: string };

export async function visitorOf(harness: Harness): Promise<Visitor> {
  // Booting is limited per address, and this file boots more often than a visitor does.
  harness.clock.advance(1000);
  const { jwt, visitor_id } = await harness.boot();
  return { jwt, visitorId: visitor_id };
}

export async function worldOf(harness: Harness): Promise<World> {
  const visitor = await visitorOf(harness);
  const events = await harness.ask(visitor.jwt, { conversation_id: `conv-${visitor.visitorId}` });
  await harness.ask(visitor.jwt).catch(() => undefined);
  const start = events[0]!;
  return { visitor, messageId: start.type === 'message_start' ? start.message_id : '' };
}

export function bearer({ jwt }: Visitor): { headers: Record<string, string> } {
  return { headers: { authorization: `Bearer ${jwt}` } };
}

export type Twist = {
  readonly headers?: Record<string, string>;
  readonly jwt?: string | undefined;
  readonly query?: string;
  readonly raw?: string;
  readonly extra?: Record<string, unknown>;
};

export async function requestOf(
  harness: Harness,
  world: World,
  id: OperationId,
  route: Route,
  twist: Twist = {},
) {
  const sample = samples[id]({ harness, ...world });
  const jwt = 'jwt' in twist ? twist.jwt : world.visitor.jwt;
  const sent = sample.body && { ...sample.body, ...twist.extra };
  return {
    method: route.method,
    path: `${sample.path ?? route.path}${twist.query ?? ''}`.replace(
      'conv-of-a-test',
      `conv-${world.visitor.visitorId}`,
    ),
    headers: {
      origin: ORIGIN,
      'user-agent': USER_AGENT,
      ...(route.body || twist.raw ? { 'content-type': 'application/json' } : {}),
      ...(jwt && route.metadata.credential === 'visitor' ? { authorization: `Bearer ${jwt}` } : {}),
      ...twist.headers,
    } as Record<string, string>,
    body: twist.raw ?? (sent && JSON.stringify(sent)),
  };
}

export async function send(
  harness: Harness,
  world: World,
  id: OperationId,
  route: Route,
  twist?: Twist,
): Promise<Answer> {
  const { path, ...init } = await requestOf(harness, world, id, route, twist);
  return answerOf(fetch(`${harness.baseUrl}${path}`, { ...init, body: init.body ?? null }));
}
