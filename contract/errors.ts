import { z } from 'zod';
import { namedObject, pattern } from './fields.ts';
import { BUCKETS, CAPS, type LimitName } from './limits/rate-limits.ts';

const error = <const Status extends number>(status: Status, message: string) => ({ status, message });

/** Every error of the API. Responses, OpenAPI, the client's typed errors and documentation derive from this table. */
export const ERROR_CODES = {
  'request/invalid': error(400, 'The request is invalid. See `issues` for details.'),
  'request/not_found': error(404, 'No such route.'),
  'request/method_not_allowed': error(405, 'This route does not support the method. See the `Allow` header.'),
  'request/too_large': error(413, 'The request body exceeds the limit for this endpoint.'),
  'request/idempotency_mismatch': error(
    409,
    'This Idempotency-Key was already used for a different request.',
  ),
  'request/in_progress': error(
    409,
    'The first request with this Idempotency-Key is still being handled. Try again shortly.',
  ),
  'request/already_done': error(
    409,
    'The first request with this Idempotency-Key succeeded. Its response had a secret, which is shown once.',
  ),
  'request/unsupported_media_type': error(
    415,
    'Unsupported media type. Send `application/json`, or `multipart/form-data` for file uploads.',
  ),
  'rate_limit/exceeded': error(429, 'Rate limit exceeded. Retry after the `Retry-After` interval.'),
  internal: error(500, 'Something went wrong on our end. Include the request id when you report it.'),
  'server/shutting_down': error(503, 'The server is restarting. Please try again shortly.'),
  'server/overloaded': error(503, 'The server is at capacity. Please try again shortly.'),
  'storage/unavailable': error(503, 'Data cannot be stored at the moment. Please try again shortly.'),

  'guide/paused': error(503, 'The guide is paused by its operator. Try again later.'),
  'boot/unavailable': error(503, 'The guide is currently switched off.'),
  'boot/origin_not_allowed': error(
    403,
    'The app id is unknown, or the origin is not on its list of allowed domains.',
  ),
  'boot/origin_mismatch': error(403, 'The `origin` field does not match the Origin header.'),
  'boot/workspace_disabled': error(403, 'This workspace is disabled.'),

  'chat/unauthorized': error(401, 'Missing or invalid visitor token. Call `POST /boot` to get one.'),
  'visitor/unauthorized': error(401, 'Missing or invalid visitor token. Call `POST /boot` to get one.'),
  jwt_expired: error(401, 'The visitor token has expired. Call `POST /boot` to get a new one.'),
  'chat/url_mismatch': error(403, 'The origin of `url` does not match the origin of the visitor token.'),
  'chat/answer_broke_off': error(503, 'The answer was interrupted. Please try again.'),
  'chat/too_many_streams': error(
    409,
    'This visitor already has the maximum number of answers in progress or waiting.',
  ),
  'chat/idempotency_mismatch': error(
    409,
    'This Idempotency-Key was already used with a different request body.',
  ),
  'customer/key_not_found': error(404, 'Key of known customers not found.'),
  'customer/too_many_keys': error(409, 'The workspace has the maximum number of keys. Delete one first.'),
  'conversation/not_found': error(404, 'Conversation not found.'),
  'conversation/note_not_found': error(404, 'Note not found.'),
  'conversation/too_many_notes': error(409, 'The conversation has reached the maximum number of notes.'),
  'message/not_found': error(404, 'Message not found.'),

  'handover/off': error(403, 'Visitors of this workspace cannot ask a person.'),
  'handover/automated': error(403, 'The form seems to have been filled in by a program. Please try again.'),
  'handover/not_found': error(404, 'Handover not found.'),
  'handover/note_not_found': error(404, 'Note not found.'),
  'handover/too_many_notes': error(409, 'The handover has reached the maximum number of notes.'),
  'handover/too_many_replies': error(409, 'The handover has reached the maximum number of replies.'),

  'inbox/not_found': error(404, 'Group of questions not found.'),

  'voice/unauthorized': error(401, 'Missing or invalid visitor token. Call `POST /boot` to get one.'),
  'voice/disabled': error(403, 'Voice is turned off for this workspace.'),
  'voice/audio_too_large': error(413, 'The recording exceeds the size limit.'),
  'voice/unsupported_audio': error(415, 'The file is not in a supported audio format.'),
  'voice/provider_failed': error(502, 'The speech provider failed. Try again, or type instead.'),
  'voice/not_configured': error(503, 'No speech provider is configured for this. Type instead.'),

  'session/unauthorized': error(401, 'Not signed in, or the session has ended.'),
  'session/wrong_credentials': error(401, 'Incorrect email address or password.'),
  'session/cross_site': error(403, 'Cross-site requests are not allowed on this endpoint.'),
  'session/password_needed': error(403, 'Confirm your password first with `POST /api/session/confirm`.'),
  'session/address_not_allowed': error(
    403,
    'The automation session may not be used from this network address.',
  ),
  'session/area_required': error(
    403,
    'The automation session does not have the area that this action needs.',
  ),
  'session/too_many_automations': error(
    409,
    'The workspace has the maximum number of automation sessions. End one first.',
  ),
  'session/second_factor_needed': error(
    403,
    'A second factor is required. Set one up, or confirm yours with `POST /api/session/confirm`.',
  ),
  'session/second_factor_asked': error(
    401,
    'The password is right. Send the second factor to `POST /api/session/factor`.',
  ),
  'session/wrong_factor': error(401, 'The code or passkey is wrong, or the code was used before.'),
  'session/step_ended': error(
    409,
    'This step has expired, was completed before, or began in another browser. Start again.',
  ),
  'session/last_factor': error(
    409,
    'A workspace requires a second factor, and this is the last one. Set up another one first.',
  ),
  'passkey/not_found': error(404, 'Passkey not found.'),
  'passkey/taken': error(409, 'This passkey was added before.'),
  'passkey/too_many': error(409, 'The account has the maximum number of passkeys. Remove one first.'),
  'authenticator_app/not_found': error(404, 'The account has no authenticator app.'),
  'session/not_found': error(404, 'Session not found.'),
  'session/no_provider': error(
    404,
    'No identity provider is set up for this address. Sign in with a password.',
  ),
  'session/provider_failed': error(
    502,
    'The identity provider cannot be reached, or is not set up correctly.',
  ),
  'session/provider_refused': error(
    401,
    'The identity provider did not confirm the sign-in. Please try again.',
  ),
  'session/provider_required': error(403, 'Sign in with the identity provider of this workspace.'),
  'session/attempt_expired': error(
    401,
    'The sign-in took too long, or was started in another browser. Please start again.',
  ),
  'session/email_not_allowed': error(
    403,
    'The identity provider vouches for no address that may sign in here. Ask the owner of the workspace.',
  ),
  'session/no_account': error(403, 'You have no account here yet. Ask for an invitation.'),
  'session/other_identity': error(
    403,
    'The account of this address belongs to another identity of the provider. Ask the owner of the workspace.',
  ),
  'identity_provider/not_found': error(404, 'The workspace has no identity provider.'),
  'identity_provider/no_proved_domain': error(
    409,
    'Prove a domain before you require the identity provider.',
  ),
  'identity_provider/domain_not_found': error(404, 'The identity provider does not have this domain.'),
  'identity_provider/record_not_found': error(
    409,
    'The TXT record was not found. Changes of DNS may take an hour.',
  ),
  'help_domain/not_found': error(404, 'The help center does not have this domain.'),
  'help_domain/not_available': error(
    409,
    'This domain belongs to the service, or its operator has given it to a workspace.',
  ),
  'help_domain/not_proved': error(
    409,
    'Neither the TXT record nor the file was found. Changes of DNS may take an hour.',
  ),
  'password_reset/not_found': error(404, 'The link is invalid, expired or already used. Request a new one.'),
  'email_change/not_found': error(
    404,
    'The link is invalid, expired, already used or of another account. Request a new one.',
  ),
  'email_change/not_available': error(409, 'Another account has this address.'),
  'mail/not_configured': error(503, 'This service sends no mail. Ask its operator for a link.'),
  'setup/not_found': error(404, 'The setup link is invalid, expired or already used.'),
  'invitation/not_found': error(404, 'The invitation is invalid, expired, withdrawn or already accepted.'),
  'invitation/already_member': error(409, 'This person is already a member of the workspace.'),

  'tenant/not_found': error(404, 'Workspace not found.'),
  'tenant/role_required': error(403, 'Your role in this workspace does not allow this action.'),
  'tenant/name_mismatch': error(409, 'The name does not match the name of the workspace.'),
  'tenant/storage_full': error(
    409,
    'The storage of the workspace is full. Delete something, or ask the operator for more.',
  ),
  'member/not_found': error(404, 'Member not found.'),
  'member/last_owner': error(409, 'A workspace needs at least one owner.'),
  'api_key/not_found': error(404, 'API key not found.'),
  'api_key/inactive': error(409, 'The API key is revoked, expired or already replaced.'),

  'export/unauthorized': error(
    401,
    'Missing or invalid API key. Send it as `x-api-key` or `Authorization: Bearer`.',
  ),
  'export/key_expired': error(401, 'The API key has expired. Create a new one.'),
  'export/address_not_allowed': error(403, 'The API key may not be used from this network address.'),
  'export/insufficient_scope': error(403, 'The API key does not have the required scope.'),
  'export/cursor_mismatch': error(
    400,
    'The cursor belongs to another path or to other filters. Start again without a cursor.',
  ),

  'article/not_found': error(404, 'Article not found.'),
  'article/slug_taken': error(409, 'Another article in this workspace already uses this slug.'),
  'article/conflict': error(409, 'The article has changed since `baseRevision`. See `currentRevision`.'),
  'article/not_allowed': error(
    409,
    'The article’s current status does not allow this action. See `currentStatus`.',
  ),

  'image/not_found': error(404, 'Image not found.'),
  'image/in_use': error(409, 'Articles show this image. Remove it from their texts first. See `usedBy`.'),
  'image/too_large': error(413, 'The image exceeds the size limit.'),
  'image/unsupported': error(
    415,
    'The file is not a PNG, JPEG, GIF, WebP or AVIF image of a supported size.',
  ),
  'image/too_many': error(
    409,
    'The workspace has reached the maximum number or total size of images. Delete some first.',
  ),
  'collection/not_found': error(404, 'Collection not found.'),
  'collection/name_taken': error(409, 'Another collection in this workspace already has this name.'),
  'collection/too_many': error(409, 'The workspace has reached the maximum number of collections.'),

  'answer_test/not_found': error(404, 'Answer test not found.'),
  'answer_test/too_many': error(409, 'The workspace has reached the maximum number of answer tests.'),

  'webhook/not_found': error(404, 'Webhook not found.'),
  'webhook/delivery_not_found': error(404, 'Delivery not found.'),
  'webhook/too_many': error(409, 'The workspace has reached the maximum number of webhooks.'),
  'webhook/inactive': error(409, 'The webhook is not active.'),

  'model/none': error(409, 'No language model answers in this workspace. Set one first.'),

  'source/not_found': error(404, 'Source not found.'),
  'source/run_not_found': error(404, 'Run not found.'),
  'source/text_not_found': error(404, 'The run has no text at this place.'),
  'source/too_many': error(409, 'The workspace has reached the maximum number of sources.'),
  'source/wrong_type': error(
    409,
    'The type of the source does not allow this: only sources of files take uploads.',
  ),
  'source/busy': error(409, 'A run of this source is under way. Wait for it, apply it or cancel it first.'),
  'source/nothing_uploaded': error(409, 'Upload files before you start a run of this source.'),
  'source/too_much_uploaded': error(
    409,
    'The files that wait for a run have too many documents, or too much text. Start a run first.',
  ),
  'source/file_too_large': error(413, 'The file exceeds the size limit.'),
  'source/publish_not_allowed': error(
    403,
    'The automation session may not make a source publish: that publishes translations without a review. It needs the areas ' +
      'translations and review, and the permission to approve its own texts.',
  ),
  'source/not_allowed': error(409, 'The state of the run does not allow this action. See `currentStatus`.'),

  'translation/not_found': error(404, 'Translation not found.'),
  'translation/conflict': error(
    409,
    'The translation has changed since `baseRevision`. See `currentRevision`.',
  ),
  'translation/locale_taken': error(409, 'The article already has a translation in this locale.'),
  'translation/too_many_locales': error(409, 'The article has reached the maximum number of locales.'),
  'translation/source_locale': error(409, 'The article itself is written in this locale.'),
  'translation/not_allowed': error(
    409,
    'The translation’s current status does not allow this action. See `currentStatus`.',
  ),
  'translation/was_published': error(
    409,
    'The translation was published once, so its history is kept. Archive it instead.',
  ),
  'translation/own_text': error(403, 'The automation session may not approve a text that it wrote.'),
  'translation/source_changed': error(
    409,
    'The article has changed since `sourceRevision`. Compare the text with `currentSourceRevision`.',
  ),
  'translation/stale': error(
    409,
    'The article has changed since this translation was made. Update it against `currentSourceRevision` first.',
  ),
} as const satisfies Record<string, { status: number; message: string }>;

