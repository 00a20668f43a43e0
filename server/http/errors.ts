import type { z } from 'zod';
import { ERROR_CODES, type ErrorBody, type ErrorCode } from '../../contract/errors.ts';
import { StorageUnavailable } from '../storage/availability.ts';

/** The optional fields of an error body. */
type ErrorDetails = Omit<ErrorBody, 'error' | 'message' | 'request_id'>;

/** Ends a request with one of the contract's errors. Anything else that is thrown becomes `internal`. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ErrorCode;
  readonly status: number;
  /** For the log only; never sent. */
  readonly reason: string | undefined;
  readonly details: ErrorDetails;
  /** A step that the caller may complete; the response sets its cookie. */
  challenge?: { token: string; expiresAt: number };

  constructor(code: ErrorCode, reason?: string, details: ErrorDetails = {}) {
    super(ERROR_CODES[code].message);
    this.code = code;
    this.status = ERROR_CODES[code].status;
    this.reason = reason;
    this.details = details;
  }
}

/** The client disconnected before its response. Needs none and is no server error. */
export class ClientDisconnected extends Error {
  override readonly name = 'ClientDisconnected';
}

/** `reason` is for the log only; it is never sent. */
export function throwApiError(code: ErrorCode, reason?: string, details?: ErrorDetails): never {
  throw new ApiError(code, reason, details);
}

const RETRY_LATER_SECONDS = 5;

/** Returns a 503 with a `Retry-After`. */
export function unavailable(code: ErrorCode, reason?: string): ApiError {
  return new ApiError(code, reason, { retryAfterSec: RETRY_LATER_SECONDS });
}

/** Returns a 503 for a server, or one of the request's owners, without room now. The request's rate-limit points are refunded. */
export function overloaded(reason: string, retryAfterSec = RETRY_LATER_SECONDS): ApiError {
  return new ApiError('server/overloaded', reason, { retryAfterSec });
}

/** One invalid part of a request. */
export type RequestIssue = NonNullable<ErrorBody['issues']>[number];

const ISSUES_MAX = 50;

export function invalidRequest(issues: readonly RequestIssue[]): ApiError {
  return new ApiError('request/invalid', undefined, { issues: issues.slice(0, ISSUES_MAX) });
}

/** For checks that a schema cannot express. */
export function throwInvalidRequest(...issues: readonly RequestIssue[]): never {
  throw invalidRequest(issues);
}

/** Converts anything thrown while a request was handled into the error that the caller gets. */
export function toApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  if (thrown instanceof StorageUnavailable) return unavailable('storage/unavailable', thrown.message);
  // Express throws it for a path that is not valid percent-encoding.
  if (thrown instanceof URIError) {
    return invalidRequest([
      { path: 'path', code: 'invalid_encoding', message: 'The path is not valid percent-encoding.' },
    ]);
  }
  return new ApiError(
    'internal',
    thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown),
  );
}

export function toErrorBody(error: ApiError, requestId: string): ErrorBody {
  return { error: error.code, message: error.message, request_id: requestId, ...error.details };
}

/** Converts what a schema found wrong with one part of a request. The values that were sent are left out. */
export function toRequestIssues(
  part: 'path' | 'headers' | 'query' | 'body',
  error: { issues: readonly unknown[] } | null,
): RequestIssue[] {
  if (!error) return [];
  return (error.issues as z.core.$ZodIssue[]).map((issue) => ({
    path: truncate([part, ...issue.path.map(String)].join('.'), 512),
    code: issue.code,
    message: truncate(issueMessage(issue), 1024),
  }));
}

/** Callers choose field names, and a cut inside a surrogate pair would not be valid JSON. */
function truncate(text: string, charsMax: number): string {
  return text.slice(0, charsMax).toWellFormed();
}

function issueMessage(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys') {
    const names = issue.keys.slice(0, 10).map((key) => `"${key.slice(0, 64)}"`);
    return `There is no field ${names.join(', ')} here.`;
  }
  return issue.message;
}
