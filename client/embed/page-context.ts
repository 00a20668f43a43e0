import type { GuidepostContext } from './public-api.ts';

const FACTS_MAX = 20;
const NAME_CHARS_MAX = 60;
const VALUE_CHARS_MAX = 200;

/** What the page said of itself, as lines above the digest of what it shows. */
export function linesOf(context: GuidepostContext | undefined): string {
  return Object.entries(context ?? {})
    .slice(0, FACTS_MAX)
    .map(
      ([name, value]) =>
        `context ${oneLine(name, NAME_CHARS_MAX)}: ${oneLine(String(value), VALUE_CHARS_MAX)}\n`,
    )
    .join('');
}

const oneLine = (text: string, charsMax: number) => text.replace(/\s+/g, ' ').trim().slice(0, charsMax);
