import { readFileSync } from 'node:fs';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import * as openapiValidator from 'express-openapi-validator';
import { parse } from 'yaml';
import type { ErrorBody } from '../../contract/errors.ts';
import { contract } from '../../contract/index.ts';
import { eachObject, selectReferenced } from '../../contract/openapi/document.ts';
import type { Route } from '../../contract/route.ts';
import { type Exchange, isForm, omitValues } from './exchange.ts';
import rules from './rules-beyond-schema.json' with { type: 'json' };

type Document = Readonly<Record<string, unknown>>;
type Operation = Record<string, unknown> & {
  operationId: string;
  tags: readonly [string];
  security: readonly Record<string, string[]>[];
  responses: Record<string, unknown>;
};
type Paths = Record<string, Record<string, Operation>>;
type Components = Record<string, Record<string, unknown>>;

const published = parse(readFileSync('openapi.yaml', 'utf8')) as Document;

/** Forbids undeclared fields in responses: clients must accept them, but the service sends none. */
function closeResponses(document: Document): Document {
  const closed = structuredClone(document);
  eachObject((closed.components as Components).schemas, (object) => {
    if (object.type === 'object' && object.properties) object.additionalProperties = false;
  });
  return closed;
}

/** Why the document rejects the request and the response; undefined if it accepts them. */
type Verdict = { request: string | undefined; response: string | undefined };

/** Returns each disagreement between service and document, with its request and response. */
export async function findMismatches(
  exchanges: readonly Exchange[],
  by: Document = published,
): Promise<string[]> {
  const verdicts = await validateAll(exchanges, closeResponses(by));
  return [...verdicts].flatMap(([exchange, verdict]) => toMismatch(exchange, verdict) ?? []);
}

/**
 * Describes how the service disagrees with the document. The service checks the caller before the request. A request
 * rejected for its caller (401, 403, 404, 429) or for the state of the service (413, 503) may therefore be invalid:
 * only its response is compared. Forms are validated by the upload parser alone.
 */
function toMismatch(exchange: Exchange, { request, response }: Verdict): string | undefined {
  const { operationId, method, url, status, body } = exchange;
  const summary =
    `${operationId}: ${method} ${url} ${body.slice(0, 300)}\n` +
    `    returned ${status} ${exchange.response.slice(0, 300)}`;
  if (response) return `${summary}\n    The document forbids the response: ${response}`;
  const isAccepted = status < 300 || status === 409;
  if (request && isAccepted) return `${summary}\n    The document forbids the request: ${request}`;
  const isInvalid = status === 400 || status === 415;
  if (!request && isInvalid && !isForm(exchange.headers) && !isRejectedBeyondSchema(exchange)) {
    return `${summary}\n    The document allows the request.`;
  }
  return undefined;
}

type Rules = Record<'issueCodes' | 'errorCodes' | 'droppedMembers', Record<string, string>>;
const { issueCodes, errorCodes, droppedMembers } = rules as Rules;

/** Returns whether a rule that a JSON schema cannot express rejected the request. */
function isRejectedBeyondSchema({ response, url }: Exchange): boolean {
  // The validator reads numbers with too many digits as infinity, which it accepts as an integer.
  if (/\d{300}/.test(url)) return true;
  const { error, issues = [] } = JSON.parse(response) as ErrorBody;
  if (error in errorCodes) return true;
  return error === 'request/invalid' && issues.some(({ code }) => code in issueCodes);
}

/**
 * Validates exchanges with express-openapi-validator, which knows nothing of the contract. Compiling a document takes
 * long, so the validator gets the operations of one tag at a time, with the responses to validate.
 */
async function validateAll(exchanges: readonly Exchange[], by: Document): Promise<Map<Exchange, Verdict>> {
  const operations = new Map(
    Object.values(by.paths as Paths)
      .flatMap((methods) => Object.values(methods))
      .map((operation) => [operation.operationId, operation]),
  );
  const verdicts = new Map<Exchange, Verdict>();
  const hasNewResponse = createResponseFilter();
  const groups = Map.groupBy(exchanges, ({ operationId }) => operations.get(operationId)?.tags[0]);
  for (const [tag, group] of groups) {
    if (tag === undefined) throw new Error(`the document has no operation ${group[0]!.operationId}`);
    const validated = new Set(group.filter(hasNewResponse));
    const statuses = [...validated].map(
      ({ operationId, status }) => `${operationId} ${nameResponse(operations.get(operationId)!, status)}`,
    );
    const requests = createValidator(selectTag(tag, [], by), 'requests');
    const responses = createValidator(selectTag(tag, statuses, by), 'responses');
    for (const exchange of group) {
      const operation = operations.get(exchange.operationId)!;
      const isDeclared = nameResponse(operation, exchange.status) !== undefined;
      const verdict =
        validated.has(exchange) && isDeclared ? await validate(responses, exchange, {}) : undefined;
      verdicts.set(exchange, {
        request: await validateRequest(requests, exchange),
        response: isDeclared
          ? (verdict ?? findUndeclaredError(exchange, operation, by))
          : 'this status is not declared',
      });
    }
  }
  return verdicts;
}

/** Returns the name of the document's response for a status; errors share `default`. */
function nameResponse({ responses }: Operation, status: number): string | undefined {
  if (String(status) in responses) return String(status);
  return status >= 400 && 'default' in responses ? 'default' : undefined;
}

