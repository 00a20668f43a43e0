import { afterEach, describe, expect, it } from 'vitest';
import { SOURCE_LIMITS } from '../../contract/limits/sources.ts';
import type { SourceRecord } from '../../contract/sources.ts';
import { newId } from '../../server/base/ids.ts';
import { type Harness, openHarness } from '../support/harness.ts';
import { query } from '../support/other-program.ts';
import { expectError } from '../support/response.ts';
import { event } from '../support/stored-samples.ts';
import { openSource, type SourceClient } from './source-client.ts';

const LAMP = '# Cleaning the lamp\n\nWipe the lamp with a dry cloth.\n';
const WEBSITE = { startUrls: ['https://shop.example.com/sitemap.xml'] };
const MINUTE = 60_000;

let harness: Harness | undefined;
afterEach(() => harness?.close());

async function openFiles(env: Record<string, string> = {}): Promise<SourceClient> {
  harness = await openHarness({ articles: [], env });
  return openSource('review', { harness });
}

const form = (text: string) => {
  const data = new FormData();
  data.append('file', new Blob([text]));
  return data;
};
const conflict = { places: ['lamp.md'], choice: 'keep' };

describe('a source', () => {
  it('returns 404 for every request when it does not exist', async () => {
    const { member } = await openFiles();
    const path = `/knowledge/sources/${newId('src')}`;
    const settings = { name: 'Manual', mode: 'review' };
    for (const response of [
      await member.get(path),
      await member.put(path, settings),
      await member.delete(path),
      await member.upload(`${path}/files?name=lamp.md`, form(LAMP)),
      await member.get(`${path}/runs`),
      await member.post(`${path}/runs`, {}),
      await member.get(`${path}/conflicts`),
      await member.post(`${path}/conflicts/resolve`, conflict),
    ])
      expectError(response, 'source/not_found');
  });

  it('returns 404 for runs that do not exist, of any source', async () => {
    const { member, path } = await openFiles();
    for (const source of [path, `/knowledge/sources/${newId('src')}`]) {
      const run = `${source}/runs/${newId('run')}`;
      for (const response of [
        await member.get(run),
        await member.post(`${run}/cancel`),
        await member.post(`${run}/apply`),
        await member.get(`${run}/items`),
      ])
        expectError(response, 'source/run_not_found');
    }
  });

  it('is busy while a preview is open', async () => {
    const source = await openFiles();
    await source.upload('lamp.md', LAMP);
    await source.run(true);
    const { member, path } = source;
    expectError(await member.upload(`${path}/files?name=desk.md`, form(LAMP)), 'source/busy');
    expectError(await member.post(`${path}/runs`, {}), 'source/busy');
    expectError(await member.post(`${path}/conflicts/resolve`, conflict), 'source/busy');
  });

  it('rejects file uploads when it is a website', async () => {
    const { member, call } = await openFiles();
    const body = { name: 'Shop', type: 'website', mode: 'review', website: WEBSITE };
    const { id } = await call<SourceRecord>(member.post('/knowledge/sources', body));
    const response = await member.upload(`/knowledge/sources/${id}/files?name=lamp.md`, form(LAMP));
    expectError(response, 'source/wrong_type');
  });

  it('is rejected beyond the maximum of a workspace', async () => {
    const { member, call } = await openFiles();
    const body = { name: 'Manual', type: 'files', mode: 'review' };
    for (let at = 1; at < SOURCE_LIMITS.sourcesMax; at += 1)
      await call(member.post('/knowledge/sources', body));
    expectError(await member.post('/knowledge/sources', body), 'source/too_many');
  });

  it('rejects uploads beyond the limit of waiting documents, and keeps the others', async () => {
    const source = await openFiles();
    await source.upload('lamp.md', LAMP);
    await query(harness!, `UPDATE source_readings SET content_bytes = ${SOURCE_LIMITS.stagedBytesMax}`);
    const response = await source.member.upload(`${source.path}/files?name=desk.md`, form(LAMP));
    expectError(response, 'source/too_much_uploaded');
    expect(await source.read()).toMatchObject({ waiting: 1 });
  });

  it('changes nothing while the storage of the workspace is full', async () => {
    const source = await openFiles({ WORKSPACE_BYTES_MAX: String(1_048_576) });
    await source.upload('lamp.md', LAMP);
    const { id } = await source.run(true);
    const { service, workspace, clock } = harness!;
    const atMillis = clock.now();
    await service.store
      .in(workspace.id)
      .events.append(Array.from({ length: 4000 }, () => event({ atMillis })));
    // A measurement may already be running; only the second one is sure to see the latest rows.
    for (let time = 0; time < 2; time += 1) {
      clock.advance(10 * MINUTE);
      await service.tick();
    }
    const { member, path } = source;
    for (const response of [
      await member.upload(`${path}/files?name=desk.md`, form(LAMP)),
      await member.post(`${path}/runs`, {}),
      await member.post(`${path}/runs/${id}/apply`),
      await member.post(`${path}/conflicts/resolve`, conflict),
    ])
      expectError(response, 'tenant/storage_full');
    expect(await source.readRun(id)).toMatchObject({ state: 'ready' });
  });
});
