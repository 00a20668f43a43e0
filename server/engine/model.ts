/** The model port: messages in, parts out as they arrive. Only the adapter knows the protocol. */

export type ModelMessage =
  | { role: 'system' | 'assistant'; text: string }
  | { role: 'user'; text: string; image?: { mime: string; base64: string } }
  | { role: 'called'; calls: readonly ModelCall[] }
  | { role: 'result'; callId: string; text: string };

export type ModelCall = { id: string; name: string; input: string };

/** A tool that the model may call; calls are never executed. */
export type ModelTool = {
  name: string;
  description: string;
  /** JSON Schema of the input. */
  input: object;
};

export type ModelRequest = {
  messages: readonly ModelMessage[];
  tools: readonly ModelTool[];
  outputTokensMax: number;
  /** Headers that continue the trace of this turn at the server. */
  traceHeaders?: Readonly<Record<string, string>>;
};

export type ModelPart =
  | { type: 'text'; text: string }
  | { type: 'call'; call: ModelCall }
  | {
      type: 'end';
      reason: 'stop' | 'length' | 'refusal' | 'calls';
      /** Absent when the server does not report it. */
      usage?: { inputTokens: number; outputTokens: number };
    };

/**
 * Streams one answer. Aborting the signal closes the connection, and the generator returns without
 * an error.
 */
export type Model = {
  name: string;
  stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelPart, void, undefined>;
  close(): void;
};

export type ModelFailureKind =
  | 'unreachable'
  | 'refused'
  | 'rate_limited'
  | 'overloaded'
  | 'first_token_timeout'
  | 'idle_timeout'
  | 'total_timeout'
  | 'broken';

/** The server did not answer, or answered wrongly. Contains nothing of the prompt or the reply. */
export class ModelFailure extends Error {
  override readonly name = 'ModelFailure';
  readonly kind: ModelFailureKind;
  readonly retryAfterSeconds: number | undefined;

  constructor(kind: ModelFailureKind, reason: string, retryAfterSeconds?: number) {
    super(`${kind}: ${reason}`);
    this.kind = kind;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Removes the thinking that some servers put before the answer between <think> and </think>. */
export class ThinkTagFilter {
  #state: 'start' | 'thinking' | 'answer' = 'start';
  #held = '';

  /** Returns the new answer text. */
  feed(text: string): string {
    if (this.#state === 'answer') return text;
    this.#held += text;
    if (this.#state === 'start') {
      const start = this.#held.trimStart();
      if ('<think>'.startsWith(start.slice(0, 7)) && start.length < 7) return '';
      this.#state = start.startsWith('<think>') ? 'thinking' : 'answer';
      if (this.#state === 'answer') return this.#settle(this.#held);
    }
    const end = this.#held.indexOf('</think>');
    if (end < 0) {
      this.#held = this.#held.slice(-8);
      return '';
    }
    this.#state = 'answer';
    return this.#settle(this.#held.slice(end + 8).trimStart());
  }

  #settle(answer: string): string {
    this.#held = '';
    return answer;
  }
}
