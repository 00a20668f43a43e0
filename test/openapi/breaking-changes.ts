import { z } from 'zod';
import { route, router } from '../../contract/route.ts';
import { openapiDocument } from '../../scripts/openapi/openapi.ts';

/** A contract of two routes that uses every feature of a document, for tests that break it. */

const word = (about: string) => z.string().max(20).describe(`${about}, in a word of this test.`);
const count = z.int32().min(1).max(100).describe('How many of them there are in this test.');
const circle = z
  .strictObject({ form: z.literal('circle').describe('That it is a circle.'), radius: count })
  .meta({ id: 'Circle', description: 'A round shape, for this test alone.' });
const square = z
  .strictObject({ form: z.literal('square').describe('That it is a square.'), side: count })
  .meta({ id: 'Square', description: 'A square shape, for this test alone.' });
const shape = z
  .discriminatedUnion('form', [circle, square])
  .meta({ id: 'Shape', description: 'One of the shapes that this test knows.' });
const colour = z
  .enum(['red', 'green'])
  .meta({ id: 'Colour', description: 'One of the colours that this test knows.' });
const fields = {
  name: word('What it is called'),
  nick: word('What else it is called').nullable().optional(),
  code: z
    .string()
    .max(8)
    .regex(/^[a-z]+$/)
    .describe('Letters that stand for it.')
    .meta({ example: 'abc' }),
  size: count,
  weight: z.number().min(0).max(10).optional().describe('How heavy it is, in kilograms.'),
  colour,
  tags: z.array(word('What is noted of it')).max(5).optional().describe('What is noted of it.'),
  shape: shape.optional(),
};
const draft = z.strictObject(fields).meta({ id: 'ThingDraft', description: 'What a thing is made of.' });
const thing = z
  .strictObject({ id: word('What names it'), ...fields })
  .meta({ id: 'Thing', description: 'A thing as it was made in this test.' });

const small = router('Articles', {
  makeThing: route({
    method: 'POST',
    path: '/things',
    summary: 'Make a thing',
    description: 'Makes a thing that exists in this test alone.',
    body: draft,
    responses: { 201: thing },
    errors: ['article/conflict'],
    meta: {
      credential: 'visitor',
      unauthorized: 'visitor/unauthorized',
      limits: ['visitor/visitor-burst'],
      limitsWithoutCredential: ['visitor/ip-rate-limited'],
    },
  }),
  findThing: route({
    method: 'GET',
    path: '/things/:thing_id',
    summary: 'Find a thing',
    description: 'Finds a thing that exists in this test alone.',
    pathParams: z.strictObject({ thing_id: word('Which of them').meta({ example: 'one' }) }),
    query: z.strictObject({ like: z.string().max(20).optional().describe('What it is like, in a word.') }),
    headers: { 'x-mood': z.string().max(20).optional().describe('How it is asked for, in a word.') },
    responses: { 200: thing },
    errors: ['article/not_found'],
    meta: {
      credential: 'api-key',
      unauthorized: 'export/unauthorized',
      limits: ['export/key-burst'],
      limitsWithoutCredential: ['export/ip-rate-limited'],
    },
  }),
});

/** A private copy of the document; plain JSON, because tests change it. */
export function smallDocument(): ReturnType<typeof openapiDocument> {
  return JSON.parse(JSON.stringify(openapiDocument({ small }))) as ReturnType<typeof openapiDocument>;
}

// biome-ignore lint/suspicious/noExplicitAny: documents are changed here in ways that no type allows.
export type Loose = Record<string, any>;

/** A change to the document, and where the comparison must report it. */
type PlantedChange = readonly [sentence: string, change: (document: Loose) => unknown, place: string];

const make = (document: Loose): Loose => document.paths['/things'].post;
const find = (document: Loose): Loose => document.paths['/things/{thingId}'].get;
/** Returns the rate-limit bucket of makeThing, which contains its size. */
const size = (document: Loose): Loose => document['x-guidepost-buckets']['visitor/visitor-burst'];
const schema = (document: Loose, name: string): Loose => document.components.schemas[name];
const draftField = (document: Loose, name: string): Loose => schema(document, 'ThingDraft').properties[name];
const responseField = (document: Loose, name: string): Loose => schema(document, 'Thing').properties[name];
const named = (parameters: Loose[], name: string): Loose => parameters.find((each) => each.name === name)!;
const without = (list: unknown[], value: unknown) => list.splice(list.indexOf(value), 1);

