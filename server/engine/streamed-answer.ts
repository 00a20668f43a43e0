import { isUtf8 } from 'node:buffer';
import { StringDecoder } from 'node:string_decoder';
import { createParser } from 'eventsource-parser';
import type { Dispatcher } from 'undici';
import { readProxyRefusal } from '../base/proxy.ts';
import type { LlmSettings } from '../settings/model.ts';
import { type ModelCall, ModelFailure, type ModelPart } from './model.ts';
import { type AnswerReader, asString, asTokens, CALL_CHARS_MAX, CALLS_MAX } from './protocol.ts';
import { isContentFilter, readServerError, type ServerError, toStatusFailure } from './server-error.ts';

const EVENT_CHARS_MAX = 1_000_000;
const ERROR_CHARS_MAX = 20_000;
const LINGER_MILLIS = 1000;
const CANCELLED = new Error('the answer was cancelled');

type RefusedResponse = { status: number; retryAfter: string | undefined; body: string };

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/**
 * Collects the parts of a streamed answer until the server ends it; a stream that ends early is an
 * error. It is a dispatch handler rather than a stream, which would double the memory of an open
 * answer.
 */
export class StreamedAnswer implements Dispatcher.DispatchHandler {
  readonly #events = createParser({
    maxBufferSize: EVENT_CHARS_MAX,
    onEvent: ({ data }) => this.#read(data),
    onError: ({ type }) => {
      if (type === 'max-buffer-size-exceeded') throw new RangeError('an event is too large');
    },
  });
  readonly #reader: AnswerReader;
  readonly #timeouts: AnswerTimeouts;
  /** How the server answers; some ignore that a stream was asked for and send one object. */
  #format: 'unknown' | 'events' | 'object' = 'unknown';
  #object = '';
  /** Set once a chunk ended within a character. */
  #decoder: StringDecoder | undefined;
  #arrived: ModelPart[] = [];
  /** The status of a response that is not an answer, and its body so far. */
  #refusal: RefusedResponse | undefined;
  #isOver = false;
  #failure: ModelFailure | undefined;
  #wake: (() => void) | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #isCancelled = false;
  #isClosed = false;
  #linger: NodeJS.Timeout | undefined;

  constructor(settings: LlmSettings, reader: AnswerReader) {
    this.#reader = reader;
    this.#timeouts = new AnswerTimeouts(settings, (reason) => {
      this.#end(reason);
      this.cancel();
    });
  }

  /**
   * Returns the parts since the last call; undefined after the last one. Throws the failure once
   * all earlier parts were taken.
   */
  take(): readonly ModelPart[] | undefined {
    const parts = this.#arrived;
    if (parts.length > 0) {
      this.#arrived = [];
      return parts;
    }
    if (this.#failure) throw this.#failure;
    return this.#isOver ? undefined : parts;
  }

  /** Resolves when parts are available or the answer is over. */
  waitForParts(): Promise<void> {
    if (this.#arrived.length > 0 || this.#isOver) return Promise.resolve();
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  /** Cancels the answer: closes an HTTP/1.1 connection, resets only the stream of an HTTP/2 one. */
  cancel(): void {
    this.#isCancelled = true;
    this.#end(undefined);
    this.#controller?.abort(CANCELLED);
  }

  /**
   * Keeps the connection for reuse after a complete answer, unless the server does not end the
   * response.
   */
  keepConnection(): void {
    if (this.#isClosed) return;
    this.#linger = setTimeout(() => this.#controller?.abort(CANCELLED), LINGER_MILLIS);
    this.#linger.unref();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#isCancelled) controller.abort(CANCELLED);
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: Headers): void {
    // Frees unread headers, which would stay in memory as long as the answer.
    controller.rawHeaders = null;
    // Below 200 the response is still to come.
    if (status > 200) this.#refusal = { status, retryAfter: headers['retry-after']?.toString(), body: '' };
  }

  onResponseData(_: Dispatcher.DispatchController, bytes: Buffer): void {
    if (this.#isOver) return;
    try {
      if (this.#refusal) this.#readRefusal(this.#refusal, this.#decode(bytes));
      else this.#readText(this.#decode(bytes));
      this.#notify();
    } catch (error) {
      this.#end(toFailure(error));
    }
  }

  onResponseEnd(): void {
    this.#close();
    if (this.#refusal) this.#endRefused(this.#refusal);
    if (this.#format === 'object') this.#readObject();
    if (!this.#isOver && this.#reader.isFinished) this.#finish();
    this.#end(new ModelFailure('broken', 'the answer was cut'));
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#close();
    this.#end(toFailure(error));
  }

  #readText(text: string): void {
    if (this.#format === 'unknown' && text.trim() !== '')
      this.#format = text.trimStart().startsWith('{') ? 'object' : 'events';
    if (this.#format === 'events') this.#events.feed(text);
    else this.#object += text;
    if (this.#object.length > EVENT_CHARS_MAX) throw new RangeError('an object is too large');
  }

  #readObject(): void {
    try {
      this.#read(this.#object);
    } catch (error) {
      this.#end(toFailure(error));
    }
  }

  #readRefusal(refusal: RefusedResponse, text: string): void {
    refusal.body += text;
    if (refusal.body.length > ERROR_CHARS_MAX) this.#endRefused(refusal);
  }

  #endRefused({ status, retryAfter, body }: RefusedResponse): void {
    if (this.#isOver) return;
    const error = readServerError(body);
    if (isContentFilter(error)) this.#finish('refusal');
    else this.#end(toStatusFailure(status, retryAfter, error));
  }

  #read(data: string): void {
    if (this.#isOver) return;
    const { error, parts, isLast } = this.#reader.read(data);
    if (error) {
      if (isContentFilter(error)) this.#finish('refusal');
      else this.#end(toStatusFailure(error.status, undefined, error));
      return;
    }
    if (this.#reader.hasBegun) this.#timeouts.touch();
    this.#arrived.push(...parts);
    if (isLast) this.#finish();
  }

  #decode(bytes: Buffer): string {
    if (!this.#decoder && isUtf8(bytes)) return bytes.toString();
    this.#decoder ??= new StringDecoder('utf8');
    return this.#decoder.write(bytes);
  }

  #finish(reason?: 'refusal'): void {
    for (const call of this.#reader.calls()) this.#arrived.push({ type: 'call', call });
    const end = this.#reader.end();
    this.#arrived.push(reason ? { ...end, reason } : end);
    this.#end(undefined);
  }

  /** Ends the answer; the first reason wins. */
  #end(failure: ModelFailure | undefined): void {
    if (!this.#isOver) {
      this.#isOver = true;
      this.#failure = failure;
      this.#timeouts.stop();
    }
    this.#notify();
  }

  #close(): void {
    this.#isClosed = true;
    clearTimeout(this.#linger);
  }

  #notify(): void {
    this.#wake?.();
    this.#wake = undefined;
  }
}

/** Error codes of connections that broke or violated the protocol. */
const CUT = /^(?:ECONNRESET|EPIPE|HPE_|ERR_HTTP2_|UND_ERR_(?!CONNECT))/;

function toFailure(error: unknown): ModelFailure {
  if (error instanceof SyntaxError || error instanceof RangeError)
    return new ModelFailure('broken', 'a malformed chunk');
  const { code } = error as NodeJS.ErrnoException;
  const status = readProxyRefusal(error);
  if (status) return new ModelFailure('unreachable', `the proxy replied with status ${status}`);
  const kind = CUT.test(code ?? '') ? 'broken' : 'unreachable';
  return new ModelFailure(kind, code ?? 'no connection', { networkCode: code });
}

/** Cancels an answer that takes too long in total, to begin, or between parts. */
class AnswerTimeouts {
  readonly #idleMillis: number;
  readonly #onTimeout: (reason: ModelFailure) => void;
  readonly #total: NodeJS.Timeout;
  #silence: NodeJS.Timeout;
  #isBegun = false;

  constructor(
    { timeoutMillis, firstTokenTimeoutMillis, idleTimeoutMillis }: LlmSettings,
    onTimeout: (reason: ModelFailure) => void,
  ) {
    this.#idleMillis = idleTimeoutMillis;
    this.#onTimeout = onTimeout;
    this.#total = this.#after(timeoutMillis, 'total_timeout');
    this.#silence = this.#after(firstTokenTimeoutMillis, 'first_token_timeout');
  }

  /** Call it for every sign that the model is working. */
  touch(): void {
    if (this.#isBegun) {
      this.#silence.refresh();
      return;
    }
    this.#isBegun = true;
    clearTimeout(this.#silence);
    this.#silence = this.#after(this.#idleMillis, 'idle_timeout');
  }

  stop(): void {
    clearTimeout(this.#total);
    clearTimeout(this.#silence);
  }

  #after(millis: number, kind: 'total_timeout' | 'first_token_timeout' | 'idle_timeout'): NodeJS.Timeout {
    return setTimeout(() => this.#onTimeout(new ModelFailure(kind, `${millis} ms`)), millis);
  }
}

/**
 * The fields of a chat completion chunk that are read. Servers differ in the rest, and no value is
 * trusted.
 */

type Delta = {
  content?: unknown;
  refusal?: unknown;
  reasoning_content?: unknown;
  reasoning?: unknown;
  tool_calls?: readonly {
    index?: unknown;
    id?: unknown;
    function?: { name?: unknown; arguments?: unknown };
  }[];
};

type Chunk = {
  error?: unknown;
  choices?: readonly {
    delta?: Delta;
    /** In place of `delta` where the server does not stream. */
    message?: Delta;
    finish_reason?: unknown;
  }[];
  usage?: { prompt_tokens?: unknown; completion_tokens?: unknown } | null;
};

type End = Extract<ModelPart, { type: 'end' }>;

export class CompletionReader implements AnswerReader {
  hasBegun = false;
  #calls: Map<number, { id: string; name: string; input: string }> | undefined;
  #reason: End['reason'] | undefined;
  #usage: End['usage'];
  #isRefusal = false;
  #hasThought = false;

  get isFinished(): boolean {
    return this.#reason !== undefined;
  }

  read(data: string): { parts: ModelPart[]; error?: ServerError; isLast?: boolean } {
    if (data === '[DONE]') return { parts: [], isLast: true };
    const chunk = JSON.parse(data) as Chunk | null;
    if (typeof chunk !== 'object' || chunk === null) throw new SyntaxError('a chunk is no object');
    if (chunk.error !== undefined && chunk.error !== null) return { parts: [], error: readServerError(data) };
    if (chunk.usage) this.#usage = toUsage(chunk.usage);
    const choice = Array.isArray(chunk.choices) ? chunk.choices[0] : undefined;
    const delta = choice?.delta ?? choice?.message;
    if (delta?.tool_calls) this.#addCall(delta.tool_calls);
    const refusal = asString(delta?.refusal);
    if (refusal !== '') this.#isRefusal = true;
    const text = asString(delta?.content) + refusal;
    const thinks = !this.#hasThought && hasThought(delta);
    this.#hasThought ||= thinks;
    this.hasBegun ||= text !== '' || this.#calls !== undefined || thinks;
    if (typeof choice?.finish_reason === 'string') this.#reason = toEndReason(choice.finish_reason);
    return {
      parts: [
        ...(thinks ? [{ type: 'thought' as const }] : []),
        ...(text === '' ? [] : [{ type: 'text' as const, text }]),
      ],
    };
  }

  calls(): ModelCall[] {
    return [...(this.#calls?.values() ?? [])].map((call, at) => ({ ...call, id: call.id || `call_${at}` }));
  }

  end(): End {
    return {
      type: 'end',
      reason: this.#isRefusal ? 'refusal' : (this.#reason ?? 'stop'),
      ...(this.#usage ? { usage: this.#usage } : {}),
    };
  }

  #addCall(delta: Delta['tool_calls']): void {
    for (const piece of Array.isArray(delta) ? delta : []) {
      this.#calls ??= new Map();
      const calls = this.#calls;
      const index = typeof piece?.index === 'number' ? piece.index : calls.size;
      const call = calls.get(index) ?? { id: '', name: '', input: '' };
      if (!calls.has(index) && calls.size === CALLS_MAX) continue;
      calls.set(index, call);
      call.id ||= asString(piece?.id).slice(0, 256);
      call.name ||= asString(piece?.function?.name).slice(0, 64);
      call.input = (call.input + asString(piece?.function?.arguments)).slice(0, CALL_CHARS_MAX);
    }
  }
}

function hasThought(delta: { reasoning_content?: unknown; reasoning?: unknown } | undefined): boolean {
  return asString(delta?.reasoning_content) !== '' || asString(delta?.reasoning) !== '';
}

function toEndReason(reason: string): End['reason'] {
  switch (reason) {
    case 'length':
      return 'length';
    case 'content_filter':
      return 'refusal';
    case 'tool_calls':
    case 'function_call':
      return 'calls';
    default:
      return 'stop';
  }
}

function toUsage(usage: NonNullable<Chunk['usage']>): End['usage'] {
  return {
    inputTokens: asTokens(usage.prompt_tokens) ?? 0,
    outputTokens: asTokens(usage.completion_tokens) ?? 0,
  };
}
