import { z } from 'zod';
import { BUCKETS } from './limits.ts';

/**
 * Every "no" of the service: code, HTTP status, public sentence. The HTTP answers, the OpenAPI responses,
 * the client's typed errors and the documentation all derive from this one table.
 */
export const REFUSALS = {
  'request/invalid': { status: 400, message: 'The request does not match the contract; see `issues`.' },
  'request/not_found': { status: 404, message: 'There is nothing at this address.' },
  'request/method_not_allowed': {
    status: 405,
    message: 'This address does not answer that method; see `Allow`.',
  },
  'request/too_large': { status: 413, message: 'The request body is larger than this address accepts.' },
  'request/unsupported_media_type': { status: 415, message: 'Send the body as application/json.' },
  'rate_limit/exceeded': { status: 429, message: 'Too many requests; wait as long as Retry-After says.' },
  internal: {
    status: 500,
    message: 'Something went wrong on our side; quote the request id when you report it.',
  },
  'server/shutting_down': { status: 503, message: 'The server is restarting; try again in a moment.' },
  'server/overloaded': { status: 503, message: 'The server is at its limit; try again in a moment.' },
  'storage/unavailable': { status: 503, message: 'Nothing can be stored right now; try again in a moment.' },

  'boot/unavailable': { status: 503, message: 'The guide is switched off at the moment.' },
  'boot/origin_not_allowed': {
    status: 403,
    message: 'This app id is unknown, or the origin is not one of its allowed domains.',
  },
  'boot/origin_mismatch': { status: 403, message: 'The field `origin` differs from the Origin header.' },
  'boot/workspace_disabled': { status: 403, message: 'This workspace is not being served.' },

  'chat/unauthorized': { status: 401, message: 'A valid visitor token is needed; boot to get one.' },
  'visitor/unauthorized': { status: 401, message: 'A valid visitor token is needed; boot to get one.' },
  jwt_expired: { status: 401, message: 'The visitor token has expired; boot again.' },
  'chat/url_mismatch': {
    status: 403,
    message: 'The origin of `url` differs from the one this token is for.',
  },
  'chat/too_many_streams': {
    status: 409,
    message: 'This visitor already has as many running answers as allowed.',
  },
  'chat/idempotency_mismatch': {
    status: 409,
    message: 'This Idempotency-Key was used before with another request body.',
  },
  'conversation/not_found': { status: 404, message: 'This visitor has no such conversation.' },
  'message/not_found': { status: 404, message: 'This visitor has received no such message.' },
} as const satisfies Record<string, { status: number; message: string }>;

/** A stable, machine-readable name of a refusal. */
export type RefusalCode = keyof typeof REFUSALS;

const bucketName = z.enum(Object.keys(BUCKETS) as [keyof typeof BUCKETS]).meta({
  id: 'BucketName',
  description: 'A limit of the service, by the name that it is published under.',
});

/** One thing that is wrong with a request. */
export const requestProblem = z
  .strictObject({
    path: z
      .string()
      .max(512)
      .describe('Where the problem is, as a dotted path from the body, query, path or header named first.')
      .meta({ example: 'body.surprise' }),
    code: z
      .string()
      .max(64)
      .describe('A stable name for the kind of problem, such as `unrecognized_keys`.')
      .meta({ example: 'unrecognized_keys' }),
    message: z
      .string()
      .max(1024)
      .describe('A sentence that says what was expected at this place.')
      .meta({ example: 'There is no such field.' }),
  })
  .meta({ id: 'RequestProblem', description: 'One thing that is wrong with a request, and where.' });

/** The body of every refusal (interface document, section 7). */
export const refusalBody = z
  .strictObject({
    error: z
      .string()
      .regex(/^[a-z0-9_]+(\/[a-z0-9_]+)?$/)
      .max(64)
      .describe('The stable code of the refusal; each operation lists the codes it can answer with.')
      .meta({ example: 'internal' }),
    message: z
      .string()
      .max(1024)
      .describe('A sentence for people; it may change, so never compare with it.')
      .meta({ example: REFUSALS.internal.message }),
    request_id: z
      .string()
      .max(64)
      .describe('Names this request in the logs of the service; also sent as x-request-id.')
      .meta({ example: 'req_01kakv2fxse7wtg6x5r0h8rjbm' }),
    bucket: bucketName
      .optional()
      .describe('With status 429: the limit that was hit (interface document, section 8).'),
    retryAfterSec: z
      .int32()
      .min(0)
      .max(2_678_400)
      .optional()
      .describe('Whole seconds to wait before trying again; the same value as the Retry-After header.'),
    issues: z
      .array(requestProblem)
      .max(50)
      .optional()
      .describe('With `request/invalid`: every problem that was found in the request.'),
  })
  .meta({
    id: 'RefusalBody',
    description: 'The one shape of every refusal: a stable code, a sentence and the id of the request.',
  });

export type RefusalBody = z.infer<typeof refusalBody>;
