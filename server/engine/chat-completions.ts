import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { LlmSettings } from '../llm-settings.ts';
import { type Model, ModelFailure, type ModelMessage, type ModelPart, type ModelRequest } from './model.ts';
import { StreamedAnswer } from './streamed-answer.ts';
import { Watch } from './watch.ts';

/**
 * A model behind any OpenAI-compatible server: `POST {base}/chat/completions`, streamed. Straight on `node:http`, because what stands
 * between a socket and its reader is what an open answer costs (docs/decisions, the one about the model).
 */
export function openChatCompletions(settings: LlmSettings): Model {
  const url = new URL(`${settings.baseUrl}/chat/completions`);
  const isTls = url.protocol === 'https:';
  const agent = new (isTls ? HttpsAgent : HttpAgent)({ keepAlive: true });
  const send = isTls ? httpsRequest : httpRequest;

  /** Asks as often as it is worth while, until the model has begun. */
  async function* stream(
    asked: { body: string },
    signal: AbortSignal,
  ): AsyncGenerator<ModelPart, void, undefined> {
    let isBegun = false;
    for (let tries = 0; !signal.aborted; tries++) {
      const sent = send(url, { method: 'POST', agent, headers: headersFor(settings, asked.body) });
      const hangUp = () => sent.destroy();
      const watch = new Watch(settings, hangUp);
      let isWhole = false;
      signal.addEventListener('abort', hangUp, { once: true });
      try {
        const answer = await answerTo(sent, asked, watch);
        for (let some = answer.take(); some; some = answer.take()) {
          if (some.length > 0 && !isBegun) {
            isBegun = true;
            // What was asked may be as long as a book, and no other try will need it.
            asked.body = '';
          }
          for (const part of some) yield part;
          if (some.length === 0) await answer.news();
        }
        isWhole = true;
        // The connection serves the next answer, unless the server does not end this one.
        sent.setTimeout(LINGER_MILLIS, hangUp);
        return;
      } catch (error) {
        if (signal.aborted) return;
        const failure = watch.trouble ?? failureOf(error);
        if (isBegun || tries >= settings.retries || !isWorthAnotherTry(failure)) throw failure;
      } finally {
        watch.stop();
        signal.removeEventListener('abort', hangUp);
        if (!isWhole) hangUp();
      }
    }
  }

  return {
    name: settings.model,
    stream: (request, signal) => stream({ body: JSON.stringify(bodyOf(settings, request)) }, signal),
    close: () => agent.destroy(),
  };
}

const LINGER_MILLIS = 1000;

function headersFor({ apiKey }: LlmSettings, body: string): Record<string, string | number> {
  return {
    authorization: `Bearer ${apiKey}`,
    'content-type': 'application/json',
    accept: 'text/event-stream',
    'content-length': Buffer.byteLength(body),
  };
}

async function answerTo(
  sent: ReturnType<typeof httpRequest>,
  { body }: { readonly body: string },
  watch: Watch,
): Promise<StreamedAnswer> {
  const responded = responseOf(sent);
  sent.end(body);
  const response = await responded;
  if (response.statusCode !== 200) throw refusalOf(response);
  return new StreamedAnswer(response, watch);
}

function responseOf(sent: ReturnType<typeof httpRequest>): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    sent.once('response', resolve);
    sent.on('error', reject);
    // A request that is destroyed before its answer came may say nothing but this.
    sent.once('close', () => reject(new Error('closed')));
  });
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
