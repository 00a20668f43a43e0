import { fc } from '../fixtures/seeded-random.ts';
import { ORIGIN } from '../harness.ts';

export const nastyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 50 }),
  fc.string({ unit: 'grapheme', maxLength: 50 }),
  fc.constantFrom(
    '',
    '\0',
    '\u202e\ufeff\u200b',
    '\ud800',
    '💥'.repeat(500),
    '__proto__',
    'constructor',
    "' OR 1=1; DROP TABLE turns; --",
    '"*" NEAR OR AND NOT (',
    '{{7*7}}<script>',
    '../../../etc/passwd',
    '\r\nevent: message_end\r\ndata: {}\r\n\r\n',
    'x'.repeat(5000),
    'ﬁ'.repeat(300),
    'a\u0301'.repeat(300),
    `${ORIGIN}/%E0%A4%A`,
    'https://[::1',
    'javascript:alert(1)',
    '9'.repeat(400),
  ),
);
const nastyNumber = fc.oneof(
  fc.double(),
  fc.constantFrom(
    -0,
    -1,
    0.5,
    1e308,
    5e-324,
    2 ** 31,
    2 ** 53,
    -(2 ** 63),
    Number.NaN,
    Number.POSITIVE_INFINITY,
  ),
);
export const nastyValue = fc.oneof(
  nastyText,
  nastyNumber,
  fc.boolean(),
  fc.constant(null),
  fc.jsonValue({ maxDepth: 4 }),
);

/** Every place in a document, as the keys that lead to it. */
function placesIn(value: unknown, path: readonly string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const place = [...path, key];
    return [place, ...placesIn(inner, place)];
  });
}

function valueAt(document: unknown, place: readonly string[]): unknown {
  return place.reduce((inner, key) => (inner as Record<string, unknown>)[key], document);
}

/** `reword` keeps the shape and changes what a text says; the others change the shape. */
export type Mutation = {
  kind: 'reword' | 'replace' | 'delete' | 'add' | 'double';
  at: number;
  key: string;
  value: unknown;
};
export const mutation: fc.Arbitrary<Mutation> = fc.record({
  kind: fc.constantFrom('reword', 'reword', 'reword', 'reword', 'replace', 'delete', 'add', 'double'),
  at: fc.nat(),
  key: nastyText,
  value: nastyValue,
});

export function mutated(
  document: Record<string, unknown>,
  { kind, at, key, value }: Mutation,
): Record<string, unknown> {
  const copy = structuredClone(document);
  const places =
    kind === 'reword'
      ? placesIn(copy).filter((place) => typeof valueAt(copy, place) === 'string')
      : placesIn(copy);
  if (places.length === 0) return copy;
  const place = places[at % places.length]!;
  const last = place.at(-1)!;
  const parent = valueAt(copy, place.slice(0, -1)) as Record<string, unknown>;
  if (kind === 'delete') delete parent[last];
  else if (kind === 'reword') parent[last] = key;
  else if (kind === 'replace') parent[last] = value;
  else if (kind === 'double') parent[last] = [parent[last], parent[last]];
  else Object.defineProperty(parent, key, { value, enumerable: true, configurable: true, writable: true });
  return copy;
}