/** Finds an error code that the operation, its credential and the document do not declare, or not for this status. */
function findUndeclaredError(exchange: Exchange, operation: Operation, by: Document): string | undefined {
  if (exchange.status < 400) return undefined;
  const { error } = JSON.parse(exchange.response) as ErrorBody;
  const schemes = (by.components as Components).securitySchemes!;
  const used = operation.security.flatMap(Object.keys).map((name) => schemes[name] as Document);
  const codes = [by, operation, ...used].flatMap((part) => (part['x-guidepost-errors'] ?? []) as string[]);
  if (!codes.includes(error)) return `the error ${error} is not declared`;
  const statuses = by['x-guidepost-error-statuses'] as Record<string, string[]>;
  return statuses[exchange.status]?.includes(error) ? undefined : `${error} has another status`;
}

/** Selects the responses to validate: JSON, and one error for each status and fields, since operations share them. */
function createResponseFilter(): (exchange: Exchange) => boolean {
  const known = new Set<string>();
  return ({ status, contentType, response }) => {
    if (!contentType.startsWith('application/json')) return false;
    if (status < 400) return true;
    const kind = `${status} ${omitValues(response)}`;
    return known.size < known.add(kind).size;
  };
}

/** Returns the document of one tag's operations, with the given responses (operation and status) only. */
function selectTag(tag: string, statuses: readonly string[], by: Document): Document {
  const { paths, components, webhooks: _, ...head } = by;
  const selected: Paths = {};
  for (const [path, methods] of Object.entries(paths as Paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      if (operation.tags[0] !== tag) continue;
      const responses = Object.entries(operation.responses).filter(([status]) =>
        statuses.includes(`${operation.operationId} ${status}`),
      );
      selected[path] = {
        ...selected[path],
        [method]: { ...operation, responses: Object.fromEntries(responses) },
      };
    }
  }
  const all = components as Components;
  return {
    ...head,
    paths: selected,
    components: { ...selectReferenced(selected, all), securitySchemes: all.securitySchemes },
  };
}

/** Creates a validator of requests or of responses: with one for both, a rejected request would hide its response. */
function createValidator(by: Document, what: 'requests' | 'responses'): Express {
  const app = express();
  const apiSpec = structuredClone(by);
  if (what === 'requests') eachObject(apiSpec, replaceDiscriminator);
  app.use(
    openapiValidator.middleware({
      apiSpec: apiSpec as never,
      validateApiSpec: false,
      validateRequests: what === 'requests' && { allowUnknownQueryParameters: false },
      validateResponses: what === 'responses',
      // The service decides who may call; a document can only require the header.
      validateSecurity: false,
      fileUploader: false,
    }),
  );
  app.use((request: Request, response: Response) => {
    const { exchange } = request as Request & { exchange: Exchange };
    response.status(exchange.status).json(what === 'responses' ? JSON.parse(exchange.response) : {});
  });
  // Express recognizes error handlers by their four parameters.
  app.use(
    (error: Error & { errors?: unknown }, request: Request, _response: Response, _next: NextFunction) => {
      (request as Request & { settle(verdict: string): void }).settle(
        error.errors ? JSON.stringify(error.errors) : error.message,
      );
    },
  );
  return app;
}

/**
 * The validator compares a discriminated body with the first member alone, and takes a body without required fields for
 * optional. The constants of the members decide without a discriminator.
 */
function replaceDiscriminator(schema: Record<string, unknown>): void {
  if (!schema.oneOf || !schema.discriminator) return;
  schema.required = [(schema.discriminator as { propertyName: string }).propertyName];
  delete schema.discriminator;
}

async function validateRequest(app: Express, exchange: Exchange): Promise<string | undefined> {
  const { headers, body } = exchange;
  if (body === '') return validate(app, exchange, undefined);
  // The upload parser checks multipart bodies, so only the rest of the request is validated here.
  const metadata = findMetadata(exchange);
  if (isForm(headers)) return validate(app, exchange, { [metadata?.upload?.field ?? '']: '' });
  // The document describes the body as JSON, and says in an extension that it may be sent as text.
  const isText =
    metadata?.simpleRequest && /^text\/plain(; *charset=utf-8)?$/i.test(headers['content-type'] ?? '');
  const sent = isText
    ? { ...exchange, headers: { ...headers, 'content-type': 'application/json' } }
    : exchange;
  try {
    const dropped = exchange.status < 300 ? droppedMembers : {};
    // JSON may begin with a byte order mark.
    const text = body.replace(/^\uFEFF/, '');
    const value: unknown = JSON.parse(text, (member, inner) =>
      Object.hasOwn(dropped, member) ? undefined : inner,
    );
    return await validate(app, sent, value);
  } catch {
    return 'the body is not JSON';
  }
}

function findMetadata({ operationId }: Exchange): Route['metadata'] | undefined {
  const routes: Route[] = Object.values(contract).flatMap((router) => Object.values(router));
  return routes.find(({ metadata }) => metadata.operationId === operationId)?.metadata;
}

function validate(app: Express, exchange: Exchange, body: unknown): Promise<string | undefined> {
  const request = new IncomingMessage(new Socket());
  const { method, headers, contentType } = exchange;
  const url = encodeQuery(exchange.url);
  // With `_body`, parsers skip a body that has been read.
  Object.assign(request, { method, url, headers: { ...headers }, exchange, body, _body: true });
  request.push(null);
  const response = new ServerResponse(request);
  response.setHeader('content-type', contentType);
  return new Promise((resolve) => {
    Object.assign(request, { settle: resolve });
    response.end = (() => {
      resolve(undefined);
      return response;
    }) as typeof response.end;
    app(request as Request, response as Response);
  });
}

/** Encodes the query as generated clients do. The validator requires it; the service accepts either. */
function encodeQuery(url: string): string {
  const at = url.indexOf('?');
  if (at === -1) return url;
  return `${url.slice(0, at)}?${new URLSearchParams(url.slice(at)).toString().replaceAll('+', '%20')}`;
}
