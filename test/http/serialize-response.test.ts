import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { asImmutable } from '../../server/cache.ts';
import { serializeResponse } from '../../server/http/respond.ts';

const place = z.strictObject({ city: z.string(), zip: z.string().optional() });
const reply = z.strictObject({ name: z.string().max(5), place, other: place.optional(), age: z.int() });

describe('an answer with constant parts', () => {
  it('is the text that it would be without them', () => {
    const answer = { name: 'Ada', place: { city: 'Zürich', zip: '8001' }, age: 36 };
    const withConstants = { ...answer, place: asImmutable({ ...answer.place }) };
    for (let again = 0; again < 3; again += 1) {
      expect(JSON.parse(serializeResponse(reply, withConstants))).toEqual(answer);
    }
    expect(JSON.parse(serializeResponse(reply, { ...withConstants, other: undefined }))).toEqual(answer);
  });

  it.each([
    ['a field that is not declared', { extra: 1 }],
    ['a value that does not fit', { name: 'Augusta Ada' }],
    ['a constant part that does not fit', { place: asImmutable({ city: 'Zürich', street: 'Rennweg' }) }],
    ['a part that is missing', { age: undefined }],
  ])('does not leave with %s', (_what, change) => {
    const answer = { name: 'Ada', place: asImmutable({ city: 'Zürich' }), age: 36, ...change };
    expect(() => serializeResponse(reply, answer)).toThrow();
    expect(() => serializeResponse(reply, answer)).toThrow();
  });

  it('validates a cached constant against the schema of each place that uses it', () => {
    const narrow = z.strictObject({ place: z.strictObject({ city: z.string().max(3) }) });
    const there = asImmutable({ city: 'Zürich' });
    expect(serializeResponse(z.strictObject({ place }), { place: there })).toBe(
      '{"place":{"city":"Zürich"}}',
    );
    expect(() => serializeResponse(narrow, { place: there })).toThrow();
  });

  it('cannot be changed afterwards', () => {
    const there = asImmutable({ city: 'Zürich', near: { lake: 'Zürichsee' } });
    expect(() => Object.assign(there.near, { lake: 'Greifensee' })).toThrow();
  });
});
