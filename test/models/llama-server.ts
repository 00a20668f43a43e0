import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { Template } from '@huggingface/jinja';
import { getLlama, type LlamaContextSequence, LlamaLogLevel, type Token } from 'node-llama-cpp';

/**
 * A server of OpenAI's chat completions around llama.cpp, with the model's own chat template: streams, reports usage, and stops
 * when the client disconnects. It answers one request at a time and keeps the state of the last one, so that a beginning that
 * requests share is read once.
 */

const { values } = parseArgs({
  options: {
    model: { type: 'string' },
    port: { type: 'string', default: '0' },
    // On a busy machine several threads spend their time waiting for each other.
    threads: { type: 'string', default: '1' },
    context: { type: 'string', default: '4096' },
    help: { type: 'boolean' },
  },
});
if (values.help || values.model === undefined) {
  process.stdout.write('node llama-server.ts --model FILE.gguf [--port 0] [--threads 1] [--context 4096]\n');
  process.exit(values.help ? 0 : 2);
}

type ChatRequest = {
  messages: readonly { role: string; content: unknown }[];
  tools?: readonly object[];
  max_tokens?: number;
  temperature?: number;
  seed?: number;
  stream?: boolean;
  stream_options?: { include_usage?: boolean };
};

const REQUEST_BYTES_MAX = 10_000_000;
const TOKENS_DEFAULT = 1024;
const TOOL_CALL = '<tool_call>';

class RequestError extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

const threads = Number(values.threads);
const llama = await getLlama({
  gpu: false,
  build: 'never',
  maxThreads: threads,
  logLevel: LlamaLogLevel.error,
});
const model = await llama.loadModel({ modelPath: values.model });
const context = await model.createContext({ contextSize: Number(values.context), threads });
const sequence = context.getSequence();
const name = basename(values.model, '.gguf');
const { chat_template: source } = model.fileInfo.metadata.tokenizer as { chat_template?: string };
if (source === undefined) throw new Error(`${values.model} has no chat template`);
const template = new Template(source);

