import type { ZodOpenApiResponseObject } from 'zod-openapi';
import { ERROR_CODES, type ErrorBody, type ErrorCode, errorBody } from '../errors.ts';
import { BUCKETS } from '../limits.ts';
import { errorHeaders } from './headers.ts';

/** Statuses with a `Retry-After` header. */
const STATUSES_WITH_WAIT = [429, 503];

/** Groups the error codes of a route by status; each status becomes one response. */
export function codesByStatus(codes: readonly ErrorCode[]): Map<number, ErrorCode[]> {
  const byStatus = Map.groupBy(codes, (code) => ERROR_CODES[code].status);
  return new Map([...byStatus].sort(([a], [b]) => a - b).map(([status, group]) => [status, group.sort()]));
}

/**
 * Names a response after its codes, so routes with the same errors share it: `jwt_expired` and
 * `visitor/unauthorized` become
 * `JwtExpiredOrVisitorUnauthorized`.
 */
export function responseNameOf(codes: readonly ErrorCode[]): string {
  const byArea = Map.groupBy(codes, (code) => (code.includes('/') ? code.split('/')[0]! : ''));
  const areas = [...byArea].map(([area, group]) => {
    const ends = group.map((code) => pascalCase(area === '' ? code : code.slice(area.length + 1)));
    return pascalCase(area) + ends.join('Or');
  });
  return areas.join('Or');
}

/** The response for one status, with a sentence and an example for each of its codes. */
export function errorResponse(codes: readonly ErrorCode[]): ZodOpenApiResponseObject {
  const status = ERROR_CODES[codes[0]!].status;
  const sentences = codes.map((code) => `- \`${code}\`: ${ERROR_CODES[code].message}`);
  const examples = codes.map((code) => [code.replace('/', '_'), { value: exampleError(code) }]);
  return {
    description: `One of these errors:\n\n${sentences.join('\n')}`,
    'x-guidepost-codes': codes,
    headers: errorHeaders(STATUSES_WITH_WAIT.includes(status)),
    content: { 'application/json': { schema: errorBody, examples: Object.fromEntries(examples) } },
  };
}

function exampleError(code: ErrorCode): ErrorBody {
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
