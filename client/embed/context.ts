import type { GuidepostContext } from './public-api.ts';

const FACTS_MAX = 20;
const NAME_CHARS_MAX = 60;
const VALUE_CHARS_MAX = 200;

/** Formats the context that the page has set, as lines for the top of its digest. */
export function formatContext(context: GuidepostContext | undefined): string {
  return Object.entries(context ?? {})
    .slice(0, FACTS_MAX)
    .map(
      ([name, value]) =>
        `context ${toOneLine(name, NAME_CHARS_MAX)}: ${toOneLine(String(value), VALUE_CHARS_MAX)}\n`,
    )
    .join('');
}

const toOneLine = (text: string, charsMax: number) => text.replace(/\s+/g, ' ').trim().slice(0, charsMax);
