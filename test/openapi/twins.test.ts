import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { openapiDocument } from '../../contract/openapi/openapi.ts';
import { inOpenapi30, inOpenapi32 } from '../../contract/openapi/variants.ts';
import { OPENAPI_30 } from './openapi-30-shape.ts';
import { closedObjects } from './schema-rules.ts';
import { operationsOf } from './walk.ts';

const document = openapiDocument();

describe('openapi-3.0.3.yaml', () => {
  const twin = inOpenapi30(document);
  const validate = new Ajv2020({ strict: false, allErrors: true }).compile(OPENAPI_30);

  it('says nothing that OpenAPI 3.0.3 does not know', () => {
    validate(twin);
    expect(validate.errors ?? []).toEqual([]);
  });

  it('would be caught with a word of 3.1', () => {
    validate(document);
    const problems = JSON.stringify(validate.errors);
    expect(problems).toContain('examples');
    expect(problems).toContain('const');
    expect(problems).toContain('description');
  });

  it('keeps every operation, constant and null', () => {
    const ids = (each: typeof document) => operationsOf(each).map(({ operationId }) => operationId);
    expect(ids(twin)).toEqual(ids(document));
    expect(fieldOf(twin, 'BootReply', 'jwt')).toMatchObject({ type: 'string', nullable: true });
    expect(fieldOf(twin, 'ConsentReply', 'ok')).toMatchObject({ type: 'boolean' });
    expect(fieldOf(twin, 'StatusEvent', 'type')).toMatchObject({ type: 'string', enum: ['status'] });
  });

  it('keeps a false constant, which the converter overlooks', () => {
    const changed = structuredClone(document);
    Object.assign(fieldOf(changed, 'ConsentReply', 'ok'), { const: false });
    expect(fieldOf(inOpenapi30(changed), 'ConsentReply', 'ok')).toMatchObject({ enum: [false] });
  });

  it('wraps a reference in allOf only to describe it', () => {
    const wraps = closedObjects(twin).filter((problem) => problem.includes('allOf'));
    expect(closedObjects(twin)).toEqual(wraps);
    const described = JSON.parse(JSON.stringify(fieldOf(twin, 'ChatRequest', 'viewport')));
    expect(described).toEqual({
      allOf: [{ $ref: '#/components/schemas/Viewport' }],
      description: expect.any(String),
    });
  });
});

describe('openapi-3.2.0.yaml', () => {
  const twin = inOpenapi32(document);

  it('differs from openapi.yaml in its version and in what a stream is made of', () => {
    const { ChatEventFrame, ...schemas } = twin.components!.schemas!;
    expect(ChatEventFrame).toBeDefined();
    expect(schemas).toEqual(document.components!.schemas);
    const differing = operationsOf(twin).filter(
      (operation, at) => JSON.stringify(operation) !== JSON.stringify(operationsOf(document)[at]),
    );
    expect(differing.map(({ operationId }) => operationId)).toEqual(['sendMessage']);
  });

  it('leaves openapi.yaml as it is', () => {
    expect(document).toEqual(openapiDocument());
  });
});

function fieldOf(each: typeof document, name: string, property: string): object {
  const schema = each.components!.schemas![name] as { properties: Record<string, object> };
  return schema.properties[property]!;
}
