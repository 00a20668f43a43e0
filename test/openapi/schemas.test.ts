import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { OpenAPIObject } from 'openapi3-ts/oas31';
import { describe, expect, it } from 'vitest';
import { contract } from '../../contract/index.ts';
import { createExample } from '../../contract/openapi/examples.ts';
import { openapiDocument } from '../../contract/openapi/openapi.ts';
import { toOpenapi32 } from '../../contract/openapi/variants.ts';
import type { Route } from '../../contract/route.ts';
import { fc } from '../fixtures/seeded-random.ts';
import { type Json, mediaOf, operationsOf, parametersOf } from './walk.ts';

/** An independent reading of the published document: ajv knows nothing of Zod. */
type Verdict = (value: unknown) => string[];

/** Reads schemas as they stand in the document; `checkFormats: false` leaves words such as `uri` unread. */
function validatorsOf(document: OpenAPIObject, { checkFormats = true } = {}) {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: checkFormats });
  formats.default(ajv);
  ajv.addSchema(document, 'openapi');
  // Most bodies of the document share one of few schemas, and compiling takes longer than everything else.
  const known = new Map<string, Verdict>();
  const verdict = (text: string): Verdict => {
    const validate = ajv.compile(JSON.parse(text));
    return (value) =>
      validate(value) ? [] : (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message}`);
  };
  const verdictOn = (schema: object): Verdict => {
    const text = JSON.stringify(schema).replaceAll('"#/', '"openapi#/');
    if (!known.has(text)) known.set(text, verdict(text));
    return known.get(text)!;
  };
  return {
    /** Of a component, by its name. */
    named: (name: string) => verdictOn({ $ref: `#/components/schemas/${name}` }),
    /** Of any schema that the document contains; its references are read within the document. */
    of: verdictOn,
  };
}

const document = openapiDocument();
// The service parses URLs by its own rules and rejects them with a code of its own; `uri` is for
// readers.
const published = validatorsOf(document, { checkFormats: false });
const routers: Record<string, Record<string, Route>> = contract;
const routes = Object.values(routers).flatMap((router) => Object.values(router));

for (const operation of operationsOf(document)) {
  const content = (operation.requestBody as { content: Record<string, Json> } | undefined)?.content;
  // The upload parser validates forms.
  if (!content?.['application/json']) continue;
  const { schema, example } = content['application/json'] as { schema: object; example: Json };
  const { body } = routes.find(({ metadata }) => metadata.operationId === operation.operationId)!;

  it(`the server and the published schema of ${operation.operationId} accept the same bodies`, () => {
    const byDocument = published.of(schema);
    const verdicts = { accepted: 0, rejected: 0 };
    fc.assert(
      fc.property(changed(example), (value) => {
        const accepted = body!.safeParse(value).success;
        verdicts[accepted ? 'accepted' : 'rejected'] += 1;
        expect(byDocument(value).length === 0).toBe(accepted);
      }),
      { numRuns: 300 },
    );
    expect(verdicts.accepted).toBeGreaterThan(0);
    expect(verdicts.rejected).toBeGreaterThan(0);
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

describe('examples of the document', () => {
  const document = openapiDocument();
  const valid = validatorsOf(document);

  it('include one for every body, valid against its schema', () => {
    const shown = mediaOf(document).flatMap(({ where, value }) => {
      const named = Object.values(value.examples ?? {}).map(
        (example) => (example as { value: unknown }).value,
      );
      return [...named, ...(value.example === undefined ? [] : [value.example])].map((example) => ({
        where,
        example,
        problems: valid.of(value.schema!)(example),
      }));
    });
    expect(shown.length).toBeGreaterThan(mediaOf(document).length);
    expect(shown.filter(({ problems }) => problems.length > 0)).toEqual([]);
  });

  it('include one for every parameter, valid against its schema', () => {
    const shown = operationsOf(document).flatMap((operation) =>
      parametersOf(operation).map(({ name, schema, example }) => [name, ...valid.of(schema!)(example)]),
    );
    expect(shown.filter(([, ...problems]) => problems.length > 0)).toEqual([]);
  });

  it('include every type of event in the stream, in frames with valid events', () => {
    const twin = toOpenapi32(document);
    const stream = mediaOf(twin).find(({ value }) => value.type === 'text/event-stream')!;
    const { dataValue, serializedValue } = stream.value.examples!.frames as unknown as {
      dataValue: { id: string; event: string; data: string }[];
      serializedValue: string;
    };
    const frame = validatorsOf(twin).named('ChatEventFrame');
    for (const value of dataValue) {
      expect(frame(value)).toEqual([]);
      expect(valid.named('ChatEvent')(JSON.parse(value.data))).toEqual([]);
      expect(JSON.parse(value.data).type).toBe(value.event);
      expect(serializedValue).toContain(`id: ${value.id}\nevent: ${value.event}\ndata: ${value.data}\n\n`);
    }
    const mapping = (document.components!.schemas!.ChatEvent as { discriminator: { mapping: object } })
      .discriminator.mapping;
    expect(dataValue.map(({ event }) => event)).toEqual(Object.keys(mapping));
  });

  it('must be written by hand where a pattern prevents generating one', () => {
    const schema = {
      type: 'object',
      properties: { id: { type: 'string', pattern: '^art_' } },
      required: ['id'],
    } as const;
    expect(() => createExample(structuredClone(schema) as never, {}, 'Article')).toThrow('Article.id');
  });
});
