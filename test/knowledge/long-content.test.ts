import { afterAll, beforeAll, expect, it } from 'vitest';
import { LIMITS } from '../../contract/limits.ts';
import { type Office, openOffice } from '../accounts/office.ts';
import { expectRefusal } from '../fixtures/answer.ts';

/** Content of maximum length must pass the body limit in every script and every JSON escaping. */

let office: Office;
beforeAll(async () => {
  office = await openOffice();
});
afterAll(() => office.close());

const post = (content: Record<string, unknown>) => office.as('owner').post('/knowledge/articles', content);
const article = (content: Record<string, unknown>) => ({ title: 'T', answer: 'Yes.', ...content });

it.each([
  ['a Japanese answer', { answer: 'あ'.repeat(LIMITS.answerCharsMax) }],
  ['an emoji answer', { answer: '😀'.repeat(LIMITS.answerCharsMax) }],
  ['an emoji title', { title: '😀'.repeat(LIMITS.titleCharsMax) }],
  [
    'emoji search aliases',
    {
      aliases: Array.from(
        { length: LIMITS.aliasesMax },
        (_, at) => String.fromCodePoint(0x1f600 + at) + '😀'.repeat(LIMITS.aliasCharsMax - 1),
      ),
    },
  ],
])('accepts %s of maximum length', async (_what, content) => {
  const { status, json } = await post(article(content));
  expect(status, JSON.stringify(json).slice(0, 500)).toBe(201);
});

it('accepts text of maximum length when every character is escaped in JSON', async () => {
  const escaped = '\\ud83d\\ude00'.repeat(LIMITS.answerCharsMax);
  const { baseUrl } = office.harness;
  const { status } = await fetch(`${baseUrl}/api/tenants/${office.workspace.id}/knowledge/articles`, {
    method: 'POST',
    headers: {
      cookie: office.as('owner').cookie,
      'sec-fetch-site': 'same-origin',
      'content-type': 'application/json',
    },
    body: `{"title":"Escaped","answer":"${escaped}"}`,
  });
  expect(status).toBe(201);
});

it('rejects text one character over the limit', async () => {
  const title = '😀'.repeat(LIMITS.titleCharsMax + 1);
  expectRefusal(await post(article({ title })), 'request/invalid');
  const answer = 'あ'.repeat(LIMITS.answerCharsMax + 1);
  expectRefusal(await post(article({ answer })), 'request/invalid');
});
