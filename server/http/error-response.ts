import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { z } from 'zod';
import type { ErrorCode } from '../../contract/errors.ts';
import { StorageUnavailable } from '../storage/store.ts';
import { ApiError, bodyOf, invalidRequest, type RequestIssue } from './errors.ts';
import { sendJson } from './reply.ts';

const RETRY_LATER_SECONDS = 5;

/** Anything that was thrown on the way of a request, as the refusal that the caller is told. */
export function toApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  if (thrown instanceof StorageUnavailable) return unavailable('storage/unavailable', thrown.message);
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

export function unavailable(code: ErrorCode, reason?: string): ApiError {
  return new ApiError(code, reason, { retryAfterSec: RETRY_LATER_SECONDS });
}

/** The problems of one part of a request, named by their place, without the values that were sent. */
export function issuesOf(
  part: 'path' | 'headers' | 'query' | 'body',
  error: { issues: readonly unknown[] } | null,
): RequestIssue[] {
  if (!error) return [];
  return (error.issues as z.core.$ZodIssue[]).map((issue) => ({
    path: cut([part, ...issue.path.map(String)].join('.'), 512),
    code: issue.code,
    message: cut(expectation(issue), 1024),
  }));
}

/** What callers named themselves may break off within a character, and JSON with half a character is none. */
function cut(text: string, charsMax: number): string {
  return text.slice(0, charsMax).toWellFormed();
}

function expectation(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys') {
    const names = issue.keys.slice(0, 10).map((key) => `"${key.slice(0, 64)}"`);
    return `There is no field ${names.join(', ')} here.`;
  }
  return issue.message;
}

const LINGER_MILLIS = 250;

/** A connection that is closed while its other end still sends is reset there, and the answer is lost with it, unless there is time to read it. */
function closeLate(socket: Socket): void {
  socket.destroySoon = () => {
    socket.end();
    setTimeout(() => socket.destroy(), LINGER_MILLIS).unref();
  };
}

/** Writes the refusal, once; a connection whose body was not read to its end is closed after it. */
export function sendError(
  request: IncomingMessage,
  response: ServerResponse,
  error: ApiError,
  requestId: string,
): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  if (error.details.retryAfterSec !== undefined) {
    response.setHeader('retry-after', String(error.details.retryAfterSec));
  }
  if (!request.complete) {
    response.setHeader('connection', 'close');
    closeLate(request.socket);
  }
  sendJson(response, error.status, bodyOf(error, requestId));
}
