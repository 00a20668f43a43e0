import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

/** An OpenAI-compatible server whose model knows which words have the same meaning. */
export type FakeEmbeddings = {
  env(more?: Readonly<Record<string, string>>): Record<string, string>;
  /** The texts of all requests, oldest first. */
  requests(): string[][];
  forget(): void;
  /** Answers the next requests with an error. */
  fails(status: number, options?: { times?: number; retryAfter?: number }): void;
  /** Whether requests get no response. */
  hang(on: boolean): void;
  /** Rejects longer texts, like small models. */
  limit(chars: number): void;
  /** Runs before each reply. */
  onRequest(run: (texts: readonly string[]) => Promise<void>): void;
  close(): Promise<void>;
};

const KEY = 'sk-of-a-test';
const DIMENSIONS = 256;
const TOKENS_PER_TEXT = 10;

/** Words that mean the same. */
const MEANINGS = [
  ['display', 'screen', 'monitor'],
  ['dark', 'dim', 'brightness'],
  ['cash', 'money', 'refund'],
  ['secret', 'password'],
];
const STOP_WORDS = new Set([
  'a',
  'an',
  'and',
  'is',
  'my',
  'of',
  'on',
  'so',
  'the',
  'to',
  'your',
  'why',
  'you',
  'can',
]);

export async function openFakeEmbeddings(): Promise<FakeEmbeddings> {
  const requests: string[][] = [];
  let failures: { status: number; retryAfter?: number }[] = [];
  let isHanging = false;
  let charsMax = Number.POSITIVE_INFINITY;
  let onRequest = async (_texts: readonly string[]) => {};

  async function reply(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    if (request.method !== 'POST' || request.url !== '/v1/embeddings') return sendError(response, 404);
    if (request.headers.authorization !== `Bearer ${KEY}`) return sendError(response, 401);
    const { model, input, encoding_format: format = 'float' } = JSON.parse(body);
    if (typeof model !== 'string' || format !== 'float') return sendError(response, 400);
    const texts: string[] = Array.isArray(input) ? input : [input];
    requests.push(texts);
    await onRequest(texts);
    if (isHanging) return;
    const failure = failures.shift();
    if (failure) return sendError(response, failure.status, failure.retryAfter);
    if (texts.some(({ length }) => length > charsMax)) return sendError(response, 400);
    const usage = {
      prompt_tokens: texts.length * TOKENS_PER_TEXT,
      total_tokens: texts.length * TOKENS_PER_TEXT,
    };
    const data = texts.map((one, index) => ({ object: 'embedding', index, embedding: embed(one, model) }));
    // The order of the list is not promised.
    send(response, 200, { object: 'list', model, data: data.reverse(), usage });
  }

  const server = createServer((request, response) => void reply(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  return {
    env: (more = {}) => ({
      EMBEDDINGS: 'on',
      EMBEDDINGS_BASE_URL: `http://127.0.0.1:${port}/v1`,
      EMBEDDINGS_API_KEY: KEY,
      EMBEDDINGS_MODEL: 'a-model',
      ...more,
    }),
    requests: () => requests,
    forget: () => void requests.splice(0),
    fails(status, { times = 1, retryAfter } = {}) {
      const failure = { status, retryAfter };
      failures = Array.from({ length: times }, () => failure);
    },
    hang(on) {
      isHanging = on;
    },
    limit(chars) {
      charsMax = chars;
    },
    onRequest(run) {
      onRequest = run;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function send(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

function sendError(response: ServerResponse, status: number, retryAfter?: number): void {
  const error = { message: `no: ${KEY}`, type: 'an_error', param: null, code: null };
  send(response, status, { error }, retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) });
}

/** One direction for each meaning. Other models have other directions. */
function embed(one: string, model: string): number[] {
  const vector = new Array<number>(DIMENSIONS).fill(0);
  for (const word of one.toLowerCase().match(/\p{L}+/gu) ?? []) {
    if (STOP_WORDS.has(word)) continue;
    const meaning = MEANINGS.findIndex((words) => words.includes(word));
    const key = `${model} ${meaning >= 0 ? meaning : word}`;
    let hash = 7;
    for (const char of key) hash = (hash * 31 + char.codePointAt(0)!) % 1_000_003;
    vector[hash % DIMENSIONS]! += 1;
  }
  return vector;
}
