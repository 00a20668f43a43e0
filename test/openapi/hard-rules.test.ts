import { Ajv2020 } from 'ajv/dist/2020.js';
import type { OpenAPIObject } from 'openapi3-ts/oas31';
import { describe, expect, it } from 'vitest';
import { toOpenapi30 } from '../../contract/openapi/variants.ts';
import { openapiDocument } from '../../scripts/openapi/openapi.ts';
import * as rules from './schema-rules.ts';
import { operationsOf } from './walk.ts';

type Rule = (document: OpenAPIObject) => string[];
// biome-ignore lint/suspicious/noExplicitAny: documents are broken here in ways that no type allows.
type Loose = Record<string, any>;

/** Documents that break each rule, so that no rule can pass without checking. */
const RULES: [number, string, Rule, ((document: Loose) => void)[]][] = [
  [
    2,
    'closes requests, opens answers, and avoids the keywords that generators stumble over',
    rules.checkClosedObjects,
    [
      (document) => delete schema(document, 'BootRequest').additionalProperties,
      (document) => Object.assign(schema(document, 'BootReply'), { additionalProperties: false }),
      (document) => Object.assign(schema(document, 'BootRequest'), { allOf: [] }),
      (document) => schema(document, 'BootRequest').required.push('nothing'),
      (document) =>
        Object.assign(field(document, 'BootReply', 'config'), {
          $ref: '#/components/schemas/GuideConfig/properties/name',
        }),
    ],
  ],
  [
    3,
    'puts null only beside a scalar',
    rules.checkScalarNulls,
    [
      (document) => Object.assign(field(document, 'BootReply', 'jwt'), { type: ['object', 'null'] }),
      (document) => Object.assign(field(document, 'BootReply', 'jwt'), { type: 'string', nullable: true }),
      (document) => schema(document, 'ConsentModeInput').enum.push(null),
    ],
  ],
  [
    4,
    'names every object, enum and union',
    rules.checkNamedComponents,
    [
      (document) => Object.assign(field(document, 'BootRequest', 'path'), { type: 'object', properties: {} }),
      (document) => Object.assign(field(document, 'BootRequest', 'path'), { enum: ['a'] }),
      (document) => Object.assign(document.components.schemas, { Error: { type: 'string' } }),
      (document) => Object.assign(document.components.schemas, { Boot_request: { type: 'string' } }),
      (document) => Object.assign(field(document, 'ConsentReply', 'ok'), { const: true }),
      (document) => Object.assign(field(document, 'StatusEvent', 'type'), { const: 'consent_mode' }),
    ],
  ],
  [
    5,
    'tags the members of every union',
    rules.checkTaggedUnions,
    [
      (document) => delete schema(document, 'ChatEvent').discriminator,
      (document) => delete schema(document, 'ChatEvent').discriminator.mapping.status,
      (document) => schema(document, 'StatusEvent').required.shift(),
      (document) => Object.assign(field(document, 'StatusEvent', 'type'), { const: 'other' }),
    ],
  ],
  [
    6,
    'has one success response, and the same body for every error',
    rules.checkResponses,
    [
      (document) => delete boot(document).responses['400'],
      (document) => Object.assign(boot(document).responses, { '201': boot(document).responses['200'] }),
      (document) => Object.assign(boot(document).responses, { '4XX': boot(document).responses.default }),
      (document) => Object.assign(boot(document).responses, { default: { description: 'No body at all.' } }),
      (document) => delete boot(document).responses.default,
      (document) => Object.assign(boot(document).responses['200'].content, { 'text/plain': {} }),
    ],
  ],
  [
    7,
    'names operations by verb and noun under one tag',
    rules.checkNamedOperations,
    [
      (document) => Object.assign(boot(document), { operationId: 'boot' }),
      (document) => Object.assign(boot(document), { operationId: 'sendmessage' }),
      (document) => boot(document).tags.push('Chat'),
      (document) => document.tags.shift(),
    ],
  ],
  [
    8,
    'bounds the scalars and lists of requests, and none of answers',
    rules.checkBoundedScalars,
    [
      (document) => delete field(document, 'BootRequest', 'path').maxLength,
      (document) => delete field(document, 'ChatRequest', 'turn_idx').maximum,
      (document) => Object.assign(field(document, 'ChatRequest', 'turn_idx'), { format: 'int64' }),
      (document) => delete field(document, 'ChatRequest', 'action_results').maxItems,
      (document) => Object.assign(field(document, 'BootReply', 'jwt'), { maxLength: 10 }),
      (document) => Object.assign(schema(document, 'ActionKind'), { enum: ['highlight'] }),
      (document) => schema(document, 'VisitorDecisionInput').enum.push('browser_denied'),
      (document) => schema(document, 'VisitorDecisionInput').enum.push(''),
      (document) => schema(document, 'VisitorDecisionInput').enum.push('delete'),
      (document) => delete schema(document, 'StaleFilter')['x-enum-varnames'],
      (document) => schema(document, 'StaleFilter')['x-enum-varnames'].pop(),
    ],
  ],
  [
    9,
    'sends and takes files as one concrete media type',
    rules.checkConcreteFiles,
    [
      (document) =>
        Object.assign(boot(document).requestBody.content, { 'audio/*': { schema: { format: 'binary' } } }),
      (document) =>
        Object.assign(boot(document).requestBody.content, { 'audio/mpeg': { schema: { type: 'string' } } }),
      (document) => {
        Object.assign(field(document, 'BootRequest', 'path'), { format: 'binary' });
        const { content } = boot(document).requestBody;
        content['multipart/form-data'] = content['application/json'];
      },
    ],
  ],
  [
    10,
    'streams a union of events',
    rules.checkEventStreams,
    [
      (document) => delete chatStream(document).schema,
      (document) => Object.assign(chatStream(document), { example: { type: 'status' } }),
      (document) =>
        Object.assign(chatStream(document), { schema: { $ref: '#/components/schemas/StatusEvent' } }),
    ],
  ],
  [
    11,
    'declares plain parameters alone',
    rules.checkPlainParameters,
    [
      (document) => delete header(document).description,
      (document) => Object.assign(header(document), { name: 'Accept' }),
      (document) => Object.assign(header(document).schema, { enum: ['a'] }),
      (document) => Object.assign(header(document), { schema: { type: 'array' } }),
      (document) => Object.assign(header(document), { in: 'path', name: 'conversation_id' }),
      (document) => Object.assign(header(document), { in: 'query', name: 'tags[]' }),
    ],
  ],
  [
    12,
    'describes everything in sentences and with examples',
    rules.checkReadableTexts,
    [
      (document) => Object.assign(schema(document, 'BootRequest'), { description: 'Short.' }),
      (document) =>
        Object.assign(schema(document, 'BootRequest'), { description: 'This is no whole sentence' }),
      (document) =>
        Object.assign(field(document, 'BootRequest', 'path'), {
          description: 'Ends a comment: */ and more.',
        }),
      (document) => Object.assign(boot(document), { summary: 'Boot the guide.' }),
      (document) => delete header(document).example,
      (document) => delete boot(document).requestBody.content['application/json'].example,
    ],
  ],
  [
    13,
    'says who may call each operation',
    rules.checkDeclaredSecurity,
    [
      (document) => delete boot(document).security,
      (document) => boot(document).security.push({ somethingElse: [] }),
      (document) => Object.assign(document, { webhooks: {} }),
      (document) => Object.assign(document.info, { summary: 'A summary' }),
      (document) => delete document.servers[0]['x-internal'],
    ],
  ],
  [
    14,
    'puts nothing beside a reference but a description',
    rules.checkBareReferences,
    [
      (document) => Object.assign(field(document, 'BootReply', 'config'), { deprecated: true }),
      (document) => Object.assign(boot(document).responses.default, { headers: {} }),
    ],
  ],
];

