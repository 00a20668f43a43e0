import { z } from 'zod';
import { isImmutable } from '../cache.ts';

/**
 * What is answered again and again is checked against the contract and written out once: a member that is declared constant is its text
 * from then on. Everything else is checked each time, so that nothing undeclared ever reaches the wire.
 */

type Member = { readonly name: string; readonly prefix: string; readonly schema: z.ZodType };

const members = new WeakMap<z.ZodType, readonly Member[]>();
const texts = new WeakMap<object, { readonly schema: z.ZodType; readonly text: string }>();

/** An answer as JSON, held to its schema. */
export function serializeResponse(schema: z.ZodType, body: unknown): string {
  if (!(schema instanceof z.ZodObject) || !isPartlyConstant(body)) return JSON.stringify(schema.parse(body));
  let text = '{';
  let written = 0;
  for (const { name, prefix, schema: member } of membersOf(schema)) {
    const value = body[name];
    const part = isImmutable(value) ? constantText(member, value) : JSON.stringify(member.parse(value));
    if (value === undefined) continue;
    text += text.length === 1 ? prefix + part : `,${prefix}${part}`;
    written += 1;
  }
  if (written !== Object.keys(body).length) schema.parse(body);
  return `${text}}`;
}

function membersOf(schema: z.ZodObject): readonly Member[] {
  const known = members.get(schema);
  if (known) return known;
  const made = Object.entries(schema.shape as Record<string, z.ZodType>).map(([name, member]) => ({
    name,
    prefix: `${JSON.stringify(name)}:`,
    schema: member,
  }));
  members.set(schema, made);
  return made;
}

function isPartlyConstant(body: unknown): body is Record<string, unknown> {
  if (typeof body !== 'object' || body === null) return false;
  for (const name in body) if (isImmutable((body as Record<string, unknown>)[name])) return true;
  return false;
}

function constantText(schema: z.ZodType, value: object): string {
  const known = texts.get(value);
  if (known?.schema === schema) return known.text;
  const text = JSON.stringify(schema.parse(value));
  texts.set(value, { schema, text });
  return text;
}
