import type {
  HeaderObject,
  MediaTypeObject,
  OpenAPIObject,
  OperationObject,
  ParameterObject,
  ReferenceObject,
  RequestBodyObject,
  ResponseObject,
  SchemaObject,
} from 'openapi3-ts/oas31';
import { listPlacedOperations, resolve, resolveParameters } from '../../contract/openapi/document.ts';

/** A change that breaks clients of the released document. */
export type Break = Difference & { operations: readonly string[] };

type Published = OperationObject & {
  operationId: string;
  method: string;
  path: string;
};
type RateLimit = { bucket: string; points: number; windowSeconds: number };
/** The released and the current version of an operation, each with its document. */
type Pair = {
  before: OpenAPIObject;
  now: OpenAPIObject;
  was: Published;
  is: Published;
};

/** Returns each breaking change between two documents once, with the operations it affects. */
export function findBreakingChanges(before: OpenAPIObject, now: OpenAPIObject): Break[] {
  const current = new Map(listPublished(now).map((operation) => [toAddress(operation), operation]));
  const differences = listPublished(before).flatMap((was) => {
    const is = current.get(toAddress(was));
    const place = was.operationId;
    const breaks = is ? operationBreaks({ before, now, was, is }) : [{ place, what: 'was removed' }];
    return breaks.map((difference) => ({ ...difference, operation: place }));
  });
  const groups = Map.groupBy(differences, ({ place, what }) => `${place} ${what}`);
  return [...groups.values()].map((group) => ({
    place: group[0]!.place,
    what: group[0]!.what,
    operations: [...new Set(group.map(({ operation }) => operation))],
  }));
}

const CHECKS: readonly ((pair: Pair) => Difference[])[] = [
  nameBreaks,
  credentialBreaks,
  limitBreaks,
  parameterBreaks,
  bodyBreaks,
  responseBreaks,
];

function operationBreaks(pair: Pair): Difference[] {
  return CHECKS.flatMap((check) => check(pair));
}

function nameBreaks({ was, is }: Pair): Difference[] {
  const place = was.operationId;
  const renamed =
    is.operationId === place ? [] : [{ place, what: `is called ${is.operationId} in generated clients` }];
  const [before, now] = [listPathNames(was), listPathNames(is)];
  const parameters = before.filter((name, at) => name !== now[at]).map((name) => `${place} {${name}}`);
  return [...renamed, ...parameters.map((at) => ({ place: at, what: 'was renamed' }))];
}

/** Finds access that callers had with a credential, or from another origin, and have lost. */
function credentialBreaks({ was, is }: Pair): Difference[] {
  const place = was.operationId;
  const alternatives = ({ security }: Published) =>
    (security?.length ? security : [{}]).map((alternative) => JSON.stringify(alternative));
  const now = alternatives(is);
  const removed = alternatives(was).filter(
    (alternative) => !now.includes(alternative) && !now.includes('{}'),
  );
  const breaks = removed.map((alternative) => ({
    place,
    what: alternative === '{}' ? 'requires a credential' : `no longer accepts the credential ${alternative}`,
  }));
  const isCorsLost = was['x-guidepost-cross-origin'] === true && is['x-guidepost-cross-origin'] !== true;
  return isCorsLost ? [...breaks, { place, what: 'no longer accepts requests from other origins' }] : breaks;
}

/** Finds published limits that got tighter. */
function limitBreaks({ before, now, was, is }: Pair): Difference[] {
  const place = was.operationId;
  const bytes = 'x-guidepost-body-bytes-max';
  const isBodyLimitSmaller = Number(is[bytes]) < Number(was[bytes]);
  const released = new Map(getRateLimits(before, was).map((limit) => [limit.bucket, limit]));
  const tighter = getRateLimits(now, is).filter((limit) => {
    const old = released.get(limit.bucket);
    return !old || limit.points < old.points || limit.windowSeconds > old.windowSeconds;
  });
  return [
    ...(isBodyLimitSmaller
      ? [{ place, what: `accepts bodies of ${is[bytes]} bytes, not ${was[bytes]}` }]
      : []),
    ...tighter.map(({ bucket, points, windowSeconds }) => ({
      place,
      what: `is limited to ${points} requests in ${windowSeconds} s by ${bucket}`,
    })),
  ];
}