let queue: Promise<unknown> = Promise.resolve();
const server = createServer((request, response) => {
  const work = queue.then(() => serve(request, response)).catch((error: unknown) => fail(response, error));
  queue = work;
});
server.listen(Number(values.port), '127.0.0.1');
await once(server, 'listening');
process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1 ${name}\n`);

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (response.destroyed) return;
  if (request.method === 'GET' && request.url === '/v1/models') {
    sendJson(response, 200, {
      object: 'list',
      data: [{ id: name, object: 'model', max_model_len: context.contextSize }],
    });
    return;
  }
  if (request.method !== 'POST' || request.url !== '/v1/chat/completions')
    throw new RequestError('not_found', 'no such address');
  await complete(await readRequest(request), response);
}

async function readRequest(request: IncomingMessage): Promise<ChatRequest> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) {
    text += chunk;
    if (text.length > REQUEST_BYTES_MAX) throw new RequestError('too_large', 'the request is too large');
  }
  try {
    return JSON.parse(text) as ChatRequest;
  } catch {
    throw new RequestError('invalid_json', 'the request is no JSON');
  }
}

async function complete(request: ChatRequest, response: ServerResponse): Promise<void> {
  const prompt = tokenizePrompt(request);
  const closed = new AbortController();
  response.on('close', () => closed.abort());
  const answer = new Answer(response, request);
  const tokensMax = Math.min(request.max_tokens ?? TOKENS_DEFAULT, context.contextSize - prompt.length);
  let written = 0;
  let reason = 'length';
  for await (const token of generate(sequence, prompt, request)) {
    if (closed.signal.aborted) return;
    if (model.isEogToken(token)) {
      reason = 'stop';
      break;
    }
    written += 1;
    answer.add(token);
    if (written >= tokensMax) break;
  }
  answer.end(reason, { prompt_tokens: prompt.length, completion_tokens: written });
}

/** Reads only what follows the beginning that the prompt shares with the last one. */
async function* generate(
  to: LlamaContextSequence,
  prompt: Token[],
  { temperature = 0, seed }: ChatRequest,
): AsyncGenerator<Token> {
  // The last token is always read again: its evaluation yields the next one.
  await to.adaptStateToTokens(prompt.slice(0, -1), false);
  yield* to.evaluate(prompt.slice(to.nextTokenIndex), {
    temperature,
    ...(seed === undefined ? {} : { seed }),
  });
}

function tokenizePrompt({ messages, tools }: ChatRequest): Token[] {
  if (!Array.isArray(messages)) throw new RequestError('invalid_messages', 'messages must be an array');
  const { bos, eos } = model.tokens;
  const toText = (token: Token | null) => (token === null ? '' : model.detokenize([token], true));
  const text = template.render({
    messages: messages.map((message) => ({ ...message, content: toPlainText(message.content) })),
    ...(tools ? { tools } : {}),
    add_generation_prompt: true,
    bos_token: toText(bos),
    eos_token: toText(eos),
  });
  const tokens = model.tokenize(text, true);
  if (tokens.length >= context.contextSize)
    throw new RequestError('context_length_exceeded', `${tokens.length} tokens do not fit the context`);
  return tokens;
}

const toPlainText = (content: unknown): string =>
  Array.isArray(content)
    ? content.map((part: { text?: unknown }) => (typeof part.text === 'string' ? part.text : '')).join('')
    : String(content ?? '');

/** Turns tokens into chunks: whole characters, and tool calls in the form of Qwen's template. */
class Answer {
  readonly #response: ServerResponse;
  readonly #request: ChatRequest;
  #tokens: Token[] = [];
  #sent = 0;

  constructor(response: ServerResponse, request: ChatRequest) {
    this.#response = response;
    this.#request = request;
    if (request.stream) response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
  }

  add(token: Token): void {
    this.#tokens.push(token);
    if (this.#request.stream) this.#send(this.#findEnd());
  }

  end(reason: string, usage: { prompt_tokens: number; completion_tokens: number }): void {
    const text = model.detokenize(this.#tokens);
    const calls = this.#request.tools ? readCalls(text) : [];
    const finishReason = calls.length > 0 ? 'tool_calls' : reason;
    const total = { ...usage, total_tokens: usage.prompt_tokens + usage.completion_tokens };
    if (!this.#request.stream) {
      const content = text.split(TOOL_CALL)[0];
      const message = { role: 'assistant', content, ...(calls.length > 0 ? { tool_calls: calls } : {}) };
      const choices = [{ index: 0, message, finish_reason: finishReason }];
      sendJson(this.#response, 200, {
        id: 'chatcmpl',
        object: 'chat.completion',
        model: name,
        choices,
        usage: total,
      });
      return;
    }
    this.#send(calls.length > 0 ? text.indexOf(TOOL_CALL) : text.length);
    if (calls.length > 0) this.#write({ tool_calls: calls.map((call, index) => ({ index, ...call })) });
    this.#write({}, finishReason);
    if (this.#request.stream_options?.include_usage) this.#writeChunk({ choices: [], usage: total });
    this.#response.end('data: [DONE]\n\n');
  }

  /** Returns how much of the text is certain: no half character, nothing that may be a tool call. */
  #findEnd(): number {
    const text = model.detokenize(this.#tokens).replace(/\uFFFD+$/, '');
    if (!this.#request.tools) return text.length;
    const at = text.lastIndexOf('<');
    const mayBeCall = at >= 0 && (TOOL_CALL.startsWith(text.slice(at)) || text.includes(TOOL_CALL));
    return mayBeCall ? Math.min(at, text.includes(TOOL_CALL) ? text.indexOf(TOOL_CALL) : at) : text.length;
  }

  #send(end: number): void {
    if (end <= this.#sent) return;
    this.#write({ content: model.detokenize(this.#tokens).slice(this.#sent, end) });
    this.#sent = end;
  }

  #write(delta: object, finishReason: string | null = null): void {
    this.#writeChunk({ choices: [{ index: 0, delta, finish_reason: finishReason }] });
  }

  #writeChunk(fields: object): void {
    const chunk = { id: 'chatcmpl', object: 'chat.completion.chunk', model: name, ...fields };
    this.#response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  }
}

function readCalls(text: string): object[] {
  return [...text.matchAll(/<tool_call>\s*(\{.*?\})\s*<\/tool_call>/gs)].flatMap(([, json], at) => {
    try {
      const { name: called, arguments: input } = JSON.parse(json!) as { name?: unknown; arguments?: unknown };
      const call = { name: String(called), arguments: JSON.stringify(input ?? {}) };
      return [{ id: `call_${at}`, type: 'function', function: call }];
    } catch {
      return [];
    }
  });
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function fail(response: ServerResponse, error: unknown): void {
  const isRequest = error instanceof RequestError;
  if (!isRequest) process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
  if (response.headersSent) response.destroy();
  else
    sendJson(response, isRequest ? 400 : 500, {
      error: {
        message: isRequest ? error.message : 'an error of the server',
        type: isRequest ? 'invalid_request_error' : 'server_error',
        code: isRequest ? error.code : null,
      },
    });
}
