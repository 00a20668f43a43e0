import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Account, Tenant } from '../../client/sdk/index.ts';
import { archiveLine } from '../../contract/archive-line.ts';
import { type Office, openOffice } from '../accounts/office.ts';
import { catchError, collect, join } from './colleagues.ts';

let office: Office;
let account: Account;
let tenant: Tenant;
beforeAll(async () => {
  office = await openOffice();
  ({ account } = await join(office, 'owner'));
  tenant = account.tenant(office.workspace.id);
});
afterAll(() => office.close());

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
    office.harness.service.server.once('request', (_: IncomingMessage, response: ServerResponse) => {
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
