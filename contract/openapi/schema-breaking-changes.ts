import type { OpenAPIObject, SchemaObject } from 'openapi3-ts/oas31';
import { ANY_TEXT } from './schema-override.ts';

/** A place in a schema, such as `SendMessageRequest.message`, and what changed there. */
export type Difference = { readonly place: string; readonly what: string };

/**
 * `asked`: a request schema, which clients write. `answered`: a response schema, which clients read.
 */
export type Direction = 'asked' | 'answered';

export type Side = { readonly document: OpenAPIObject; readonly schema: SchemaObject | { $ref: string } };

/** Returns the breaking changes of a schema. */
export function schemaBreaks(
  direction: Direction,
  place: string,
  before: Side,
  now: Side,
  seen: Set<string> = new Set(),
): Difference[] {
  const name = nameOf(now) ?? nameOf(before);
  const here = name ?? place;
  const visit = `${nameOf(before)} ${nameOf(now)}`;
  if (name && seen.has(visit)) return [];
  if (name) seen.add(visit);
  const was = plain(before);
  const is = plain(now);
  const kind = findKindBreak(direction, was, is);
  if (kind) return [{ place: here, what: kind }];
  const deeper = (step: string, old: SchemaObject, fresh: SchemaObject) =>
    schemaBreaks(
      direction,
      `${here}${step}`,
      { ...before, schema: old },
      { ...now, schema: fresh },
      new Set(seen),
    );
  const items =
    was.items && is.items ? deeper('[]', was.items as SchemaObject, is.items as SchemaObject) : [];
  return [
    ...valueBreaks(direction, was, is).map((what) => ({ place: here, what })),
    ...items,
    ...memberBreaks(direction, here, was, is, deeper),
    ...fieldBreaks(direction, here, was, is, deeper),
  ];
}

type Deeper = (step: string, before: SchemaObject, now: SchemaObject) => Difference[];

function findKindBreak(direction: Direction, was: SchemaObject, is: SchemaObject): string | undefined {
  const [before, now] = [getKind(was), getKind(is)];
  // Widening integer to number is safe in requests, narrowing it in responses.
  const widened = direction === 'asked' ? ['integer', 'number'] : ['number', 'integer'];
  if (before === now || (before === widened[0] && now === widened[1])) return undefined;
  return `was ${before} and is ${now}`;
}

function getKind(schema: SchemaObject): string {
  if (schema.oneOf) return 'a union';
  return String(Array.isArray(schema.type) ? schema.type[0] : schema.type);
}

/** Enums, null and, in requests, bounds and formats. */
function valueBreaks(direction: Direction, was: SchemaObject, is: SchemaObject): string[] {
  const isWider = (schema: SchemaObject) => Array.isArray(schema.type) && schema.type.includes('null');
  const isNew = direction === 'asked' ? isWider(was) && !isWider(is) : !isWider(was) && isWider(is);
  const nulls = isNew ? [direction === 'asked' ? 'may not be null anymore' : 'may be null now'] : [];
  return [...nulls, ...listBreaks(direction, was, is), ...widthBreaks(direction, was, is)];
}

function listBreaks(direction: Direction, was: SchemaObject, is: SchemaObject): string[] {
  const [before, now] = [valuesOf(was), valuesOf(is)];
  if (!before && !now) return [];
  if (direction === 'asked') {
    const gone = before ? before.filter((value) => now && !now.includes(value)) : ['anything else'];
    return now ? gone.map((value) => `no longer takes ${value}`) : [];
  }
  if (!now) return ['answers values that were not listed'];
  if (!before) return [];
  return [
    ...now.filter((value) => !before.includes(value)).map((value) => `answers ${value}, which is new`),
    ...before.filter((value) => !now.includes(value)).map((value) => `no longer answers ${value}`),
  ];
}

function valuesOf(schema: SchemaObject): unknown[] | undefined {
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

function widthBreaks(direction: Direction, was: SchemaObject, is: SchemaObject): string[] {
  if (direction === 'answered') {
    return was.format === is.format || valuesOf(is) ? [] : [`has the format ${is.format}, not ${was.format}`];
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
  here: string,
  was: SchemaObject,
  is: SchemaObject,
  deeper: Deeper,
): Difference[] {
  const before = was.discriminator?.mapping ?? {};
  const now = is.discriminator?.mapping ?? {};
  const gone = Object.keys(before).filter((tag) => !(tag in now));
  const fresh = Object.keys(now).filter((tag) => !(tag in before));
  const verb = direction === 'asked' ? 'takes' : 'answers';
  return [
    ...gone.map((tag) => ({ place: here, what: `no longer ${verb} ${tag}` })),
    ...(direction === 'answered' ? fresh : []).map((tag) => ({
      place: here,
      what: `answers ${tag}, which is new`,
    })),
    ...Object.keys(before)
      .filter((tag) => tag in now)
      .flatMap((tag) =>
        deeper(` ${tag}`, { $ref: before[tag] } as SchemaObject, { $ref: now[tag] } as SchemaObject),
      ),
  ];
}

/**
 * Requests are strict: removing a field breaks clients that send it. Clients ignore new response
 * fields.
 */
function fieldBreaks(
  direction: Direction,
  here: string,
  was: SchemaObject,
  is: SchemaObject,
  deeper: Deeper,
): Difference[] {
  const [before, now] = [was.properties ?? {}, is.properties ?? {}];
  const isRequired = (schema: SchemaObject, name: string) => schema.required?.includes(name) ?? false;
  const gone = Object.keys(before).filter((name) => !(name in now));
  const required =
    direction === 'asked'
      ? Object.keys(now).filter((name) => isRequired(is, name) && !isRequired(was, name))
      : Object.keys(before).filter((name) => isRequired(was, name) && name in now && !isRequired(is, name));
  const verb = direction === 'asked' ? 'taken' : 'answered';
  const deps = direction === 'asked' ? 'is required now' : 'may be absent now';
  return [
    ...gone.map((name) => ({ place: `${here}.${name}`, what: `is no longer ${verb}` })),
    ...required.map((name) => ({ place: `${here}.${name}`, what: deps })),
    ...Object.keys(before)
      .filter((name) => name in now)
      .flatMap((name) => deeper(`.${name}`, before[name] as SchemaObject, now[name] as SchemaObject)),
  ];
}

function nameOf({ schema }: Side): string | undefined {
  return '$ref' in schema ? schema.$ref.split('/').at(-1) : undefined;
}

function plain({ document, schema }: Side): SchemaObject {
  if (!('$ref' in schema)) return schema;
  const target = document.components?.schemas?.[schema.$ref.split('/').at(-1)!];
  if (!target) throw new Error(`There is no ${schema.$ref}`);
  return plain({ document, schema: target as SchemaObject });
}
