/** The shape of the details depends on the action. */

export type Value = string | number | boolean | readonly unknown[] | { [name: string]: unknown };

/** A field by its path, such as `voice.enabled`. */
export type Change = {
  field: string;
  before?: Value | undefined;
  after?: Value | undefined;
};

type Fields = Readonly<Record<string, unknown>>;

export function parseChanges(details: string): readonly Change[] {
  const fields = parseDetails(details);
  if (isGroup(fields.before) || isGroup(fields.after)) return compareFields(fields.before, fields.after);
  // The article is the target already; settings of a new workspace use the same field names as changes.
  const { from, to, fromRevision, toRevision, articleId: _, settings, before, after, ...rest } = fields;
  const others = { ...rest, ...(isGroup(settings) ? settings : {}) };
  return [
    ...toChange('role', from, to),
    ...toChange('name', before, after),
    ...toChange('revision', fromRevision, toRevision),
    ...Object.entries(flatten(others)).flatMap(([field, after]) => toChange(field, undefined, after)),
  ];
}

export function findText(details: string, field: string): string | undefined {
  const value = parseDetails(details)[field];
  return typeof value === 'string' ? value : undefined;
}

function compareFields(before: unknown, after: unknown): readonly Change[] {
  const [beforeFields, afterFields] = [before, after].map((side) => (isGroup(side) ? flatten(side) : {})) as [
    Fields,
    Fields,
  ];
  const fields = new Set([...Object.keys(beforeFields), ...Object.keys(afterFields)]);
  return [...fields].flatMap((field) => toChange(field, beforeFields[field], afterFields[field]));
}

function toChange(field: string, before: unknown, after: unknown): readonly Change[] {
  if (before === undefined && after === undefined) return [];
  return [{ field, before: before as Value | undefined, after: after as Value | undefined }];
}

/** Joins nested names with dots. */
function flatten(group: Fields, prefix = ''): Fields {
  return Object.fromEntries(
    Object.entries(group).flatMap(([name, value]) =>
      isGroup(value) ? Object.entries(flatten(value, `${prefix}${name}.`)) : [[prefix + name, value]],
    ),
  );
}

function parseDetails(details: string): Fields {
  try {
    const value: unknown = JSON.parse(details);
    return isGroup(value) ? value : {};
  } catch {
    return {};
  }
}

const isGroup = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