export const BREAKS: readonly PlantedChange[] = [
  ['an operation that is gone', (d) => delete d.paths['/things'], 'makeThing'],
  ['a method that is gone', (d) => delete d.paths['/things'].post, 'makeThing'],
  ['another operation id', (d) => Object.assign(make(d), { operationId: 'createThing' }), 'makeThing'],
  [
    'another name of a path parameter',
    (d) => {
      d.paths['/things/{id}'] = d.paths['/things/{thingId}'];
      delete d.paths['/things/{thingId}'];
      named(find({ paths: { '/things/{thingId}': d.paths['/things/{id}'] } }).parameters, 'thingId').name =
        'id';
    },
    'findThing {thingId}',
  ],
  ['a credential that is no longer accepted', (d) => find(d).security.pop(), 'findThing'],
  [
    'an operation that pages may no longer call',
    (d) => delete make(d)['x-guidepost-cross-origin'],
    'makeThing',
  ],
  ['a smaller body', (d) => Object.assign(make(d), { 'x-guidepost-body-bytes-max': 10 }), 'makeThing'],
  ['fewer requests', (d) => Object.assign(size(d), { points: 1 }), 'makeThing'],
  ['one more bucket', (d) => make(d)['x-guidepost-buckets'].push('export/key-burst'), 'makeThing'],
  [
    'a query field that is gone',
    (d) => without(find(d).parameters, named(find(d).parameters, 'like')),
    'findThing like',
  ],
  [
    'a header that is gone',
    (d) => without(find(d).parameters, named(find(d).parameters, 'x-mood')),
    'findThing x-mood',
  ],
  [
    'a query field that is required',
    (d) => Object.assign(named(find(d).parameters, 'like'), { required: true }),
    'findThing like',
  ],
  [
    'a new query field that is required',
    (d) => find(d).parameters.push({ ...named(find(d).parameters, 'like'), name: 'more', required: true }),
    'findThing more',
  ],
  [
    'a shorter query field',
    (d) => Object.assign(named(find(d).parameters, 'like').schema, { maxLength: 5 }),
    'findThing like',
  ],
  ['a body that is no longer accepted', (d) => delete make(d).requestBody, 'makeThing body'],
  [
    'another media type of a request',
    (d) =>
      Object.assign(make(d).requestBody, {
        content: { 'text/json': make(d).requestBody.content['application/json'] },
      }),
    'makeThing body',
  ],
  [
    'a field that is no longer accepted',
    (d) => delete schema(d, 'ThingDraft').properties.nick,
    'ThingDraft.nick',
  ],
  [
    'a field that is required now',
    (d) => schema(d, 'ThingDraft').required.push('weight'),
    'ThingDraft.weight',
  ],
  [
    'a new field that is required',
    (d) => {
      schema(d, 'ThingDraft').properties.mood = { type: 'string', maxLength: 5 };
      schema(d, 'ThingDraft').required.push('mood');
    },
    'ThingDraft.mood',
  ],
  ['a shorter text', (d) => Object.assign(draftField(d, 'name'), { maxLength: 10 }), 'ThingDraft.name'],
  [
    'a larger minimum length',
    (d) => Object.assign(draftField(d, 'name'), { minLength: 2 }),
    'ThingDraft.name',
  ],
  ['a pattern', (d) => Object.assign(draftField(d, 'name'), { pattern: '^[a-z]+$' }), 'ThingDraft.name'],
  ['a format', (d) => Object.assign(draftField(d, 'name'), { format: 'uri' }), 'ThingDraft.name'],
  ['a smaller number', (d) => Object.assign(draftField(d, 'size'), { maximum: 50 }), 'ThingDraft.size'],
  ['a larger minimum', (d) => Object.assign(draftField(d, 'size'), { minimum: 2 }), 'ThingDraft.size'],
  ['a shorter list', (d) => Object.assign(draftField(d, 'tags'), { maxItems: 2 }), 'ThingDraft.tags'],
  [
    'shorter items of a list',
    (d) => Object.assign(draftField(d, 'tags').items, { maxLength: 2 }),
    'ThingDraft.tags[]',
  ],
  [
    'null that is rejected',
    (d) => Object.assign(draftField(d, 'nick'), { type: 'string' }),
    'ThingDraft.nick',
  ],
  ['integers only', (d) => Object.assign(draftField(d, 'weight'), { type: 'integer' }), 'ThingDraft.weight'],
  ['another type', (d) => Object.assign(draftField(d, 'name'), { type: 'boolean' }), 'ThingDraft.name'],
  ['a value that is no longer accepted', (d) => schema(d, 'ColourInput').enum.pop(), 'ColourInput'],
  [
    'a union member that is no longer accepted',
    (d) => {
      const union = schema(d, 'ShapeInput');
      union.oneOf.pop();
      delete union.discriminator.mapping.square;
    },
    'ShapeInput',
  ],
  ['a status that is no longer returned', (d) => delete find(d).responses['200'], 'findThing 200'],
  [
    'error responses that are no longer returned',
    (d) => delete find(d).responses.default,
    'findThing default',
  ],
  ['an error code that an operation no longer has', (d) => make(d)['x-guidepost-errors'].pop(), 'makeThing'],
  ['an error code that no operation has any more', (d) => d['x-guidepost-errors'].pop(), 'makeThing'],
  [
    'an error code that a credential no longer has',
    (d) => d.components.securitySchemes.visitorToken['x-guidepost-errors'].pop(),
    'makeThing',
  ],
  [
    'one more success response',
    (d) => Object.assign(find(d).responses, { '202': find(d).responses['200'] }),
    'findThing',
  ],
  [
    'another media type of a response',
    (d) => {
      const response = structuredClone(d.components.responses.ThingResponse);
      response.content['text/csv'] = response.content['application/json'];
      find(d).responses['200'] = response;
    },
    'findThing 200',
  ],
  [
    'a header that is no longer sent',
    (d) => delete d.components.responses.ErrorResponse.headers['x-request-id'],
    'findThing default x-request-id',
  ],
  [
    'a header that may be absent',
    (d) => Object.assign(d.components.headers.XRequestId, { required: false }),
    'makeThing default x-request-id',
  ],
  ['a field that is no longer returned', (d) => delete schema(d, 'Thing').properties.weight, 'Thing.weight'],
  ['a field that may be absent', (d) => without(schema(d, 'Thing').required, 'name'), 'Thing.name'],
  [
    'a field that may be null',
    (d) => Object.assign(responseField(d, 'name'), { type: ['string', 'null'] }),
    'Thing.name',
  ],
  [
    'another type of a response field',
    (d) => Object.assign(responseField(d, 'size'), { type: 'string' }),
    'Thing.size',
  ],
  [
    'a wider number in a response field',
    (d) => Object.assign(responseField(d, 'size'), { format: 'int64' }),
    'Thing.size',
  ],
  [
    'a union member that is no longer returned',
    (d) => {
      schema(d, 'Shape').oneOf.pop();
      delete schema(d, 'Shape').discriminator.mapping.square;
    },
    'Shape',
  ],
  [
    'a field of a union member that is no longer returned',
    (d) => delete schema(d, 'Circle').properties.radius,
    'Circle.radius',
  ],
];

