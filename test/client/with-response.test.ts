import { expect, expectTypeOf, test } from 'vitest';
import { createAccount, createExporter, createTenant, type FeedbackReply } from '../../client/sdk/index.ts';
import { aScriptedServerForEach, errorResponse, json, openGuide, server } from './scripted-server.ts';

aScriptedServerForEach();

const MESSAGE = 'msg_01kakv2fxse7wtg6x5r0h8rjbm';
const headers = { 'x-request-id': 'req_7' };

test('withResponse() also returns the response, without a second request', async () => {
  server.answer('/feedback', json({ ok: true }, 200, headers));
  const answer = openGuide().rate(MESSAGE, 'up');
  const { data, response } = await answer.withResponse();
  expectTypeOf(data).toEqualTypeOf<FeedbackReply>();
  expect(data).toEqual({ ok: true });
  expect(response.status).toBe(200);
  expect(response.headers.get('x-request-id')).toBe('req_7');
  expect(await answer).toEqual({ ok: true });
  expect(server.at('/feedback')).toHaveLength(1);
});

test('withResponse() returns the response of the attempt that succeeded', async () => {
  server.answer(
    '/feedback',
    errorResponse(503, 'server/overloaded', {}, { 'retry-after': '0' }),
    json({ ok: true }, 200, headers),
  );
  const { response } = await openGuide().rate(MESSAGE, 'up').withResponse();
  expect(response.headers.get('x-request-id')).toBe('req_7');
});

test('withResponse() rejects like the call', async () => {
  server.answer('/feedback', errorResponse(404, 'message/not_found'));
  await expect(openGuide().rate(MESSAGE, 'up').withResponse()).rejects.toMatchObject({
    code: 'message/not_found',
    requestId: 'req_1',
  });
});

test('withResponse() of calls that share a boot returns its response', async () => {
  const guide = openGuide();
  const [first, second] = await Promise.all([guide.boot().withResponse(), guide.boot().withResponse()]);
  expect(first.response).toBe(second.response);
  expect(first.data).toBe(second.data);
  expect(server.at('/boot')).toHaveLength(1);
});

test('withResponse() works for tenants and exporters', async () => {
  const { baseUrl } = server;
  const articles = '/api/tenants/ws_1/knowledge/articles';
  server.answer('/api/session/confirm', json({ person: 'Ada' }, 200, headers));
  server.answer(`${articles}/art_1`, json({ ok: true }, 200, headers));
  server.answer(`${articles}?limit=2`, json({ data: [] }, 200, headers));
  server.answer('/api/export/analytics', json({ periods: [] }, 200, headers));
  const tenant = createTenant({ baseUrl, tenantId: 'ws_1' });
  const answers = [
    createAccount({ baseUrl }).confirmPassword('a long password'),
    tenant.articles.delete('art_1'),
    tenant.articles.list({ limit: 2 }).page(),
    createExporter({ baseUrl, apiKey: 'pk_live_key' }).analytics(),
  ];
  for (const answer of answers) {
    const { response } = await answer.withResponse();
    expect(response.headers.get('x-request-id')).toBe('req_7');
  }
  expect(await tenant.articles.delete('art_1')).toBeUndefined();
});
