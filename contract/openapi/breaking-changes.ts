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
import { type Difference, type Direction, schemaBreaks } from './schema-breaking-changes.ts';

/** Something that clients of the released document rely on and that no longer holds. */
export type Break = Difference & { readonly operations: readonly string[] };

type Published = OperationObject & {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
};
type Draw = { bucket: string; withCredential: boolean; points: number; windowSeconds: number };
/** The released and the current version of an operation, each with its document. */
type Pair = {
  readonly before: OpenAPIObject;
  readonly now: OpenAPIObject;
  readonly was: Published;
  readonly is: Published;
};

/** Returns each breaking change between two documents once, with the operations it affects. */
export function findBreakingChanges(before: OpenAPIObject, now: OpenAPIObject): Break[] {
  const current = new Map(operationsOf(now).map((operation) => [toAddress(operation), operation]));
  const found = operationsOf(before).flatMap((was) => {
    const is = current.get(toAddress(was));
    const place = was.operationId;
    const breaks = is ? operationBreaks({ before, now, was, is }) : [{ place, what: 'is gone' }];
    return breaks.map((difference) => ({ ...difference, operation: place }));
  });
  const groups = Map.groupBy(found, ({ place, what }) => `${place} ${what}`);
  return [...groups.values()].map((group) => ({
    place: group[0]!.place,
    what: group[0]!.what,
    operations: [...new Set(group.map(({ operation }) => operation))],
  }));
}

const CHECKS: readonly ((pair: Pair) => Difference[])[] = [
  nameBreaks,
  credentialBreaks,
  numberBreaks,
  parameterBreaks,
  bodyBreaks,
  answerBreaks,
];

function operationBreaks(pair: Pair): Difference[] {
  return CHECKS.flatMap((check) => check(pair));
}

function nameBreaks({ was, is }: Pair): Difference[] {
  const place = was.operationId;
  const renamed =
    is.operationId === place ? [] : [{ place, what: `is called ${is.operationId} by generated clients` }];
  const [before, now] = [listPathNames(was), listPathNames(is)];
  const parameters = before.filter((name, at) => name !== now[at]).map((name) => `${place} {${name}}`);
  return [...renamed, ...parameters.map((at) => ({ place: at, what: 'has another name' }))];
}

/** Callers that had access with a credential, or from a page, must keep it. */
function credentialBreaks({ was, is }: Pair): Difference[] {
  const place = was.operationId;
  const ways = ({ security }: Published) =>
    (security?.length ? security : [{}]).map((way) => JSON.stringify(way));
  const now = ways(is);
  const gone = ways(was).filter((way) => !now.includes(way) && !now.includes('{}'));
  const breaks = gone.map((way) => ({
    place,
    what: way === '{}' ? 'asks for a credential' : `no longer takes the credential ${way}`,
  }));
  const lostPages = was['x-guidepost-cross-origin'] === true && is['x-guidepost-cross-origin'] === false;
  return lostPages ? [...breaks, { place, what: 'is closed to pages of customers' }] : breaks;
}

/** Published limits must not get tighter. */
function numberBreaks({ was, is }: Pair): Difference[] {
  const place = was.operationId;
  const bytes = 'x-guidepost-body-bytes-max';
  const smaller = Number(is[bytes]) < Number(was[bytes]);
  const known = new Map(rateLimitsOf(was).map((draw) => [`${draw.bucket} ${draw.withCredential}`, draw]));
  const tighter = rateLimitsOf(is).filter((draw) => {
    const old = known.get(`${draw.bucket} ${draw.withCredential}`);
    return !old || draw.points < old.points || draw.windowSeconds > old.windowSeconds;
  });
  return [
    ...(smaller ? [{ place, what: `takes bodies of ${is[bytes]} bytes, not ${was[bytes]}` }] : []),
    ...tighter.map(({ bucket, points, windowSeconds }) => ({
      place,
      what: `is held to ${points} requests in ${windowSeconds} s by ${bucket}`,
    })),
  ];
}

function parameterBreaks({ before, now, was, is }: Pair): Difference[] {
  const current = new Map(parametersOf(is).map((parameter) => [keyOf(parameter, is), parameter]));
  const released = new Map(parametersOf(was).map((parameter) => [keyOf(parameter, was), parameter]));
  const place = (name: string) => `${was.operationId} ${name}`;
  const fresh = [...current].filter(([key, { required }]) => required && !released.get(key)?.required);
  return [
    ...fresh.map(([, { name }]) => ({ place: place(name), what: 'is required now' })),
    ...[...released].flatMap(([key, old]) => {
      const parameter = current.get(key);
      if (!parameter) return [{ place: place(old.name), what: 'is no longer taken' }];
      const sides = [side(before, old.schema!), side(now, parameter.schema!)] as const;
      return schemaBreaks('asked', place(old.name), ...sides);
    }),
  ];
}

