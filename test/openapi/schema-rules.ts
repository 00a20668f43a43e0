import type { OpenAPIObject } from 'openapi3-ts/oas31';
import { type Json, objectsOf, resolve, schemasOf } from './walk.ts';

/** The hard rules about schemas. Each names the places that break it; none is how it should be. */

const UNREADABLE = [
  'allOf',
  'anyOf',
  'unevaluatedProperties',
  'if',
  'then',
  'else',
  'dependentRequired',
  'dependentSchemas',
  'not',
  'patternProperties',
  'propertyNames',
  '$defs',
  'prefixItems',
];
const SCALARS = ['string', 'number', 'integer', 'boolean'];

/** Names that generators or the languages they write already use. */
const TAKEN =
  'Error ApiError Event Record Response Request File Blob Object List Map Set Date Result Type Option'.split(
    ' ',
  );

/** Rule 2: every object is closed and says what it requires, without the keywords that generators stumble over. */
export function closedObjects(document: OpenAPIObject): string[] {
  return schemasOf(document).flatMap(({ where, value }) => {
    const keywords = UNREADABLE.filter((keyword) => keyword in value).map(
      (keyword) => `${where} uses ${keyword}`,
    );
    const deep = typeof value.$ref === 'string' && value.$ref.split('/').length !== 4;
    if (deep) keywords.push(`${where} refers into the middle of something`);
    if (value.type !== 'object') return keywords;
    if (value.additionalProperties !== false) keywords.push(`${where} is open`);
    const fields = Object.keys((value.properties ?? {}) as Json);
    const required = (value.required ?? []) as string[];
    if (required.some((name) => !fields.includes(name))) keywords.push(`${where} requires an unknown field`);
    if (value.required && required.length === 0) keywords.push(`${where} has an empty list of requirements`);
    return keywords;
  });
}

/** Rule 3: null only beside a scalar type, in a list of types. */
export function scalarNulls(document: OpenAPIObject): string[] {
  return schemasOf(document).flatMap(({ where, value }) => {
    const problems: string[] = [];
    if (value.type === 'null') problems.push(`${where} is null alone`);
    if ('nullable' in value) problems.push(`${where} says nullable`);
    if ((value.enum as unknown[] | undefined)?.includes(null)) problems.push(`${where} has null in its enum`);
    if (!Array.isArray(value.type)) return problems;
    const [scalar, nothing, ...more] = value.type;
    const isPair = SCALARS.includes(scalar) && nothing === 'null' && more.length === 0;
    return isPair && !value.enum ? problems : [...problems, `${where} has the types ${value.type}`];
  });
}

/** Rule 4: every object, enum and union is a component with a name that no generator trips over. */
export function namedComponents(document: OpenAPIObject): string[] {
  const inline = schemasOf(document).flatMap(({ where, value, isNamed }) =>
    !isNamed && (value.type === 'object' || value.enum || value.oneOf) ? [`${where} has no name`] : [],
  );
  const { schemas, responses, headers } = document.components ?? {};
  const names = [schemas, responses, headers].flatMap((section) => Object.keys(section ?? {}));
  const plain = (name: string) => name.replaceAll('_', '').toLowerCase();
  const clashes = names.filter((name, at) => names.findIndex((other) => plain(other) === plain(name)) !== at);
  const shapeless = names.filter((name) => !/^[A-Z][A-Za-z0-9]*$/.test(name));
  const taken = names.filter((name) => TAKEN.includes(name));
  return [
    ...inline,
    ...clashes.map((name) => `${name} is used twice`),
    ...shapeless.map((name) => `${name} is not PascalCase`),
    ...taken.map((name) => `${name} means something else to a generator`),
    ...troublesomeConstants(document),
  ];
}