describe('openapi.yaml', () => {
  const document = openapiDocument();

  it('is OpenAPI 3.1.1, and 3.0.3 for older generators (rule 1)', () => {
    const versions = [document, toOpenapi30(document)].map(({ openapi }) => openapi);
    expect(versions).toEqual(['3.1.1', '3.0.3']);
  });

  for (const [number, sentence, rule, breaks] of RULES) {
    it(`${sentence} (rule ${number})`, () => {
      expect(rule(document)).toEqual([]);
    });

    it(`would be caught breaking rule ${number}`, () => {
      for (const breakIt of breaks) {
        const broken = structuredClone(document);
        breakIt(broken);
        expect(rule(broken), breakIt.toString()).not.toEqual([]);
      }
    });
  }
});

describe('openapi-3.0.3.yaml', () => {
  const twin = toOpenapi30(openapiDocument());

  // In 3.0, rules 2 to 5 and 8 use other keywords: `nullable`, an enum of one value, a reference in allOf.
  for (const [number, sentence, rule] of RULES.filter(([number]) => number > 5 && number !== 8)) {
    it(`${sentence} (rule ${number})`, () => {
      expect(rule(twin)).toEqual([]);
    });
  }
});

function schema(document: Loose, name: string): Loose {
  return document.components.schemas[name];
}

