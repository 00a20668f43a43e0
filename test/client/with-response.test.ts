import { expect, expectTypeOf, test } from 'vitest';
import { createAccount, createExporter, createTenant, type FeedbackReply } from '../../client/sdk/index.ts';
import { aScriptedServerForEach, openGuide, server } from './scripted-guide.ts';
import { json, refusal } from './scripted-server.ts';

aScriptedServerForEach();

const MESSAGE = 'msg_01kakv2fxse7wtg6x5r0h8rjbm';
const headers = { 'x-request-id': 'req_7' };

test('a call also tells how it was answered, and sends nothing twice for that', async () => {
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

test('after a refusal that passed it is the answer that counted', async () => {
  server.answer(
    '/feedback',
    refusal(503, 'server/overloaded', {}, { 'retry-after': '0' }),
    json({ ok: true }, 200, headers),
  );
  const { response } = await openGuide().rate(MESSAGE, 'up').withResponse();
  expect(response.headers.get('x-request-id')).toBe('req_7');
});

test('a refusal rejects there, too', async () => {
  server.answer('/feedback', refusal(404, 'message/not_found'));
  await expect(openGuide().rate(MESSAGE, 'up').withResponse()).rejects.toMatchObject({
    code: 'message/not_found',
    requestId: 'req_1',
  });
});

test('calls that share a boot share its response', async () => {
  const guide = openGuide();
  const [first, second] = await Promise.all([guide.boot().withResponse(), guide.boot().withResponse()]);
  expect(first.response).toBe(second.response);
  expect(first.data).toBe(second.data);
  expect(server.at('/boot')).toHaveLength(1);
});

test('the doors of a tenant and of an exporter tell it alike', async () => {
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
