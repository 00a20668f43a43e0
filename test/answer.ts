import { expect } from 'vitest';
import { REFUSALS, type RefusalBody, type RefusalCode, refusalBody } from '../contract/refusals.ts';

/** A whole answer: what came before its body, its text, and what the text says where it is JSON. */
export type Answer<Json = unknown> = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: Json;
};

export async function answerOf<Json = unknown>(coming: Response | Promise<Response>): Promise<Answer<Json>> {
  const response = await coming;
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') && text !== '';
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: (isJson ? JSON.parse(text) : undefined) as Json,
  };
}

/** The text of a refusal but for its id, which may spell anything by chance. */
export function textWithoutId({ text }: Answer, { request_id }: RefusalBody): string {
  return text.replaceAll(request_id, '');
}

/** That this is the declared refusal of that code, in the one shape that refusals have; answers with its body. */
export function expectRefusal(answer: Answer, code: RefusalCode): RefusalBody {
  expect(answer.json).toMatchObject({ error: code });
  expect(answer.status).toBe(REFUSALS[code].status);
  const body = refusalBody.parse(answer.json);
  expect(answer.headers.get('x-request-id')).toBe(body.request_id);
  return body;
}
