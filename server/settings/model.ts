import type { LookupFunction } from 'node:net';
import { z } from 'zod';
import { MODEL_PROVIDERS } from '../../contract/limits/workspace.ts';
import { isInNetworks, toLiteral } from '../base/network.ts';
import type { ProxySettings } from '../base/proxy.ts';

/** Settings of the language model and of the embedding model: each a server that speaks OpenAI's protocol. */

const PRIVATE_NETWORKS = [
  '127.0.0.0/8',
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '::1/128',
  'fc00::/7',
];

const baseUrl = z
  .url()
  .refine(
    isSafeAddress,
    'must be an https address, or http on this machine or in a private network, without user, query or fragment',
  )
  .optional();
const apiKey = z
  .string()
  .regex(/^[\x21-\x7e]{1,1024}$/, 'must be printable characters without spaces')
  .optional()
  .describe('API key of that server; any word if it needs none.');
const model = z
  .string()
  .regex(/^[\w.:/@+-]{1,200}$/, 'must be the name of a model')
  .optional();

/** Without the first three, answers are quoted from articles. */
export const llmSettings = {
  LLM_PROVIDER: z
    .enum(MODEL_PROVIDERS)
    .default('openai')
    .describe(
      'Protocol of the server: chat completions, which most servers offer, or Messages of Anthropic, with its cache and citations.',
    ),
  LLM_BASE_URL: baseUrl.describe(
    'Base URL of the server, including /v1, such as `https://api.anthropic.com/v1`. Without it, answers are quoted from articles.',
  ),
  LLM_API_KEY: apiKey,
  LLM_MODEL: model.describe('Model that writes the answers.'),
  LLM_REWRITE_MODEL: model.describe(
    'Smaller model of the same server that rewrites follow-ups before the search. Without it, LLM_MODEL does.',
  ),
  LLM_EXTRA_BODY: z
    .string()
    .max(10_000)
    .transform(parseFields)
    .optional()
    .describe(
      'JSON object of further fields for each request, such as `{"reasoning_effort":"low"}`. It replaces none of the fields that the service sends.',
    ),
  LLM_TIMEOUT_MILLIS: millis(60_000).describe('Timeout of a whole answer.'),
  LLM_FIRST_TOKEN_TIMEOUT_MILLIS: millis(15_000).describe(
    'Timeout until the first token. After it, the answer is quoted from articles instead.',
  ),
  LLM_IDLE_TIMEOUT_MILLIS: millis(10_000).describe('Maximum pause within an answer.'),
  LLM_RETRIES: z.coerce
    .number()
    .int()
    .min(0)
    .max(1)
    .default(0)
    .describe('Retries of a request that failed before its first token.'),
  LLM_CONTEXT_TOKENS: z.coerce
    .number()
    .int()
    .min(1024)
    .max(100_000_000)
    .optional()
    .describe(
      'Tokens that the model reads and writes together. Without it, the service asks the server, and assumes enough if that does not say.',
    ),
  LLM_INPUT_TOKENS_MAX: tokens(8000).describe(
    'Approximate maximum of tokens sent: passages, page context and history.',
  ),
  LLM_OUTPUT_TOKENS_MAX: tokens(1024).describe('Maximum tokens per answer.'),
  LLM_MONTHLY_TOKENS_MAX: z.coerce
    .number()
    .int()
    .min(0)
    .max(2_000_000_000)
    .default(10_000_000)
    .describe(
      "Maximum tokens per workspace and calendar month (in the workspace's time zone); a workspace may set itself a lower one. " +
        'Beyond it, answers are quoted from articles.',
    ),
  LLM_OUTPUT_TOKENS_FIELD: z
    .enum(['max_tokens', 'max_completion_tokens'])
    .default('max_tokens')
    .describe('Name of the field in which the server takes that maximum.'),
  LLM_IMAGES: z
    .enum(['on', 'off'])
    .default('off')
    .describe(
      'Whether to send screenshots that the visitor and the workspace allow. Needs a model that reads images.',
    ),
};

const prefix = z.string().max(1_000).default('');

/** With the base URL, key and model of a server, that server replaces the model inside the service. */
export const embeddingsSettings = {
  EMBEDDINGS: z
    .enum(['on', 'off'])
    .default('on')
    .describe('Whether to find articles by their meaning, too. `off`: by their words alone.'),
  EMBEDDINGS_BASE_URL: baseUrl.describe(
    'Base URL of an OpenAI-compatible server of embeddings, including /v1. Without it, the model inside the service is used.',
  ),
  EMBEDDINGS_API_KEY: apiKey,
  EMBEDDINGS_MODEL: model.describe(
    'Model that embeds published texts and questions. After a change, all texts are embedded again.',
  ),
  EMBEDDINGS_QUERY_PREFIX: prefix.describe(
    'Text that the model of that server expects before a question, for example `query: `.',
  ),
  EMBEDDINGS_PASSAGE_PREFIX: prefix.describe(
    'Text that the model of that server expects before a passage, for example `passage: `. After a change, all texts are embedded again.',
  ),
  EMBEDDINGS_MONTHLY_TOKENS_MAX: z.coerce
    .number()
    .int()
    .min(0)
    .max(2_000_000_000)
    .default(20_000_000)
    .describe(
      'Maximum tokens of published texts that this server embeds per workspace and calendar month (UTC). Questions, of a few tokens each, are not counted.',
    ),
};

type ModelServer = {
  /** Without a trailing slash. */
  baseUrl: string;
  apiKey: string;
  model: string;
  /** Undefined when the server is reached directly. */
  proxy: ProxySettings | undefined;
};

