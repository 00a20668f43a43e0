import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { chunk, END, STREAM } from './fake-model.ts';

/**
 * An OpenAI-compatible server whose model answers the three turns of a test: a question with an answer, a follow-up to rewrite and
 * a question without an answer. Each part can be replaced by a fault.
 */

type Request = { model: string; messages: { role: string; content: string }[]; tools?: unknown[] };
type Reply = (response: ServerResponse, request: Request) => void;

export const say =
  (text: string): Reply =>
  (response) => {
    response.writeHead(200, STREAM);
    for (const word of text.match(/\S+\s*/g) ?? []) response.write(chunk(word));
    response.end(END);
  };

/** Sends chunks of the protocol with these deltas. */
export const stream =
  (deltas: readonly object[], finishReason = 'stop'): Reply =>
  (response) => {
    response.writeHead(200, STREAM);
    for (const delta of deltas)
      response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: null }] })}\n\n`);
    response.end(`${chunk(undefined, finishReason)}data: [DONE]\n\n`);
  };

export const refuse =
  (status: number, error: object): Reply =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));

export const CITED =
  'Turn the green wheel twice to the left. [[1|Turn the green wheel twice to the left and wait until the bell rings]]';

export type Script = { answer?: Reply; rewrite?: Reply; noAnswer?: Reply };

export type ScriptedModel = {
  /** Including /v1. */
  baseUrl: string;
  requests: readonly Request[];
  keys: readonly (string | undefined)[];
  script: Script;
  server: Server;
  close(): Promise<void>;
};

export async function openScriptedModel(script: Script = {}): Promise<ScriptedModel> {
  const requests: Request[] = [];
  const keys: (string | undefined)[] = [];
  const model = { script };
  const server = createServer(async (request, response) => {
    const sent = await readText(request);
    // Doctor compares clocks by a request without a body.
    if (sent === '') return void response.end();
    const body = JSON.parse(sent) as Request;
    requests.push(body);
    keys.push(request.headers.authorization);
    const {
      answer = say(CITED),
      rewrite = say('How long does the brass gate stay open?'),
      noAnswer = say('[[none]]'),
    } = model.script;
    const [first] = body.messages;
    const last = body.messages.findLast(({ role }) => role === 'user')!;
    if (first!.content.startsWith('You write search queries')) rewrite(response, body);
    else if (last.content.includes('stone tower')) noAnswer(response, body);
    else answer(response, body);
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return Object.assign(model, {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    keys,
    server,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}
