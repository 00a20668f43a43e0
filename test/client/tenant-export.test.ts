import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Account, createTenant, type Tenant } from '../../client/sdk/index.ts';
import { archiveLine } from '../../contract/archive-line.ts';
import { openTeam, type Team } from '../accounts/team.ts';
import { catchError, collect, join } from './colleagues.ts';
import {
  type Answer,
  errorResponse,
  json,
  openScriptedServer,
  type ScriptedServer,
} from './scripted-server.ts';

describe('an export from a scripted server', () => {
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
});

describe('an export from a real server', () => {
  let team: Team;
  let account: Account;
  let tenant: Tenant;
  beforeAll(async () => {
    team = await openTeam();
    ({ account } = await join(team, 'owner'));
    tenant = account.tenant(team.workspace.id);
  });
  afterAll(() => team.close());

  test('tenant.export() yields everything that the workspace owns, as the contract describes it', async () => {
    const lines = await collect(tenant.export());
    for (const line of lines) expect(archiveLine.safeParse(line).error).toBeUndefined();
    expect(lines[0]).toMatchObject({ type: 'workspace', id: tenant.id });
    expect(lines.at(-1)).toEqual({ type: 'end', lines: lines.length - 1 });
    const articles = lines.filter((line) => line.type === 'article').map((line) => line.id);
    const listed = (await collect(tenant.articles.list())).map((article) => article.id);
    expect(articles.sort()).toEqual(listed.sort());
  });

  test('leaving the loop of tenant.export() stops the service', async () => {
    // More than the buffers in between can hold.
    for (let n = 0; n < 50; n++)
      await tenant.articles.create({ title: `Long ${n}`, answer: '見'.repeat(80_000) });
    const ended = new Promise<boolean>((resolve) => {
      team.harness.service.server.once('request', (_: IncomingMessage, response: ServerResponse) => {
        response.on('close', () => resolve(response.writableFinished));
      });
    });
    for await (const line of tenant.export()) if (line.type === 'article') break;
    expect(await ended).toBe(false);
  });

  test('settings.delete() deletes the workspace, and members who belong to no other', async () => {
    expect(await catchError(tenant.settings.delete('A shoppe'))).toMatchObject({
      code: 'tenant/name_mismatch',
    });
    await tenant.settings.delete('A shop');
    expect(await account.session()).toBeUndefined();
  });
});
