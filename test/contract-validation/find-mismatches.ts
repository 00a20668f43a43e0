import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import * as openapiValidator from 'express-openapi-validator';
import type { ErrorBody } from '../../contract/errors.ts';
import document from '../../generated/openapi.json' with { type: 'json' };
import { type Exchange, isForm, omitValues } from './exchange.ts';
import rules from './rules-beyond-schema.json' with { type: 'json' };

type Document = Readonly<Record<string, unknown>>;
type Operation = Record<string, unknown> & {
  readonly operationId: string;
  readonly tags: readonly [string];
  readonly responses: Record<string, unknown>;
};
type Paths = Record<string, Record<string, Operation>>;
type Components = Record<string, Record<string, unknown>>;

/** Why the document rejects the request and the response; undefined where it accepts them. */
type Verdict = { readonly request: string | undefined; readonly response: string | undefined };

/** Returns each disagreement between service and document, with its request and response. */
export async function findMismatches(
  exchanges: readonly Exchange[],
  by: Document = document,
): Promise<string[]> {
  const verdicts = await validateAll(exchanges, by);
  return [...verdicts].flatMap(([exchange, verdict]) => toMismatch(exchange, verdict) ?? []);
}

/**
 * The service checks the caller before the request. A request rejected for its caller (401, 403, 404, 429) or for the state of the service
 * (413, 503) may therefore be invalid: only its response is compared. The upload parser alone validates forms.
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

/** Whether a rule that a JSON schema cannot express rejected the request. */
function isRejectedBeyondSchema({ response, url }: Exchange): boolean {
  // The validator reads numbers with too many digits as infinity, which it accepts as an integer.
  if (/\d{300}/.test(url)) return true;
  const { error, issues = [] } = JSON.parse(response) as ErrorBody;
  if (error in errorCodes) return true;
  return error === 'request/invalid' && issues.some(({ code }) => code in issueCodes);
}

/**
 * Validates exchanges with express-openapi-validator, which knows nothing of the contract. Compiling a document takes long, so it gets the
 * operations of one tag at a time, with the responses to validate.
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
    const statuses = [...validated].map(({ operationId, status }) => `${operationId} ${status}`);
    const requests = createValidator(selectTag(tag, [], by), 'requests');
    const responses = createValidator(selectTag(tag, statuses, by), 'responses');
    for (const exchange of group) {
      const isDeclared = String(exchange.status) in operations.get(exchange.operationId)!.responses;
      const verdict =
        validated.has(exchange) && isDeclared ? await validate(responses, exchange, {}) : undefined;
      verdicts.set(exchange, {
        request: await validateRequest(requests, exchange),
        response: isDeclared ? verdict : 'this status is not declared',
      });
    }
  }
  return verdicts;
}

/** Operations share their errors: one with known status and fields adds nothing. Only JSON can be validated. */
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
  const { paths, components, ...head } = by;
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

function selectReferenced(from: unknown, all: Components): Components {
  const selected: Components = {};
  const visit = (json: unknown) => {
    for (const [, kind, name] of JSON.stringify(json).matchAll(/"#\/components\/(\w+)\/(\w+)"/g)) {
      selected[kind!] ??= {};
      const ofKind = selected[kind!]!;
      if (name! in ofKind) continue;
      ofKind[name!] = all[kind!]![name!];
      visit(ofKind[name!]);
    }
  };
  visit(from);
  return selected;
}

/** Requests and responses have validators of their own, so that a rejected request still has its response validated. */
function createValidator(by: Document, what: 'requests' | 'responses'): Express {
  const app = express();
  app.use(
    openapiValidator.middleware({
      apiSpec: structuredClone(by) as never,
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

async function validateRequest(app: Express, exchange: Exchange): Promise<string | undefined> {
  const { headers, body } = exchange;
  if (body === '') return validate(app, exchange, undefined);
  // The upload parser checks multipart bodies; this validates the rest of the request.
  if (isForm(headers)) return validate(app, exchange, { audio: '' });
  try {
    const dropped = exchange.status < 300 ? droppedMembers : {};
    return await validate(
      app,
      exchange,
      JSON.parse(body, (member, value) => (Object.hasOwn(dropped, member) ? undefined : value)),
    );
  } catch {
    return 'the body is not JSON';
  }
}

function validate(app: Express, exchange: Exchange, body: unknown): Promise<string | undefined> {
  const request = new IncomingMessage(new Socket());
  const { method, headers, contentType } = exchange;
  const url = encodeQuery(exchange.url);
  // `_body` tells parsers that the body has been read.
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