/** Generators for Go name a constant as they name an enum; those for Java write a constant truth down as a string. */
function troublesomeConstants(document: OpenAPIObject): string[] {
  const { schemas = {} } = document.components ?? {};
  return schemasOf(document).flatMap(({ where, value }) => {
    if (typeof value.const === 'boolean') return [`${where} is a truth that is constant`];
    if (typeof value.const !== 'string') return [];
    const name = value.const.replace(/(?:^|[_-])([a-z])/g, (_, letter: string) => letter.toUpperCase());
    const isEnum = 'enum' in (schemas[name] ?? {});
    return isEnum ? [`${where} is a constant with the name of the enum ${name}`] : [];
  });
}

/** Rule 5: a union is a choice of named members by the constant in one required field. */
export function taggedUnions(document: OpenAPIObject): string[] {
  return schemasOf(document).flatMap(({ where, value }) => {
    if (!value.oneOf) return [];
    const members = (value.oneOf as { $ref?: string }[]).map(({ $ref }) => $ref);
    const { propertyName, mapping } = (value.discriminator ?? {}) as {
      propertyName?: string;
      mapping?: Record<string, string>;
    };
    if (!propertyName || !mapping) return [`${where} has no discriminator with a mapping`];
    if (members.some((member) => !member)) return [`${where} has a member without a name`];
    const unmapped = members.filter((member) => !Object.values(mapping).includes(member!));
    const wrong = Object.entries(mapping).filter(
      ([tag, $ref]) => !isTagged(resolve(document, { $ref }), propertyName, tag),
    );
    return [
      ...unmapped.map((member) => `${where} does not map ${member}`),
      ...wrong.map(([tag]) => `${where} maps ${tag} to something that is not tagged so`),
    ];
  });
}

/** Rule 8: every scalar says how large it may be, and what it is made of. */
export function boundedScalars(document: OpenAPIObject): string[] {
  return schemasOf(document).flatMap(({ where, value }) => [
    ...boundsMissing(value).map((keyword) => `${where} has no ${keyword}`),
    ...enumProblems(value).map((problem) => `${where} ${problem}`),
  ]);
}

/** Rule 14: nothing but a description may stand beside a reference. */
export function bareReferences(document: OpenAPIObject): string[] {
  return objectsOf(document).flatMap(({ where, value }) => {
    if (typeof value.$ref !== 'string') return [];
    const siblings = Object.keys(value).filter((key) => key !== '$ref' && key !== 'description');
    return siblings.map((key) => `${where} has ${key} beside $ref`);
  });
}

function isTagged(member: Json, propertyName: string, tag: string): boolean {
  const field = (member.properties as Record<string, Json> | undefined)?.[propertyName];
  const isRequired = (member.required as string[] | undefined)?.includes(propertyName);
  return !member.oneOf && Boolean(isRequired) && field?.type === 'string' && field.const === tag;
}

function boundsMissing(schema: Json): string[] {
  if (schema.$ref || schema.enum || 'const' in schema) return [];
  const missing = (...keywords: string[]) => keywords.filter((keyword) => schema[keyword] === undefined);
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === 'array') return missing('maxItems', 'items');
  if (type === 'number') return missing('minimum', 'maximum');
  if (type === 'integer') {
    const isSized = schema.format === 'int32' || schema.format === 'int64';
    return [...missing('minimum', 'maximum'), ...(isSized ? [] : ['format int32 or int64'])];
  }
  if (type !== 'string' || schema.format === 'binary') return [];
  return [...missing('maxLength'), ...(schema.pattern || schema.format ? [] : ['pattern or format'])];
}

function enumProblems(schema: Json): string[] {
  const values = schema.enum as unknown[] | undefined;
  if (!values) return [];
  const words = values.map((value) =>
    String(value)
      .replace(/[^A-Za-z0-9]/g, '')
      .toLowerCase(),
  );
  const problems: string[] = [];
  if (values.some((value) => typeof value !== 'string' || value === '')) problems.push('lists an odd value');
  if (new Set(words).size < words.length) problems.push('lists values that become one in camelCase');
  return problems;
}
