/** A document of OpenAPI. */
export type Document = Readonly<Record<string, unknown>>;

export type Operation = {
  readonly tag: string;
  /** The statuses that it declares. */
  readonly statuses: readonly string[];
};

type Written = Record<string, unknown> & {
  readonly operationId: string;
  readonly tags: readonly [string];
  readonly responses: Record<string, unknown>;
};
type Paths = Record<string, Record<string, Written>>;
type Components = Record<string, Record<string, unknown>>;

export function operationsOf({ paths }: Document): Map<string, Operation> {
  const written = Object.values(paths as Paths).flatMap((methods) => Object.values(methods));
  return new Map(
    written.map(({ operationId, tags, responses }) => [
      operationId,
      { tag: tags[0], statuses: Object.keys(responses) },
    ]),
  );
}

/**
 * The document of the operations of one tag, and of what they lead to.
 * @param answers those that are left in, as operation and status
 */
export function partAbout(tag: string, answers: readonly string[], document: Document): Document {
  const { paths, components, ...head } = document;
  const part: Paths = {};
  for (const [path, methods] of Object.entries(paths as Paths)) {
    for (const [method, written] of Object.entries(methods)) {
      if (written.tags[0] !== tag) continue;
      const responses = Object.entries(written.responses).filter(([status]) =>
        answers.includes(`${written.operationId} ${status}`),
      );
      part[path] = { ...part[path], [method]: { ...written, responses: Object.fromEntries(responses) } };
    }
  }
  const all = components as Components;
  return {
    ...head,
    paths: part,
    components: { ...reached(part, all), securitySchemes: all.securitySchemes },
  };
}

function reached(from: unknown, all: Components): Components {
  const found: Components = {};
  const look = (json: unknown) => {
    for (const [, kind, name] of JSON.stringify(json).matchAll(/"#\/components\/(\w+)\/(\w+)"/g)) {
      found[kind!] ??= {};
      const ofKind = found[kind!]!;
      if (name! in ofKind) continue;
      ofKind[name!] = all[kind!]![name!];
      look(ofKind[name!]);
    }
  };
  look(from);
  return found;
}