function parameterBreaks({ before, now, was, is }: Pair): Difference[] {
  const current = new Map(resolveParameters(now, is).map((parameter) => [toKey(parameter, is), parameter]));
  const released = new Map(
    resolveParameters(before, was).map((parameter) => [toKey(parameter, was), parameter]),
  );
  const place = (name: string) => `${was.operationId} ${name}`;
  const added = [...current].filter(([key, { required }]) => required && !released.get(key)?.required);
  return [
    ...added.map(([, { name }]) => ({ place: place(name), what: 'is required now' })),
    ...[...released].flatMap(([key, old]) => {
      const parameter = current.get(key);
      if (!parameter) return [{ place: place(old.name), what: 'is no longer accepted' }];
      const sides = [inDocument(before, old.schema!), inDocument(now, parameter.schema!)] as const;
      return schemaBreaks('request', place(old.name), ...sides);
    }),
  ];
}

function bodyBreaks({ before, now, was, is }: Pair): Difference[] {
  const place = `${was.operationId} body`;
  const [old, current] = [was.requestBody, is.requestBody] as (RequestBodyObject | undefined)[];
  if (!old) return current ? [{ place, what: 'is required now' }] : [];
  if (!current) return [{ place, what: 'is no longer accepted' }];
  const encodingBreaks = Object.entries(old.content).flatMap(([type, { encoding = {} }]) =>
    Object.entries(encoding).flatMap(([field, { contentType = '' }]) => {
      const accepted: string[] = current.content[type]?.encoding?.[field]?.contentType?.split(', ') ?? [];
      const removed = (contentType as string).split(', ').filter((each) => !accepted.includes(each));
      return removed.map((each) => ({ place: `${place} ${field}`, what: `no longer accepts ${each}` }));
    }),
  );
  return [
    ...encodingBreaks,
    ...contentBreaks('request', place, [before, old.content], [now, current.content]),
  ];
}

function responseBreaks({ before, now, was, is }: Pair): Difference[] {
  const current = Object.keys(is.responses ?? {});
  const added = current.filter((status) => status < '400' && !was.responses?.[status]);
  // An operation that no longer takes a credential no longer returns the errors of that credential.
  const schemes = (is.security ?? []).flatMap(Object.keys);
  const codes = listErrorCodes(now, is, schemes);
  const removed = listErrorCodes(before, was, schemes).filter((code) => !codes.includes(code));
  return [
    ...added.map((status) => ({ place: was.operationId, what: `returns ${status}, which is new` })),
    ...removed.map((code) => ({ place: was.operationId, what: `no longer returns ${code}` })),
    ...Object.entries(was.responses ?? {}).flatMap(([status, reference]) => {
      const old = resolve<ResponseObject>(before, reference);
      const response = is.responses?.[status] && resolve<ResponseObject>(now, is.responses[status]);
      const place = `${was.operationId} ${status}`;
      if (!response) return [{ place, what: 'is no longer returned' }];
      return [
        ...headerBreaks(place, [before, old.headers ?? {}], [now, response.headers ?? {}]),
        ...contentBreaks('response', place, [before, old.content ?? {}], [now, response.content ?? {}]),
      ];
    }),
  ];
}

/** Lists the error codes of an operation, of its security schemes, and of every operation. */
function listErrorCodes(document: OpenAPIObject, operation: Published, schemes: readonly string[]): string[] {
  const used = schemes.map((name) => document.components?.securitySchemes?.[name]);
  return [document, operation, ...used].flatMap(
    (part) => ((part as Extended | undefined)?.['x-guidepost-errors'] ?? []) as string[],
  );
}

type Extended = { [name: `x-${string}`]: unknown };

type InDocument<T> = readonly [OpenAPIObject, Record<string, T>];

function headerBreaks(
  place: string,
  [before, old]: InDocument<HeaderObject | ReferenceObject>,
  [now, current]: InDocument<HeaderObject | ReferenceObject>,
): Difference[] {
  return Object.entries(old).flatMap(([name, reference]) => {
    const header = `${place} ${name}`;
    if (!current[name]) return [{ place: header, what: 'is no longer sent' }];
    const was = resolve<HeaderObject>(before, reference);
    const is = resolve<HeaderObject>(now, current[name]);
    const absent = was.required && !is.required ? [{ place: header, what: 'may be absent now' }] : [];
    return [
      ...absent,
      ...schemaBreaks('response', header, inDocument(before, was.schema!), inDocument(now, is.schema!)),
    ];
  });
}

