import type { ProviderError } from './engine.ts';

/** The model port: messages in, parts out as they arrive. Only the adapter knows the protocol. */

export type ModelMessage =
  | { role: 'system' | 'assistant'; text: string }
  | {
      role: 'user';
      text: string;
      image?: { mime: string; base64: string };
      /** For a model that cites documents. */
      documents?: readonly { title: string; text: string }[];
    }
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
  /** Whether the model is asked for text only; some servers want the tools of earlier calls even then. */
  callsNothing?: boolean;
  outputTokensMax: number;
  /** Headers that continue the trace of this turn at the server. */
  traceHeaders?: Readonly<Record<string, string>>;
};

export type ModelPart =
  | { type: 'text'; text: string }
  /** The server reports thinking apart from the text; sent once. */
  | { type: 'thought' }
  /** The text since the last end of a citation comes from a document, which contains the quote. */
  | { type: 'citation'; document: number; quote: string }
  | { type: 'call'; call: ModelCall }
  | {
      type: 'end';
      reason: 'stop' | 'length' | 'refusal' | 'calls';
      /** Absent when the server does not report it. Tokens that it had cached are counted. */
      usage?: { inputTokens: number; outputTokens: number };
    };

/**
 * Streams one answer. Aborting the signal closes the connection, and the generator returns without
 * an error.
 */
export type Model = {
  name: string;
  /** Whether it takes passages as documents and cites them itself. */
  citesDocuments: boolean;
  stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelPart, void, undefined>;
  /** How many tokens a prompt and its answer may have together; undefined when the server does not say. */
  readContextSize?(signal: AbortSignal): Promise<number | undefined>;
  close(): void;
};

/** Failures of the server, which the next question would meet too. */
const OUTAGES = [
  'unreachable',
  /** 401, 403 or 404: a wrong key, address or model. */
  'refused',
  'rate_limited',
  'overloaded',
  'first_token_timeout',
  'idle_timeout',
  'total_timeout',
  /** The stream was cut or is malformed. */
  'broken',
] as const;

/** Failures that concern one turn. */
type TurnFailureKind =
  /** The prompt is longer than the model's context. */
  | 'context_exceeded'
  /** The server does not take the request. */
  | 'rejected'
  | 'empty';

export type ModelFailureKind = (typeof OUTAGES)[number] | TurnFailureKind;

/** The server did not answer, or answered wrongly. Contains nothing of the prompt or the reply. */
export class ModelFailure extends Error {
  override readonly name = 'ModelFailure';
  readonly kind: ModelFailureKind;
  readonly retryAfterSeconds: number | undefined;
  /** The field of the request that the server does not take. */
  readonly field: string | undefined;
  readonly error: ProviderError | undefined;
  /** Why there was no connection, such as `ENOTFOUND`. */
  readonly networkCode: string | undefined;

  constructor(
    kind: ModelFailureKind,
    reason: string,
    more: {
      retryAfterSeconds?: number;
      field?: string;
      error?: ProviderError;
      networkCode?: string | undefined;
    } = {},
  ) {
    super(`${kind}: ${reason}`);
    this.kind = kind;
    this.retryAfterSeconds = more.retryAfterSeconds;
    this.field = more.field;
    this.error = more.error;
    this.networkCode = more.networkCode;
  }

  get isOutage(): boolean {
    return OUTAGES.some((kind) => kind === this.kind);
  }
}
