import { readFile } from 'node:fs/promises';
import { IntlMessageFormat } from 'intl-messageformat';
import { describe, expect, it } from 'vitest';
import { FURTHER_TEXTS, LANGUAGES, type Language } from '../../client/dashboard/catalogs.ts';

/** Numbers of every plural category in every language. */
const COUNTS = [0, 1, 2, 3, 5, 11, 21, 1_000_000];

describe.each(LANGUAGES)('the %s catalog', (language) => {
  it('has the texts of the English catalog in the same order with the same values', async () => {
    const texts = await loadTexts(language);
    const valuesOf = (all: ReadonlyMap<string, string>) =>
      [...all].map(([key, text]) => [key, listNames(text)]);
    expect(valuesOf(texts)).toEqual(valuesOf(await loadTexts('en')));
    expect([...texts].filter(([, text]) => text !== text.trim() || text === '')).toEqual([]);
  });

  it('formats each text for each plural category', async () => {
    for (const [key, text] of await loadTexts(language)) {
      const message = new IntlMessageFormat(text, language);
      for (const count of COUNTS) {
        const values = listNames(text).map((name) =>
          name.startsWith('<') ? [name.slice(1, -1), (parts: string[]) => parts.join('')] : [name, count],
        );
        const formatted = message.format(Object.fromEntries(values));
        expect(formatted, key).not.toMatch(/undefined|^$/);
      }
    }
  });
});

it('lists only sections of the catalogs as texts of further pages', async () => {
  const keys = [...(await loadTexts('en')).keys()];
  expect(FURTHER_TEXTS.filter((path) => !keys.some((key) => key.startsWith(`${path}.`)))).toEqual([]);
});

it.each([
  // French has narrow no-break spaces before two-part punctuation and inside guillemets.
  ['fr', / [;!?»]|« |[“”]|\p{L} :|\p{L}'\p{L}/u],
  // Spanish questions and exclamations have opening marks; quotes are guillemets, as in French.
  ['es', /^[^¿]*\p{L}\?|^[^¡]*!|[“”]/u],
] as const)('the %s catalog keeps the typography of its language', async (language, mistakes) => {
  const texts = [...(await loadTexts(language))];
  expect(texts.filter(([, text]) => mistakes.test(text))).toEqual([]);
});

async function loadTexts(language: Language): Promise<Map<string, string>> {
  const file = new URL(`../../languages/dashboard/${language}.json`, import.meta.url);
  return flatten(JSON.parse(await readFile(file, 'utf8')));
}

type Texts = { [key: string]: string | Texts };

function flatten(texts: Texts, path = ''): Map<string, string> {
  const entries = Object.entries(texts).flatMap(([key, text]) =>
    typeof text === 'string' ? [[path + key, text] as const] : [...flatten(text, `${path}${key}.`)],
  );
  return new Map(entries);
}

/** Returns the names of values and tags, including those within plural forms and choices. */
function listNames(text: string): string[] {
  const names = new Set<string>();
  const visit = (elements: readonly Element[]) => {
    for (const { type, value, children, options } of elements as readonly AnyElement[]) {
      if (type !== LITERAL && type !== POUND) names.add(type === TAG ? `<${value}>` : value);
      if (children) visit(children);
      for (const each of Object.values(options ?? {})) visit(each.value);
    }
  };
  visit(new IntlMessageFormat(text, 'en').getAst());
  return [...names].toSorted();
}

type Element = ReturnType<IntlMessageFormat['getAst']>[number];
type AnyElement = {
  type: number;
  value: string;
  children?: readonly Element[];
  options?: Readonly<Record<string, { value: readonly Element[] }>>;
};
/** The types of elements in a parsed message. */
const LITERAL = 0;
const POUND = 7;
const TAG = 8;
