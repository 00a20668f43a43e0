import type { OpenAPIObject, SchemaObject } from 'openapi3-ts/oas31';
import { AUDIENCES, toAudience } from '../../contract/openapi/variants.ts';

/** Publishes a text that several schemas share once. The contract and the types of the client keep all of them. */

type Schemas = Readonly<Record<string, SchemaObject>>;
type Field = { schema: string; field: SchemaObject };

/**
 * Removes the description of a field where another schema describes a field of that name in the same words. Of several
 * schemas, the one with the shortest name keeps it: `Article`, not `ArticleSummary`. The document of each audience has it.
 */
export function describeFieldsOnce(document: OpenAPIObject): OpenAPIObject {
  const brief = structuredClone(document);
  const audiences = AUDIENCES.map(
    (audience) => new Set(Object.keys(toAudience(document, audience).components?.schemas ?? {})),
  );
  for (const alike of groupFields(brief.components!.schemas as Schemas)) {
    const kept = new Set(
      audiences.flatMap((schemas) => alike.find(({ schema }) => schemas.has(schema))?.schema ?? []),
    );
    for (const { schema, field } of alike) if (!kept.has(schema)) delete field.description;
  }
  return brief;
}

/** Groups the fields with the same name and description, those of schemas with shorter names first. */
function groupFields(schemas: Schemas): Field[][] {
  const fields = Object.entries(schemas)
    .toSorted(([one], [other]) => one.length - other.length)
    .flatMap(([schema, { properties = {} }]) =>
      Object.entries(properties)
        .filter(([, { description }]) => description)
        .map(([name, field]) => ({
          schema,
          field: field as SchemaObject,
          key: `${name} ${field.description}`,
        })),
    );
  return [...Map.groupBy(fields, ({ key }) => key).values()];
}