/** A stable, machine-readable error code. */
export type ErrorCode = keyof typeof ERROR_CODES;

const limitNames = [...Object.keys(BUCKETS), ...Object.keys(CAPS)] as [LimitName];

const bucketName = z.enum(limitNames).meta({
  id: 'BucketName',
  description: 'The name of a rate limit or cap.',
});

const requestProblem = namedObject('RequestProblem', 'One invalid part of a request.', {
  path: z
    .string()
    .max(512)
    .describe('Dotted path to the invalid value, starting with `body`, `query`, `path` or `headers`.')
    .meta({ example: 'body.surprise' }),
  code: z
    .string()
    .max(64)
    .describe('Stable code of the issue, such as `unrecognized_keys`.')
    .meta({ example: 'unrecognized_keys' }),
  message: z
    .string()
    .max(1024)
    .meta({ description: 'Explains what was expected.', example: 'There is no such field.' }),
});

const bytes = z.int().min(0).max(Number.MAX_SAFE_INTEGER).meta({ example: 2_147_483_648 });

export const errorBody = namedObject('ErrorBody', 'The body of every error response.', {
  error: z
    .string()
    .regex(/^[a-z0-9_]+(\/[a-z0-9_]+)?$/)
    .max(64)
    .describe('Stable error code. The document lists those of each operation and of each status.')
    .meta({ example: 'internal' }),
  message: z
    .string()
    .max(1024)
    .describe('Human-readable message. It may change, so do not compare against it.')
    .meta({ example: ERROR_CODES.internal.message }),
  request_id: z
    .string()
    .max(64)
    .describe('Id of the request in the server logs; also sent as `x-request-id`.')
    .meta({ example: 'req_01kakv2fxse7wtg6x5r0h8rjbm' }),
  bucket: bucketName.optional().describe('With status 429: the limit that was exceeded.'),
  retryAfterSec: z
    .int32()
    .min(0)
    .max(2_678_400)
    .optional()
    .describe('Seconds to wait before retrying; the same value as the Retry-After header.'),
  issues: z
    .array(requestProblem)
    .max(50)
    .optional()
    .describe('With `request/invalid`: the invalid parts of the request.'),
  currentRevision: z
    .int32()
    .min(1)
    .optional()
    .describe('With a conflict: the latest revision. Read it and send it as the next `baseRevision`.'),
  currentSourceRevision: z
    .int32()
    .min(1)
    .optional()
    .describe(
      'With `translation/stale` and `translation/source_changed`: the revision of the article to translate from.',
    ),
  currentStatus: pattern(/^[a-z_]+$/, 32)
    .optional()
    .describe('With `not_allowed`: the status that does not allow the action.')
    .meta({ example: 'in_review' }),
  usedBytes: bytes
    .optional()
    .describe('With `tenant/storage_full`: the storage that the workspace uses, as last measured.'),
  bytesMax: bytes.optional().describe('With `tenant/storage_full`: the storage limit of the workspace.'),
  usedBy: z.int32().min(1).optional().describe('With `image/in_use`: how many articles show the image.'),
  changedBy: z
    .string()
    .max(64)
    .optional()
    .describe('With a conflict: id of the member who created the latest revision, or `operator`.')
    .meta({ example: 'mem_01kakv2fxse7wtg6x5r0h8rjbm' }),
  changedAt: z.iso
    .datetime()
    .max(32)
    .optional()
    .describe('With a conflict: when the latest revision was created.')
    .meta({ example: '2026-11-21T09:30:00.000Z' }),
});

export type ErrorBody = z.infer<typeof errorBody>;
