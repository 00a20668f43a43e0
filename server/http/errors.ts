import { ERROR_CODES, type ErrorBody, type ErrorCode } from '../../contract/errors.ts';

/** What a refusal may tell beyond its code. */
export type ErrorDetails = Omit<ErrorBody, 'error' | 'message' | 'request_id'>;

/** Ends a request with a declared "no". Anything else that is thrown is an internal error. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ErrorCode;
  readonly status: number;
  /** For the log alone; it never leaves the server. */
  readonly reason: string | undefined;
  readonly details: ErrorDetails;

  constructor(code: ErrorCode, reason?: string, details: ErrorDetails = {}) {
    super(ERROR_CODES[code].message);
    this.code = code;
    this.status = ERROR_CODES[code].status;
    this.reason = reason;
    this.details = details;
  }
}

/** Refuses. `because` is for the log and never leaves. */
export function throwApiError(code: ErrorCode, reason?: string, details?: ErrorDetails): never {
  throw new ApiError(code, reason, details);
}

/** One thing that is wrong with a request. */
export type RequestIssue = NonNullable<ErrorBody['issues']>[number];

const PROBLEMS_TOLD_MAX = 50;

/** The refusal of a request for these problems, of which the first ones are told. */
export function invalidRequest(problems: readonly RequestIssue[]): ApiError {
  return new ApiError('request/invalid', undefined, { issues: problems.slice(0, PROBLEMS_TOLD_MAX) });
}

/** Refuses for what is wrong beyond what the schema of the request says. */
export function throwInvalidRequest(...problems: readonly RequestIssue[]): never {
  throw invalidRequest(problems);
}

/** The wire body of a refusal. */
export function bodyOf(error: ApiError, requestId: string): ErrorBody {
  return { error: error.code, message: error.message, request_id: requestId, ...error.details };
}
