import { contract } from '../../contract/index.ts';
import type { Route, Router } from '../../contract/route.ts';
import { makeKey } from './export-client.ts';
import { type Harness, ORIGIN, USER_AGENT } from './harness.ts';
import { readResponse, type TestResponse } from './response.ts';
import { type Fixtures, getSample, type OperationId, type Sample, type Visitor } from './samples.ts';
import { joinAs } from './team.ts';

/** Requests for every route of the contract, and ways to make them invalid. */

export const routers: Record<string, Router> = contract;
export const routes = Object.values(routers).flatMap((router) => Object.values(router));
export const named = routes.map((route) => [route.metadata.operationId as OperationId, route] as const);

export async function visitorOf(harness: Harness): Promise<Visitor> {
  // Boots are limited per address, and these files boot more often than a visitor does.
  harness.clock.advance(1000);
  const { jwt, visitor_id } = await harness.boot();
  return { jwt, visitorId: visitor_id };
}

/** Creates a visitor, a signed-in owner, and an API key. */
export async function createFixtures(harness: Harness): Promise<Fixtures> {
  const visitor = await visitorOf(harness);
  const memberClient = await joinAs(harness, harness.workspace, 'owner');
  const { text: apiKey } = await makeKey(harness);
  return { harness, memberClient, apiKey, visitor };
}

type Twist = {
  headers?: Record<string, string>;
  /** Whether the request has no credential. */
  anonymous?: boolean;
  /** Fields of a query, without the question mark. */
  query?: string;
  raw?: string;
  extra?: Record<string, unknown>;
};

export type Prepared = {
  method: string;
  url: string;
  path: string;
  headers: Record<string, string>;
  body: string | undefined;
};

export async function requestOf(
  fixtures: Fixtures,
  id: OperationId,
  route: Route,
  twist: Twist = {},
  given?: Sample,
): Promise<Prepared> {
  const { harness } = fixtures;
  const sample = given ?? (await getSample(fixtures, id));
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
      ...sample.headers,
      ...(twist.anonymous ? {} : credentialOf(fixtures, route, sample.headers?.cookie)),
      ...twist.headers,
    },
    body: twist.raw ?? (upload ? formOf(upload.field, sample.file ?? '') : sent && JSON.stringify(sent)),
  };
}

export const BOUNDARY = 'a-boundary-of-the-tests';

/** Builds a multipart body with one file, then the raw parts in `more`; no epilogue. */
export function formOf(field: string, file: string, more = ''): string {
  const head = `content-disposition: form-data; name="${field}"; filename="blob"\r\ncontent-type: audio/webm`;
  return `--${BOUNDARY}\r\n${head}\r\n\r\n${file}\r\n${more}--${BOUNDARY}--\r\n`;
}

function withQuery(path: string, query: string | undefined): string {
  if (query === undefined) return path;
  return `${path}${path.includes('?') ? '&' : '?'}${query}`;
}

function credentialOf(
  { visitor, memberClient, apiKey }: Fixtures,
  { metadata }: Route,
  cookie?: string,
): Record<string, string> {
  if (metadata.credential === 'visitor') return { authorization: `Bearer ${visitor.jwt}` };
  if (metadata.credential === 'api-key') return { 'x-api-key': apiKey };
  if (metadata.credential !== 'session') return {};
  return { cookie: cookie ? `${memberClient.cookie}; ${cookie}` : memberClient.cookie };
}

/** Makes one request of each route, for tests whose requests are all rejected and change nothing. */
export function shareRequests(make: (id: OperationId, route: Route) => Promise<Prepared>): typeof make {
  const made = new Map<OperationId, Promise<Prepared>>();
  return (id, route) => {
    const request = made.get(id) ?? make(id, route);
    made.set(id, request);
    return request;
  };
}

export function sendPrepared({ url, method, headers, body }: Prepared): Promise<TestResponse> {
  return readResponse(fetch(url, { method, headers, body: body ?? null }));
}

export async function send(
  fixtures: Fixtures,
  id: OperationId,
  route: Route,
  twist?: Twist,
): Promise<TestResponse> {
  return sendPrepared(await requestOf(fixtures, id, route, twist));
}
