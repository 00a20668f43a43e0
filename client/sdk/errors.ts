import type { BucketName, ErrorBody, ErrorCode } from '../../generated/types.ts';

/**
 * Why a call failed. Either the service refused it, with one of the codes of the contract, or it never got that far:
 * `network` (no connection, or one that broke), `timeout` (the deadline passed or a stream fell silent), `aborted`
 * (the caller's signal, or `close()`), `protocol` (something answered that does not speak this contract), and for voice
 * `microphone` (there is none, or the visitor said no), `unsupported` (the browser cannot do it, or not yet).
 */
export type GuideErrorCode =
  | ErrorCode
  | 'network'
  | 'timeout'
  | 'aborted'
  | 'protocol'
  | 'microphone'
  | 'unsupported';

export type GuideErrorDetails = {
  /** The HTTP status; absent when there was no answer. */
  readonly status?: number;
  /** Names the request in the logs of the service. */
  readonly requestId?: string;
  /** How long to wait before trying again, as the service says. */
  readonly retryAfterSeconds?: number;
  /** With `rate_limit/exceeded`: the limit that was hit. */
  readonly bucket?: BucketName;
  /** With `request/invalid`: what is wrong with the request. */
  readonly issues?: NonNullable<ErrorBody['issues']>;
  /** With a conflict: the newest revision, to be read and used as the next base. */
  readonly currentRevision?: number;
  /** With a conflict: the id of the member who made the newest revision, or `operator`. */
  readonly changedBy?: string;
  /** With a conflict: when the newest revision was made, in the form of ISO 8601. */
  readonly changedAt?: string;
  /** With a step that is not possible: the status that rules it out. */
  readonly currentStatus?: string;
  /** When the article changed since a translation was made: the revision of the article to translate from. */
  readonly currentSourceRevision?: number;
  /** With a stream of an export that broke off: how many rows had come. */
  readonly rows?: number;
};

/** The one error that this client throws. `code` is what to compare with; `message` is for people. */
export class GuideError<C extends GuideErrorCode = GuideErrorCode>
  extends Error
  implements GuideErrorDetails
{
  override readonly name = 'GuideError';
  readonly code: C;
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
  declare readonly rows?: number;

  constructor(code: C, message: string, details: GuideErrorDetails & { readonly cause?: unknown } = {}) {
    super(message);
    this.code = code;
    Object.assign(this, details);
  }
}

/** What the service always says with a refusal of this code. */
type Told = {
  'rate_limit/exceeded': 'bucket' | 'retryAfterSeconds';
  'article/conflict': 'currentRevision' | 'changedBy' | 'changedAt';
  'article/not_allowed': 'currentStatus';
  'translation/not_allowed': 'currentStatus';
  'translation/stale': 'currentSourceRevision';
};

/** An error of this code, with what comes with it. */
export type GuideErrorOf<C extends GuideErrorCode> = GuideError<C> &
  (C extends keyof Told ? Required<Pick<GuideErrorDetails, Told[C]>> : unknown);

/** Every error of this client, told apart by `code`: in a `switch` each case knows what comes with it. */
export type AnyGuideError = { [C in GuideErrorCode]: GuideErrorOf<C> }[GuideErrorCode];

/** True for an error of this client and, when a code is given, of that code; narrows to what comes with it. */
export function isGuideError(error: unknown): error is AnyGuideError;
export function isGuideError<C extends GuideErrorCode>(error: unknown, code: C): error is GuideErrorOf<C>;
export function isGuideError(error: unknown, code?: GuideErrorCode): boolean {
  return error instanceof GuideError && (code === undefined || error.code === code);
}

/** Reads what the service said no with. */
export async function refusalOf(response: Response): Promise<GuideError> {
  const text = await response.text().catch(() => '');
  const body = parsedRefusal(text);
  const { status, headers } = response;
  const requestId = body?.request_id ?? headers.get('x-request-id');
  const retryAfterSeconds = retryAfterOf(headers.get('retry-after')) ?? body?.retryAfterSec;
  const details: GuideErrorDetails = {
    status,
    ...(requestId ? { requestId } : {}),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    ...toldBy(body),
  };
  if (body) return new GuideError(body.error as ErrorCode, body.message ?? body.error, details);
  return new GuideError('protocol', `Something answered ${status} without saying why.`, details);
}

/** What a refusal may say beyond its code, by the names that the wire and this client give it alike. */
const TOLD = [
  'bucket',
  'issues',
  'currentRevision',
  'changedBy',
  'changedAt',
  'currentStatus',
  'currentSourceRevision',
] as const satisfies (keyof GuideErrorDetails)[];

function toldBy(body: Partial<ErrorBody> = {}): GuideErrorDetails {
  return Object.fromEntries(TOLD.flatMap((name) => (body[name] === undefined ? [] : [[name, body[name]]])));
}

/** What a broken body throws differs from runtime to runtime, and always means the connection. */
export function asGuideError(cause: unknown): GuideError {
  return isGuideError(cause) ? cause : new GuideError('network', 'The connection broke.', { cause });
}

function parsedRefusal(text: string): (Pick<ErrorBody, 'error'> & Partial<ErrorBody>) | undefined {
  try {
    const body = JSON.parse(text);
    return typeof body?.error === 'string' ? body : undefined;
  } catch {
    return undefined;
  }
}

/** The header carries seconds or, from a proxy on the way, a date. */
function retryAfterOf(header: string | null): number | undefined {
  if (!header) return undefined;
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, Math.ceil(seconds));
}
