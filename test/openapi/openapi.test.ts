import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { ERROR_CODES } from '../../contract/errors.ts';
import { contract } from '../../contract/index.ts';
import { BUCKETS } from '../../contract/limits.ts';
import { openapiDocument } from '../../contract/openapi/openapi.ts';
import { generatedFiles, staleFiles } from '../../contract/openapi/write.ts';
import { type Credential, type Route, route, router } from '../../contract/route.ts';
import { listResponses, operationsOf, parametersOf } from './walk.ts';

const document = openapiDocument();
const routers: Record<string, Record<string, Route>> = contract;
const routes = Object.values(routers).flatMap((each) => Object.values(each));

it('publishes every route of the contract and nothing else', () => {
  const published = operationsOf(document).map(({ operationId }) => operationId);
  expect(published.sort()).toEqual(routes.map(({ metadata }) => metadata.operationId).sort());
});

it('lists every error of a route under its status, with code and message', () => {
  for (const operation of operationsOf(document)) {
    const { metadata } = routes.find((each) => each.metadata.operationId === operation.operationId)!;
    const responses = Object.fromEntries(listResponses(document, operation));
    for (const code of metadata.errorCodes) {
      const { status, message } = ERROR_CODES[code];
      expect(responses[status]?.description).toContain(`- \`${code}\`: ${message}`);
    }
    const statuses = new Set(metadata.errorCodes.map((code) => String(ERROR_CODES[code].status)));
    const { successResponses: answers } = metadata as typeof metadata & { successResponses: object };
    expect(new Set(Object.keys(responses))).toEqual(statuses.union(new Set(Object.keys(answers))));
  }
});

it('declares the request id and rate-limit headers on every response, and Retry-After where it applies', () => {
  for (const operation of operationsOf(document)) {
    for (const [status, { headers = {} }] of listResponses(document, operation)) {
      const waits = status === '429' || status === '503' ? ['Retry-After'] : [];
      expect(Object.keys(headers)).toEqual(
        expect.arrayContaining(['x-request-id', 'RateLimit', 'RateLimit-Policy', ...waits]),
      );
    }
  }
});

it('declares which operations pages of customers may call, and their CORS headers', () => {
  for (const operation of operationsOf(document)) {
    const { metadata } = routes.find((each) => each.metadata.operationId === operation.operationId)!;
    const forPages = !metadata.firstParty && metadata.credential !== 'api-key';
    expect(operation['x-guidepost-cross-origin']).toBe(forPages);
    for (const [status, { headers = {} }] of listResponses(document, operation)) {
      if (status < '400') expect('Access-Control-Allow-Origin' in headers).toBe(forPages);
    }
  }
});

it('lists error codes as an extension field', () => {
  for (const operation of operationsOf(document)) {
    const { metadata } = routes.find((each) => each.metadata.operationId === operation.operationId)!;
    const codes = listResponses(document, operation).flatMap(([, each]) => each['x-guidepost-codes'] ?? []);
    expect(codes.sort()).toEqual([...metadata.errorCodes].sort());
  }
});

it('prints the rate limits of each route', () => {
  const chat = operationsOf(document).find(({ path }) => path === '/chat')!;
  expect(chat['x-guidepost-buckets']).toEqual([
    { bucket: 'chat/visitor-burst', withCredential: true, ...BUCKETS['chat/visitor-burst'] },
    { bucket: 'chat/network-burst', withCredential: true, ...BUCKETS['chat/network-burst'] },
    { bucket: 'chat/tenant-burst', withCredential: true, ...BUCKETS['chat/tenant-burst'] },
    { bucket: 'chat/visitor-hour', withCredential: true, ...BUCKETS['chat/visitor-hour'] },
    { bucket: 'chat/ip-rate-limited', withCredential: false, ...BUCKETS['chat/ip-rate-limited'] },
  ]);
  const signIn = operationsOf(document).find(({ operationId }) => operationId === 'signIn')!;
  expect(signIn['x-guidepost-buckets']).toContainEqual({
    bucket: 'session/sign-in',
    withCredential: false,
    namedByBody: true,
    ...BUCKETS['session/sign-in'],
  });
});

it('declares the credential of each route, and an empty alternative if it is optional', () => {
  const getSecurity = (path: string) =>
    operationsOf(document).find((operation) => operation.path === path)!.security;
  expect(getSecurity('/boot')).toEqual([]);
  expect(getSecurity('/chat')).toEqual([{ visitorToken: [] }]);
  expect(getSecurity('/consent')).toEqual([{ visitorToken: [] }, {}]);
  expect(documentOf('session').operation.security).toEqual([{ sessionCookie: [] }]);
  expect(documentOf('api-key').operation.security).toEqual([{ apiKeyHeader: [] }, { apiKeyBearer: [] }]);
});

it('declares only the security schemes that are used', () => {
  expect(documentOf('none').schemes).toEqual([]);
  expect(documentOf('visitor').schemes).toEqual(['visitorToken']);
  expect(documentOf('api-key').schemes).toEqual(['apiKeyHeader', 'apiKeyBearer']);
});

it('declares list parameters as repeated fields, and only required parameters as required', () => {
  const [id, tags] = parametersOf(documentOf('none').operation);
  expect(id).toMatchObject({ in: 'path', name: 'thingId', required: true, example: 'one' });
  expect(tags).toMatchObject({ in: 'query', name: 'tags', style: 'form', explode: true });
  expect(tags?.required ?? false).toBe(false);
});

/** The document of a contract with one route that is called with this credential. */
function documentOf(credential: Credential) {
  const word = z.string().max(8).describe('A short word for this test.').meta({ example: 'one' });
  const thing = z.strictObject({ word }).meta({ id: 'Thing', description: 'Something for this test.' });
  const things = router({
    readThing: route({
      method: 'GET',
      path: '/things/:thing_id',
      summary: 'Read a thing',
      description: 'Reads a thing that exists in this test alone.',
      pathParams: z.strictObject({ thing_id: word }),
      query: z.strictObject({ tags: z.array(word).max(3).optional().describe('Words to look for.') }),
      responses: { 200: thing },
      errors: [],
      meta: {
        operationId: 'readThing',
        tag: 'Chat',
        credential,
        ...(credential !== 'none' && { unauthorized: 'visitor/unauthorized' as const }),
        limits: [],
      },
    }),
  });
  const made = openapiDocument({ things });
  return { operation: operationsOf(made)[0]!, schemes: Object.keys(made.components!.securitySchemes ?? {}) };
}

it('the committed files are current; otherwise run `make generate`', async () => {
  expect(await staleFiles()).toEqual([]);
});

it('names the files that are stale', async () => {
  const files = generatedFiles();
  const changed = { ...files, 'generated/errors.md': 'something else', 'generated/missing.md': 'new' };
  expect(await staleFiles(changed)).toEqual(['generated/errors.md', 'generated/missing.md']);
});

it('writes the same bytes every time', () => {
  expect(generatedFiles()).toEqual(generatedFiles());
});

it('publishes the same document as JSON and YAML', () => {
  const files = generatedFiles();
  expect(JSON.parse(files['generated/openapi.json']!)).toEqual(parse(files['openapi.yaml']!));
});
