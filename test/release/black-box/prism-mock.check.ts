import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MediaTypeObject, OpenAPIObject, OperationObject, ResponseObject } from 'openapi3-ts/oas31';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { toAudience } from '../../../contract/openapi/variants.ts';
import { createFixtures, named, requestOf } from '../../support/requests.ts';
import { readResponse } from '../../support/response.ts';
import { type BlackBox, installed, openBlackBox, ROOT, type Running, startUntil } from './tool.ts';

/** Prism reads a document that the running service publishes and answers in its place with the examples. */

const document = parse(readFileSync(`${ROOT}openapi.yaml`, 'utf8')) as OpenAPIObject;

type Success = { status: number; mediaType?: string; example?: unknown };

function successOf({ responses = {} }: OperationObject): Success {
  const [status, response] = Object.entries(responses).find(([name]) => name.startsWith('2'))!;
  const content = (response as ResponseObject).content ?? {};
  const [mediaType, media] = Object.entries<MediaTypeObject>(content)[0] ?? [];
  return { status: Number(status), ...(mediaType && { mediaType, example: media?.example }) };
}

describe.each(['visitor', 'export'] as const)('Prism mocks /openapi-%s.yaml:', (audience) => {
  const paths = Object.values(toAudience(document, audience).paths ?? {});
  const operations = new Map(
    paths.flatMap((methods) =>
      (Object.values(methods) as OperationObject[]).map((operation) => [operation.operationId!, operation]),
    ),
  );
  const mocked = named.filter(([id]) => operations.has(id));
  let box: BlackBox;
  let prism: Running;
  let mockUrl = '';
  let folder = '';

  beforeAll(async () => {
    box = await openBlackBox();
    folder = mkdtempSync(join(tmpdir(), 'prism-mock-'));
    const path = join(folder, 'openapi.yaml');
    // Prism itself stops a download that takes five seconds, as it may on a busy machine.
    const served = await readResponse(fetch(`${box.harness.baseUrl}/openapi-${audience}.yaml`));
    writeFileSync(path, served.text);
    const words = ['mock', path, '--port', '0'];
    const started = await startUntil(
      installed('prism'),
      words,
      /listening on (http:\/\/127\.0\.0\.1:[1-9]\d*)/,
    );
    prism = started;
    mockUrl = started.match[1]!;
  });
  afterAll(async () => {
    prism?.child.kill();
    await box?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const send = async ([id, route]: (typeof mocked)[number], raw?: string) => {
    const twist = raw === undefined ? {} : { raw };
    const fixtures = await createFixtures(box.harness);
    const { url, method, headers, body } = await requestOf(fixtures, id, route, twist);
    const there = url.replace(box.harness.baseUrl, mockUrl);
    return readResponse(fetch(there, { method, headers, body: body ?? null }));
  };

  it.each(mocked)('%s answers a valid request with its example', async (...operation) => {
    const { status, mediaType = '', example } = successOf(operations.get(operation[0])!);
    const response = await send(operation);
    expect(response.status, response.text).toBe(status);
    expect(response.headers.get('content-type') ?? '').toContain(mediaType);
    if (mediaType === 'application/json') expect(response.json).toEqual(example);
    else if (example !== undefined) expect(response.text).toBe(example);
  });

  const withBody = mocked.filter(([, { body, metadata }]) => body && !metadata.upload);
  it.runIf(withBody.length > 0).each(withBody)(
    '%s answers an invalid body with 400',
    async (...operation) => {
      const response = await send(operation, '{"unknown":7}');
      expect(response.status, response.text).toBe(400);
      expect(response.json).toMatchObject({ error: expect.any(String), request_id: expect.any(String) });
    },
  );
});
