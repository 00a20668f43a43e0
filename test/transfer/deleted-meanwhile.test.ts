import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { newId } from '../../server/ids.ts';
import { type Desk, joinAs, openOffice } from '../accounts/office.ts';
import { makeKey } from '../export/export-client.ts';
import type { Harness } from '../harness.ts';

const NAME = 'A shop';

async function fillEvents({ service, workspace, clock }: Harness): Promise<void> {
  const { events } = service.store.in(workspace.id);
  for (let thousand = 0; thousand < 40; thousand += 1) {
    const rows = Array.from({ length: 1000 }, () => ({
      id: newId('evt'),
      atMillis: clock.now(),
      type: 'rate_limited' as const,
      data: { bucket: 'x'.repeat(64) },
    }));
    await events.append(rows);
  }
}

/** Reads the body as far as it comes, running `meanwhile` after the first part. */
async function readAround(harness: Harness, head: string, meanwhile: () => Promise<void>): Promise<string> {
  const socket = connect(Number(new URL(harness.baseUrl).port), '127.0.0.1');
  socket.write(`${head}\r\nhost: localhost\r\n\r\n`);
  await new Promise((resolve) => socket.once('readable', resolve));
  await meanwhile();
  let text = '';
  socket.setEncoding('utf8').on('error', () => undefined);
  for await (const part of socket) text += part;
  return text;
}

const deletion = (owner: Desk) => async () => {
  expect((await owner.delete(`?confirmName=${encodeURIComponent(NAME)}`)).status).toBe(200);
};

it.each(['events.ndjson', 'events.csv'])(
  'aborts an export (%s) when its workspace is deleted during the download',
  async (name) => {
    const office = await openOffice();
    const { harness } = office;
    await fillEvents(harness);
    const owner = await joinAs(harness, harness.workspace, 'owner', 'owner@deleted.example');
    const key = (await makeKey(harness)).text;
    const head = `GET /api/export/${name} HTTP/1.1\r\nx-api-key: ${key}`;
    const text = await readAround(harness, head, deletion(owner));
    expect(text).toContain('rate_limited');
    expect(text.endsWith('\r\n0\r\n\r\n')).toBe(false);
    await office.close();
  },
  60_000,
);

it('aborts a workspace export when its workspace is deleted during the download', async () => {
  const office = await openOffice();
  const { harness } = office;
  await fillEvents(harness);
  const owner = await joinAs(harness, harness.workspace, 'owner', 'owner@deleted.example');
  const head = `GET /api/tenants/${harness.workspace.id}/export HTTP/1.1\r\ncookie: ${owner.cookie}`;
  const text = await readAround(harness, head, deletion(owner));
  expect(text).toContain('{"type":"workspace"');
  expect(text).not.toContain('{"type":"end"');
  // A complete chunked body ends with an empty chunk.
  expect(text.endsWith('\r\n0\r\n\r\n')).toBe(false);
  await office.close();
});
