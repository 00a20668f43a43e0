import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { openapiDocument } from '../../contract/openapi/openapi.ts';
import { toOpenapi30, toOpenapi32 } from '../../contract/openapi/variants.ts';
import { closedObjects } from './schema-rules.ts';
import { operationsOf } from './walk.ts';

/**
 * The shapes that OpenAPI 3.0.3 allows, as far as our document uses them: every object is closed but for `x-`
 * fields, so that a word which only 3.1 knows is found wherever the twin still says it.
 */
const OPENAPI_30 = {
  $ref: '#/$defs/document',
  $defs: {
    document: closed(['openapi', 'info', 'paths'], {
      openapi: { const: '3.0.3' },
      info: closed(['title', 'version'], {
        title: text(),
        version: text(),
        description: text(),
        license: closed(['name'], { name: text(), url: text() }),
      }),
      servers: list(
        closed(['url'], {
          url: text(),
          description: text(),
          variables: map(closed(['default'], { default: text(), enum: list(text()), description: text() })),
        }),
      ),
      tags: list(closed(['name'], { name: text(), description: text() })),
      paths: {
        type: 'object',
        patternProperties: { '^/': ref('pathItem') },
        additionalProperties: false,
      },
      components: closed([], {
        schemas: names(either('schema')),
        responses: names(either('response')),
        headers: names(either('header')),
        securitySchemes: names(ref('securityScheme')),
      }),
    }),
    reference: {
      type: 'object',
      required: ['$ref'],
      properties: { $ref: { type: 'string', pattern: '^#/components/' } },
      additionalProperties: false,
    },
    pathItem: closed([], {
      get: ref('operation'),
      put: ref('operation'),
      post: ref('operation'),
      delete: ref('operation'),
      patch: ref('operation'),
    }),
    operation: closed(['responses'], {
      tags: list(text()),
      summary: text(),
      description: text(),
      operationId: text(),
      parameters: list(ref('parameter')),
      requestBody: closed(['content'], { description: text(), required: flag(), content: map(ref('media')) }),
      responses: {
        type: 'object',
        minProperties: 1,
        patternProperties: { '^[1-5][0-9][0-9]$': either('response') },
        additionalProperties: false,
      },
      security: list({ type: 'object', additionalProperties: list(text()) }),
    }),
    parameter: closed(['name', 'in'], {
      name: text(),
      in: { enum: ['path', 'query', 'header', 'cookie'] },
      description: text(),
      required: flag(),
      style: text(),
      explode: flag(),
      schema: either('schema'),
      example: true,
    }),
    response: closed(['description'], {
      description: text(),
      headers: map(either('header')),
      content: map(ref('media')),
    }),
    header: closed([], { description: text(), required: flag(), schema: either('schema'), example: true }),
    media: closed([], {
      schema: either('schema'),
      example: true,
      examples: map(closed(['value'], { summary: text(), description: text(), value: true })),
      encoding: map(closed([], { contentType: text() })),
    }),
    securityScheme: closed(['type'], {
      type: { enum: ['apiKey', 'http'] },
      description: text(),
      name: text(),
      in: { enum: ['query', 'header', 'cookie'] },
      scheme: text(),
      bearerFormat: text(),
    }),
    schema: closed([], {
      type: { enum: ['array', 'boolean', 'integer', 'number', 'object', 'string'] },
      format: text(),
      default: true,
      description: text(),
      nullable: flag(),
      enum: { type: 'array', minItems: 1 },
      pattern: text(),
      minLength: { type: 'integer' },
      maxLength: { type: 'integer' },
      minimum: { type: 'number' },
      maximum: { type: 'number' },
      maxItems: { type: 'integer' },
      minItems: { type: 'integer' },
      items: either('schema'),
      oneOf: list(either('schema')),
      allOf: list(either('schema')),
      properties: map(either('schema')),
      required: { type: 'array', items: text(), minItems: 1 },
      additionalProperties: flag(),
      discriminator: closed(['propertyName'], { propertyName: text(), mapping: map(text()) }),
      example: true,
    }),
  },
};

function closed(required: readonly string[], properties: Record<string, unknown>) {
  return {
    type: 'object',
    required,
    properties,
    patternProperties: { '^x-': true },
    additionalProperties: false,
  };
}

function either(name: string) {
  return { anyOf: [ref('reference'), ref(name)] };
}

function names(values: unknown) {
  return { type: 'object', patternProperties: { '^[A-Za-z0-9._-]+$': values }, additionalProperties: false };
}

function map(values: unknown) {
  return { type: 'object', additionalProperties: values };
}

function list(items: unknown) {
  return { type: 'array', items };
}

function ref(name: string) {
  return { $ref: `#/$defs/${name}` };
}

function text() {
  return { type: 'string' };
}

function flag() {
  return { type: 'boolean' };
}

const document = openapiDocument();

describe('openapi-3.0.3.yaml', () => {
  const twin = toOpenapi30(document);
  const validate = new Ajv2020({ strict: false, allErrors: true }).compile(OPENAPI_30);

  it('contains only keywords of OpenAPI 3.0.3', () => {
    validate(twin);
    expect(validate.errors ?? []).toEqual([]);
  });

  it('fails the check with a keyword of 3.1', () => {
    validate(document);
    const problems = JSON.stringify(validate.errors);
    expect(problems).toContain('examples');
    expect(problems).toContain('const');
    expect(problems).toContain('description');
  });

  it('keeps every operation, constant and null', () => {
    const ids = (each: typeof document) => operationsOf(each).map(({ operationId }) => operationId);
    expect(ids(twin)).toEqual(ids(document));
    expect(fieldOf(twin, 'BootReply', 'jwt')).toMatchObject({ type: 'string', nullable: true });
    expect(fieldOf(twin, 'ConsentReply', 'ok')).toMatchObject({ type: 'boolean' });
    expect(fieldOf(twin, 'StatusEvent', 'type')).toMatchObject({ type: 'string', enum: ['status'] });
  });

  it('keeps a false constant, which the converter overlooks', () => {
    const changed = structuredClone(document);
    Object.assign(fieldOf(changed, 'ConsentReply', 'ok'), { const: false });
    expect(fieldOf(toOpenapi30(changed), 'ConsentReply', 'ok')).toMatchObject({ enum: [false] });
  });

  it('wraps a reference in allOf only to describe it', () => {
    const wraps = closedObjects(twin).filter((problem) => problem.includes('allOf'));
    expect(closedObjects(twin)).toEqual(wraps);
    const described = JSON.parse(JSON.stringify(fieldOf(twin, 'ChatRequest', 'viewport')));
    expect(described).toEqual({
      allOf: [{ $ref: '#/components/schemas/Viewport' }],
      description: expect.any(String),
    });
  });
});

describe('openapi-3.2.0.yaml', () => {
  const twin = toOpenapi32(document);

  it('differs from openapi.yaml only in its version and in the schemas of streams', () => {
    const { ChatEventFrame, ...schemas } = twin.components!.schemas!;
    expect(ChatEventFrame).toBeDefined();
    expect(schemas).toEqual(document.components!.schemas);
    const differing = operationsOf(twin).filter(
      (operation, at) => JSON.stringify(operation) !== JSON.stringify(operationsOf(document)[at]),
    );
    expect(differing.map(({ operationId }) => operationId)).toEqual(['sendMessage']);
  });

  it('is derived without changing openapi.yaml', () => {
    expect(document).toEqual(openapiDocument());
  });
});

function fieldOf(each: typeof document, name: string, property: string): object {
  const schema = each.components!.schemas![name] as { properties: Record<string, object> };
  return schema.properties[property]!;
}
