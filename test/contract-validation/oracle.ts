import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import * as openapiValidator from 'express-openapi-validator';
import { fieldsOf, isForm, type SeenExchange } from './exchange.ts';
import { type Document, operationsOf, partAbout } from './part-of-document.ts';

/** Why the document rejects the request and the response; undefined where it accepts them. */
export type Verdict = { readonly request: string | undefined; readonly answer: string | undefined };

/**
 * Judges exchanges by the document alone, with a validator that others wrote and that knows nothing of the contract. It takes its time for
 * each line of a document and for each document, so that it is given the operations of one tag at once, with the answers that are judged.
 */
export async function judgeAll(
  exchanges: readonly SeenExchange[],
  document: Document,
): Promise<Map<SeenExchange, Verdict>> {
  const operations = operationsOf(document);
  const verdicts = new Map<SeenExchange, Verdict>();
  const hasNewAnswer = firstOfItsKind();
  const groups = Map.groupBy(exchanges, ({ operationId }) => operations.get(operationId)?.tag);
  for (const [tag, group] of groups) {
    if (tag === undefined) throw new Error(`the document has no operation ${group[0]!.operationId}`);
    const answered = new Set(group.filter(hasNewAnswer));
    const seen = [...answered].map(({ operationId, status }) => `${operationId} ${status}`);
    const requests = judge(partAbout(tag, [], document), 'requests');
    const answers = judge(partAbout(tag, seen, document), 'answers');
    for (const exchange of group) {
      const isDeclared = operations.get(exchange.operationId)!.statuses.includes(String(exchange.status));
      const verdict =
        answered.has(exchange) && isDeclared ? await verdictOf(answers, exchange, {}) : undefined;
      verdicts.set(exchange, {
        request: await verdictOnRequest(requests, exchange),
        answer: isDeclared ? verdict : 'this status is not declared',
      });
    }
  }
  return verdicts;
}

/**
 * Operations share their errors: one with known status and fields adds nothing. Only JSON can be
 * validated.
 */
function firstOfItsKind(): (exchange: SeenExchange) => boolean {
  const known = new Set<string>();
  return ({ status, contentType, answer }) => {
    if (!contentType.startsWith('application/json')) return false;
    if (status < 400) return true;
    const kind = `${status} ${fieldsOf(answer)}`;
    return known.size < known.add(kind).size;
  };
}

/**
 * Requests and responses are validated separately, so a rejected request still has its response
 * checked.
 */
function judge(document: Document, what: 'requests' | 'answers'): Express {
  const app = express();
  app.use(
    openapiValidator.middleware({
      apiSpec: structuredClone(document) as never,
      validateApiSpec: false,
      validateRequests: what === 'requests' && { allowUnknownQueryParameters: false },
      validateResponses: what === 'answers',
      // The service decides who may call; a document can only require the header.
      validateSecurity: false,
      fileUploader: false,
    }),
  );
  app.use((request: Request, response: Response) => {
    const { status, answer } = (request as Request & { exchange: SeenExchange }).exchange;
    response.status(status).json(what === 'answers' ? JSON.parse(answer) : {});
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

async function verdictOnRequest(app: Express, exchange: SeenExchange): Promise<string | undefined> {
  const { headers, body } = exchange;
  if (body === '') return verdictOf(app, exchange, undefined);
  // The form parser checks multipart bodies; this validates the rest of the request.
  if (isForm(headers)) return verdictOf(app, exchange, { audio: '' });
  try {
    return await verdictOf(app, exchange, JSON.parse(body));
  } catch {
    return 'the body is not JSON';
  }
}

function verdictOf(app: Express, exchange: SeenExchange, body: unknown): Promise<string | undefined> {
  const request = new IncomingMessage(new Socket());
  const { method, headers, contentType } = exchange;
  const url = encoded(exchange.url);
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

/** As clients that are made from the document write it; a service takes what needs no encoding either way. */
function encoded(url: string): string {
  const at = url.indexOf('?');
  if (at === -1) return url;
  return `${url.slice(0, at)}?${new URLSearchParams(url.slice(at)).toString().replaceAll('+', '%20')}`;
}
