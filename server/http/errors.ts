import { ERROR_CODES, type ErrorBody, type ErrorCode } from '../../contract/errors.ts';

/** What a refusal may tell beyond its code. */
export type RefusalDetails = Omit<ErrorBody, 'error' | 'message' | 'request_id'>;

/** Ends a request with a declared "no". Anything else that is thrown is an internal error. */
export class ApiError extends Error {
  override readonly name = 'Refusal';
  readonly code: ErrorCode;
  readonly status: number;
  /** For the log alone; it never leaves the server. */
  readonly because: string | undefined;
  readonly details: RefusalDetails;

  constructor(code: ErrorCode, because?: string, details: RefusalDetails = {}) {
    super(ERROR_CODES[code].message);
    this.code = code;
    this.status = ERROR_CODES[code].status;
    this.because = because;
    this.details = details;
  }
}

/** Refuses. `because` is for the log and never leaves. */
export function throwApiError(code: ErrorCode, because?: string, details?: RefusalDetails): never {
  throw new ApiError(code, because, details);
}

/** One thing that is wrong with a request. */
export type Problem = NonNullable<ErrorBody['issues']>[number];

const PROBLEMS_TOLD_MAX = 50;

/** The refusal of a request for these problems, of which the first ones are told. */
export function invalidRequest(problems: readonly Problem[]): ApiError {
  return new ApiError('request/invalid', undefined, { issues: problems.slice(0, PROBLEMS_TOLD_MAX) });
}

/** Refuses for what is wrong beyond what the schema of the request says. */
export function refuseInvalid(...problems: readonly Problem[]): never {
  throw invalidRequest(problems);
}

/** The wire body of a refusal. */
export function bodyOf(refusal: ApiError, requestId: string): ErrorBody {
  return { error: refusal.code, message: refusal.message, request_id: requestId, ...refusal.details };
}
