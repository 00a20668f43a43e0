import { expect, it } from 'vitest';
import document from '../../generated/openapi.json' with { type: 'json' };
import { openHarness } from '../harness.ts';
import type { SeenExchange } from './exchange.ts';
import { shapeOf } from './exchange.ts';
import { findingsIn } from './findings.ts';

/** Validation of the whole suite's traffic reports each difference between service and document. */

const sent = { app_id: 'gp_demo', origin: 'https://www.example.com', path: '/' };

const refused: SeenExchange = {
  operationId: 'bootGuide',
  method: 'POST',
  url: '/boot',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(sent),
  status: 403,
  contentType: 'application/json; charset=utf-8',
  answer: JSON.stringify({
    error: 'boot/origin_not_allowed',
    message: 'This app id is unknown, or the origin is not one of its allowed domains.',
    request_id: 'req_01kakv2fxse7wtg6x5r0h8rjbm',
  }),
};
const wrong = {
  error: 'request/invalid',
  message: 'The request is invalid. See `issues` for details.',
  request_id: 'req_01kakv2fxse7wtg6x5r0h8rjbm',
};

it('has nothing against what the document allows', async () => {
  expect(await findingsIn([refused])).toEqual([]);
});

it('finds an answer with a field that is not declared', async () => {
  const answer = JSON.stringify({ ...(JSON.parse(refused.answer) as object), password: 'secret' });
  const [finding] = await findingsIn([{ ...refused, answer }]);
  expect(finding).toContain('forbids the answer');
  expect(finding).toContain('must NOT have additional properties');
});

it('finds a status that is not declared', async () => {
  const [finding] = await findingsIn([{ ...refused, status: 418 }]);
  expect(finding).toContain('this status is not declared');
});

it('finds a request that was taken although the document forbids it', async () => {
  const body = JSON.stringify({ ...sent, surprise: true });
  const taken = { ...refused, status: 409, body };
  const spoiled = structuredClone(document);
  const responses: Record<string, unknown> = spoiled.paths['/boot'].post.responses;
  responses['409'] = responses['403'];
  const [finding] = await findingsIn([taken], spoiled);
  expect(finding).toContain('forbids the request');
});

it('reports a rejected request that the document accepts, unless a waiver names the rule', async () => {
  const because = (code: string) => ({
    ...refused,
    status: 400,
    answer: JSON.stringify({ ...wrong, issues: [{ path: 'body.path', code, message: 'Not that.' }] }),
  });
  const [finding] = await findingsIn([because('a_whim')]);
  expect(finding).toContain('The document allows the request');
  expect(await findingsIn([because('invalid_locale')])).toEqual([]);
});

it('sees one exchange where only values differ', () => {
  const other = { ...refused, body: JSON.stringify({ ...sent, path: '/pricing' }) };
  const third = { ...refused, body: JSON.stringify({ ...sent, locale: 'de' }), status: 400 };
  expect(shapeOf(other)).toBe(shapeOf(refused));
  expect(shapeOf(third)).not.toBe(shapeOf({ ...refused, status: 400 }));
});

it('is shown what goes through the servers of the tests', async () => {
  expect(process.env.TRAFFIC_SEEN_DIR).toBeTruthy();
  const harness = await openHarness();
  expect(harness.service.server.listenerCount('request')).toBe(2);
  await harness.close();
});

it('reads a question mark within a query as part of it', async () => {
  const unknown = {
    error: 'request/invalid',
    issues: [{ path: 'query', code: 'unrecognized_keys', message: 'No.' }],
  };
  const asked = { operationId: 'reportBlockedPage', url: '/boot/blocked?app_id=gp_demo&??', body: '' };
  const answer = JSON.stringify({ ...wrong, ...unknown });
  expect(await findingsIn([{ ...refused, ...asked, headers: {}, status: 400, answer }])).toEqual([]);
});
