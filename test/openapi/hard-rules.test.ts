import type { OpenAPIObject } from 'openapi3-ts/oas31';
import { describe, expect, it } from 'vitest';
import { openapiDocument } from '../../contract/openapi/openapi.ts';
import { toOpenapi30, toOpenapi32 } from '../../contract/openapi/variants.ts';
import * as operations from './schema-rules.ts';
import * as schemas from './schema-rules.ts';

type Rule = (document: OpenAPIObject) => string[];
// biome-ignore lint/suspicious/noExplicitAny: documents are broken here in ways that no type allows.
type Loose = Record<string, any>;

/** Each rule with documents that break it, so no rule can pass without checking. */
const RULES: [number, string, Rule, ((document: Loose) => void)[]][] = [
  [
    2,
    'closes every object and avoids the keywords that generators stumble over',
    schemas.closedObjects,
    [
      (document) => delete schema(document, 'BootRequest').additionalProperties,
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
    schemas.scalarNulls,
    [
      (document) => Object.assign(field(document, 'BootReply', 'jwt'), { type: ['object', 'null'] }),
      (document) => Object.assign(field(document, 'BootReply', 'jwt'), { type: 'string', nullable: true }),
      (document) => schema(document, 'ConsentMode').enum.push(null),
    ],
  ],
  [
    4,
    'names every object, enum and union',
    schemas.namedComponents,
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
    schemas.taggedUnions,
    [
      (document) => delete schema(document, 'ChatEvent').discriminator,
      (document) => delete schema(document, 'ChatEvent').discriminator.mapping.status,
      (document) => schema(document, 'StatusEvent').required.shift(),
      (document) => Object.assign(field(document, 'StatusEvent', 'type'), { const: 'other' }),
    ],
  ],
  [
    6,
    'answers one success, and every refusal with the same body',
    operations.oneAnswer,
    [
      (document) => Object.assign(boot(document).responses, { '201': boot(document).responses['200'] }),
      (document) => Object.assign(boot(document).responses, { '4XX': boot(document).responses['400'] }),
      (document) => Object.assign(boot(document).responses, { '409': { description: 'No body at all.' } }),
      (document) => Object.assign(boot(document).responses['200'].content, { 'text/plain': {} }),
    ],
  ],
  [
    7,
    'names operations by verb and noun under one tag',
    operations.namedOperations,
    [
      (document) => Object.assign(boot(document), { operationId: 'boot' }),
      (document) => Object.assign(boot(document), { operationId: 'sendmessage' }),
      (document) => boot(document).tags.push('Chat'),
      (document) => document.tags.shift(),
    ],
  ],
  [
    8,
    'bounds every scalar and list',
    schemas.boundedScalars,
    [
      (document) => delete field(document, 'BootRequest', 'path').maxLength,
      (document) => delete field(document, 'BootRequest', 'path').pattern,
      (document) => delete field(document, 'ChatRequest', 'turn_idx').maximum,
      (document) => delete field(document, 'ChatRequest', 'turn_idx').format,
      (document) => delete field(document, 'ChatRequest', 'action_results').maxItems,
      (document) => schema(document, 'VisitorDecision').enum.push('browser_denied'),
      (document) => schema(document, 'VisitorDecision').enum.push(''),
    ],
  ],
  [
    9,
    'sends and takes files as one concrete media type',
    operations.concreteFiles,
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
    operations.eventStreams,
    [
      (document) => delete chatStream(document).schema,
      (document) =>
        Object.assign(chatStream(document), { schema: { $ref: '#/components/schemas/StatusEvent' } }),
    ],
  ],
  [
    11,
    'declares plain parameters alone',
    operations.plainParameters,
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
    operations.readableTexts,
    [
      (document) => Object.assign(schema(document, 'BootRequest'), { description: 'Too short.' }),
      (document) =>
        Object.assign(schema(document, 'BootRequest'), { description: 'This is no whole sentence' }),
      (document) => delete field(document, 'BootRequest', 'path').description,
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
    operations.saidSecurity,
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
    schemas.bareReferences,
    [
      (document) => Object.assign(field(document, 'BootReply', 'config'), { deprecated: true }),
      (document) => Object.assign(boot(document).responses['400'], { headers: {} }),
    ],
  ],
];

describe('openapi.yaml', () => {
  const document = openapiDocument();

  it('is OpenAPI 3.1.1 with variants in 3.0.3 and 3.2.0 (rule 1)', () => {
    const versions = [document, toOpenapi30(document), toOpenapi32(document)].map(({ openapi }) => openapi);
    expect(versions).toEqual(['3.1.1', '3.0.3', '3.2.0']);
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

  // Rules 2 to 5 are about words that 3.0 has others for: `nullable`, an enum of one value, a reference in allOf.
  for (const [number, sentence, rule] of RULES.filter(([number]) => number > 5)) {
    it(`${sentence} (rule ${number})`, () => {
      expect(rule(twin)).toEqual([]);
    });
  }
});

describe('openapi-3.2.0.yaml', () => {
  const twin = toOpenapi32(openapiDocument());

  for (const [number, sentence, rule] of RULES) {
    it(`${sentence} (rule ${number})`, () => {
      expect(rule(twin)).toEqual([]);
    });
  }

  it('fails the rules without the schema of its frames', () => {
    const broken = structuredClone(twin);
    delete schema(broken, 'ChatEventFrame').properties.data.contentSchema;
    expect(operations.eventStreams(broken)).not.toEqual([]);
  });
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
  return document.paths['/chat'].post.parameters[0];
}

function chatStream(document: Loose): Loose {
  return document.paths['/chat'].post.responses['200'].content['text/event-stream'];
}
