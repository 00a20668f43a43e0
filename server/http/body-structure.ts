import { z } from 'zod';

/** What a schema accepts at most: levels, fields of one object, items of one array, and all of these together. */
export type Structure = {
  readonly depth: number;
  readonly fields: number;
  readonly items: number;
  readonly members: number;
};

const LEAF: Structure = { depth: 0, fields: 0, items: 0, members: 0 };
/** Surplus that the schema still gets to see, because it names what is wrong. */
const SURPLUS = 16;

const measured = new WeakMap<z.ZodType, Structure>();

/** Measures each schema once, when its first large body arrives. */
export function getStructure(schema: z.ZodType): Structure {
  const known = measured.get(schema) ?? measureSchema(schema);
  measured.set(schema, known);
  return known;
}

export function measureSchema(schema: z.ZodType): Structure {
  if (schema instanceof z.ZodObject) {
    const fields = Object.values(schema.shape as Record<string, z.ZodType>).map(measureSchema);
    const largest = fields.reduce(toLarger, LEAF);
    return {
      depth: largest.depth + 1,
      fields: Math.max(largest.fields, fields.length),
      items: largest.items,
      members: fields.reduce((sum, { members }) => sum + members + 1, 0),
    };
  }
  if (schema instanceof z.ZodArray) {
    const item = measureSchema(schema.element as z.ZodType);
    const items = findItemsMax(schema);
    return {
      depth: item.depth + 1,
      fields: item.fields,
      items: Math.max(items, item.items),
      members: items * (item.members + 1),
    };
  }
  return listInner(schema).map(measureSchema).reduce(toLarger, LEAF);
}

function findItemsMax({ def }: z.ZodArray): number {
  const checks = (def.checks ?? []).map((check) => check._zod.def as z.core.$ZodCheckDef);
  const maximum = checks.find((check) => check.check === 'max_length') as z.core.$ZodCheckMaxLengthDef;
  const exact = checks.find((check) => check.check === 'length_equals') as z.core.$ZodCheckLengthEqualsDef;
  const items = maximum?.maximum ?? exact?.length;
  if (items === undefined) throw new Error('an array in a request body needs a maximum');
  return items;
}

/** The schemas of the same value within a wrapper or a union. */
function listInner({ def }: z.ZodType): readonly z.ZodType[] {
  const {
    innerType,
    options,
    in: input,
    out: output,
  } = def as {
    readonly innerType?: z.ZodType;
    readonly options?: readonly z.ZodType[];
    readonly in?: z.ZodType;
    readonly out?: z.ZodType;
  };
  return [innerType, input, output, ...(options ?? [])].filter((inner) => inner !== undefined);
}

function toLarger(a: Structure, b: Structure): Structure {
  return {
    depth: Math.max(a.depth, b.depth),
    fields: Math.max(a.fields, b.fields),
    items: Math.max(a.items, b.items),
    members: Math.max(a.members, b.members),
  };
}

const [QUOTE, BACKSLASH, COMMA] = [34, 92, 44];
const [BRACE_OPEN, BRACE_CLOSE, BRACKET_OPEN, BRACKET_CLOSE] = [123, 125, 91, 93];

/**
 * Whether the text has more of something than the schema could accept. Scans until the first surplus, so what costs a lot to parse and
 * validate costs little. Text that is not JSON may pass.
 */
export function exceedsStructure(text: string, { depth: depthMax, ...max }: Structure): boolean {
  const commas = new Uint32Array(depthMax + SURPLUS + 1);
  const commasMax = new Uint32Array(commas.length);
  let depth = 0;
  let members = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = findStringEnd(text, at + 1);
      if (at < 0) return false;
    } else if (code === COMMA) {
      members += 1;
      if (++commas[depth]! > commasMax[depth]! || members > max.members + SURPLUS) return true;
    } else if (code === BRACE_OPEN || code === BRACKET_OPEN) {
      depth += 1;
      members += 1;
      if (depth >= commas.length) return true;
      commas[depth] = 0;
      commasMax[depth] = (code === BRACE_OPEN ? max.fields : max.items) + SURPLUS;
    } else if (code === BRACE_CLOSE || code === BRACKET_CLOSE) {
      depth -= 1;
      if (depth < 0) return false;
    }
  }
  return false;
}

/** The position of the closing quote. Long texts without escapes, such as Base64, are skipped at once. */
function findStringEnd(text: string, from: number): number {
  const end = text.indexOf('"', from);
  if (end < 0 || text.charCodeAt(end - 1) !== BACKSLASH) return end;
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at += 1;
  }
  return -1;
}
