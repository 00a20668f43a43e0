import { hash } from 'node:crypto';
import { REQUEST_LIMITS } from '../../contract/limits/requests.ts';
import type { Route } from '../../contract/route.ts';
import type { Clock } from '../base/clock.ts';
import { canonicalJson } from '../base/hash-chain.ts';
import type { Store } from '../storage/store.ts';
import { ApiError, throwApiError } from './errors.ts';
import type { MemberCaller } from './handler.ts';

/**
 * Handles repeated requests that create something: keeps the first response to a session and its Idempotency-Key for a
 * day. Keeps no failures, so that the request can be repeated, and no responses with a secret: a repeated request then
 * gets an error that says that the first one succeeded.
 */

type Deps = { store: Pick<Store, 'in'>; clock: Clock };
type JsonResponse = { status: number; body?: unknown };
type RequestParts = { params?: unknown; query: unknown; body?: unknown };

/** A request without a response after this time was interrupted by a crash of its server. */
const ABANDONED_MILLIS = 60_000;
const RETRY_SECONDS = 1;

/** Calls the handler, unless the response to an earlier request with the key is stored. */
export async function respondOnce<A extends JsonResponse>(
  request: {
    route: Route;
    caller: MemberCaller;
    key: string;
    parts: RequestParts;
  },
  handle: () => Promise<A>,
  { store, clock }: Deps,
): Promise<A | JsonResponse> {
  const { route, caller, key } = request;
  const { idempotencyKeys } = store.in(caller.workspace.id);
  const startedAt = clock.now();
  const claim = {
    sessionId: caller.sessionId,
    key,
    payloadHash: hashPayload(route, request.parts),
    startedAt,
    expiresAt: startedAt + REQUEST_LIMITS.idempotencySeconds * 1000,
  };
  const limits = {
    abandonedBefore: startedAt - ABANDONED_MILLIS,
    keysMax: REQUEST_LIMITS.idempotencyKeysMax,
  };
  const earlier = await idempotencyKeys.claim(claim, limits);
  if (earlier === 'gone') return throwApiError('session/unauthorized', 'session ended during the request');
  if (earlier !== 'claimed') {
    if (earlier.payloadHash !== claim.payloadHash) return throwApiError('request/idempotency_mismatch');
    if (earlier.status === undefined) {
      throw new ApiError('request/in_progress', undefined, { retryAfterSec: RETRY_SECONDS });
    }
    if (earlier.body === undefined) return throwApiError('request/already_done');
    return { status: earlier.status, body: JSON.parse(earlier.body) };
  }
  try {
    const response = await handle();
    const body = route.metadata.replays === 'response' ? JSON.stringify(response.body) : undefined;
    await idempotencyKeys.complete(claim, { status: response.status, body });
    return response;
  } catch (error) {
    await idempotencyKeys.release(claim).catch(() => undefined);
    throw error;
  }
}

function hashPayload({ metadata }: Route, { params, query, body }: RequestParts): string {
  const payload = metadata.upload ? hashFile(body as Record<string, Uint8Array>) : body;
  return hash('sha256', canonicalJson({ operation: metadata.operationId, params, query, payload }));
}

const hashFile = (form: Readonly<Record<string, Uint8Array>>) =>
  Object.entries(form).map(([name, bytes]) => [name, hash('sha256', bytes)]);
