/** A language model as the engine uses it: messages in, parts out as they come. Whose wire it is on, only the adapter knows. */

export type ModelMessage =
  | { readonly role: 'system' | 'assistant'; readonly text: string }
  | { readonly role: 'user'; readonly text: string; readonly image?: { mime: string; base64: string } }
  | { readonly role: 'called'; readonly calls: readonly ModelCall[] }
  | { readonly role: 'result'; readonly callId: string; readonly text: string };

export type ModelCall = { readonly id: string; readonly name: string; readonly input: string };

/** What the model may propose; nothing here carries it out. */
export type ModelTool = {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its input. */
  readonly input: object;
};

export type ModelRequest = {
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ModelTool[];
  readonly outputTokensMax: number;
};

export type ModelPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'call'; readonly call: ModelCall }
  | {
      readonly type: 'end';
      readonly reason: 'stop' | 'length' | 'refusal' | 'calls';
      /** Absent where the server does not say. */
      readonly usage?: { readonly inputTokens: number; readonly outputTokens: number };
    };

/** Streams one answer. The signal closes the connection at once; the generator then just returns. */
export type Model = {
  readonly name: string;
  stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelPart, void, undefined>;
  close(): void;
};

export type ModelTrouble =
  | 'unreachable'
  | 'refused'
  | 'rate_limited'
  | 'overloaded'
  | 'first_token_timeout'
  | 'idle_timeout'
  | 'total_timeout'
  | 'broken';

/** The server did not answer, or not as it should. Says nothing of what was asked, and nothing that the server wrote. */
export class ModelFailure extends Error {
  override readonly name = 'ModelFailure';
  readonly trouble: ModelTrouble;
  readonly retryAfterSeconds: number | undefined;

  constructor(trouble: ModelTrouble, reason: string, retryAfterSeconds?: number) {
    super(`${trouble}: ${reason}`);
    this.trouble = trouble;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