/** Changes that clients do not notice. */
export const HARMLESS: readonly (readonly [sentence: string, change: (document: Loose) => unknown])[] = [
  [
    'one more operation',
    (d) => Object.assign(d.paths, { '/more': { get: { ...find(d), operationId: 'more' } } }),
  ],
  [
    'one more optional field of a request',
    (d) => Object.assign(schema(d, 'ThingDraft').properties, { more: { type: 'string' } }),
  ],
  [
    'one more optional query field',
    (d) => find(d).parameters.push({ ...named(find(d).parameters, 'like'), name: 'more' }),
  ],
  [
    'one more field of a response',
    (d) => Object.assign(schema(d, 'Thing').properties, { more: { type: 'string' } }),
  ],
  ['a longer text', (d) => Object.assign(draftField(d, 'name'), { maxLength: 100 })],
  ['no pattern anymore', (d) => delete draftField(d, 'code').pattern],
  [
    'any number instead of an integer',
    (d) => Object.assign(draftField(d, 'size'), { type: 'number', format: 'double' }),
  ],
  ['null in a request', (d) => Object.assign(draftField(d, 'name'), { type: ['string', 'null'] })],
  ['a field of a request that may be absent', (d) => without(schema(d, 'ThingDraft').required, 'name')],
  ['a value that is new in requests', (d) => schema(d, 'ColourInput').enum.push('blue')],
  ['a field that is always returned', (d) => schema(d, 'Thing').required.push('weight')],
  ['one more code', (d) => find(d)['x-guidepost-errors'].push('article/conflict')],
  [
    'one more header',
    (d) => Object.assign(find(d).responses['200'], { headers: { Age: { schema: { type: 'string' } } } }),
  ],
  ['a value that is new in responses', (d) => schema(d, 'Colour')['x-extensible-enum'].push('blue')],
  [
    'a union member that is new in responses',
    (d) => {
      const circle = structuredClone(schema(d, 'Circle'));
      circle.properties.form.const = 'oval';
      d.components.schemas.Oval = circle;
      schema(d, 'Shape').oneOf.push({ $ref: '#/components/schemas/Oval' });
      schema(d, 'Shape').discriminator.mapping.oval = '#/components/schemas/Oval';
    },
  ],
  ['more requests', (d) => Object.assign(size(d), { points: 1000 })],
  ['no credential needed', (d) => Object.assign(find(d), { security: [] })],
  [
    'other words and examples',
    (d) => Object.assign(draftField(d, 'name'), { description: 'New.', examples: ['other'] }),
  ],
  ['a deprecation', (d) => Object.assign(make(d), { deprecated: true })],
];
