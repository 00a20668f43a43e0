import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { LlmSettings } from '../llm-settings.ts';
import { createCompletionReading } from './completion-chunk.ts';
import { createEventData } from './event-data.ts';
import { type Model, ModelFailure, type ModelMessage, type ModelPart, type ModelRequest } from './model.ts';

/**
 * A model behind any OpenAI-compatible server: `POST {base}/chat/completions`, streamed. Straight on `node:http`, because what stands
 * between a socket and its reader is what an open answer costs (docs/decisions, the one about the model).
 */
export function openChatCompletions(settings: LlmSettings): Model {
  const url = new URL(`${settings.baseUrl}/chat/completions`);
  const isTls = url.protocol === 'https:';
  const agent = new (isTls ? HttpsAgent : HttpAgent)({ keepAlive: true });
  const send = isTls ? httpsRequest : httpRequest;

  async function* once(
    request: ModelRequest,
    signal: AbortSignal,
  ): AsyncGenerator<ModelPart, void, undefined> {
    const body = JSON.stringify(bodyOf(settings, request));
    const sent = send(url, {
      method: 'POST',
      agent,
      headers: {
        authorization: `Bearer ${settings.apiKey}`,
        'content-type': 'application/json',
        accept: 'text/event-stream',
        'content-length': Buffer.byteLength(body),
      },
    });
    const hangUp = () => sent.destroy();
    let isWhole = false;
    const watch = createWatch(settings, hangUp);
    signal.addEventListener('abort', hangUp, { once: true });
    try {
      const response = await responseOf(sent, body);
      if (response.statusCode !== 200) throw refusalOf(response);
      yield* partsOf(response, watch);
      isWhole = true;
      // The connection serves the next answer, unless the server does not end this one.
      response.resume();
      sent.setTimeout(LINGER_MILLIS, hangUp);
    } catch (error) {
      if (signal.aborted) return;
      throw watch.trouble ?? failureOf(error);
    } finally {
      watch.stop();
      signal.removeEventListener('abort', hangUp);
      if (!isWhole) hangUp();
    }
  }

  return {
    name: settings.model,
    async *stream(request, signal) {
      for (let tries = 0; !signal.aborted; tries++) {
        let begun = false;
        try {
          for await (const part of once(request, signal)) {
            begun = true;
            yield part;
          }
          return;
        } catch (error) {
          if (begun || tries >= settings.retries || !isWorthAnotherTry(error)) throw error;
        }
      }
    },
    close: () => agent.destroy(),
  };
}

const EVENT_CHARS_MAX = 1_000_000;
const LINGER_MILLIS = 1000;

/** Parts as they come, until the server says that it is done. A stream that just ends was cut. */
async function* partsOf(response: IncomingMessage, watch: Watch): AsyncGenerator<ModelPart, void, undefined> {
  const events = createEventData(EVENT_CHARS_MAX);
  const reading = createCompletionReading();
  response.setEncoding('utf8');
  for await (const piece of response.iterator({ destroyOnReturn: false })) {
    for (const data of events.feed(piece as string)) {
      if (data === '[DONE]') {
        yield* endOf(reading);
        return;
      }
      const text = reading.read(data);
      if (reading.begun) watch.alive();
      if (text !== '') yield { type: 'text', text };
    }
  }
  if (!reading.finished) throw new ModelFailure('broken', 'the answer was cut');
  yield* endOf(reading);
}

function* endOf(reading: ReturnType<typeof createCompletionReading>): Generator<ModelPart> {
  for (const call of reading.calls()) yield { type: 'call', call };
  yield reading.end();
}

function responseOf(sent: ReturnType<typeof httpRequest>, body: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    sent.once('response', resolve);
    sent.on('error', reject);
    // A request that is destroyed before its answer came may say nothing but this.
    sent.once('close', () => reject(new Error('closed')));
    sent.end(body);
  });
}

