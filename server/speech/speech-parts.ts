import type { z } from 'zod';
import type { Speaker, TokenMint, Transcriber } from './speech.ts';
import type { Upstream } from './upstream.ts';

/** What one provider can be asked for. */
export type SpeechParts = {
  readonly minting?: TokenMint;
  readonly transcribing?: Transcriber;
  readonly speaking?: Speaker;
};

/** A reply that has what was asked for; fields that we don't know may stand beside it. */
export function wanted<T>(upstream: Upstream, schema: z.ZodType<T>, reply: unknown): T {
  const parsed = schema.safeParse(reply);
  if (!parsed.success) throw upstream.failure('upstream', 'answered with JSON that lacks what was asked for');
  return parsed.data;
}
