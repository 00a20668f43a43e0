import { z } from 'zod';

/** The settings of the language model. Without the first three of them there is none, and answers are quoted. */

export const llmSettings = {
  LLM_BASE_URL: z
    .url()
    .refine(
      isSafeAddress,
      'must be an https address, or http on this machine or to a host without a dot, without user, query or fragment',
    )
    .optional()
    .describe(
      'Where an OpenAI-compatible server is, up to and with its /v1; answers are quoted, not written, without one.',
    ),
  LLM_API_KEY: z
    .string()
    .regex(/^[\x21-\x7e]{1,1024}$/, 'must be printable characters without spaces')
    .optional()
    .describe('The key for that server; any word where it wants none.'),
  LLM_MODEL: z
    .string()
    .regex(/^[\w.:/@+-]{1,200}$/, 'must be the name of a model')
    .optional()
    .describe('The model that answers.'),
  LLM_TIMEOUT_MILLIS: millis(60_000).describe('How long the model may take for a whole answer.'),
  LLM_FIRST_TOKEN_TIMEOUT_MILLIS: millis(15_000).describe(
    'How long the model may take until it begins; then the answer is quoted instead.',
  ),
  LLM_IDLE_TIMEOUT_MILLIS: millis(10_000).describe('How long the model may be silent within an answer.'),
  LLM_RETRIES: z.coerce
    .number()
    .int()
    .min(0)
    .max(1)
    .default(0)
    .describe('How often a request that failed before its first token is sent again.'),
  LLM_INPUT_TOKENS_MAX: tokens(8000).describe(
    'About how many tokens of passages, page and history are sent.',
  ),
  LLM_OUTPUT_TOKENS_MAX: tokens(1024).describe('How many tokens an answer may have.'),
  LLM_OUTPUT_TOKENS_FIELD: z
    .enum(['max_tokens', 'max_completion_tokens'])
    .default('max_tokens')
    .describe('The name that the server knows that maximum by.'),
  LLM_IMAGES: z
    .enum(['on', 'off'])
    .default('off')
    .describe(
      'On: screenshots that visitors and workspace allow are shown to the model, which has to read images.',
    ),
};

export type LlmSettings = {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly model: string;
  readonly timeoutMillis: number;
  readonly firstTokenTimeoutMillis: number;
  readonly idleTimeoutMillis: number;
  readonly retries: number;
  readonly inputTokensMax: number;
  readonly outputTokensMax: number;
  readonly outputTokensField: 'max_tokens' | 'max_completion_tokens';
  readonly images: boolean;
};

/** What the environment says about the model; answers with a sentence about what is missing. */
export function parseLlmSettings(
  set: z.infer<z.ZodObject<typeof llmSettings>>,
): LlmSettings | undefined | string {
  const { LLM_BASE_URL: baseUrl, LLM_API_KEY: apiKey, LLM_MODEL: model } = set;
  if (!baseUrl && !apiKey && !model) return undefined;
  if (!baseUrl || !apiKey || !model) {
    return 'LLM_BASE_URL, LLM_API_KEY, LLM_MODEL: a language model needs all three of them';
  }
  return {
    baseUrl: baseUrl.replace(/\/+$/, ''),
    apiKey,
    model,
    timeoutMillis: set.LLM_TIMEOUT_MILLIS,
    firstTokenTimeoutMillis: set.LLM_FIRST_TOKEN_TIMEOUT_MILLIS,
    idleTimeoutMillis: set.LLM_IDLE_TIMEOUT_MILLIS,
    retries: set.LLM_RETRIES,
    inputTokensMax: set.LLM_INPUT_TOKENS_MAX,
    outputTokensMax: set.LLM_OUTPUT_TOKENS_MAX,
    outputTokensField: set.LLM_OUTPUT_TOKENS_FIELD,
    images: set.LLM_IMAGES === 'on',
  };
}

/** The key and visitors' questions go there. A host without a dot is one of the same machine or container network. */
function isSafeAddress(text: string): boolean {
  const url = URL.parse(text);
  if (!url) return false;
  const { protocol, hostname, username, password, search, hash } = url;
  const isNear = ['127.0.0.1', '[::1]'].includes(hostname) || /^[a-z0-9-]+$/.test(hostname);
  const isPrivate = protocol === 'https:' || (protocol === 'http:' && isNear);
  return isPrivate && username === '' && password === '' && search === '' && hash === '';
}

function millis(usual: number) {
  return z.coerce.number().int().min(10).max(600_000).default(usual);
}

function tokens(usual: number) {
  return z.coerce.number().int().min(64).max(1_000_000).default(usual);
}
