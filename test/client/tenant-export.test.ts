import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTenant, type Tenant } from '../../client/sdk/index.ts';
import { catchError, collect } from './colleagues.ts';
import {
  type Answer,
  errorResponse,
  json,
  openScriptedServer,
  type ScriptedServer,
} from './scripted-server.ts';

const EXPORT = '/api/tenants/ws_1/export';
const END = { type: 'end', lines: 2 };

let server: ScriptedServer;
let tenant: Tenant;
beforeEach(async () => {
  server = await openScriptedServer();
  tenant = createTenant({ baseUrl: server.baseUrl, tenantId: 'ws_1' });
});
afterEach(() => server.close());

const download =
  (pieces: readonly string[], end: (response: ServerResponse) => unknown): Answer =>
  async (response) => {
    response.writeHead(200, { 'content-type': 'application/x-ndjson; charset=utf-8' });
    for (const piece of pieces) {
      response.write(piece);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    end(response);
  };
const whole = (response: ServerResponse) => response.end();

test('tenant.export() yields each line as an object, however the bytes are cut', async () => {
  const text = '{"type":"audit","action":"über\\u2028"}\n{"type":"member"}\n';
  server.answer(EXPORT, download([...text, `${JSON.stringify(END)}\n`], whole));
  expect(await collect(tenant.export())).toEqual([
    { type: 'audit', action: 'über\u2028' },
    { type: 'member' },
    END,
  ]);
});

test('tenant.export() sends nothing before its loop starts, and rejects like other calls', async () => {
  server.answer(EXPORT, errorResponse(403, 'tenant/role_required'));
  const lines = tenant.export();
  expect(server.received).toEqual([]);
  expect(await catchError(lines.next())).toMatchObject({ code: 'tenant/role_required' });
});

test.for(['leaving the loop', 'the signal'] as const)('%s ends the request', async (how) => {
  let hungUp: Promise<unknown> | undefined;
  server.answer(EXPORT, (response) => {
    hungUp = new Promise((resolve) => response.on('close', resolve));
    return download(['{"type":"member"}\n'], () => {})(response, server.received[0]!);
  });
  const ending = new AbortController();
  const reading = (async () => {
    for await (const line of tenant.export({ signal: ending.signal })) {
      expect(line).toEqual({ type: 'member' });
      if (how === 'leaving the loop') break;
      ending.abort();
    }
    return 'left';
  })();
  if (how === 'leaving the loop') expect(await reading).toBe('left');
  else expect(await catchError(reading)).toMatchObject({ code: 'aborted' });
  await hungUp;
});

test('tenant.export() rejects when the download is cut off in any way', async () => {
  const pieces = ['{"type":"member"}\n', '{"type":'];
  const cut = (response: ServerResponse) => response.socket?.destroy();
  for (const end of [whole, cut]) {
    server.answer(EXPORT, download(pieces, end));
    expect(await catchError(collect(tenant.export()))).toMatchObject({ code: 'network' });
  }
});

test('tenant.export() rejects with protocol when the response is not a download', async () => {
  for (const answer of [json({ type: 'end' }), download(['<html>\n'], whole)]) {
    server.answer(EXPORT, answer);
    expect(await catchError(collect(tenant.export()))).toMatchObject({ code: 'protocol' });
  }
});
