import type { z } from 'zod';
import type { Speaker, TokenMinter, Transcriber } from './speech.ts';
import type { Upstream } from './upstream.ts';

/** The parts of the speech port that one provider implements. */
export type SpeechProvider = {
  readonly minter?: TokenMinter;
  readonly transcriber?: Transcriber;
  readonly speaker?: Speaker;
};

/** Validates a provider's reply; unknown fields are ignored. */
export function parseReply<T>(upstream: Upstream, schema: z.ZodType<T>, reply: unknown): T {
  const parsed = schema.safeParse(reply);
  if (!parsed.success) throw upstream.failure('upstream', 'answered with JSON that lacks required fields');
  return parsed.data;
}

/** `de` for `de-CH`; undefined when the locale is invalid or names no language. */
export function getLanguage(locale: string | undefined): string | undefined {
  if (locale === undefined) return undefined;
  try {
    const { language } = new Intl.Locale(locale);
    return language === 'und' ? undefined : language;
  } catch {
    return undefined;
  }
}
