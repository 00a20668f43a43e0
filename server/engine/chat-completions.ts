import type { Dispatcher } from 'undici';
import { openConnections } from '../base/proxy.ts';
import type { LlmSettings } from '../settings/model.ts';
import { readContextSize } from './context-size.ts';
import { type Model, ModelFailure, type ModelMessage, type ModelPart, type ModelRequest } from './model.ts';
import type { Protocol } from './protocol.ts';
import { CompletionReader, StreamedAnswer } from './streamed-answer.ts';

/** How long an idle connection stays open, unless the server says otherwise. */
const KEEP_ALIVE_MILLIS = 30_000;

const CHAT_COMPLETIONS: Protocol = {
  path: '/chat/completions',
  citesDocuments: false,
  neededFields: ['model', 'messages', 'stream'],
  toHeaders: (apiKey) => ({ authorization: `Bearer ${apiKey}` }),
  toBody: toRequestBody,
  createReader: () => new CompletionReader(),
};

export type OnRefusedField = (field: string, failure: ModelFailure) => void;

/**
 * A model behind any OpenAI-compatible server, or one of another protocol: `POST {base}/chat/completions`, streamed. Uses
 * HTTP/2 where the server offers it, so that many answers share a connection. There are few layers
 * between connection and reader, because each one costs memory per open answer (docs/adr, model
 * streaming).
 */
export function openChatCompletions(
  settings: LlmSettings,
  /** Called when the server does not take a field, which is left out or renamed from then on. */
  onRefusedField?: OnRefusedField,
  protocol: Protocol = CHAT_COMPLETIONS,
): Model {
  const toRequestOptions = bindRequestOptions(settings, protocol);
  const refused = new Set<string>();
  const toBody = (request: ModelRequest) =>
    JSON.stringify(adapt(protocol.toBody(settings, request), refused));
  let agent = createAgent(settings);
  /** A silent server may be gone, so the next question uses a new connection. */
  const replaceAgent = (silentAgent: Dispatcher) => {
    if (agent !== silentAgent) return;
    agent = createAgent(settings);
    void silentAgent.close();
  };

  /** Retries until the model has begun to answer. */
  async function* stream(
    pending: PendingRequest,
    signal: AbortSignal,
  ): AsyncGenerator<ModelPart, void, undefined> {
    let isBegun = false;
    for (let tries = 0; !signal.aborted; tries++) {
      const answer = new StreamedAnswer(settings, protocol.createReader());
      const cancel = () => answer.cancel();
      const connections = agent;
      let isComplete = false;
      signal.addEventListener('abort', cancel, { once: true });
      try {
        connections.dispatch(toRequestOptions(pending), answer);
        for (let parts = answer.take(); parts; parts = answer.take()) {
          if (parts.length > 0 && !isBegun) {
            isBegun = true;
            // The prompt may be large, and no retry will need it.
            pending.body = '';
            pending.request = undefined;
          }
          for (const part of parts) yield part;
          if (parts.length === 0) await answer.waitForParts();
        }
        isComplete = true;
        return;
      } catch (failure) {
        if (signal.aborted) return;
        if (isSilenceTimeout(failure)) replaceAgent(connections);
        if (isBegun) throw failure;
        const field =
          pending.request && findRefusedField(failure, pending.body, [...protocol.neededFields, ...refused]);
        if (field) {
          refused.add(field);
          onRefusedField?.(field, failure as ModelFailure);
          pending.body = toBody(pending.request!);
          tries -= 1;
        } else if (tries >= settings.retries || !isRetryable(failure)) throw failure;
      } finally {
        signal.removeEventListener('abort', cancel);
        if (isComplete) answer.keepConnection();
        else cancel();
      }
    }
  }

  return {
    name: settings.model,
    citesDocuments: protocol.citesDocuments,
    stream: (request, signal) =>
      stream({ body: toBody(request), request, traceHeaders: request.traceHeaders }, signal),
    readContextSize: async (signal) =>
      settings.contextTokens ??
      (settings.provider === 'openai' ? await readContextSize(settings, agent, signal) : undefined),
    close: () => void agent.destroy(),
  };
}

