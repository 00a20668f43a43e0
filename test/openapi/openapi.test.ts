import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type {
  ExampleObject,
  MediaTypeObject,
  OpenAPIObject,
  ParameterObject,
  SchemaObject,
} from 'openapi3-ts/oas31';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import type { analyticsReport } from '../../contract/analytics.ts';
import type { article, articleEdit, articles } from '../../contract/articles.ts';
import type { bootReply, bootRequest } from '../../contract/boot.ts';
import type { captureContext, chatRequest, conversation } from '../../contract/chat.ts';
import type { chatEvent } from '../../contract/chat-event.ts';
import type { consentRequest } from '../../contract/consent.ts';
import { ERROR_CODES, type ErrorBody } from '../../contract/errors.ts';
import type { exportedTranscript } from '../../contract/export.ts';
import type { exportedEvent } from '../../contract/export-events.ts';
import { contract } from '../../contract/index.ts';
import { BUCKETS, type LimitName } from '../../contract/limits/rate-limits.ts';
import { DERIVED_DOCUMENTS } from '../../contract/openapi/derive.ts';
import { resolve } from '../../contract/openapi/document.ts';
import { AUDIENCES, toAudience } from '../../contract/openapi/variants.ts';
import { toYaml } from '../../contract/openapi/yaml.ts';
import { type Credential, type Route, route, router } from '../../contract/route.ts';
import type { sessionState } from '../../contract/session.ts';
import type { translationDetail } from '../../contract/translations.ts';
import type { voiceToken } from '../../contract/voice.ts';
import type { tenant, tenantChange } from '../../contract/workspace.ts';
import type * as wire from '../../generated/types.ts';
import { contractDocument, openapiDocument } from '../../scripts/openapi/openapi.ts';
import { createExample } from '../../scripts/openapi/schema-override.ts';
import { findStaleFiles, generatedFiles } from '../../scripts/openapi/write.ts';
import { fc } from '../support/seeded-random.ts';
import { exampleOf, type Json, mediaOf, operationsOf, parametersOf } from './walk.ts';

const document = openapiDocument();
const routers: Record<string, Record<string, Route>> = contract;
const routes = Object.values(routers).flatMap((each) => Object.values(each));

it('the document publishes every route of the contract and nothing else', () => {
  const published = operationsOf(document).map(({ operationId }) => operationId);
  expect(published.sort()).toEqual(routes.map(({ metadata }) => metadata.operationId).sort());
});

it('the document lists the errors of each route', () => {
  const codesOf = (part: object | undefined) => Reflect.get(part ?? {}, 'x-guidepost-errors') ?? [];
  const schemes = document.components!.securitySchemes!;
  for (const operation of operationsOf(document)) {
    const { metadata } = routes.find((each) => each.metadata.operationId === operation.operationId)!;
    const used = operation.security!.flatMap(Object.keys).map((name) => schemes[name]);
    const listed = [document, operation, ...used].flatMap(codesOf);
    expect(listed).toEqual(expect.arrayContaining([...metadata.errorCodes]));
    for (const code of codesOf(operation)) expect(metadata.errorCodes).toContain(code);
  }
});

it('the document names the status of each error', () => {
  const statuses = document['x-guidepost-error-statuses'] as Record<string, string[]>;
  const published = Object.entries(statuses).flatMap(([status, codes]) =>
    codes.map((code) => [code, status]),
  );
  const expected = new Set(routes.flatMap(({ metadata }) => metadata.errorCodes));
  expect(new Set(published.map(([code]) => code))).toEqual(expected);
  for (const [code, status] of published)
    expect(String(ERROR_CODES[code as keyof typeof ERROR_CODES].status)).toBe(status);
});

it('the document marks the operations that pages of customers may call', () => {
  for (const operation of operationsOf(document)) {
    const { metadata } = routes.find((each) => each.metadata.operationId === operation.operationId)!;
    const isForPages = !metadata.firstParty && metadata.credential !== 'api-key';
    expect(operation['x-guidepost-cross-origin'] ?? false).toBe(isForPages);
  }
});

it('the document names the rate limits of each route and their sizes', () => {
  const chat = operationsOf(document).find(({ path }) => path === '/chat')!;
  expect(chat['x-guidepost-buckets']).toEqual([
    'chat/visitor-burst',
    'chat/tenant-burst',
    'chat/visitor-hour',
    'chat/ip-rate-limited',
  ]);
  expect(document['x-guidepost-buckets']).toMatchObject({
    'chat/visitor-burst': BUCKETS['chat/visitor-burst'],
  });
});

