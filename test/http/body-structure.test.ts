import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { contract } from '../../contract/index.ts';
import type { Route } from '../../contract/route.ts';
import { exceedsStructure, measureSchema } from '../../server/http/body.ts';
import { answerOf, expectError } from '../fixtures/answer.ts';
import { type Harness, openHarness, question } from '../harness.ts';

const routes: readonly Route[] = Object.values(contract).flatMap((router) => Object.values(router));

describe('the structure of a schema', () => {
  it('counts levels, fields, items and members', () => {
    const schema = z
      .strictObject({
        name: z.string().optional(),
        rows: z
          .array(z.strictObject({ a: z.number(), b: z.union([z.null(), z.array(z.string()).max(3)]) }))
          .max(10),
      })
      .refine(() => true);
    expect(measureSchema(schema)).toEqual({ depth: 4, fields: 2, items: 10, members: 2 + 10 * (1 + 2 + 3) });
  });

  it('is bounded for every request body of the contract', () => {
    for (const { body, metadata } of routes) {
      if (!body || metadata.upload) continue;
      expect(measureSchema(body).depth, metadata.operationId).toBeLessThan(10);
      expect(measureSchema(body).members, metadata.operationId).toBeLessThan(25_000);
    }
  });
});

describe('counting a body', () => {
  const limits = { depth: 2, fields: 2, items: 100, members: 200 };
  const exceeds = (value: unknown) => exceedsStructure(JSON.stringify(value), limits);

  it('accepts what the schema could accept', () => {
    expect(exceeds({ a: Array.from({ length: 100 }, () => 'x'), b: 1 })).toBe(false);
    expect(exceeds({ a: '{"[,'.repeat(1000), b: '\\",'.repeat(1000) })).toBe(false);
    expect(exceedsStructure('{"a": "unclosed', limits)).toBe(false);
    expect(exceedsStructure(']'.repeat(1000), limits)).toBe(false);
  });

  it.each([
    ['levels', JSON.parse('['.repeat(100) + ']'.repeat(100))],
    ['fields', Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`k${at}`, 1]))],
    ['items', Array.from({ length: 200 }, () => 1)],
    ['members', Array.from({ length: 100 }, () => [1, 2, 3])],
  ])('rejects too many %s', (_what, value) => {
    expect(exceeds(value)).toBe(true);
  });

  it('does not take the content of strings for structure, and finds their end behind escapes', () => {
    const fields = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`k${at}\\"`, '\\']));
    expect(exceeds(fields)).toBe(true);
    expect(exceeds({ ['k\\"'.repeat(500)]: '{'.repeat(500) })).toBe(false);
  });
});

describe('POST /chat', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await openHarness();
  });
  afterAll(() => harness.close());

  it('rejects a body of 240,000 unknown fields before the schema sees them', async () => {
    const { jwt } = await harness.boot();
    const fields = Object.fromEntries(Array.from({ length: 240_000 }, (_, at) => [`k${at}`, 1]));
    const headers = { authorization: `Bearer ${jwt}` };
    const answer = await answerOf(harness.fetch('/chat', { json: { ...question(), ...fields }, headers }));
    expect(expectError(answer, 'request/invalid').issues).toEqual([
      { path: 'body', code: 'too_complex', message: expect.any(String) },
    ]);
  });

  it('names an unknown field of a large body', async () => {
    const { jwt } = await harness.boot();
    const headers = { authorization: `Bearer ${jwt}` };
    const json = { ...question(), dom_digest: 'x,{['.repeat(50_000), surprise: 1 };
    const answer = await answerOf(harness.fetch('/chat', { json, headers }));
    expect(expectError(answer, 'request/invalid').issues?.[0]?.code).toBe('unrecognized_keys');
  });

  it('accepts the largest page context of the contract', async () => {
    const { jwt } = await harness.boot();
    const targets = Array.from({ length: 1000 }, (_, at) => ({
      gp_id: `t${at}`,
      name: 'A "quoted" name, with commas',
      viewport_bbox: { x: 1, y: 2, width: 3, height: 4 },
      accessibility: { label: 'x', description: 'y', state: 'z' },
    }));
    const events = await harness.ask(jwt, { capture_context: { targets } });
    expect(events.at(-1)?.type).toBe('message_end');
  });
});