export type EmbeddingServerSettings = ModelServer & {
  kind: 'server';
  prefixes: { query: string; passage: string };
  monthlyTokensMax: number;
};

/** A server, or the model inside the service. */
export type EmbeddingsSettings = EmbeddingServerSettings | { kind: 'inside' };

export type LlmSettings = ModelServer &
  ModelLimits & {
    provider: (typeof MODEL_PROVIDERS)[number];
    rewriteModel: string | undefined;
    /** Fields that the server takes besides those of the protocol. */
    extraBody: Readonly<Record<string, unknown>> | undefined;
    outputTokensField: 'max_tokens' | 'max_completion_tokens';
    images: boolean;
    /** Resolves and checks the address of a workspace's model. */
    lookup?: LookupFunction;
  };

/** Limits of every model, also of those of workspaces. */
export type ModelLimits = {
  timeoutMillis: number;
  firstTokenTimeoutMillis: number;
  idleTimeoutMillis: number;
  retries: number;
  /** Undefined where the server is asked. */
  contextTokens: number | undefined;
  inputTokensMax: number;
  outputTokensMax: number;
  monthlyTokensMax: number;
};

/** Returns a sentence when a setting is missing. */
export function parseLlmSettings(
  values: z.infer<z.ZodObject<typeof llmSettings>>,
  proxy: ProxySettings | undefined,
): LlmSettings | undefined | string {
  const server = parseServer('LLM', values.LLM_BASE_URL, values.LLM_API_KEY, values.LLM_MODEL);
  if (server === undefined || typeof server === 'string') return server;
  return {
    ...server,
    proxy,
    provider: values.LLM_PROVIDER,
    rewriteModel: values.LLM_REWRITE_MODEL,
    extraBody: values.LLM_EXTRA_BODY,
    ...toModelLimits(values),
    outputTokensField: values.LLM_OUTPUT_TOKENS_FIELD,
    images: values.LLM_IMAGES === 'on',
  };
}

export function toModelLimits(values: z.infer<z.ZodObject<typeof llmSettings>>): ModelLimits {
  return {
    timeoutMillis: values.LLM_TIMEOUT_MILLIS,
    firstTokenTimeoutMillis: values.LLM_FIRST_TOKEN_TIMEOUT_MILLIS,
    idleTimeoutMillis: values.LLM_IDLE_TIMEOUT_MILLIS,
    retries: values.LLM_RETRIES,
    contextTokens: values.LLM_CONTEXT_TOKENS,
    inputTokensMax: values.LLM_INPUT_TOKENS_MAX,
    outputTokensMax: values.LLM_OUTPUT_TOKENS_MAX,
    monthlyTokensMax: values.LLM_MONTHLY_TOKENS_MAX,
  };
}

/** Returns undefined when embeddings are off, and a sentence when a setting is missing. */
export function parseEmbeddingsSettings(
  values: z.infer<z.ZodObject<typeof embeddingsSettings>>,
  proxy: ProxySettings | undefined,
): EmbeddingsSettings | undefined | string {
  const server = parseServer(
    'EMBEDDINGS',
    values.EMBEDDINGS_BASE_URL,
    values.EMBEDDINGS_API_KEY,
    values.EMBEDDINGS_MODEL,
  );
  if (typeof server === 'string') return server;
  if (values.EMBEDDINGS === 'off') return undefined;
  if (!server) return { kind: 'inside' };
  return {
    ...server,
    proxy,
    kind: 'server',
    prefixes: { query: values.EMBEDDINGS_QUERY_PREFIX, passage: values.EMBEDDINGS_PASSAGE_PREFIX },
    monthlyTokensMax: values.EMBEDDINGS_MONTHLY_TOKENS_MAX,
  };
}

function parseServer(
  prefix: 'LLM' | 'EMBEDDINGS',
  baseUrl?: string,
  apiKey?: string,
  model?: string,
): Omit<ModelServer, 'proxy'> | undefined | string {
  if (!baseUrl && !apiKey && !model) return undefined;
  if (!baseUrl || !apiKey || !model) {
    return `${prefix}_BASE_URL, ${prefix}_API_KEY, ${prefix}_MODEL: the model needs all three of them`;
  }
  return { baseUrl: baseUrl.replace(/\/+$/, ''), apiKey, model };
}

/** Tells whether a key, visitors' questions and articles can be sent to this address safely. */
function isSafeAddress(text: string): boolean {
  const url = URL.parse(text);
  if (!url) return false;
  const { protocol, hostname, username, password, search, hash } = url;
  const isPrivate = protocol === 'https:' || (protocol === 'http:' && isPrivateHost(hostname));
  return isPrivate && username === '' && password === '' && search === '' && hash === '';
}

/** Names that only private networks resolve, such as `host.docker.internal` and services of Kubernetes. */
const PRIVATE_NAME = /^[a-z0-9-]+$|\.(?:local|internal|svc|svc\.cluster\.local)$/;

/** Whether a host is this machine, or in its private or container network. */
function isPrivateHost(hostname: string): boolean {
  const address = toLiteral(hostname);
  return PRIVATE_NAME.test(hostname) || isInNetworks(address, PRIVATE_NETWORKS);
}

function parseFields(text: string, context: z.core.$RefinementCtx): Record<string, unknown> {
  const fields = z.record(z.string(), z.unknown());
  try {
    return fields.parse(JSON.parse(text));
  } catch {
    context.addIssue({ code: 'custom', message: 'must be a JSON object' });
    return z.NEVER;
  }
}

function millis(fallback: number) {
  return z.coerce.number().int().min(10).max(600_000).default(fallback);
}

function tokens(fallback: number) {
  return z.coerce.number().int().min(64).max(1_000_000).default(fallback);
}
