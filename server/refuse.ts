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

/** The wire body of a refusal. */
export function bodyOf(refusal: Refusal, requestId: string): RefusalBody {
  return { error: refusal.code, message: refusal.message, request_id: requestId, ...refusal.details };
}