/** A model whose address is checked is reached directly, as sources are. */
const createAgent = ({ proxy, lookup }: LlmSettings) =>
  openConnections(lookup ? undefined : proxy, {
    ...(lookup && { connect: { lookup } }),
    allowH2: true,
    keepAliveTimeout: KEEP_ALIVE_MILLIS,
  });

type PendingRequest = {
  body: string;
  /** Dropped with the body. */
  request: ModelRequest | undefined;
  traceHeaders: ModelRequest['traceHeaders'];
};

/**
 * A body that can be dropped early: undici would keep a string for as long as the answer is open.
 * It accepts any iterable, which its types do not say.
 */
class DroppableBody {
  readonly #pending: PendingRequest;

  constructor(pending: PendingRequest) {
    this.#pending = pending;
  }

  async *[Symbol.asyncIterator]() {
    yield this.#pending.body;
  }
}

function bindRequestOptions(
  settings: LlmSettings,
  { path, toHeaders }: Protocol,
): (pending: PendingRequest) => Dispatcher.DispatchOptions {
  const { origin, pathname, search } = new URL(`${settings.baseUrl}${path}`);
  const credentials = toHeaders(settings.apiKey);
  return (pending) => ({
    origin,
    path: pathname + search,
    method: 'POST',
    headers: buildHeaders(credentials, pending),
    body: new DroppableBody(pending) as unknown as string,
    // AnswerTimeouts limits the answer instead.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
}

function buildHeaders(
  credentials: Readonly<Record<string, string>>,
  { body, traceHeaders }: PendingRequest,
): Record<string, string> {
  return {
    ...traceHeaders,
    ...credentials,
    'content-type': 'application/json',
    accept: 'text/event-stream',
    'content-length': `${Buffer.byteLength(body)}`,
  };
}

const isSilenceTimeout = (error: unknown) =>
  error instanceof ModelFailure && ['first_token_timeout', 'idle_timeout'].includes(error.kind);

/** Whether to retry: not when the server sent Retry-After or rejected the request. */
function isRetryable(error: unknown): boolean {
  if (!(error instanceof ModelFailure) || error.retryAfterSeconds) return false;
  return ['unreachable', 'overloaded', 'rate_limited', 'broken'].includes(error.kind);
}

const RENAMED: Readonly<Record<string, string>> = {
  max_tokens: 'max_completion_tokens',
  max_completion_tokens: 'max_tokens',
};

/** Returns the field that a server does not take, if the request can do without it. */
function findRefusedField(failure: unknown, body: string, kept: readonly string[]): string | undefined {
  const { kind, field } = failure instanceof ModelFailure ? failure : {};
  if (kind !== 'rejected' || field === undefined || kept.includes(field)) return undefined;
  return Object.hasOwn(JSON.parse(body) as object, field) ? field : undefined;
}

/** Renames or leaves out what the server does not take. */
function adapt(body: Readonly<Record<string, unknown>>, refused: ReadonlySet<string>): object {
  const fields = Object.entries(body).flatMap(([name, value]) => {
    const taken = refused.has(name) ? RENAMED[name] : name;
    return taken === undefined || refused.has(taken) ? [] : [[taken, value]];
  });
  return Object.fromEntries(fields);
}

function toRequestBody(
  settings: LlmSettings,
  { messages, tools, callsNothing, outputTokensMax }: ModelRequest,
): Record<string, unknown> {
  return {
    ...settings.extraBody,
    model: settings.model,
    stream: true,
    stream_options: { include_usage: true },
    [settings.outputTokensField]: outputTokensMax,
    messages: messages.map(toWireMessage),
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ name, description, input }) => ({
            type: 'function',
            function: { name, description, parameters: input },
          })),
          ...(callsNothing ? { tool_choice: 'none' } : {}),
        }),
  };
}

function toWireMessage(message: ModelMessage): object {
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
