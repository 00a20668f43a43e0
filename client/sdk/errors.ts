import type { BucketName, ErrorBody, ErrorCode } from '../../generated/types.ts';

/**
 * Why a call failed: an error code of the service, or one of the client's own: `network` (no connection, or it broke),
 * `timeout` (the deadline passed or a stream went silent), `aborted` (by the caller's signal or `close()`), `protocol`
 * (the response does not follow the API, for example from a proxy), `bot` (the service took the caller for a crawler by its
 * user agent), and for voice `microphone` (none, or permission denied) and `unsupported` (the browser cannot do this,
 * or not before the visitor has interacted with the page).
 */
export type GuideErrorCode =
  | ErrorCode
  | 'network'
  | 'timeout'
  | 'aborted'
  | 'protocol'
  | 'bot'
  | 'microphone'
  | 'unsupported';

export type GuideErrorDetails = {
  /** HTTP status; absent when there was no response. */
  status?: number;
  /** Id of the request in the logs of the service. */
  requestId?: string;
  /** How long to wait before trying again, in seconds. */
  retryAfterSeconds?: number;
  /** With `rate_limit/exceeded`: the limit that was exceeded. */
  bucket?: BucketName;
  /** With `request/invalid`: the fields that are invalid, and why. */
  issues?: NonNullable<ErrorBody['issues']>;
  /** With a conflict: the newest revision. Read it and base the next attempt on it. */
  currentRevision?: number;
  /** With a conflict: id of the member who made the newest revision, or `operator`. */
  changedBy?: string;
  /** With a conflict: when the newest revision was made, as ISO 8601. */
  changedAt?: string;
  /** With `…/not_allowed`: the status that does not allow the action. */
  currentStatus?: string;
  /** When the article has changed since it was translated: the revision to translate from. */
  currentSourceRevision?: number;
  /** With `image/in_use`: how many articles show the image. */
  usedBy?: number;
  /** With an interrupted export stream: how many rows had arrived. */
  rows?: number;
};

/** The only error this client throws. Compare `code`; `message` is for people. */
export class GuideError<C extends GuideErrorCode = GuideErrorCode>
  extends Error
  implements GuideErrorDetails
{
  override readonly name = 'GuideError';
  declare readonly code: C;
  declare readonly status?: number;
  declare readonly requestId?: string;
  declare readonly retryAfterSeconds?: number;
  declare readonly bucket?: BucketName;
  declare readonly issues?: NonNullable<ErrorBody['issues']>;
  declare readonly currentRevision?: number;
  declare readonly changedBy?: string;
  declare readonly changedAt?: string;
  declare readonly currentStatus?: string;
  declare readonly currentSourceRevision?: number;
  declare readonly usedBy?: number;
  declare readonly rows?: number;

  constructor(code: C, message: string, details: GuideErrorDetails & { cause?: unknown } = {}) {
    super(message);
    Object.assign(this, details, { code });
  }
}

/** The details that always come with a code. */
type DetailsByCode = {
  'rate_limit/exceeded': 'bucket' | 'retryAfterSeconds';
  'article/conflict': 'currentRevision' | 'changedBy' | 'changedAt';
  'article/not_allowed': 'currentStatus';
  'translation/not_allowed': 'currentStatus';
  'image/in_use': 'usedBy';
  'translation/stale': 'currentSourceRevision';
  'translation/source_changed': 'currentSourceRevision';
};

/** An error with this code and the details that come with it. */
export type GuideErrorOf<C extends GuideErrorCode> = GuideError<C> &
  (C extends keyof DetailsByCode ? Required<Pick<GuideErrorDetails, DetailsByCode[C]>> : unknown);

/** All errors of this client, discriminated by `code`: in a `switch`, each case has its details. */
export type AnyGuideError = { [C in GuideErrorCode]: GuideErrorOf<C> }[GuideErrorCode];

/** True for an error of this client and, when a code is given, with that code. Narrows to its details. */
export function isGuideError(error: unknown): error is AnyGuideError;
export function isGuideError<C extends GuideErrorCode>(error: unknown, code: C): error is GuideErrorOf<C>;
export function isGuideError(error: unknown, code?: GuideErrorCode): boolean {
  // By name: an application may load the package twice, as ES modules and as CommonJS.
  const isOwn = error instanceof Error && error.name === 'GuideError';
  return isOwn && (code === undefined || (error as GuideError).code === code);
}

/** Reads the error of a response that is not ok. */
export async function readError(response: Response): Promise<GuideError> {
  const { status, headers } = response;
  const body = parseErrorBody(await response.text().catch(() => ''));
  const { error = 'protocol', message, request_id, retryAfterSec, ...rest } = body;
  const requestId = request_id ?? headers.get('x-request-id');
  const retryAfterSeconds = parseRetryAfter(headers.get('retry-after')) ?? retryAfterSec;
  const text = message ?? (body.error || `Unexpected response with status ${status}.`);
  return new GuideError(error as GuideErrorCode, text, {
    ...(rest as GuideErrorDetails),
    status,
    ...(requestId ? { requestId } : {}),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
}

/** Runtimes throw different errors for a broken body; all of them mean that the connection broke. */
export function asGuideError(cause: unknown): GuideError {
  return isGuideError(cause) ? cause : new GuideError('network', 'The connection broke.', { cause });
}

/** Returns an empty object for anything but an error body of the service. */
function parseErrorBody(text: string): Partial<ErrorBody> {
  try {
    const body = JSON.parse(text);
    return typeof body?.error === 'string' ? body : {};
  } catch {
    return {};
  }
}

/** Accepts seconds, and dates, which some proxies write. Returns seconds. */
function parseRetryAfter(header: string | null): number | undefined {
  if (!header) return undefined;
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, Math.ceil(seconds));
}

/** A change was based on an old revision: someone else has changed the record meanwhile. Nothing was saved. */
export type Conflict = GuideError<'article/conflict' | 'translation/conflict'> & {
  /** The newest revision. Read the record again and base the next attempt on it. */
  currentRevision: number;
  /** Id of the member who made it, or `operator`. */
  changedBy: string;
  /** When it was made, as ISO 8601. */
  changedAt: string;
};

/**
 * True when a change was based on a revision that is no longer the newest. A new translation of an article that has changed
 * meanwhile is a different case: `translation/conflict` with `currentSourceRevision`.
 */
export function isConflict(error: unknown): error is Conflict {
  const isCode = isGuideError(error, 'article/conflict') || isGuideError(error, 'translation/conflict');
  return isCode && error.currentRevision !== undefined;
}
