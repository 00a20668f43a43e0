import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { OpenAPIObject } from 'openapi3-ts/oas31';

/** An independent reading of the published document: ajv knows nothing of Zod. */
export type Verdict = (value: unknown) => string[];

/** Reads schemas as they stand in the document; `checkFormats: false` leaves words such as `uri` unread. */
export function validatorsOf(document: OpenAPIObject, { checkFormats = true } = {}) {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: checkFormats });
  formats.default(ajv);
  ajv.addSchema(document, 'openapi');
  const verdict = (schema: object): Verdict => {
    const validate = ajv.compile(schema);
    return (value) =>
      validate(value) ? [] : (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message}`);
  };
  return {
    /** Of a component, by its name. */
    named: (name: string) => verdict({ $ref: `openapi#/components/schemas/${name}` }),
    /** Of any schema that the document contains; its references are read within the document. */
    of: (schema: object) => verdict(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"openapi#/'))),
  };
}
