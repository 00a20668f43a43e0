import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Account, Tenant } from '../../client/sdk/index.ts';
import { archiveLine } from '../../contract/archive-line.ts';
import { type Office, openOffice } from '../accounts/office.ts';
import { allOf, failureOf, join } from './colleagues.ts';

let office: Office;
let account: Account;
let tenant: Tenant;
beforeAll(async () => {
  office = await openOffice();
  ({ account } = await join(office, 'owner'));
  tenant = account.tenant(office.workspace.id);
});
afterAll(() => office.close());

test('brings everything that a workspace owns, each line as the contract has it', async () => {
  const lines = await allOf(tenant.export());
  for (const line of lines) expect(archiveLine.safeParse(line).error).toBeUndefined();
  expect(lines[0]).toMatchObject({ type: 'workspace', id: tenant.id });
  expect(lines.at(-1)).toEqual({ type: 'end', lines: lines.length - 1 });
  const articles = lines.filter((line) => line.type === 'article').map((line) => line.id);
  const listed = (await allOf(tenant.articles.list())).map((article) => article.id);
  expect(articles.sort()).toEqual(listed.sort());
});

test('leaving the loop stops the service in the middle of its work', async () => {
  // More than fits into the buffers between the two.
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

test('deletes a workspace when its name is typed, and with it whoever belongs to no other one', async () => {
  expect(await failureOf(tenant.settings.delete('A shoppe'))).toMatchObject({ code: 'tenant/name_mismatch' });
  await tenant.settings.delete('A shop');
  expect(await account.session()).toBeUndefined();
});
