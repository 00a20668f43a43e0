import { ModelFailure } from './model.ts';

/** Reads why a server refused a request. The text of an error may quote the key or the prompt, so it is only searched for known words. */

export type ServerError = {
  /** The status that the error names, for errors within a stream; 400 when it names none. */
  status: number;
  /** Its codes and types, such as `context_length_exceeded`. */
  codes: readonly string[];
  code: string | undefined;
  type: string | undefined;
  /** The field of the request that it is about. */
  field: string | undefined;
  /** Never logged or shown. */
  message: string;
};

type Body = {
  error?: unknown;
  /** Of FastAPI. */
  detail?: unknown;
  code?: unknown;
  type?: unknown;
  param?: unknown;
  message?: unknown;
  innererror?: { code?: unknown };
};

export function readServerError(body: string): ServerError {
  const whole = parse(body);
  const error = asBody(whole.error) ?? whole;
  const detail = Array.isArray(whole.detail) ? asBody(whole.detail[0]) : undefined;
  const message = [
    error.message,
    detail?.message,
    whole.error,
    whole.detail,
    (detail as { msg?: unknown })?.msg,
  ]
    .filter((text) => typeof text === 'string')
    .join(' ');
  const codes = [error.code, error.type, error.innererror?.code, detail?.type].filter(isName);
  const numbers = [error.code, whole.code, STATUS_OF_TYPE[String(error.type)]].map(Number);
  return {
    status: numbers.find((number) => number >= 400 && number < 600) ?? 400,
    codes,
    code: [error.code, error.innererror?.code].find(isName),
    type: [error.type, detail?.type].find(isName),
    field: findField(error.param, (detail as { loc?: unknown })?.loc, message),
    message,
  };
}

/** Types that Anthropic sends within a stream, without a status. */
const STATUS_OF_TYPE: Readonly<Record<string, number>> = {
  authentication_error: 401,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
};

function parse(body: string): Body {
  try {
    return asBody(JSON.parse(body)) ?? {};
  } catch {
    return {};
  }
}

const asBody = (value: unknown): Body | undefined =>
  typeof value === 'object' && value !== null ? (value as Body) : undefined;

const isName = (value: unknown): value is string =>
  typeof value === 'string' && /^\w[\w.-]{0,80}$/.test(value);

/** What servers write where they name no field. */
const FIELD_IN_MESSAGE = /['"`]?\b(stream_options|max_tokens|max_completion_tokens|tools)\b/;
/** Of vLLM without a parser of tool calls: `"auto" tool choice requires --enable-auto-tool-choice …`. */
const TOOLS_IN_MESSAGE = /\btool choice\b/;

function findField(param: unknown, location: unknown, message: string): string | undefined {
  const named = isName(param) ? param : Array.isArray(location) ? location.findLast(isTopLevel) : undefined;
  const field = named?.split(/[.[]/)[0] ?? FIELD_IN_MESSAGE.exec(message)?.[1];
  return field ?? (TOOLS_IN_MESSAGE.test(message) ? 'tools' : undefined);
}

const isTopLevel = (part: unknown, at: number): part is string => at <= 1 && isName(part) && part !== 'body';

const CONTENT_FILTER = /content_filter|content_policy|ResponsibleAIPolicyViolation/;
const CONTEXT_CODES = /context_length_exceeded|exceed_context_size/;
const CONTEXT_WORDS =
  /context (?:length|size|window|limit)|maximum context|prompt is too long|too many tokens/i;

export const isContentFilter = ({ codes }: ServerError) => codes.some((code) => CONTENT_FILTER.test(code));

const isContextExceeded = ({ codes, message }: ServerError) =>
  codes.some((code) => CONTEXT_CODES.test(code)) || CONTEXT_WORDS.test(message);

const RETRY_AFTER_SECONDS_MAX = 3600;

/** Names the status, codes and field of an error, never its message. */
export function toStatusFailure(
  status: number,
  retryAfter: string | undefined,
  error: ServerError,
): ModelFailure {
  const { codes, code, type, field } = error;
  const seconds = Number(retryAfter);
  const isTimed = retryAfter !== undefined && Number.isFinite(seconds) && seconds >= 0;
  const words = [`status ${status}`, ...new Set(codes), ...(field ? [`field ${field}`] : [])];
  return new ModelFailure(toKind(status, error), words.join(', '), {
    retryAfterSeconds: isTimed ? Math.min(Math.ceil(seconds), RETRY_AFTER_SECONDS_MAX) : undefined,
    field,
    error: { status, code, type, param: field },
  });
}

function toKind(status: number, error: ServerError): ModelFailure['kind'] {
  if (status === 429) return 'rate_limited';
  if (status >= 500) return 'overloaded';
  if ([401, 403, 404].includes(status)) return 'refused';
  return isContextExceeded(error) || status === 413 ? 'context_exceeded' : 'rejected';
}
