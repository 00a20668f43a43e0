import { createServer, type IncomingMessage } from 'node:http';
import { verifyWebhook, WebhookError, type WebhookEvent } from '@guidepost/client';

type HandoverCreated = Extract<WebhookEvent, { type: 'handover.created' }>;
export type Question = HandoverCreated['data'] & { email: string };

/**
 * Hands a question to the help desk. `id` is that of the event: it stays the same when the event is sent again, so a desk
 * that knows idempotency keys creates one ticket. Rejects when the desk did not take it, and the event is sent again later.
 */
export type SendToDesk = (question: Question, id: string) => Promise<void>;

/** Opens the server to which a webhook with `handover.created` sends. */
export function receive(secret: string, send: SendToDesk) {
  return createServer(async (request, response) => {
    try {
      const event = await verifyWebhook(request.headers, await readBody(request), secret);
      // Other events are accepted, so that they are not sent again.
      if (event.type === 'handover.created' && event.data.email) {
        const question = { ...event.data, email: event.data.email };
        await send(question, String(request.headers['webhook-id']));
      }
      response.writeHead(204).end();
    } catch (error) {
      console.error(error);
      response.writeHead(error instanceof WebhookError ? 401 : 500).end();
    }
  });
}

async function readBody(request: IncomingMessage): Promise<string> {
  request.setEncoding('utf8');
  let body = '';
  for await (const chunk of request) body += chunk;
  return body;
}

/** The message with its page, and with what the visitor sent of the conversation, as plain text. */
export const toText = ({ message, page_url, locale, transcript, summary }: Question): string =>
  [message, `Page: ${page_url}\nLanguage: ${locale}`, summary && `Summary by a model: ${summary}`, transcript]
    .filter(Boolean)
    .join('\n\n');

/** Sends JSON and returns the response, or rejects. */
export async function request<T = unknown>(
  url: string,
  headers: Record<string, string>,
  body: unknown,
): Promise<T> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(8_000),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${new URL(url).host} answered ${response.status}`);
  return (response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : text) as T;
}

export const basic = (user: string, password: string) =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
