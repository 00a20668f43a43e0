import { expect, it } from 'vitest';
import { createExample } from '../../contract/openapi/examples.ts';
import { openapiDocument } from '../../contract/openapi/openapi.ts';
import { toOpenapi32 } from '../../contract/openapi/variants.ts';
import { validatorsOf } from './validators.ts';
import { mediaOf, operationsOf, parametersOf } from './walk.ts';

const document = openapiDocument();
const valid = validatorsOf(document);

it('shows an example of every body that is valid by the schema of that body', () => {
  const shown = mediaOf(document).flatMap(({ where, value }) => {
    const named = Object.values(value.examples ?? {}).map((example) => (example as { value: unknown }).value);
    return [...named, ...(value.example === undefined ? [] : [value.example])].map((example) => ({
      where,
      example,
      problems: valid.of(value.schema!)(example),
    }));
  });
  expect(shown.length).toBeGreaterThan(mediaOf(document).length);
  expect(shown.filter(({ problems }) => problems.length > 0)).toEqual([]);
});

it('shows an example of every parameter that is valid by its schema', () => {
  const shown = operationsOf(document).flatMap((operation) =>
    parametersOf(operation).map(({ name, schema, example }) => [name, ...valid.of(schema!)(example)]),
  );
  expect(shown.filter(([, ...problems]) => problems.length > 0)).toEqual([]);
});

it('shows every kind of event in the example of the stream, in frames that hold valid events', () => {
  const twin = toOpenapi32(document);
  const stream = mediaOf(twin).find(({ value }) => value.type === 'text/event-stream')!;
  const { dataValue, serializedValue } = stream.value.examples!.frames as unknown as {
    dataValue: { id: string; event: string; data: string }[];
    serializedValue: string;
  };
  const frame = validatorsOf(twin).named('ChatEventFrame');
  for (const value of dataValue) {
    expect(frame(value)).toEqual([]);
    expect(valid.named('ChatEvent')(JSON.parse(value.data))).toEqual([]);
    expect(JSON.parse(value.data).type).toBe(value.event);
    expect(serializedValue).toContain(`id: ${value.id}\nevent: ${value.event}\ndata: ${value.data}\n\n`);
  }
  const mapping = (document.components!.schemas!.ChatEvent as { discriminator: { mapping: object } })
    .discriminator.mapping;
  expect(dataValue.map(({ event }) => event)).toEqual(Object.keys(mapping));
});

it('asks the author for an example where a pattern allows none to be made up', () => {
  const schema = {
    type: 'object',
    properties: { id: { type: 'string', pattern: '^art_' } },
    required: ['id'],
  } as const;
  expect(() => createExample(structuredClone(schema) as never, {}, 'Article')).toThrow('Article.id');
});
