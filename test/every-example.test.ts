import { readFileSync } from 'node:fs';
import type { MediaTypeObject, OpenAPIObject, RequestBodyObject } from 'openapi3-ts/oas31';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { LINK_HEADER } from '../contract/fields.ts';
import type { Route } from '../contract/route.ts';
import { newSetupUrl } from '../server/accounts/setup.ts';
import { exampleOf, operationsOf, parametersOf } from './openapi/walk.ts';
import { openForAllRoutes } from './support/all-routes.ts';
import { type Harness, ORIGIN } from './support/harness.ts';
import { createFixtures, named, requestOf, sendPrepared } from './support/requests.ts';
import type { TestResponse } from './support/response.ts';
import { type Fixtures, getSample, type OperationId } from './support/samples.ts';
import { addPerson } from './support/signed-in-client.ts';

/**
 * Sends the example request of every operation as openapi.yaml publishes it. Only path parameters and the values that a
 * running service issues are replaced, or left out where they are optional.
 */

const ISSUED = [
  ...['app_id', 'visitor_id', 'message_id', 'token', 'baseRevision', 'sourceRevision'],
  ...['articleId', 'assigneeId', 'conversation_id', 'transcript', 'website', 'query'],
  ...['code', 'passkey', 'id', 'clientDataJSON', 'attestationObject', 'transports'],
  ...['authenticatorData', 'signature', 'userHandle'],
];
/** Optional parameters that continue an earlier answer. */
const CONTINUING = ['cursor', 'last-event-id'];

const document = parse(readFileSync('openapi.yaml', 'utf8')) as OpenAPIObject;
const operations = new Map(operationsOf(document).map((operation) => [operation.operationId, operation]));

/** Returns the published example of the request's body. */
function exampleBody(id: OperationId): Record<string, unknown> | undefined {
  const body = operations.get(id)!.requestBody as RequestBodyObject | undefined;
  const media: MediaTypeObject | undefined = body?.content['application/json'];
  return media && (exampleOf(document, media) as Record<string, unknown>);
}

function exampleParameters(id: OperationId, place: 'query' | 'header'): Record<string, string> {
  const parameters = parametersOf(document, operations.get(id)!).filter(
    (parameter) => parameter.in === place && !CONTINUING.includes(parameter.name),
  );
  return Object.fromEntries(parameters.map(({ name, example }) => [name, toText(example)]));
}

const toText = (example: unknown) => (example instanceof Date ? example.toISOString() : String(example));

async function sendExample(fixtures: Fixtures, id: OperationId, route: Route): Promise<TestResponse> {
  const sample = await getSample(fixtures, id);
  const request = await requestOf(fixtures, id, route, {}, sample);
  const body = exampleBody(id);
  const published = Object.entries(body ?? {}).filter(([name]) => !ISSUED.includes(name));
  const issued = Object.entries(sample.body ?? {}).filter(([name]) => ISSUED.includes(name));
  const url = new URL(request.url);
  for (const [name, value] of Object.entries(exampleParameters(id, 'query'))) {
    if (!ISSUED.includes(name) || !url.searchParams.has(name)) url.searchParams.set(name, value);
  }
  return sendPrepared({
    ...request,
    url: url.href,
    headers: { ...exampleParameters(id, 'header'), ...request.headers },
    body: body ? JSON.stringify(Object.fromEntries([...published, ...issued])) : request.body,
  });
}

/** Operations that get a server of their own: they need more than the fixtures, or change what others rely on. */
const prepared: Partial<Record<OperationId, (fixtures: Fixtures) => Promise<unknown>>> = {
  changeTenant: async () => {},
  renameCollection: async () => {},
  signIn: ({ harness }) => addPerson(harness, 'ada@example.com'),
  putAnswerTests: ({ memberClient }) =>
    memberClient.post('/knowledge/articles', {
      slug: 'returns',
      title: 'Return an order',
      answer: 'By post.',
    }),
  deleteTenant: ({ memberClient }) => memberClient.patch('', { name: 'The bicycle shop' }),
};
const needsOwnServer = (id: OperationId) => id in prepared || id === 'setUp' || id === 'readSetupLink';

function expectPublishedAnswer(id: OperationId, { status, text }: TestResponse): void {
  const published = Object.keys(operations.get(id)!.responses ?? {}).filter((each) => each.startsWith('2'));
  expect(published, text).toContain(String(status));
}

describe('published example requests', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await openForAllRoutes();
  });
  afterAll(() => harness.close());

  const ordinary = named.filter(([id]) => !needsOwnServer(id));
  it.each(ordinary)('%s gets the published response', async (id, route) => {
    expectPublishedAnswer(id, await sendExample(await createFixtures(harness), id, route));
  });
});

describe('published example requests, each on its own server', () => {
  let harness: Harness;
  beforeEach(async () => {
    harness = await openForAllRoutes();
  });
  afterEach(() => harness.close());

  it.each(['readSetupLink', 'setUp'] as const)('%s gets the published response', async (id) => {
    const link = await newSetupUrl(harness.service, harness.baseUrl);
    const token = link!.split('#token=')[1]!;
    const [, route] = named.find(([other]) => other === id)!;
    const body = exampleBody(id);
    const answer = await sendPrepared({
      method: route.method,
      url: `${harness.baseUrl}${route.path}`,
      path: route.path,
      headers: {
        'sec-fetch-site': 'same-origin',
        ...(body ? { 'content-type': 'application/json' } : { [LINK_HEADER]: token }),
      },
      body: body && JSON.stringify({ ...body, token }),
    });
    expectPublishedAnswer(id, answer);
  });

  it.each(Object.keys(prepared) as OperationId[])('%s gets the published response', async (id) => {
    const fixtures = await createFixtures(harness);
    await prepared[id]!(fixtures);
    const [, route] = named.find(([other]) => other === id)!;
    expectPublishedAnswer(id, await sendExample(fixtures, id, route));
  });
});

it('the tests boot from the origin of the published example', () => {
  expect(exampleBody('bootGuide')).toMatchObject({ origin: ORIGIN });
});
