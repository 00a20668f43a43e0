import { expect, it } from 'vitest';
import { openapiDocument } from '../../scripts/openapi/openapi.ts';
import { openHarness } from '../support/harness.ts';
import { type Exchange, toShape } from './exchange.ts';
import { findMismatches } from './find-mismatches.ts';

const boot = { app_id: 'gp_demo', origin: 'https://www.example.com', path: '/' };

const rejected: Exchange = {
  operationId: 'bootGuide',
  method: 'POST',
  url: '/boot',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(boot),
  status: 403,
  contentType: 'application/json; charset=utf-8',
  response: JSON.stringify({
    error: 'boot/origin_not_allowed',
    message: 'This app id is unknown, or the origin is not one of its allowed domains.',
    request_id: 'req_01kakv2fxse7wtg6x5r0h8rjbm',
  }),
};
const invalid = {
  error: 'request/invalid',
  message: 'The request is invalid. See `issues` for details.',
  request_id: 'req_01kakv2fxse7wtg6x5r0h8rjbm',
};

it('findMismatches accepts an exchange that the document allows', async () => {
  expect(await findMismatches([rejected])).toEqual([]);
});

it('findMismatches reports a response with an undeclared field', async () => {
  const response = JSON.stringify({ ...(JSON.parse(rejected.response) as object), password: 'secret' });
  const [mismatch] = await findMismatches([{ ...rejected, response }]);
  expect(mismatch).toContain('forbids the response');
  expect(mismatch).toContain('must NOT have additional properties');
});

it('findMismatches reports an undeclared status', async () => {
  const [mismatch] = await findMismatches([{ ...rejected, status: 302 }]);
  expect(mismatch).toContain('this status is not declared');
});

it('findMismatches reports an error that the operation does not declare, or that has another status', async () => {
  const error = JSON.stringify({ ...(JSON.parse(rejected.response) as object), error: 'article/not_found' });
  const [undeclared] = await findMismatches([{ ...rejected, status: 404, response: error }]);
  expect(undeclared).toContain('article/not_found is not declared');
  const [other] = await findMismatches([{ ...rejected, status: 418 }]);
  expect(other).toContain('boot/origin_not_allowed has another status');
});

it('findMismatches reports an accepted request that the document forbids', async () => {
  const body = JSON.stringify({ ...boot, surprise: true });
  const response = JSON.stringify({
    ...(JSON.parse(rejected.response) as object),
    error: 'article/conflict',
  });
  const changed = openapiDocument() as unknown as Record<string, unknown>;
  const common = changed['x-guidepost-errors'] as string[];
  const accepted = { ...rejected, status: 409, body, response };
  const [mismatch] = await findMismatches([accepted], {
    ...changed,
    'x-guidepost-errors': [...common, 'article/conflict'],
  });
  expect(mismatch).toContain('forbids the request');
});

it('findMismatches reports a rejected request that the document allows, unless the rule is listed as beyond a schema', async () => {
  const rejectedBecause = (code: string) => ({
    ...rejected,
    status: 400,
    response: JSON.stringify({ ...invalid, issues: [{ path: 'body.path', code, message: 'Not that.' }] }),
  });
  const [mismatch] = await findMismatches([rejectedBecause('a_whim')]);
  expect(mismatch).toContain('The document allows the request');
  expect(await findMismatches([rejectedBecause('invalid_locale')])).toEqual([]);
});

it('toShape gives exchanges that differ only in values the same shape', () => {
  const other = { ...rejected, body: JSON.stringify({ ...boot, path: '/pricing' }) };
  const third = { ...rejected, body: JSON.stringify({ ...boot, locale: 'de' }), status: 400 };
  expect(toShape(other)).toBe(toShape(rejected));
  expect(toShape(third)).not.toBe(toShape({ ...rejected, status: 400 }));
});

it('openHarness records the traffic of every test server', async () => {
  expect(process.env.TRAFFIC_SEEN_DIR).toBeTruthy();
  const harness = await openHarness();
  expect(harness.service.server.listenerCount('request')).toBe(2);
  await harness.close();
});

it('findMismatches reads a question mark within the query as part of the query', async () => {
  const unknown = {
    error: 'request/invalid',
    issues: [{ path: 'query', code: 'unrecognized_keys', message: 'No.' }],
  };
  const response = JSON.stringify({ ...invalid, ...unknown });
  expect(await findMismatches([{ ...rejected, url: '/boot?a=1&??', status: 400, response }])).toEqual([]);
});

it('findMismatches reads JSON that is sent as text where the contract allows it', async () => {
  const headers = { 'content-type': 'text/plain;charset=UTF-8' };
  const response = JSON.stringify({
    ...invalid,
    issues: [{ path: 'body.path', code: 'a_whim', message: 'Not that.' }],
  });
  expect(await findMismatches([{ ...rejected, headers }])).toEqual([]);
  const [mismatch] = await findMismatches([{ ...rejected, headers, status: 400, response }]);
  expect(mismatch).toContain('The document allows the request');
});
