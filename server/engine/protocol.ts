import type { LlmSettings } from '../settings/model.ts';
import type { ModelCall, ModelPart, ModelRequest } from './model.ts';
import type { ServerError } from './server-error.ts';

/** Turns the events of one answer into parts. */
export type AnswerReader = {
  /** Whether the model has begun with text, a tool call or thinking. */
  readonly hasBegun: boolean;
  /** Whether the reason of the end has arrived. */
  readonly isFinished: boolean;
  /** @throws SyntaxError for an invalid event. */
  read(data: string): { parts: readonly ModelPart[]; error?: ServerError; isLast?: boolean };
  calls(): ModelCall[];
  end(): Extract<ModelPart, { type: 'end' }>;
};

/** What differs between providers. */
export type Protocol = {
  /** Below the base URL. */
  path: string;
  citesDocuments: boolean;
  /** Fields of the request that a server must take. */
  neededFields: readonly string[];
  toHeaders(apiKey: string): Record<string, string>;
  toBody(settings: LlmSettings, request: ModelRequest): Record<string, unknown>;
  createReader(): AnswerReader;
};

/** Limits of what readers keep of an untrusted answer. */
export const CALLS_MAX = 8;
export const CALL_CHARS_MAX = 8192;
const TOKENS_MAX = 100_000_000;

export const asString = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Reads a number of tokens; undefined for any other value. */
export const asTokens = (value: unknown): number | undefined =>
  typeof value === 'number' && value >= 0 ? Math.min(Math.ceil(value), TOKENS_MAX) : undefined;
