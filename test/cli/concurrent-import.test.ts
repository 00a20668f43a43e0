import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { openSqlite } from '../../server/storage/sqlite/open.ts';
import { commandLine } from './command-line.ts';

const ARTICLES = 800;
/** Generous for busy machines: measured waits stay below 100 ms. */
const WAIT_MILLIS_MAX = 10_000;

it('knowledge import runs beside another writer without lost rows or long waits', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'guidepost-beside-'));
  const cli = commandLine(folder);
  const { tenant_id } = await cli.createWorkspace();
  const sentence = 'Open the settings, choose the account, and follow what the page says until it is done. ';
  const file = join(folder, 'many.jsonl');
  const lines = Array.from({ length: ARTICLES }, (_, at) =>
    JSON.stringify({
      slug: `a-${at}`,
      locale: 'en',
      title: `Article ${at}`,
      answer: sentence.repeat(15) + at,
    }),
  );
  writeFileSync(file, lines.join('\n'));

  const store = openSqlite({ file: join(folder, 'guidepost.db') });
  const { audit, articles } = store.in(tenant_id);
  const child = cli.start(['knowledge', 'import', '--workspace', tenant_id, file, '--json']);
  child.stdin.end();
  const closed = once(child, 'close');
  const output = text(child.stdout);
  let during = 0;
  let slowest = 0;
  let partly = false;
  for (let written = 0; child.exitCode === null; written += 1) {
    const before = performance.now();
    await audit.append({
      id: `aud_${written}`,
      atMillis: 1,
      actor: 'test',
      action: 'test',
      subject: 'x',
      details: {},
    });
    slowest = Math.max(slowest, performance.now() - before);
    during = written + 1;
    const { articles: there } = await articles.count();
    if (there > 0 && there < ARTICLES) partly = true;
    await pause(2);
  }
  await closed;
  expect(JSON.parse(await output)).toMatchObject({ articles: ARTICLES, errors: 0 });
  expect(partly, 'the writer and the import ran at the same time').toBe(true);
  const mine = (await audit.list(ARTICLES * 2 + during)).filter(({ actor }) => actor === 'test');
  expect(mine).toHaveLength(during);
  expect(slowest).toBeLessThan(WAIT_MILLIS_MAX);
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});