it('the document declares the credential of each route, and an empty alternative if it is optional', () => {
  const getSecurity = (path: string) =>
    operationsOf(document).find((operation) => operation.path === path)!.security;
  expect(getSecurity('/boot')).toEqual([]);
  expect(getSecurity('/chat')).toEqual([{ visitorToken: [] }]);
  expect(getSecurity('/consent')).toEqual([{ visitorToken: [] }, {}]);
  expect(documentOf('session').operation.security).toEqual([{ sessionCookie: [] }]);
  expect(documentOf('api-key').operation.security).toEqual([{ apiKeyHeader: [] }, { apiKeyBearer: [] }]);
});

it('the document declares only the security schemes that are used', () => {
  expect(documentOf('none').schemes).toEqual([]);
  expect(documentOf('visitor').schemes).toEqual(['visitorToken']);
  expect(documentOf('api-key').schemes).toEqual(['apiKeyHeader', 'apiKeyBearer']);
});

it('the document declares list parameters as repeated fields, and only required parameters as required', () => {
  const [id, tags] = documentOf('none').operation.parameters as ParameterObject[];
  expect(id).toMatchObject({ in: 'path', name: 'thingId', required: true, example: 'one' });
  expect(tags).toMatchObject({ in: 'query', name: 'tags', style: 'form', explode: true });
  expect(tags?.required ?? false).toBe(false);
});

/** The document of a contract with one route that is called with this credential. */
function documentOf(credential: Credential) {
  const word = z.string().max(8).describe('A short word for this test.').meta({ example: 'one' });
  const thing = z.strictObject({ word }).meta({ id: 'Thing', description: 'Something for this test.' });
  const things = router('Chat', {
    readThing: route({
      method: 'GET',
      path: '/things/:thing_id',
      summary: 'Read a thing',
      description: 'Reads a thing that exists in this test alone.',
      pathParams: z.strictObject({ thing_id: word }),
      query: z.strictObject({ tags: z.array(word).max(3).optional().describe('Words to look for.') }),
      responses: { 200: thing },
      meta: {
        credential,
        ...(credential !== 'none' && { unauthorized: 'visitor/unauthorized' as const }),
        limits: [],
      },
    }),
  });
  const smallDocument = openapiDocument({ things });
  return {
    operation: operationsOf(smallDocument)[0]!,
    schemes: Object.keys(smallDocument.components!.securitySchemes ?? {}),
  };
}

const files = generatedFiles();

it('the check names the files that are stale', async () => {
  const changed = { ...files, 'generated/errors.md': 'something else', 'generated/missing.md': 'new' };
  expect(await findStaleFiles(changed)).toEqual(['generated/errors.md', 'generated/missing.md']);
});

it('the YAML quotes questions, because libyaml cannot parse them unquoted in an inline list', () => {
  expect(toYaml({ questions: ['Why?'] })).toContain('questions: ["Why?"]');
});

it('the generator writes the same bytes every time', () => {
  expect(generatedFiles()).toEqual(files);
});

it('each derived document has the same content as YAML and as JSON', () => {
  for (const [name, derive] of Object.entries(DERIVED_DOCUMENTS).filter(([name]) => name.endsWith('.json')))
    expect(JSON.parse(derive(document))).toEqual(
      parse(DERIVED_DOCUMENTS[name.replace('.json', '.yaml')]!(document)),
    );
});

it('the document lists tags and paths in the order in which one reads', () => {
  const tags = document.tags!.map(({ name }) => name);
  expect(tags.slice(0, 7)).toEqual([
    ...['Boot', 'Chat', 'Consent', 'Visitor', 'Voice', 'Export', 'Translations'],
  ]);
  const first = Object.values(document.paths!).map((item) => Object.values(item)[0].tags[0] as string);
  expect(first).toEqual(first.toSorted((one, other) => tags.indexOf(one) - tags.indexOf(other)));
});