function bodyBreaks({ before, now, was, is }: Pair): Difference[] {
  const place = `${was.operationId} body`;
  const [old, fresh] = [was.requestBody, is.requestBody] as (RequestBodyObject | undefined)[];
  if (!old) return fresh ? [{ place, what: 'is asked for' }] : [];
  if (!fresh) return [{ place, what: 'is no longer taken' }];
  const forms = Object.entries(old.content).flatMap(([type, { encoding = {} }]) =>
    Object.entries(encoding).flatMap(([field, { contentType = '' }]) => {
      const taken: string[] = fresh.content[type]?.encoding?.[field]?.contentType?.split(', ') ?? [];
      const gone = (contentType as string).split(', ').filter((each) => !taken.includes(each));
      return gone.map((each) => ({ place: `${place} ${field}`, what: `no longer takes ${each}` }));
    }),
  );
  return [...forms, ...contentBreaks('asked', place, [before, old.content], [now, fresh.content])];
}

function answerBreaks({ before, now, was, is }: Pair): Difference[] {
  const current = Object.keys(is.responses ?? {});
  const fresh = current.filter((status) => status < '400' && !was.responses?.[status]);
  return [
    ...fresh.map((status) => ({ place: was.operationId, what: `answers ${status}, which is new` })),
    ...Object.entries(was.responses ?? {}).flatMap(([status, reference]) => {
      const old = resolved<ResponseObject>(before, reference);
      const answer = is.responses?.[status] && resolved<ResponseObject>(now, is.responses[status]);
      const place = `${was.operationId} ${status}`;
      if (!answer) return [{ place, what: 'is no longer answered' }];
      const codes = (answer['x-guidepost-codes'] ?? []) as string[];
      const gone = ((old['x-guidepost-codes'] ?? []) as string[]).filter((code) => !codes.includes(code));
      return [
        ...gone.map((code) => ({ place, what: `no longer says ${code}` })),
        ...headerBreaks(place, [before, old.headers ?? {}], [now, answer.headers ?? {}]),
        ...contentBreaks('answered', place, [before, old.content ?? {}], [now, answer.content ?? {}]),
      ];
    }),
  ];
}

type Within<T> = readonly [OpenAPIObject, Record<string, T>];

function headerBreaks(
  place: string,
  [before, old]: Within<HeaderObject | ReferenceObject>,
  [now, fresh]: Within<HeaderObject | ReferenceObject>,
): Difference[] {
  return Object.entries(old).flatMap(([name, reference]) => {
    const here = `${place} ${name}`;
    if (!fresh[name]) return [{ place: here, what: 'is no longer sent' }];
    const was = resolved<HeaderObject>(before, reference);
    const is = resolved<HeaderObject>(now, fresh[name]);
    const absent = was.required && !is.required ? [{ place: here, what: 'may be absent now' }] : [];
    return [...absent, ...schemaBreaks('answered', here, side(before, was.schema!), side(now, is.schema!))];
  });
}

/** A client that expects one media type cannot handle another. */
function contentBreaks(
  direction: Direction,
  place: string,
  [before, old]: Within<MediaTypeObject>,
  [now, fresh]: Within<MediaTypeObject>,
): Difference[] {
  const verb = direction === 'asked' ? 'takes' : 'answers';
  const added = direction === 'answered' ? Object.keys(fresh).filter((type) => !old[type]) : [];
  return [
    ...added.map((type) => ({ place, what: `answers ${type}, which is new` })),
    ...Object.entries(old).flatMap(([type, media]) => {
      const { schema } = fresh[type] ?? {};
      if (!schema) return [{ place, what: `no longer ${verb} ${type}` }];
      return schemaBreaks(direction, place, side(before, media.schema!), side(now, schema));
    }),
  ];
}

function operationsOf(document: OpenAPIObject): Published[] {
  return Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ ...operation, method, path }) as Published),
  );
}

/** Identifies an operation by method and path; path parameter names do not matter on the wire. */
function toAddress({ method, path }: Published): string {
  return `${method} ${path.replace(/\{\w+\}/g, '{}')}`;
}

function listPathNames({ path }: Published): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
}

function parametersOf({ parameters = [] }: Published): ParameterObject[] {
  return parameters as ParameterObject[];
}

function keyOf({ in: where, name }: ParameterObject, operation: Published): string {
  return where === 'path'
    ? `path ${listPathNames(operation).indexOf(name)}`
    : `${where} ${name.toLowerCase()}`;
}

function rateLimitsOf(operation: Published): Draw[] {
  return (operation['x-guidepost-buckets'] ?? []) as Draw[];
}

function side(document: OpenAPIObject, schema: SchemaObject | ReferenceObject) {
  return { document, schema };
}

function resolved<T extends object>(document: OpenAPIObject, value: T | ReferenceObject): T {
  if (!('$ref' in value)) return value;
  const steps = value.$ref.slice(2).split('/');
  return steps.reduce<unknown>((node, step) => (node as Record<string, unknown>)[step], document) as T;
}
