/**
 * Estimates the tokens of texts. Tokenizers need more for some scripts than for others, and differ from each other: the rates
 * begin high and follow what the server counts.
 */

/** Tokens for each character to begin with: ASCII, other Latin letters, Cyrillic, Han and kana, Hangul, others. */
const RATES = [1 / 3.5, 1.25, 1 / 1.3, 1, 1, 1] as const;
const [ASCII, LATIN, CYRILLIC, HAN, HANGUL, OTHER] = [0, 1, 2, 3, 4, 5];
/** How far rates may leave those. */
const FACTOR_MAX = 3;
/** In shorter prompts, what the server adds to the text weighs too much. */
const TOKENS_MIN = 200;
/** An estimate that was too high is corrected slowly, since one that is too low loses the beginning of a prompt. */
const SLOWNESS = 4;

/** The number of characters of each script. */
export type ScriptCounts = readonly number[];

export class TokenRates {
  readonly #rates: number[] = [...RATES];

  estimate(text: string): number {
    return this.toTokens(countScripts([text]));
  }

  toTokens(counts: ScriptCounts): number {
    return Math.ceil(counts.reduce((sum, count, script) => sum + count * this.#rates[script]!, 0));
  }

  /** @param tokens what the server counted */
  learn(counts: ScriptCounts, tokens: number): void {
    const estimated = this.toTokens(counts);
    const error = tokens / estimated - 1;
    // Some servers count only what they had not in their cache.
    if (tokens < TOKENS_MIN || estimated < TOKENS_MIN || Math.abs(error) > FACTOR_MAX) return;
    const shares = counts.map((count, script) => (count * this.#rates[script]!) / estimated);
    const squares = shares.reduce((sum, share) => sum + share ** 2, 0);
    const step = (error > 0 ? error : error / SLOWNESS) / squares;
    for (const [script, share] of shares.entries()) {
      const rate = this.#rates[script]! * (1 + step * share);
      const first = RATES[script]!;
      this.#rates[script] = Math.min(first * FACTOR_MAX, Math.max(first / FACTOR_MAX, rate));
    }
  }
}

export function countScripts(texts: readonly string[]): ScriptCounts {
  const counts = RATES.map(() => 0);
  for (const text of texts) {
    for (let at = 0; at < text.length; at++) counts[findScript(text.charCodeAt(at))]! += 1;
  }
  return counts;
}

function findScript(unit: number): number {
  if (unit < 0x80) return ASCII;
  if (unit < 0x250) return LATIN;
  if (unit >= 0x400 && unit < 0x530) return CYRILLIC;
  if (unit >= 0xac00 && unit < 0xd7b0) return HANGUL;
  const isHan = (unit >= 0x2e80 && unit < 0xa000) || (unit >= 0xf900 && unit < 0xfb00) || unit >= 0xff00;
  return isHan ? HAN : OTHER;
}
