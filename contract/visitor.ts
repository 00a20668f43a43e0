import { z } from 'zod';
import { namedObject } from './fields.ts';
import { route, router } from './route.ts';

const count = z.int32().min(0).max(2_147_483_647);

export const erasureReply = namedObject(
  'ErasureReply',
  "Number of erased records. The consent log is kept without the visitor's identity.",
  {
    ok: z.literal(true).describe('Always `true`.'),
    conversations: count,
    events: count,
    feedback: count,
  },
);

export const visitor = router('Visitor', {
  eraseVisitor: route({
    method: 'DELETE',
    path: '/visitor',
    summary: "Erase the visitor's data",
    description:
      'Erases the conversations, events and ratings of the visitor. The consent log keeps the ' +
      "visitor's decisions without anything that identifies the visitor. The visitor's tokens stop working, " +
      'and a boot with the old id gets a new one.',
    responses: { 200: erasureReply },
    meta: {
      alwaysServed: true,
      credential: 'visitor',
      unauthorized: 'visitor/unauthorized',
      limits: ['visitor/visitor-burst', 'visitor/network-burst'],
      limitsWithoutCredential: ['visitor/ip-rate-limited'],
    },
  }),
});
