import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import type { WebhookEvent } from '../../contract/webhook-events.ts';

/** A server that receives webhooks as a customer's would, with the library that the standard recommends. */

export type Received = { id: string; event: WebhookEvent; signatures: number };

export type Receiver = {
  url: string;
  /** What was verified, in the order of its arrival. */
  received: Received[];
  /** What was not verified. */
  refused: string[];
  /** Verifies with this secret. */
  trust(secret: string): void;
  /** Answers in this way; `undefined` accepts. */
  answerWith(answer: ((response: ServerResponse, received: Received) => void) | undefined): void;
  close(): Promise<void>;
};

export async function openReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const refused: string[] = [];
  let webhook: Webhook | undefined;
  let answer: Parameters<Receiver['answerWith']>[0];
  const server = createServer(async (request, response) => {
    const body = await readText(request);
    const headers = request.headers as Record<string, string>;
    try {
      const event = webhook!.verify(body, headers) as WebhookEvent;
      const signatures = headers['webhook-signature']!.split(' ').length;
      const one = { id: headers['webhook-id']!, event, signatures };
      received.push(one);
      if (answer) answer(response, one);
      else response.writeHead(200).end('thanks');
    } catch (error) {
      refused.push((error as Error).message);
      response.writeHead(401).end();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    received,
    refused,
    trust(secret) {
      webhook = new Webhook(secret);
    },
    answerWith(next) {
      answer = next;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function readText(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
}
