/**
 * The shapes that OpenAPI 3.0.3 allows, as far as our document uses them: every object is closed but for `x-`
 * fields, so that a word which only 3.1 knows is found wherever the twin still says it.
 */
export const OPENAPI_30 = {
  $ref: '#/$defs/document',
  $defs: {
    document: closed(['openapi', 'info', 'paths'], {
      openapi: { const: '3.0.3' },
      info: closed(['title', 'version'], {
        title: text(),
        version: text(),
        description: text(),
        license: closed(['name'], { name: text(), url: text() }),
      }),
      servers: list(
        closed(['url'], {
          url: text(),
          description: text(),
          variables: map(closed(['default'], { default: text(), enum: list(text()), description: text() })),
        }),
      ),
      tags: list(closed(['name'], { name: text(), description: text() })),
      paths: {
        type: 'object',
        patternProperties: { '^/': ref('pathItem') },
        additionalProperties: false,
      },
      components: closed([], {
        schemas: names(either('schema')),
        responses: names(either('response')),
        headers: names(either('header')),
        securitySchemes: names(ref('securityScheme')),
      }),
    }),
    reference: {
      type: 'object',
      required: ['$ref'],
      properties: { $ref: { type: 'string', pattern: '^#/components/' } },
      additionalProperties: false,
    },
    pathItem: closed([], {
      get: ref('operation'),
      put: ref('operation'),
      post: ref('operation'),
      delete: ref('operation'),
      patch: ref('operation'),
    }),
    operation: closed(['responses'], {
      tags: list(text()),
      summary: text(),
      description: text(),
      operationId: text(),
      parameters: list(ref('parameter')),
      requestBody: closed(['content'], { description: text(), required: flag(), content: map(ref('media')) }),
      responses: {
        type: 'object',
        minProperties: 1,
        patternProperties: { '^[1-5][0-9][0-9]$': either('response') },
        additionalProperties: false,
      },
      security: list({ type: 'object', additionalProperties: list(text()) }),
    }),
    parameter: closed(['name', 'in'], {
      name: text(),
      in: { enum: ['path', 'query', 'header', 'cookie'] },
      description: text(),
      required: flag(),
      style: text(),
      explode: flag(),
      schema: either('schema'),
      example: true,
    }),
    response: closed(['description'], {
      description: text(),
      headers: map(either('header')),
      content: map(ref('media')),
    }),
    header: closed([], { description: text(), required: flag(), schema: either('schema'), example: true }),
    media: closed([], {
      schema: either('schema'),
      example: true,
      examples: map(closed(['value'], { summary: text(), description: text(), value: true })),
      encoding: map(closed([], { contentType: text() })),
    }),
    securityScheme: closed(['type'], {
      type: { enum: ['apiKey', 'http'] },
      description: text(),
      name: text(),
      in: { enum: ['query', 'header', 'cookie'] },
      scheme: text(),
      bearerFormat: text(),
    }),
    schema: closed([], {
      type: { enum: ['array', 'boolean', 'integer', 'number', 'object', 'string'] },
      format: text(),
      default: true,
      description: text(),
      nullable: flag(),
      enum: { type: 'array', minItems: 1 },
      pattern: text(),
      minLength: { type: 'integer' },
      maxLength: { type: 'integer' },
      minimum: { type: 'number' },
      maximum: { type: 'number' },
      maxItems: { type: 'integer' },
      minItems: { type: 'integer' },
      items: either('schema'),
      oneOf: list(either('schema')),
      allOf: list(either('schema')),
      properties: map(either('schema')),
      required: { type: 'array', items: text(), minItems: 1 },
      additionalProperties: flag(),
      discriminator: closed(['propertyName'], { propertyName: text(), mapping: map(text()) }),
      example: true,
    }),
  },
};

function closed(required: readonly string[], properties: Record<string, unknown>) {
  return {
    type: 'object',
    required,
    properties,
    patternProperties: { '^x-': true },
    additionalProperties: false,
  };
}

function either(name: string) {
  return { anyOf: [ref('reference'), ref(name)] };
}

function names(values: unknown) {
  return { type: 'object', patternProperties: { '^[A-Za-z0-9._-]+$': values }, additionalProperties: false };
}

function map(values: unknown) {
  return { type: 'object', additionalProperties: values };
}

function list(items: unknown) {
  return { type: 'array', items };
}

function ref(name: string) {
  return { $ref: `#/$defs/${name}` };
}

function text() {
  return { type: 'string' };
}

function flag() {
  return { type: 'boolean' };
}
