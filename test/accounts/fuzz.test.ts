import { afterAll, beforeAll, expect, it } from 'vitest';
import { errorBody } from '../../contract/errors.ts';
import type { Route } from '../../contract/route.ts';
import { mutated, mutation, nastyText } from '../http/hostile-requests.ts';
import { type Harness, openHarness } from '../support/harness.ts';
import { createFixtures, named, type Prepared, requestOf, sendPrepared } from '../support/requests.ts';
import type { TestResponse } from '../support/response.ts';
import { fc, SEED } from '../support/seeded-random.ts';

/** Mutates valid requests of a signed-in owner. */

const A_ROUTE = 40;
/** Excludes operations that end the session, which the other requests need. */
const targets = named.filter(
  ([id, { metadata }]) => metadata.credential === 'session' && id !== 'signOut' && id !== 'changePassword',
);

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(() => harness.close());

type Mutator = (request: Prepared) => Prepared;

const mutators: fc.Arbitrary<Mutator> = fc.oneof(
  fc.array(mutation, { minLength: 1, maxLength: 2 }).map(
    (changes): Mutator =>
      (request) =>
        withBody(request, (body) => changes.reduce(mutated, body)),
  ),
  fc.tuple(fc.nat(5), nastyText).map(
    ([part, text]): Mutator =>
      (request) => {
        const url = new URL(request.url);
        const parts = url.pathname.split('/');
        parts[parts.length - 1 - (part % (parts.length - 4 || 1))] = encodeURIComponent(text.toWellFormed());
        return { ...request, url: `${url.origin}${parts.join('/')}${url.search}` };
      },
  ),
  fc
    .tuple(fc.constantFrom('limit', 'cursor', 'q', 'locale', 'from', 'to', 'zone', 'by', 'status'), nastyText)
    .map(
      ([name, text]): Mutator =>
        (request) => {
          const url = new URL(request.url);
          url.searchParams.append(name, text.toWellFormed());
          return { ...request, url: url.href };
        },
    ),
);

function withBody(request: Prepared, change: (body: Record<string, unknown>) => unknown): Prepared {
  // Forms have no fields to change.
  if (!request.body?.startsWith('{')) return request;
  return { ...request, body: JSON.stringify(change(JSON.parse(request.body))) ?? '' };
}

function faultIn(route: Route, { status, json, text }: TestResponse): string | undefined {
  if (status >= 500) return 'is an internal error';
  if (/\bat .+[:(].*\.[jt]s:\d+|node_modules|SQLITE_|ZodError|TypeError/.test(text))
    return 'reveals internals';
  if (status < 400) return `${status}` in route.responses ? undefined : 'is not declared';
  const error = errorBody.safeParse(json);
  if (!error.success) return 'is an error of another shape';
  const isGeneral = /^request\/(not_found|method_not_allowed|invalid)$/.test(error.data.error);
  return isGeneral || route.metadata.errorCodes.includes(error.data.error as never)
    ? undefined
    : 'is an undeclared error';
}

it.each(targets)('%s returns only declared responses for malformed requests', async (id, route) => {
  const fixtures = await createFixtures(harness);
  const request = await requestOf(fixtures, id, route);
  for (const mutate of fc.sample(mutators, { numRuns: A_ROUTE, seed: SEED })) {
    const mutatedRequest = mutate(request);
    const answer = await sendPrepared(mutatedRequest);
    const fault = faultIn(route, answer);
    expect(
      fault && `SEED=${SEED} ${fault}: ${mutatedRequest.url} ${mutatedRequest.body} ${answer.text}`,
    ).toBeUndefined();
  }
});