function field(document: Loose, name: string, property: string): Loose {
  return schema(document, name).properties[property];
}

function boot(document: Loose): Loose {
  return document.paths['/boot'].post;
}

function header(document: Loose): Loose {
  return document.paths['/chat'].post.parameters.find((each: Loose) => each.in === 'header');
}

function chatStream(document: Loose): Loose {
  return document.paths['/chat'].post.responses['200'].content['text/event-stream'];
}

/**
 * The shapes that OpenAPI 3.0.3 allows, as far as our document uses them. Objects allow no other fields but `x-`
 * fields, so a keyword of 3.1 that remains in the 3.0.3 document is found anywhere.
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
        parameters: names(ref('parameter')),
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
      parameters: list(either('parameter')),
      requestBody: closed(['content'], { description: text(), required: flag(), content: map(ref('media')) }),
      responses: {
        type: 'object',
        minProperties: 1,
        patternProperties: { '^([1-5][0-9][0-9]|default)$': either('response') },
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
      examples: map(either('example')),
      encoding: map(closed([], { contentType: text() })),
    }),
    example: closed(['value'], { summary: text(), description: text(), value: true }),
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
      uniqueItems: { type: 'boolean' },
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
    expect(problems).toContain('/type');
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

  it('declares streams as text, with the schema of their events beside it', () => {
    const contentOf = (path: string, method: string) =>
      (twin as Loose).paths[path][method].responses['200'].content;
    expect(contentOf('/chat', 'post')['text/event-stream']).toMatchObject({
      schema: { type: 'string' },
      'x-event-schema': { $ref: '#/components/schemas/ChatEvent' },
      example: expect.stringContaining('event: message_end\n'),
    });
    expect(contentOf('/api/export/events.ndjson', 'get')['application/x-ndjson']).toMatchObject({
      schema: { type: 'string' },
      'x-event-schema': { $ref: '#/components/schemas/ExportedEvent' },
    });
    expect(twin.components!.schemas).toHaveProperty('ChatEvent');
  });

  it('gives integers that may exceed 32 bits the format int64, and others none', () => {
    expect(fieldOf(twin, 'BootReply', 'jwt_expires_at')).toMatchObject({ format: 'int64' });
    expect(fieldOf(twin, 'LatencyFigures', 'p99')).toMatchObject({ format: 'int64' });
    expect(fieldOf(twin, 'ChatRequest', 'turn_idx')).not.toHaveProperty('format');
    expect(JSON.stringify(twin)).not.toContain('x-int64');
  });

  it('is derived without changing openapi.yaml', () => {
    expect(document).toEqual(openapiDocument());
  });

  it('keeps a false constant', () => {
    const changed = structuredClone(document);
    Object.assign(fieldOf(changed, 'ConsentReply', 'ok'), { const: false });
    expect(fieldOf(toOpenapi30(changed), 'ConsentReply', 'ok')).toMatchObject({ enum: [false] });
  });

  it('wraps a reference in allOf only to describe it', () => {
    const wraps = rules.checkClosedObjects(twin).filter((problem) => problem.includes('allOf'));
    expect(rules.checkClosedObjects(twin)).toEqual(wraps);
    const described = JSON.parse(JSON.stringify(fieldOf(twin, 'ChatRequest', 'viewport')));
    expect(described).toEqual({
      allOf: [{ $ref: '#/components/schemas/Viewport' }],
      description: expect.any(String),
    });
  });
});

function fieldOf(each: typeof document, name: string, property: string): object {
  const schema = each.components!.schemas![name] as { properties: Record<string, object> };
  return schema.properties[property]!;
}
