import { z } from 'zod';
import { BUCKETS, CAPS, type LimitName } from './limits.ts';

/**
 * Every "no" of the service: code, HTTP status, public sentence. The HTTP answers, the OpenAPI responses,
 * the client's typed errors and the documentation all derive from this one table.
 */
export const ERROR_CODES = {
  'request/invalid': { status: 400, message: 'The request does not match the contract; see `issues`.' },
  'request/not_found': { status: 404, message: 'There is nothing at this address.' },
  'request/method_not_allowed': {
    status: 405,
    message: 'This address does not answer that method; see `Allow`.',
  },
  'request/too_large': { status: 413, message: 'The request body is larger than this address accepts.' },
  'request/unsupported_media_type': {
    status: 415,
    message: 'Send the body as application/json, or as multipart/form-data where a file is asked for.',
  },
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
  'chat/answer_broke_off': {
    status: 503,
    message: 'The answer broke off; ask again in a moment.',
  },
  'chat/too_many_streams': {
    status: 409,
    message: 'This visitor already has as many running answers as allowed.',
  },
  'chat/idempotency_mismatch': {
    status: 409,
    message: 'This Idempotency-Key was used before with another request body.',
  },
  'conversation/not_found': { status: 404, message: 'There is no such conversation here.' },
  'message/not_found': { status: 404, message: 'This visitor has received no such message.' },

  'voice/unauthorized': { status: 401, message: 'A valid visitor token is needed; boot to get one.' },
  'voice/disabled': { status: 403, message: 'Voice is switched off in this workspace.' },
  'voice/audio_too_large': { status: 413, message: 'The recording is larger than this address accepts.' },
  'voice/unsupported_audio': { status: 415, message: 'This is not a recording in a known audio format.' },
  'voice/provider_failed': {
    status: 502,
    message: 'The speech provider did not answer as it should; try again, or type instead.',
  },
  'voice/not_configured': { status: 503, message: 'No provider for this is set up; type instead.' },

  'session/unauthorized': { status: 401, message: 'Sign in first: there is no session, or it has ended.' },
  'session/wrong_credentials': { status: 401, message: 'The address or the password is wrong.' },
  'session/cross_site': {
    status: 403,
    message: 'Only pages of the service itself may call this address.',
  },
  'session/password_needed': {
    status: 403,
    message: 'Give your password again first: POST /api/session/confirm.',
  },
  'session/not_found': { status: 404, message: 'You have no such session.' },
  'setup/not_found': { status: 404, message: 'This set-up link was used, has expired, or never existed.' },
  'invitation/not_found': {
    status: 404,
    message: 'This invitation was used or withdrawn, has expired, or never existed.',
  },
  'invitation/already_member': { status: 409, message: 'This person is a member of the workspace already.' },

  'tenant/not_found': { status: 404, message: 'You belong to no such workspace.' },
  'tenant/role_required': { status: 403, message: 'Your role in this workspace does not allow this.' },
  'tenant/name_mismatch': {
    status: 409,
    message: 'The name that was typed is not the name of the workspace.',
  },
  'member/not_found': { status: 404, message: 'The workspace has no such member.' },
  'member/last_owner': { status: 409, message: 'A workspace keeps at least one owner.' },
  'api_key/not_found': { status: 404, message: 'The workspace has no such API key.' },

  'export/unauthorized': {
    status: 401,
    message: 'Send a valid API key, in x-api-key or as a bearer token; one of the two, or the same in both.',
  },
  'export/insufficient_scope': {
    status: 403,
    message: 'The API key does not have the scope that this needs.',
  },
  'export/cursor_mismatch': {
    status: 400,
    message: 'The cursor does not belong to these filters; begin again without it.',
  },

  'article/not_found': { status: 404, message: 'The workspace has no such article.' },
  'article/slug_taken': { status: 409, message: 'Another article of the workspace has this slug.' },
  'article/conflict': {
    status: 409,
    message: 'Somebody changed the article since `baseRevision`; see `currentRevision`.',
  },
  'article/not_allowed': { status: 409, message: 'This step is not possible now; see `currentStatus`.' },

  'translation/not_found': { status: 404, message: 'The article has no such translation.' },
  'translation/conflict': {
    status: 409,
    message: 'Somebody changed the translation since `baseRevision`; see `currentRevision`.',
  },
  'translation/locale_taken': {
    status: 409,
    message: 'The article has a translation in this locale already.',
  },
  'translation/too_many_locales': { status: 409, message: 'The article has as many locales as it can have.' },
  'translation/source_locale': { status: 409, message: 'The article itself is written in this locale.' },
  'translation/not_allowed': { status: 409, message: 'This step is not possible now; see `currentStatus`.' },
  'translation/stale': {
    status: 409,
    message:
      'The article changed since this translation was made; edit it against `currentSourceRevision` first.',
  },
} as const satisfies Record<string, { status: number; message: string }>;

/** A stable, machine-readable name of a refusal. */
export type ErrorCode = keyof typeof ERROR_CODES;

const limitNames = [...Object.keys(BUCKETS), ...Object.keys(CAPS)] as [LimitName];

const bucketName = z.enum(limitNames).meta({
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
export const errorBody = z
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
      .meta({ example: ERROR_CODES.internal.message }),
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
    currentRevision: z
      .int32()
      .min(1)
      .optional()
      .describe('With a conflict: the newest revision, to be read and used as the next `baseRevision`.'),
    currentSourceRevision: z
      .int32()
      .min(1)
      .optional()
      .describe('With `translation/stale`: the revision of the article to translate from.'),
    currentStatus: z
      .string()
      .max(32)
      .regex(/^[a-z_]+$/)
      .optional()
      .describe('With a step that is not possible: the status that rules it out.')
      .meta({ example: 'in_review' }),
    changedBy: z
      .string()
      .max(64)
      .optional()
      .describe('With a conflict: the id of the member who made the newest revision, or `operator`.')
      .meta({ example: 'mem_01kakv2fxse7wtg6x5r0h8rjbm' }),
    changedAt: z.iso
      .datetime()
      .max(32)
      .optional()
      .describe('With a conflict: when the newest revision was made.')
      .meta({ example: '2026-11-21T09:30:00.000Z' }),
  })
  .meta({
    id: 'ErrorBody',
    description: 'The one shape of every refusal: a stable code, a sentence and the id of the request.',
  });

export type ErrorBody = z.infer<typeof errorBody>;
