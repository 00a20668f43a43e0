/** A proxy between the service and the model that records the requests. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

export type ModelProxy = {
  /** The value for LLM_BASE_URL. */
  baseUrl: string;
  /** The texts of all requests since the last call. */
  takeSent(): string[];
  close(): void;
};

/** Forwards to the model at `upstream`. Without one, answers with the first words of the first passage. */
export async function openModelProxy(upstream: string | undefined): Promise<ModelProxy> {
  let sent: string[] = [];
  const server = createServer((request, response) => {
    const serve = async () => {
      const body = await readText(request);
      const text = toText(body);
      sent.push(text);
      if (upstream === undefined) quoteFirstPassage(text, response);
      else await forward(`${upstream}${request.url?.replace('/v1', '')}`, body, request, response);
    };
    serve().catch((error: unknown) => response.destroy(error as Error));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    takeSent() {
      const taken = sent;
      sent = [];
      return taken;
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

type ModelRequest = { messages?: readonly { content?: unknown }[] };

function toText(body: string): string {
  const { messages = [] } = JSON.parse(body) as ModelRequest;
  return messages
    .map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content ?? '')))
    .join('\n');
}

async function forward(
  url: string,
  body: string,
  { headers }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const reply = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: headers.authorization ?? '' },
    body,
  });
  response.writeHead(reply.status, {
    'content-type': reply.headers.get('content-type') ?? 'text/event-stream',
  });
  if (reply.body) await pipeline(Readable.fromWeb(reply.body as never), response);
  else response.end();
}

const FIRST_PASSAGE = /^Passage 1: .*\n(.+)/m;
const QUOTED_WORDS = 12;
/** The citation mark. Only prompts for answers explain it, so a request that contains it asks for an answer. */
const ANSWER_MARK = '[[';

function quoteFirstPassage(text: string, response: ServerResponse): void {
  const words = FIRST_PASSAGE.exec(text)?.[1]?.split(' ').slice(0, QUOTED_WORDS).join(' ');
  const answer = words === undefined ? '[[none]]' : `${words} [[1|${words}]]`;
  const content = text.includes(ANSWER_MARK) ? answer : '';
  const chunk = (delta: object, finishReason: string | null) =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finishReason }] })}\n\n`;
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(`${chunk({ content }, null)}${chunk({}, 'stop')}data: [DONE]\n\n`);
}
