import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFixtures, named, requestOf } from '../../support/requests.ts';
import { readResponse } from '../../support/response.ts';
import { type BlackBox, installed, openBlackBox, ROOT, type Running, startUntil } from './tool.ts';

/**
 * Prism proxies requests and responds with an error if either side violates the document. It reads a body as one value,
 * so other tools validate streams and lines.
 */
describe('Prism', () => {
  let box: BlackBox;
  let prism: Running;
  let proxyUrl = '';

  beforeAll(async () => {
    box = await openBlackBox();
    const words = ['proxy', `${ROOT}openapi.yaml`, box.harness.baseUrl, '--errors', '--port', '0'];
    const started = await startUntil(
      installed('prism'),
      words,
      /listening on (http:\/\/127\.0\.0\.1:[1-9]\d*)/,
    );
    prism = started;
    proxyUrl = started.match[1]!;
  });
  afterAll(async () => {
    prism?.child.kill();
    await box?.close();
  });

  const singleValueRoutes = named.filter(
    ([, { metadata }]) => !(metadata.streams || metadata.lines || metadata.csv),
  );
  it.each(singleValueRoutes)('%s passes', async (id, route) => {
    const { url, method, headers, body } = await requestOf(await createFixtures(box.harness), id, route);
    const throughProxy = url.replace(box.harness.baseUrl, proxyUrl);
    const response = await readResponse(fetch(throughProxy, { method, headers, body: body ?? null }));
    expect(response.headers.get('sl-violations') ?? '').toBe('');
    expect(response.headers.get('content-type'), response.text).not.toContain('problem+json');
    expect(response.headers.get('x-request-id'), response.text).toMatch(/^req_/);
  });

  it('rejects a request that violates the document', async () => {
    const body = JSON.stringify({ app_id: box.harness.appId, origin: box.harness.origin, path: 7 });
    const headers = { 'content-type': 'application/json' };
    const response = await readResponse(fetch(`${proxyUrl}/boot`, { method: 'POST', headers, body }));
    expect(response.status).toBe(422);
    expect(response.text).toContain('must be string');
  });
});
