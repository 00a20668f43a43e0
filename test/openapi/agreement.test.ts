import { expect, it } from 'vitest';
import { contract } from '../../contract/index.ts';
import { openapiDocument } from '../../contract/openapi/openapi.ts';
import type { Route } from '../../contract/route.ts';
import { fc } from '../fixtures/seeded-random.ts';
import { validatorsOf } from './validators.ts';
import { type Json, operationsOf } from './walk.ts';

const document = openapiDocument();
// The service parses URLs by its own rules and rejects them with a code of its own; `uri` is for
// readers.
const published = validatorsOf(document, { checkFormats: false });
const routers: Record<string, Record<string, Route>> = contract;
const routes = Object.values(routers).flatMap((router) => Object.values(router));

for (const operation of operationsOf(document)) {
  const content = (operation.requestBody as { content: Record<string, Json> } | undefined)?.content;
  // A form is held to its schema by the reader of uploads.
  if (!content?.['application/json']) continue;
  const { schema, example } = content['application/json'] as { schema: object; example: Json };
  const { body } = routes.find(({ metadata }) => metadata.operationId === operation.operationId)!;

  it(`the server and the published schema of ${operation.operationId} accept the same bodies`, () => {
    const byDocument = published.of(schema);
    const verdicts = { accepted: 0, refused: 0 };
    fc.assert(
      fc.property(changed(example), (value) => {
        const accepted = body!.safeParse(value).success;
        verdicts[accepted ? 'accepted' : 'refused'] += 1;
        expect(byDocument(value).length === 0).toBe(accepted);
      }),
      { numRuns: 300 },
    );
    expect(verdicts.accepted).toBeGreaterThan(0);
    expect(verdicts.refused).toBeGreaterThan(0);
  });
}

/** The example with one field changed, dropped or added, or left as it is. */
function changed(example: Json): fc.Arbitrary<unknown> {
  const name = fc.constantFrom(...Object.keys(example));
  // JSON has neither -0 nor a field called __proto__ in the sense of JavaScript.
  const value = fc.jsonValue().map((any) => JSON.parse(JSON.stringify(any)) as unknown);
  return fc.oneof(
    fc.constant(example),
    fc.tuple(name, value).map(([field, any]) => ({ ...example, [field]: any })),
    fc.tuple(name, fc.string()).map(([field, text]) => ({ ...example, [field]: text })),
    name.map((field) => Object.fromEntries(Object.entries(example).filter(([other]) => other !== field))),
    fc.tuple(fc.stringMatching(/^[a-z]{1,8}$/), value).map(([field, any]) => ({ [field]: any, ...example })),
    value,
  );
}
