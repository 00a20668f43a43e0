import { z } from 'zod';
import { route, router } from './route.ts';

const count = z.int32().min(0).max(2_147_483_647);

export const erasureReply = z
  .strictObject({
    ok: z.literal(true).describe('True: everything that belongs to this visitor is gone.'),
    conversations: count.describe('How many conversations were erased.'),
    events: count.describe('How many event rows were erased.'),
    feedback: count.describe('How many ratings were erased.'),
  })
  .meta({
    id: 'ErasureReply',
    description: 'What was erased. Consent evidence is kept without its visitor.',
  });

export const visitor = router({
  eraseVisitor: route({
    method: 'DELETE',
    path: '/visitor',
    summary: 'Erase this visitor',
    description:
      'Erases the conversations, events and ratings of the visitor of this token. The evidence of consent decisions stays, ' +
      'without anything that leads from it to the visitor.',
    query: z.strictObject({}),
    answers: { 200: erasureReply },
    errors: [],
    meta: {
      operationId: 'eraseVisitor',
      tag: 'Visitor',
      credential: 'visitor',
      unauthorized: 'visitor/unauthorized',
      limits: ['visitor/visitor-burst'],
      limitsWithoutCredential: ['visitor/ip-rate-limited'],
    },
  }),
});
