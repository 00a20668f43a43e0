import { z } from 'zod';
import { isSafeAddress } from './llm-settings.ts';

/** Settings of the embedding model. Without the first three, articles are found by words alone. */

export const embeddingsSettings = {
  EMBEDDINGS_BASE_URL: z
    .url()
    .refine(
      isSafeAddress,
      'must be an https address, or http on this machine or to a host without a dot, without user, query or fragment',
    )
    .optional()
    .describe(
      'Base URL of an OpenAI-compatible server of embeddings, including /v1. Without it, articles are found by words alone.',
    ),
  EMBEDDINGS_API_KEY: z
    .string()
    .regex(/^[\x21-\x7e]{1,1024}$/, 'must be printable characters without spaces')
    .optional()
    .describe('API key of that server; any word if it needs none.'),
  EMBEDDINGS_MODEL: z
    .string()
    .regex(/^[\w.:/@+-]{1,200}$/, 'must be the name of a model')
    .optional()
    .describe(
      'Model that embeds published texts and questions. After a change, all texts are embedded again.',
    ),
  EMBEDDINGS_MONTHLY_TOKENS_MAX: z.coerce
    .number()
    .int()
    .min(0)
    .max(2_000_000_000)
    .default(20_000_000)
    .describe(
      'Maximum tokens of published texts to embed per workspace and calendar month (UTC). Questions, of a few tokens each, are not counted.',
    ),
};

export type EmbeddingsSettings = {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly model: string;
  readonly monthlyTokensMax: number;
};

/** Returns a sentence when a setting is missing. */
export function parseEmbeddingsSettings(
  set: z.infer<z.ZodObject<typeof embeddingsSettings>>,
): EmbeddingsSettings | undefined | string {
  const { EMBEDDINGS_BASE_URL: baseUrl, EMBEDDINGS_API_KEY: apiKey, EMBEDDINGS_MODEL: model } = set;
  if (!baseUrl && !apiKey && !model) return undefined;
  if (!baseUrl || !apiKey || !model) {
    return 'EMBEDDINGS_BASE_URL, EMBEDDINGS_API_KEY, EMBEDDINGS_MODEL: an embedding model needs all three of them';
  }
  return {
    baseUrl: baseUrl.replace(/\/+$/, ''),
    apiKey,
    model,
    monthlyTokensMax: set.EMBEDDINGS_MONTHLY_TOKENS_MAX,
  };
}
