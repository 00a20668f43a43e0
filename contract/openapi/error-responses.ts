import type { ZodOpenApiResponseObject } from 'zod-openapi';
import { ERROR_CODES, type ErrorBody, type ErrorCode, errorBody } from '../errors.ts';
import { BUCKETS } from '../limits.ts';
import { refusalHeaders } from './headers.ts';

/** Statuses that tell the caller how long to wait. */
const STATUSES_WITH_WAIT = [429, 503];

/** The codes of a route, status by status, so that each status becomes one response. */
export function refusalsByStatus(codes: readonly ErrorCode[]): Map<number, ErrorCode[]> {
  const byStatus = Map.groupBy(codes, (code) => ERROR_CODES[code].status);
  return new Map([...byStatus].sort(([a], [b]) => a - b).map(([status, group]) => [status, group.sort()]));
}

/**
 * Names a response after the codes it carries, so that routes which refuse alike share one:
 * `jwt_expired` and `visitor/unauthorized` make `JwtExpiredOrVisitorUnauthorized`.
 */
export function responseNameOf(codes: readonly ErrorCode[]): string {
  const byArea = Map.groupBy(codes, (code) => (code.includes('/') ? code.split('/')[0]! : ''));
  const areas = [...byArea].map(([area, group]) => {
    const ends = group.map((code) => pascalCase(area === '' ? code : code.slice(area.length + 1)));
    return pascalCase(area) + ends.join('Or');
  });
  return areas.join('Or');
}

/** One response for a status: every code it can carry, each with its sentence and an example. */
export function refusalResponse(codes: readonly ErrorCode[]): ZodOpenApiResponseObject {
  const status = ERROR_CODES[codes[0]!].status;
  const sentences = codes.map((code) => `- \`${code}\`: ${ERROR_CODES[code].message}`);
  const examples = codes.map((code) => [code.replace('/', '_'), { value: exampleRefusal(code) }]);
  return {
    description: `Refused with one of these codes:\n\n${sentences.join('\n')}`,
    'x-guidepost-codes': codes,
    headers: refusalHeaders(STATUSES_WITH_WAIT.includes(status)),
    content: { 'application/json': { schema: errorBody, examples: Object.fromEntries(examples) } },
  };
}

function exampleRefusal(code: ErrorCode): ErrorBody {
  return {
    error: code,
    message: ERROR_CODES[code].message,
    request_id: 'req_01kakv2fxse7wtg6x5r0h8rjbm',
    ...(STATUSES_WITH_WAIT.includes(ERROR_CODES[code].status) && { retryAfterSec: 5 }),
    ...(code === 'rate_limit/exceeded' && exampleWait()),
    ...(code === 'request/invalid' && { issues: [exampleIssue()] }),
  };
}

function exampleWait(): Pick<ErrorBody, 'bucket' | 'retryAfterSec'> {
  const bucket = 'chat/visitor-burst';
  return { bucket, retryAfterSec: BUCKETS[bucket].windowSeconds };
}

function exampleIssue(): NonNullable<ErrorBody['issues']>[number] {
  return { path: 'body.surprise', code: 'unrecognized_keys', message: 'There is no such field.' };
}

function pascalCase(words: string): string {
  return words.replace(/(?:^|[_/-])([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
