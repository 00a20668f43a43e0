import type { OpenAPIObject, SchemaObject } from 'openapi3-ts/oas31';
import { ANY_TEXT } from './schema-override.ts';

/** A place in a schema, such as `SendMessageRequest.message`, and what changed there. */
export type Difference = { readonly place: string; readonly what: string };

/** Whether clients write the schema, in requests, or read it, in responses. */
export type Direction = 'request' | 'response';

export type SchemaInDocument = {
  readonly document: OpenAPIObject;
  readonly schema: SchemaObject | { $ref: string };
};

/** Returns the breaking changes of a schema. */
export function schemaBreaks(
  direction: Direction,
  place: string,
  before: SchemaInDocument,
  now: SchemaInDocument,
  seen: Set<string> = new Set(),
): Difference[] {
  const name = getName(now) ?? getName(before);
  const path = name ?? place;
  const visit = `${getName(before)} ${getName(now)}`;
  if (name && seen.has(visit)) return [];
  if (name) seen.add(visit);
  const was = resolve(before);
  const is = resolve(now);
  const kind = findKindBreak(direction, was, is);
  if (kind) return [{ place: path, what: kind }];
  const compareChild = (step: string, old: SchemaObject, added: SchemaObject) =>
    schemaBreaks(
      direction,
      `${path}${step}`,
      { ...before, schema: old },
      { ...now, schema: added },
      new Set(seen),
    );
  const items =
    was.items && is.items ? compareChild('[]', was.items as SchemaObject, is.items as SchemaObject) : [];
  return [
    ...valueBreaks(direction, was, is).map((what) => ({ place: path, what })),
    ...items,
    ...memberBreaks(direction, path, was, is, compareChild),
    ...fieldBreaks(direction, path, was, is, compareChild),
  ];
}

type CompareChild = (step: string, before: SchemaObject, now: SchemaObject) => Difference[];

function findKindBreak(direction: Direction, was: SchemaObject, is: SchemaObject): string | undefined {
  const [before, now] = [getKind(was), getKind(is)];
  // Widening integer to number is safe in requests, narrowing it in responses.
  const widening = direction === 'request' ? ['integer', 'number'] : ['number', 'integer'];
  if (before === now || (before === widening[0] && now === widening[1])) return undefined;
  return `was ${before} and is ${now}`;
}

function getKind(schema: SchemaObject): string {
  if (schema.oneOf) return 'a union';
  return String(Array.isArray(schema.type) ? schema.type[0] : schema.type);
}

/** Compares null, enums, and in requests bounds and formats. */
function valueBreaks(direction: Direction, was: SchemaObject, is: SchemaObject): string[] {
  const isWider = (schema: SchemaObject) => Array.isArray(schema.type) && schema.type.includes('null');
  const isNew = direction === 'request' ? isWider(was) && !isWider(is) : !isWider(was) && isWider(is);
  const nulls = isNew ? [direction === 'request' ? 'may not be null anymore' : 'may be null now'] : [];
  return [...nulls, ...enumBreaks(direction, was, is), ...boundBreaks(direction, was, is)];
}

function enumBreaks(direction: Direction, was: SchemaObject, is: SchemaObject): string[] {
  const [before, now] = [getValues(was), getValues(is)];
  if (!before && !now) return [];
  if (direction === 'request') {
    const removed = before ? before.filter((value) => now && !now.includes(value)) : ['anything else'];
    return now ? removed.map((value) => `no longer accepts ${value}`) : [];
  }
  if (!now) return ['returns values that were not listed'];
  if (!before) return [];
  return [
    ...now.filter((value) => !before.includes(value)).map((value) => `returns ${value}, which is new`),
    ...before.filter((value) => !now.includes(value)).map((value) => `no longer returns ${value}`),
  ];
}

function getValues(schema: SchemaObject): unknown[] | undefined {
  return schema.const === undefined ? schema.enum : [schema.const];
}

/** A keyword, and whether it narrows a value when its number grows or shrinks. */
const BOUNDS = [
  ['minLength', 'grown'],
  ['minimum', 'grown'],
  ['minItems', 'grown'],
  ['maxLength', 'shrunk'],
  ['maximum', 'shrunk'],
  ['maxItems', 'shrunk'],
] as const;