it('each audience has the description of every field that the contract describes, once for fields described alike', () => {
  const described = contractDocument().components!.schemas as Record<string, SchemaObject>;
  for (const audience of AUDIENCES) {
    const schemas = toAudience(document, audience).components!.schemas as Record<string, SchemaObject>;
    const said = Object.values(schemas).flatMap(({ properties = {} }) =>
      Object.entries(properties).map(([name, { description }]) => `${name}: ${description}`),
    );
    for (const schema of Object.keys(schemas)) {
      const { properties = {} } = described[schema] ?? described[schema.replace(/Input$/, '')]!;
      for (const [name, { description }] of Object.entries(properties))
        if (description) expect(said, `${schema}.${name}`).toContain(`${name}: ${description}`);
    }
  }
});

it('operations that answer alike share one response', () => {
  const responses = operationsOf(document).flatMap((operation) => Object.values(operation.responses!));
  const inline = responses.filter((response) => !('$ref' in response)).map((one) => JSON.stringify(one));
  const repeated = inline.filter((one, at) => inline.indexOf(one) !== at);
  expect(repeated.filter((one) => one.includes('"$ref":"#/components/schemas/'))).toEqual([]);
  expect(document.components!.responses).toHaveProperty('TranslationResponse');
});

it('the document introduces itself in three sentences', () => {
  const { description } = document.info;
  expect(description!.match(/[.?!](\s|$)/g)).toHaveLength(3);
  expect(description).not.toContain('\n');
});

it('each operation is for pages, for API keys or for the dashboard, with the components that it refers to', () => {
  const parts = Object.fromEntries(AUDIENCES.map((audience) => [audience, toAudience(document, audience)]));
  const { visitor, management, export: exported, integration } = parts as Record<string, OpenAPIObject>;
  const idsOf = (part: OpenAPIObject) => operationsOf(part).map(({ operationId }) => operationId!);
  expect([visitor!, management!, exported!].flatMap(idsOf).sort()).toEqual(idsOf(document).sort());
  expect(idsOf(visitor!)).toContain('sendMessage');
  expect(idsOf(management!)).toContain('editArticle');
  expect(idsOf(exported!)).toContain('exportEvents');
  expect(idsOf(integration!)).toEqual(
    expect.arrayContaining([...idsOf(visitor!), ...idsOf(exported!), 'publishTranslation']),
  );
  expect(idsOf(integration!)).not.toContain('editArticle');
  for (const part of Object.values(parts)) {
    const text = JSON.stringify(part);
    for (const [, kind, name] of text.matchAll(/"#\/components\/(\w+)\/(\w+)"/g))
      expect(Reflect.get(part.components!, kind!)).toHaveProperty(name!);
    expect(text.length).toBeLessThan(JSON.stringify(document).length * 0.85);
  }
  const bucketsOf = (part: OpenAPIObject) => Object.keys(part['x-guidepost-buckets'] as object);
  const codesOf = (part: OpenAPIObject) => Object.values(part['x-guidepost-error-statuses'] as object).flat();
  expect(bucketsOf(visitor!)).toContain('chat/visitor-burst');
  expect(bucketsOf(management!)).not.toContain('chat/visitor-burst');
  expect(codesOf(visitor!)).toEqual(expect.arrayContaining(['boot/unavailable', 'jwt_expired', 'internal']));
  expect(codesOf(visitor!)).not.toContain('article/conflict');
});

it('the document needs at most 560 KB, and 2,950 bytes an operation, shared components included', () => {
  const bytes = Buffer.byteLength(files['openapi.yaml']!);
  expect(bytes).toBeLessThanOrEqual(560_000);
  expect(bytes / routes.length).toBeLessThanOrEqual(2950);
});

it.each([
  ['integration', 165_000],
  ['visitor', 92_000],
  ['export', 80_000],
  ['management', 470_000],
])('the document for the %s audience needs at most %i bytes', (audience, bytesMax) => {
  const text = DERIVED_DOCUMENTS[`openapi-${audience}.yaml`]!(document);
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(bytesMax);
});

