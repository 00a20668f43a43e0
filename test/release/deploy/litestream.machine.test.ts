import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findFreePort } from '../../support/cluster/servers.ts';
import { tempDir } from '../../support/temp-dir.ts';
import {
  cleanEnv,
  fromPypi,
  GUIDEPOST,
  type Program,
  ROOT,
  type Service,
  start,
  startService,
  until,
  visit,
} from './programs.ts';

/** The real Litestream with deploy/litestream.yml, and an S3-compatible server on this machine. */

const SECRET = 'a-secret-of-a-test-with-more-than-32-bytes';
const CONFIG = readFileSync(join(ROOT, 'deploy/litestream.yml'), 'utf8');
/** Moto takes the account from the key, and accepts every signature. */
const SIGNED =
  'AWS4-HMAC-SHA256 Credential=a/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=x';

let store: string;
const programs: Program[] = [];
let service: Service;
let env: NodeJS.ProcessEnv;
let folder: string;

const inBucket = (path = '', init: RequestInit = {}) =>
  fetch(`${store}/backups${path}`, { ...init, headers: { authorization: SIGNED } });
const listKeys = async () =>
  Array.from((await (await inBucket('?list-type=2&prefix=guidepost')).text()).matchAll(/<Key>(.*?)</g)).map(
    ([, key]) => key!,
  );

/** Writes deploy/litestream.yml with the data folder of the test in place of /data. */
function writeConfig(text = CONFIG): string {
  const file = join(folder, 'litestream.yml');
  writeFileSync(file, text.replaceAll('/data/', `${service.dataDir}/`));
  return file;
}

/** Runs the command in the comments of deploy/litestream.yml that starts with `begin`, with other folders. */
function followComment(begin: string, restored: string, moreEnv: Record<string, string> = {}): string {
  const [, line] = new RegExp(`^# +(${begin} .*)$`, 'm').exec(CONFIG)!;
  const [name, ...args] = line!
    .replace('/etc/litestream.yml', writeConfig())
    .replace('/data/restored.db', restored)
    .replace('/data/guidepost.db', join(service.dataDir, 'guidepost.db'))
    .split(' ');
  const program = name === 'guidepost' ? GUIDEPOST : [fromPypi(name!)];
  return execFileSync(program[0]!, [...program.slice(1), ...args], {
    env: { ...env, ...moreEnv },
    encoding: 'utf8',
    stdio: 'pipe',
  });
}

beforeAll(async () => {
  const [port, storePort] = [await findFreePort(), await findFreePort()];
  folder = tempDir();
  store = `http://127.0.0.1:${storePort}`;
  programs.push(start([fromPypi('moto_server'), '-p', String(storePort)], { env: cleanEnv() }));
  service = await startService(port, { GUIDEPOST_SECRET: SECRET });
  await until(async () => (await inBucket('', { method: 'PUT' })).ok, 'the store');
  env = cleanEnv({
    LITESTREAM_ACCESS_KEY_ID: 'a-key',
    LITESTREAM_SECRET_ACCESS_KEY: 'a-secret-key',
    S3_BUCKET: 'backups',
    S3_ENDPOINT: store,
    GUIDEPOST_SECRET: SECRET,
  });
  const replicate = start([fromPypi('litestream'), 'replicate', '-config', writeConfig()], { env });
  programs.push(replicate);
  await replicate.waitFor('snapshot complete');
});
afterAll(async () => {
  await service?.stop();
  for (const program of programs) await program.stop();
});

describe('Litestream with deploy/litestream.yml', () => {
  it('copies writes while the service runs, and the commands in the file restore them', async () => {
    const visitor = await visit(service.baseUrl, service.baseUrl);
    expect(await (await visitor.ask('How do I change the desktop background?')).text()).toContain('citation');
    const dataDir = tempDir();
    let tries = 0;
    // Litestream sends every second.
    await until(() => {
      const restored = join(folder, `restored-${++tries}.db`);
      followComment('litestream', restored);
      return readFileSync(restored).includes('How do I change the desktop background?');
    }, 'the question in the copy');
    expect(followComment('guidepost', join(folder, `restored-${tries}.db`), { DATA_DIR: dataDir })).toContain(
      'Restored',
    );
    expect(existsSync(join(dataDir, 'visitor-token-keys.json'))).toBe(false);

    const again = await startService(await findFreePort(), {
      DATA_DIR: dataDir,
      GUIDEPOST_SECRET: SECRET,
      GUIDEPOST_DEMO: 'off',
    });
    try {
      // The keys came with the database, so the visitor is recognized.
      const known = await visit(again.baseUrl, service.baseUrl, visitor.id);
      expect(known.id).toBe(visitor.id);
      expect(await (await known.ask('How do I change the desktop background?')).text()).toContain('citation');
    } finally {
      await again.stop();
    }
  });

  it('copies erasures too', async () => {
    const visitor = await visit(service.baseUrl, service.baseUrl);
    let tries = 0;
    const countCopied = () => {
      const restored = join(folder, `erased-${++tries}.db`);
      followComment('litestream', restored);
      const db = new SqliteDatabase(restored, { readonly: true });
      const { found } = db
        .prepare("SELECT count(*) AS found FROM turns WHERE question LIKE '%zebra%'")
        .get() as { found: number };
      db.close();
      return found;
    };
    await (await visitor.ask('What does the zebra of Timbuktu say?')).text();
    await until(() => countCopied() === 1, 'the question in the copy');
    expect((await visitor.erase()).status).toBe(200);
    await until(() => countCopied() === 0, 'the erasure in the copy');
  });

  it('removes snapshots after the time that `retention` says', async () => {
    const quick = CONFIG.replace('interval: 24h', 'interval: 1s').replace('retention: 720h', 'retention: 3s');
    expect(quick).not.toBe(CONFIG);
    await programs.pop()!.stop();
    const [first] = (await listKeys()).filter((key) => key.includes('/0009/'));
    expect(first).toBeDefined();
    programs.push(start([fromPypi('litestream'), 'replicate', '-config', writeConfig(quick)], { env }));
    await until(async () => {
      await visit(service.baseUrl, service.baseUrl);
      const snapshots = (await listKeys()).filter((key) => key.includes('/0009/'));
      return snapshots.length > 0 && !snapshots.includes(first!);
    }, 'the removal of the first snapshot');
  });
});