function boundBreaks(direction: Direction, was: SchemaObject, is: SchemaObject): string[] {
  if (direction === 'response') {
    return was.format === is.format || getValues(is)
      ? []
      : [`has the format ${is.format}, not ${was.format}`];
  }
  const narrowed = BOUNDS.filter(([keyword, how]) => {
    const fallback = how === 'grown' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
    const change = (is[keyword] ?? fallback) - (was[keyword] ?? fallback);
    return how === 'grown' ? change > 0 : change < 0;
  });
  const breaks = narrowed.map(
    ([keyword]) => `has a ${keyword} of ${is[keyword]}, not ${was[keyword] ?? 'none'}`,
  );
  const takesAny = is.pattern === undefined || is.pattern === ANY_TEXT;
  if (!takesAny && is.pattern !== was.pattern) breaks.push(`has another pattern: ${is.pattern}`);
  const isWiderNumber = was.format === 'int32' && (is.format === 'int64' || is.format === 'double');
  const isFormatNew = is.format !== undefined && is.format !== was.format && !isWiderNumber;
  if (isFormatNew) breaks.push(`has the format ${is.format}, not ${was.format}`);
  return breaks;
}

function memberBreaks(
  direction: Direction,
  path: string,
  was: SchemaObject,
  is: SchemaObject,
  compareChild: CompareChild,
): Difference[] {
  const before = was.discriminator?.mapping ?? {};
  const now = is.discriminator?.mapping ?? {};
  const removed = Object.keys(before).filter((tag) => !(tag in now));
  const added = Object.keys(now).filter((tag) => !(tag in before));
  const verb = direction === 'request' ? 'accepts' : 'returns';
  return [
    ...removed.map((tag) => ({ place: path, what: `no longer ${verb} ${tag}` })),
    ...(direction === 'response' ? added : []).map((tag) => ({
      place: path,
      what: `returns ${tag}, which is new`,
    })),
    ...Object.keys(before)
      .filter((tag) => tag in now)
      .flatMap((tag) =>
        compareChild(` ${tag}`, { $ref: before[tag] } as SchemaObject, { $ref: now[tag] } as SchemaObject),
      ),
  ];
}

/**
 * Requests are strict: removing a field breaks clients that send it. Clients ignore new response
 * fields.
 */
function fieldBreaks(
  direction: Direction,
  path: string,
  was: SchemaObject,
  is: SchemaObject,
  compareChild: CompareChild,
): Difference[] {
  const [before, now] = [was.properties ?? {}, is.properties ?? {}];
  const isRequired = (schema: SchemaObject, name: string) => schema.required?.includes(name) ?? false;
  const removed = Object.keys(before).filter((name) => !(name in now));
  const required =
    direction === 'request'
      ? Object.keys(now).filter((name) => isRequired(is, name) && !isRequired(was, name))
      : Object.keys(before).filter((name) => isRequired(was, name) && name in now && !isRequired(is, name));
  const verb = direction === 'request' ? 'accepted' : 'returned';
  const change = direction === 'request' ? 'is required now' : 'may be absent now';
  return [
    ...removed.map((name) => ({ place: `${path}.${name}`, what: `is no longer ${verb}` })),
    ...required.map((name) => ({ place: `${path}.${name}`, what: change })),
    ...Object.keys(before)
      .filter((name) => name in now)
      .flatMap((name) => compareChild(`.${name}`, before[name] as SchemaObject, now[name] as SchemaObject)),
  ];
}

function getName({ schema }: SchemaInDocument): string | undefined {
  return '$ref' in schema ? schema.$ref.split('/').at(-1) : undefined;
}

function resolve({ document, schema }: SchemaInDocument): SchemaObject {
  if (!('$ref' in schema)) return schema;
  const target = document.components?.schemas?.[schema.$ref.split('/').at(-1)!];
  if (!target) throw new Error(`There is no ${schema.$ref}`);
  return resolve({ document, schema: target as SchemaObject });
}
