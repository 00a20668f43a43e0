/** What a row of the audit says of what changed. Which fields there are depends on what was done. */

export type Value = string | number | boolean | readonly unknown[] | { readonly [name: string]: unknown };

/** A field by its place, such as voice.enabled: what it was, or is, or both. */
export type Change = {
  readonly field: string;
  readonly before?: Value | undefined;
  readonly after?: Value | undefined;
};

type Fields = Readonly<Record<string, unknown>>;

export function changesIn(details: string): readonly Change[] {
  const fields = parsed(details);
  if (isGroup(fields.before) || isGroup(fields.after)) return compared(fields.before, fields.after);
  // The article is what it was done to; settings of a new workspace are named as they are when they change.
  const { from, to, fromRevision, toRevision, articleId: _, settings, ...rest } = fields;
  const others = { ...rest, ...(isGroup(settings) ? settings : {}) };
  return [
    ...changeOf('role', from, to),
    ...changeOf('revision', fromRevision, toRevision),
    ...Object.entries(flat(others)).flatMap(([field, after]) => changeOf(field, undefined, after)),
  ];
}

/** A field of the details that is a text, such as the language of a translation. */
export function textIn(details: string, field: string): string | undefined {
  const value = parsed(details)[field];
  return typeof value === 'string' ? value : undefined;
}

function compared(before: unknown, after: unknown): readonly Change[] {
  const [was, is] = [before, after].map((side) => (isGroup(side) ? flat(side) : {})) as [Fields, Fields];
  const fields = new Set([...Object.keys(was), ...Object.keys(is)]);
  return [...fields].flatMap((field) => changeOf(field, was[field], is[field]));
}

function changeOf(field: string, before: unknown, after: unknown): readonly Change[] {
  if (before === undefined && after === undefined) return [];
  return [{ field, before: before as Value | undefined, after: after as Value | undefined }];
}

/** Groups within groups become fields with longer names. */
function flat(group: Fields, prefix = ''): Fields {
  return Object.fromEntries(
    Object.entries(group).flatMap(([name, value]) =>
      isGroup(value) ? Object.entries(flat(value, `${prefix}${name}.`)) : [[prefix + name, value]],
    ),
  );
}

function parsed(details: string): Fields {
  try {
    const value: unknown = JSON.parse(details);
    return isGroup(value) ? value : {};
  } catch {
    return {};
  }
}

const isGroup = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
