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
  // Most bodies of the document share one of few schemas, and compiling takes longer than everything else.
  const known = new Map<string, Verdict>();
  const verdict = (text: string): Verdict => {
    const validate = ajv.compile(JSON.parse(text));
    return (value) =>
      validate(value) ? [] : (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message}`);
  };
  const verdictOn = (schema: object): Verdict => {
    const text = JSON.stringify(schema).replaceAll('"#/', '"openapi#/');
    if (!known.has(text)) known.set(text, verdict(text));
    return known.get(text)!;
  };
  return {
    /** Of a component, by its name. */
    named: (name: string) => verdictOn({ $ref: `#/components/schemas/${name}` }),
    /** Of any schema that the document contains; its references are read within the document. */
    of: verdictOn,
  };
}
