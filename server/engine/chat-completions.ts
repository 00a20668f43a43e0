import { Agent, type Dispatcher } from 'undici';
import type { LlmSettings } from '../llm-settings.ts';
import { type Model, ModelFailure, type ModelMessage, type ModelPart, type ModelRequest } from './model.ts';
import { StreamedAnswer } from './streamed-answer.ts';

/** A server may be asked again after this long without another handshake, unless it says otherwise. */
const KEEP_ALIVE_MILLIS = 30_000;

/**
 * A model behind any OpenAI-compatible server: `POST {base}/chat/completions`, streamed. Over HTTP/2 where the server offers it, so that many
 * answers share a connection; what stands between a connection and its reader is what an open answer costs (docs/adr, the one about
 * the model).
 */
export function openChatCompletions(settings: LlmSettings): Model {
  const { origin, pathname, search } = new URL(`${settings.baseUrl}/chat/completions`);
  let agent = openConnections();
  /** A server that falls silent may be gone without a word: whoever asks next does not wait on the same connection. */
  const leaveSilent = (silent: Agent) => {
    if (agent !== silent) return;
    agent = openConnections();
    void silent.close();
  };
  const questionOf = (asked: HandlerInput): Dispatcher.DispatchOptions => ({
    origin,
    path: pathname + search,
    method: 'POST',
    headers: headersFor(settings, asked.body),
    body: new OnceSent(asked) as unknown as string,
  });

  /** Asks as often as it is worth while, until the model has begun. */
  async function* stream(
    asked: HandlerInput,
    signal: AbortSignal,
  ): AsyncGenerator<ModelPart, void, undefined> {
    let isBegun = false;
    for (let tries = 0; !signal.aborted; tries++) {
      const answer = new StreamedAnswer(settings);
      const hangUp = () => answer.hangUp();
      const connections = agent;
      let isWhole = false;
      signal.addEventListener('abort', hangUp, { once: true });
      try {
        connections.dispatch(questionOf(asked), answer);
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
        return;
      } catch (failure) {
        if (signal.aborted) return;
        if (isSilence(failure)) leaveSilent(connections);
        if (isBegun || tries >= settings.retries || !isWorthAnotherTry(failure)) throw failure;
      } finally {
        signal.removeEventListener('abort', hangUp);
        if (isWhole) answer.leave();
        else hangUp();
      }
    }
  }

  return {
    name: settings.model,
    stream: (request, signal) => stream({ body: JSON.stringify(bodyOf(settings, request)) }, signal),
    close: () => void agent.destroy(),
  };
}

function openConnections(): Agent {
  return new Agent({
    allowH2: true,
    keepAliveTimeout: KEEP_ALIVE_MILLIS,
    // How long an answer may take, its watch knows.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
}

type HandlerInput = { body: string };

/**
 * A body that is let go with the question: the library would keep a text for as long as its answer is open. It takes whatever can be
 * iterated over, which its types do not say.
 */
class OnceSent {
  readonly #asked: HandlerInput;

  constructor(asked: HandlerInput) {
    this.#asked = asked;
  }

  async *[Symbol.asyncIterator]() {
    yield this.#asked.body;
  }
}

function headersFor({ apiKey }: LlmSettings, body: string): Record<string, string> {
  return {
    authorization: `Bearer ${apiKey}`,
    'content-type': 'application/json',
    accept: 'text/event-stream',
    'content-length': `${Buffer.byteLength(body)}`,
  };
}

const isSilence = (error: unknown) =>
  error instanceof ModelFailure && ['first_token_timeout', 'idle_timeout'].includes(error.trouble);

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