/** Compares media types. A new media type in a response breaks clients that expect the old one. */
function contentBreaks(
  direction: Direction,
  place: string,
  [before, old]: InDocument<MediaTypeObject>,
  [now, current]: InDocument<MediaTypeObject>,
): Difference[] {
  const verb = direction === 'request' ? 'accepts' : 'returns';
  const added = direction === 'response' ? Object.keys(current).filter((type) => !old[type]) : [];
  return [
    ...added.map((type) => ({ place, what: `returns ${type}, which is new` })),
    ...Object.entries(old).flatMap(([type, media]) => {
      const { schema } = current[type] ?? {};
      if (!schema) return [{ place, what: `no longer ${verb} ${type}` }];
      return schemaBreaks(direction, place, inDocument(before, media.schema!), inDocument(now, schema));
    }),
  ];
}

function listPublished(document: OpenAPIObject): Published[] {
  return listPlacedOperations(document).map(
    ({ operation, ...place }) => ({ ...operation, ...place }) as Published,
  );
}

/** Identifies an operation by method and path; path parameter names do not matter on the wire. */
function toAddress({ method, path }: Published): string {
  return `${method} ${path.replace(/\{\w+\}/g, '{}')}`;
}

function listPathNames({ path }: Published): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
}

function toKey({ in: where, name }: ParameterObject, operation: Published): string {
  return where === 'path'
    ? `path ${listPathNames(operation).indexOf(name)}`
    : `${where} ${name.toLowerCase()}`;
}

function getRateLimits(document: OpenAPIObject, operation: Published): RateLimit[] {
  const sizes = (document['x-guidepost-buckets'] ?? {}) as Record<string, Omit<RateLimit, 'bucket'>>;
  const names = (operation['x-guidepost-buckets'] ?? []) as string[];
  return names.map((bucket) => ({ bucket, ...sizes[bucket]! }));
}

function inDocument(document: OpenAPIObject, schema: SchemaObject | ReferenceObject) {
  return { document, schema };
}

/** A place in a schema, such as `SendMessageRequest.message`, and the change there. */
type Difference = { place: string; what: string };

/** Whether clients write the schema, in requests, or read it, in responses. */
type Direction = 'request' | 'response';

type SchemaInDocument = {
  document: OpenAPIObject;
  schema: SchemaObject | { $ref: string };
};

/** Returns the breaking changes of a schema. */
function schemaBreaks(
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
  const was = resolve<SchemaObject>(before.document, before.schema);
  const is = resolve<SchemaObject>(now.document, now.schema);
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

/** Compares nullability, enums and formats, and in requests bounds and patterns. */
function valueBreaks(direction: Direction, was: SchemaObject, is: SchemaObject): string[] {
  const isNullable = (schema: SchemaObject) => Array.isArray(schema.type) && schema.type.includes('null');
  const isNullChangeBreaking =
    direction === 'request' ? isNullable(was) && !isNullable(is) : !isNullable(was) && isNullable(is);
  const nulls = isNullChangeBreaking
    ? [direction === 'request' ? 'may not be null anymore' : 'may be null now']
    : [];
  return [...nulls, ...enumBreaks(direction, was, is), ...boundBreaks(direction, was, is)];
}

function enumBreaks(direction: Direction, was: SchemaObject, is: SchemaObject): string[] {
  const [before, now] = [getValues(was), getValues(is)];
  if (!before && !now) return [];
  if (direction === 'request') {
    const removed = before ? before.filter((value) => now && !now.includes(value)) : ['anything else'];
    return now ? removed.map((value) => `no longer accepts ${value}`) : [];
  }
  // Clients tolerate any value of an open enum.
  if (was['x-extensible-enum']) return [];
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

/** Keywords, and whether each narrows a schema when its number grows or when it shrinks. */
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
  if (is.pattern !== undefined && is.pattern !== was.pattern)
    breaks.push(`has another pattern: ${is.pattern}`);
  // A double is wider than an integer, which has no format.
  const isFormatNew = is.format !== undefined && is.format !== was.format && is.format !== 'double';
  if (isFormatNew) breaks.push(`has the format ${is.format}, not ${was.format}`);
  return breaks;
}

/** Compares union members. Clients ignore new members, but break when a member goes. */
function memberBreaks(
  direction: Direction,
  path: string,
  was: SchemaObject,
  is: SchemaObject,
  compareChild: CompareChild,
): Difference[] {
  const before = was.discriminator?.mapping ?? {};
  const now = is.discriminator?.mapping ?? {};
  const verb = direction === 'request' ? 'accepts' : 'returns';
  return Object.keys(before).flatMap((tag) => {
    if (!(tag in now)) return [{ place: path, what: `no longer ${verb} ${tag}` }];
    return compareChild(` ${tag}`, { $ref: before[tag] } as SchemaObject, { $ref: now[tag] } as SchemaObject);
  });
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
  return schema.$ref ? schema.$ref.split('/').at(-1) : undefined;
}
