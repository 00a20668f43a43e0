import { REFUSALS, type RefusalBody, type RefusalCode } from '../contract/refusals.ts';

/** What a refusal may tell beyond its code. */
export type RefusalDetails = Omit<RefusalBody, 'error' | 'message' | 'request_id'>;

/** Ends a request with a declared "no". Anything else that is thrown is an internal error. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: RefusalCode;
  readonly status: number;
  /** For the log alone; it never leaves the server. */
  readonly because: string | undefined;
  readonly details: RefusalDetails;

  constructor(code: RefusalCode, because?: string, details: RefusalDetails = {}) {
    super(REFUSALS[code].message);
    this.code = code;
    this.status = REFUSALS[code].status;
    this.because = because;
    this.details = details;
  }
}

/** Refuses. `because` is for the log and never leaves. */
export function refuse(code: RefusalCode, because?: string, details?: RefusalDetails): never {
  throw new Refusal(code, because, details);
}

/** One thing that is wrong with a request. */
export type Problem = NonNullable<RefusalBody['issues']>[number];

const PROBLEMS_TOLD_MAX = 50;

/** The refusal of a request for these problems, of which the first ones are told. */
export function invalidRequest(problems: readonly Problem[]): Refusal {
  return new Refusal('request/invalid', undefined, { issues: problems.slice(0, PROBLEMS_TOLD_MAX) });
}

/** Refuses for what is wrong beyond what the schema of the request says. */
export function refuseInvalid(...problems: readonly Problem[]): never {
  throw invalidRequest(problems);
}

/** The wire body of a refusal. */
export function bodyOf(refusal: Refusal, requestId: string): RefusalBody {
  return { error: refusal.code, message: refusal.message, request_id: requestId, ...refusal.details };
}
