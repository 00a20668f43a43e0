import { z } from 'zod';
import { openapiDocument } from '../../contract/openapi/openapi.ts';
import { route, router } from '../../contract/route.ts';

/** A contract of two routes that has everything a document can say, for tests that break it. */

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

const small = router({
  makeThing: route({
    method: 'POST',
    path: '/things',
    summary: 'Make a thing',
    description: 'Makes a thing that exists in this test alone.',
    body: draft,
    responses: { 201: thing },
    errors: ['article/conflict'],
    meta: {
      operationId: 'makeThing',
      tag: 'Articles',
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
      operationId: 'findThing',
      tag: 'Articles',
      credential: 'api-key',
      unauthorized: 'export/unauthorized',
      limits: ['export/key-burst'],
      limitsWithoutCredential: ['export/ip-rate-limited'],
    },
  }),
});

/** A document that nobody else holds; as plain JSON, since it is about to be changed. */
export function smallDocument(): ReturnType<typeof openapiDocument> {
  return JSON.parse(JSON.stringify(openapiDocument({ small }))) as ReturnType<typeof openapiDocument>;
}
