import { afterAll, beforeAll, expect, it } from 'vitest';
import { LIMITS } from '../../contract/limits.ts';
import { type Office, openOffice } from '../accounts/office.ts';
import { expectRefusal } from '../fixtures/answer.ts';

/** Whatever the published lengths allow is taken, in every script and however a client writes its JSON. */

let office: Office;
beforeAll(async () => {
  office = await openOffice();
});
afterAll(() => office.close());

const post = (content: Record<string, unknown>) => office.as('owner').post('/knowledge/articles', content);
const article = (content: Record<string, unknown>) => ({ title: 'T', answer: 'Yes.', ...content });

it.each([
  ['an answer of Japanese', { answer: 'あ'.repeat(LIMITS.answerCharsMax) }],
  ['an answer of emoji', { answer: '😀'.repeat(LIMITS.answerCharsMax) }],
  ['a title of emoji', { title: '😀'.repeat(LIMITS.titleCharsMax) }],
  [
    'search words of emoji',
    {
      aliases: Array.from(
        { length: LIMITS.aliasesMax },
        (_, at) => String.fromCodePoint(0x1f600 + at) + '😀'.repeat(LIMITS.aliasCharsMax - 1),
      ),
    },
  ],
])('%s as long as it may be is kept', async (_what, content) => {
  const { status, json } = await post(article(content));
  expect(status, JSON.stringify(json).slice(0, 500)).toBe(201);
});

it('text that a client escapes to the last character is read all the same', async () => {
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

it('one character more is too long', async () => {
  const title = '😀'.repeat(LIMITS.titleCharsMax + 1);
  expectRefusal(await post(article({ title })), 'request/invalid');
  const answer = 'あ'.repeat(LIMITS.answerCharsMax + 1);
  expectRefusal(await post(article({ answer })), 'request/invalid');
});