type Watch = {
  /** Why it hung up, once it did. */
  readonly trouble: ModelFailure | undefined;
  /** The model has said something, or is thinking. */
  alive(): void;
  stop(): void;
};

/** Hangs up on a server that takes too long: for the whole answer, to begin, or in between. */
function createWatch(settings: LlmSettings, hangUp: () => void): Watch {
  const { timeoutMillis, firstTokenTimeoutMillis, idleTimeoutMillis } = settings;
  let trouble: ModelFailure | undefined;
  let isBegun = false;
  const after = (millis: number, kind: 'total_timeout' | 'first_token_timeout' | 'idle_timeout') =>
    setTimeout(() => {
      trouble ??= new ModelFailure(kind, `${millis} ms`);
      hangUp();
    }, millis);
  const total = after(timeoutMillis, 'total_timeout');
  let silence = after(firstTokenTimeoutMillis, 'first_token_timeout');
  return {
    get trouble() {
      return trouble;
    },
    alive() {
      if (isBegun) {
        silence.refresh();
        return;
      }
      isBegun = true;
      clearTimeout(silence);
      silence = after(idleTimeoutMillis, 'idle_timeout');
    },
    stop() {
      clearTimeout(total);
      clearTimeout(silence);
    },
  };
}

const RETRY_AFTER_SECONDS_MAX = 3600;

/** Only the status is told: what a server writes about an error may repeat a key or a question. */
function refusalOf(response: IncomingMessage): ModelFailure {
  const status = response.statusCode ?? 0;
  const seconds = Number(response.headers['retry-after']);
  const retryAfter =
    Number.isFinite(seconds) && seconds >= 0
      ? Math.min(Math.ceil(seconds), RETRY_AFTER_SECONDS_MAX)
      : undefined;
  const trouble = status === 429 ? 'rate_limited' : status >= 500 ? 'overloaded' : 'refused';
  return new ModelFailure(trouble, `status ${status}`, retryAfter);
}

function failureOf(error: unknown): ModelFailure {
  if (error instanceof ModelFailure) return error;
  if (error instanceof SyntaxError || error instanceof RangeError)
    return new ModelFailure('broken', 'a malformed chunk');
  const code = (error as NodeJS.ErrnoException).code;
  // After the head of the answer, node calls a lost connection "aborted".
  const isCut = code === 'ECONNRESET' || (error as Error).message === 'aborted';
  return new ModelFailure(isCut ? 'broken' : 'unreachable', code ?? 'no connection');
}

/** A server that says when to come back is not asked before; what it refused it would refuse again. */
function isWorthAnotherTry(error: unknown): boolean {
  if (!(error instanceof ModelFailure) || error.retryAfterSeconds) return false;
  return ['unreachable', 'overloaded', 'rate_limited', 'broken'].includes(error.trouble);
}

function bodyOf(settings: LlmSettings, { messages, tools, outputTokensMax }: ModelRequest): object {
  return {
    model: settings.model,
    stream: true,
    stream_options: { include_usage: true },
    [settings.outputTokensField]: outputTokensMax,
    messages: messages.map(messageOf),
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ name, description, input }) => ({
            type: 'function',
            function: { name, description, parameters: input },
          })),
        }),
  };
}

function messageOf(message: ModelMessage): object {
  switch (message.role) {
    case 'called':
      return {
        role: 'assistant',
        content: null,
        tool_calls: message.calls.map(({ id, name, input }) => ({
          id,
          type: 'function',
          function: { name, arguments: input },
        })),
      };
    case 'result':
      return { role: 'tool', tool_call_id: message.callId, content: message.text };
    case 'user':
      return { role: 'user', content: message.image ? withImage(message.text, message.image) : message.text };
    default:
      return { role: message.role, content: message.text };
  }
}

function withImage(text: string, { mime, base64 }: { mime: string; base64: string }): object[] {
  return [
    { type: 'text', text },
    { type: 'image_url', image_url: { url: `data:${mime};base64,${base64}` } },
  ];
}