/** Type tests: the client's types equal those inferred from the contract. */
it('the response types of the client equal those of the contract', () => {
  expectTypeOf<wire.BootReply>().toEqualTypeOf<z.output<typeof bootReply>>();
  // The document leaves `ai_generated: true` open because generators fail on it, so it is open here too.
  type Start = { type: 'message_start' };
  expectTypeOf<Exclude<wire.ChatEvent, Start>>().toEqualTypeOf<Exclude<z.output<typeof chatEvent>, Start>>();
  expectTypeOf<z.output<typeof chatEvent>>().toExtend<wire.ChatEvent>();
  expectTypeOf<wire.Conversation>().toEqualTypeOf<z.output<typeof conversation>>();
  expectTypeOf<wire.Article>().toEqualTypeOf<z.output<typeof article>>();
  expectTypeOf<wire.TranslationDetail>().toEqualTypeOf<z.output<typeof translationDetail>>();
  expectTypeOf<wire.SessionState>().toEqualTypeOf<z.output<typeof sessionState>>();
  expectTypeOf<wire.Tenant>().toEqualTypeOf<z.output<typeof tenant>>();
  expectTypeOf<wire.Analytics>().toEqualTypeOf<z.output<typeof analyticsReport>>();
  expectTypeOf<wire.ExportedEvent>().toEqualTypeOf<z.output<typeof exportedEvent>>();
  expectTypeOf<wire.ExportedTranscript>().toEqualTypeOf<z.output<typeof exportedTranscript>>();
  expectTypeOf<wire.VoiceToken>().toEqualTypeOf<z.output<typeof voiceToken>>();
  expectTypeOf<wire.ErrorBody>().toEqualTypeOf<ErrorBody>();
});

it('the request types of the client equal those of the contract', () => {
  expectTypeOf<wire.BootRequest>().toEqualTypeOf<z.input<typeof bootRequest>>();
  expectTypeOf<wire.ChatRequest>().toEqualTypeOf<z.input<typeof chatRequest>>();
  expectTypeOf<wire.CaptureContext>().toEqualTypeOf<z.input<typeof captureContext>>();
  expectTypeOf<wire.ConsentRequest>().toEqualTypeOf<z.input<typeof consentRequest>>();
  expectTypeOf<wire.ArticleEdit>().toEqualTypeOf<z.input<typeof articleEdit>>();
  expectTypeOf<wire.TenantChange>().toEqualTypeOf<z.input<typeof tenantChange>>();
  expectTypeOf<Omit<wire.ListArticlesQuery, 'limit'>>().toEqualTypeOf<
    Omit<z.output<typeof articles.listArticles.query>, 'limit'>
  >();
  expectTypeOf<wire.ErrorCode>().toEqualTypeOf<keyof typeof ERROR_CODES>();
  expectTypeOf<wire.BucketName>().toEqualTypeOf<LimitName>();
});

