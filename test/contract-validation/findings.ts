import document from '../../generated/openapi.json' with { type: 'json' };
import { isBeyondDocument } from './beyond-document.ts';
import { isForm, type SeenExchange } from './exchange.ts';
import { judgeAll, type Verdict } from './oracle.ts';
import type { Document } from './part-of-document.ts';

/** Where service and document disagree, each with its request and response. */
export async function findingsIn(
  exchanges: readonly SeenExchange[],
  by: Document = document,
): Promise<string[]> {
  const verdicts = await judgeAll(exchanges, by);
  return [...verdicts].flatMap(([exchange, verdict]) => findingIn(exchange, verdict) ?? []);
}

/**
 * The service decides who calls before it looks at what is asked, so that of requests that were refused for their caller (401, 403, 404, 429) or
 * for the state of the service (413, 503) only the answer is judged, and so it is where a form was refused, which is for its parser to read.
 */
function findingIn(exchange: SeenExchange, { request, answer }: Verdict): string | undefined {
  const { operationId, method, url, status, body } = exchange;
  const asked = `${operationId}: ${method} ${url} ${body.slice(0, 300)}`;
  const told = `${asked}\n    was answered ${status} ${exchange.answer.slice(0, 300)}`;
  if (answer) return `${told}\n    The document forbids the answer: ${answer}`;
  if (request && wasTaken(status)) return `${told}\n    The document forbids the request: ${request}`;
  if (!request && isRefusedAsWrong(status) && !isForm(exchange.headers) && !isBeyondDocument(exchange)) {
    return `${told}\n    The document allows the request.`;
  }
  return undefined;
}

const wasTaken = (status: number) => status < 300 || status === 409;
const isRefusedAsWrong = (status: number) => status === 400 || status === 415;
