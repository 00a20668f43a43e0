/**
 * Serializes a value as canonical JSON: equal values always give the same bytes, so their hashes are
 * comparable. Members are sorted by UTF-16 code units and undefined ones omitted, without white space (the
 * ordering and number rules of RFC 8785). Throws a TypeError for what JSON would lose: NaN, infinities,
 * bigint, functions, symbols, and `undefined` inside a list.
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return JSON.stringify(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new TypeError(`JSON cannot carry the number ${value}`);
    return JSON.stringify(value);
  }
  if (typeof value !== 'object') throw new TypeError(`JSON cannot carry a ${typeof value}`);
  if (Array.isArray(value)) return `[${Array.from(value, canonicalJson).join(',')}]`;
  return canonicalObject(value as Record<string, unknown>);
}

function canonicalObject(object: Record<string, unknown>): string {
  let text = '{';
  for (const name of Object.keys(object).sort()) {
    const member = object[name];
    if (member === undefined) continue;
    if (text.length > 1) text += ',';
    text += `${JSON.stringify(name)}:${canonicalJson(member)}`;
  }
  return `${text}}`;
}