it('every schema and error code of the document has a type without imports', () => {
  const text = readFileSync('generated/types.ts', 'utf8');
  const names = Object.keys(contractDocument().components?.schemas ?? {});
  expect(names.filter((name) => !text.includes(`export type ${name} = `))).toEqual([]);
  expect(Object.keys(ERROR_CODES).filter((code) => !text.includes(`| '${code}'`))).toEqual([]);
  expect(text).not.toMatch(/^\s*import\b|import\(/m);
});

/** Validates a value against the published document with ajv, independently of Zod; returns the problems. */
type Verdict = (value: unknown) => string[];

/** Compiles schemas of the document; with `checkFormats: false`, times are the only format that is checked. */
function validatorsOf(document: OpenAPIObject, { checkFormats = true } = {}) {
  const ajv = new Ajv2020({ strict: false, allErrors: true, logger: false });
  formats.default(ajv, checkFormats ? undefined : ['date-time']);
  ajv.addSchema(document, 'openapi');
  // Most bodies of the document share one of few schemas, and compiling takes longer than everything else.
  const verdictsBySchema = new Map<string, Verdict>();
  const verdict = (text: string): Verdict => {
    const validate = ajv.compile(JSON.parse(text));
    return (value) =>
      validate(value) ? [] : (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message}`);
  };
  const verdictOn = (schema: object): Verdict => {
    const text = JSON.stringify(schema).replaceAll('"#/', '"openapi#/');
    if (!verdictsBySchema.has(text)) verdictsBySchema.set(text, verdict(text));
    return verdictsBySchema.get(text)!;
  };
  return {
    /** A schema of a component, by its name. */
    named: (name: string) => verdictOn({ $ref: `#/components/schemas/${name}` }),
    /** Any schema of the document; its references are resolved within the document. */
    of: verdictOn,
  };
}
// The service has its own rules for URLs and rejects them with a code of its own; `uri` is only informative.
const published = validatorsOf(document, { checkFormats: false });

for (const operation of operationsOf(document)) {
  const content = (operation.requestBody as { content: Record<string, MediaTypeObject> } | undefined)
    ?.content;
  // The upload parser validates forms.
  if (!content?.['application/json']) continue;
  const { schema, ...media } = content['application/json'] as MediaTypeObject;
  const example = exampleOf(document, media) as Json;
  const { body } = routes.find(({ metadata }) => metadata.operationId === operation.operationId)!;

  it(`the server and the published schema of ${operation.operationId} accept the same bodies`, () => {
    const byDocument = published.of(schema!);
    const verdicts = { accepted: 0, rejected: 0 };
    fc.assert(
      fc.property(changed(example), (value) => {
        const accepted = body!.safeParse(value).success;
        verdicts[accepted ? 'accepted' : 'rejected'] += 1;
        expect(byDocument(value).length === 0).toBe(accepted);
      }),
      { numRuns: 300 },
    );
    expect(verdicts.accepted).toBeGreaterThan(0);
    expect(verdicts.rejected).toBeGreaterThan(0);
  });
}

/** The example with one field changed, dropped or added, or left as it is. */
function changed(example: Json): fc.Arbitrary<unknown> {
  const names = Object.keys(example);
  const name = names.length > 0 ? fc.constantFrom(...names) : fc.string();
  // A round trip through JSON removes -0, and makes __proto__ an ordinary field.
  const value = fc.jsonValue().map((any) => JSON.parse(JSON.stringify(any)) as unknown);
  return fc.oneof(
    fc.constant(example),
    fc.tuple(name, value).map(([field, any]) => ({ ...example, [field]: any })),
    fc.tuple(name, fc.string()).map(([field, text]) => ({ ...example, [field]: text })),
    name.map((field) => Object.fromEntries(Object.entries(example).filter(([other]) => other !== field))),
    fc.tuple(fc.stringMatching(/^[a-z]{1,8}$/), value).map(([field, any]) => ({ [field]: any, ...example })),
    value,
  );
}

describe('examples of the document', () => {
  const document = openapiDocument();
  const valid = validatorsOf(document);

  it('include one for every body, valid against its schema', () => {
    const shown = mediaOf(document).flatMap(({ where, value }) => {
      const named = Object.values(value.examples ?? {}).map(
        (example) => resolve<ExampleObject>(document, example).value as unknown,
      );
      const own = value.example === undefined ? [] : parseExample(value.type, value.example);
      return [...named, ...own].map((example) => ({
        where,
        example,
        problems: valid.of(value.schema!)(example),
      }));
    });
    expect(shown.length).toBeGreaterThan(mediaOf(document).length);
    expect(shown.filter(({ problems }) => problems.length > 0)).toEqual([]);
  });

  it('include one for every parameter, valid against its schema', () => {
    const shown = operationsOf(document).flatMap((operation) =>
      parametersOf(document, operation).map(({ name, schema, example }) => [
        name,
        ...valid.of(schema!)(example),
      ]),
    );
    expect(shown.filter(([, ...problems]) => problems.length > 0)).toEqual([]);
  });

  it('include a whole stream with every type of event, as it is sent', () => {
    const stream = mediaOf(document).find(({ value }) => value.type === 'text/event-stream')!;
    const text = stream.value.example as string;
    const events = parseExample('text/event-stream', text) as { type: string; seq: number }[];
    const mapping = (document.components!.schemas!.ChatEvent as { discriminator: { mapping: object } })
      .discriminator.mapping;
    expect([...events.map(({ type }) => type), 'error']).toEqual(Object.keys(mapping));
    for (const [at, event] of events.entries()) {
      expect(event.seq).toBe(at);
      expect(text).toContain(`:${at}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    }
  });

  it('must be written by hand where a pattern prevents generating one', () => {
    const schema = {
      type: 'object',
      properties: { id: { type: 'string', pattern: '^art_' } },
      required: ['id'],
    } as const;
    expect(() => createExample(structuredClone(schema) as never, {}, 'Article')).toThrow('Article.id');
  });
});

/** Returns the values in an example: those of each frame or line if it is a stream. */
function parseExample(type: string, example: unknown): unknown[] {
  if (type === 'text/event-stream')
    return [...String(example).matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data!) as unknown);
  if (type !== 'application/x-ndjson') return [example];
  const lines = String(example).trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as unknown);
}
