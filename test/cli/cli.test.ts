import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { verifyPassword } from '../../server/accounts/password.ts';
import { openSqlite } from '../../server/storage/sqlite/open.ts';
import { parseApiKey } from '../../server/tokens/api-key.ts';
import {
  actionsIn,
  articlesFile,
  cli,
  commandLine,
  databaseFile,
  dataDir,
  inStore,
  PASSWORD,
  returns,
  setUpInstallation,
} from '../support/command-line.ts';
import { openHarness } from '../support/harness.ts';

setUpInstallation();

const keys = (folder: string) => join(folder, 'visitor-token-keys.json');

describe('the guidepost command as a separate process', () => {
  it('prints the version and the commit that was built', async () => {
    const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'));
    const { code, stdout } = await cli.apart(['--version']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^\S+ \(([0-9a-f]{12}(-dirty)?|unknown)\)\n$/);
    expect(stdout).toContain(`${version} (`);
  });

  it('creates a workspace, imports articles, creates an API key and lists both', async () => {
    const created = await cli.apart(
      [
        ...['workspace', 'create', '--json', '--name', 'Shop', '--domain', 'https://shop.example'],
        ...['--owner-email', 'Owner@Shop.example', '--owner-password-stdin'],
      ],
      `${PASSWORD}\n`,
    );
    expect(created).toMatchObject({ code: 0, stderr: '' });
    const { tenant_id, app_id, owner_id } = JSON.parse(created.stdout);
    expect(app_id).toMatch(/^gp_[0-9a-z]{16}$/);

    const [imported, key] = await Promise.all([
      cli.apart(['knowledge', 'import', '--json', '--workspace', tenant_id, articlesFile(returns)]),
      cli.apart(['key', 'create', '--json', '--workspace', tenant_id, '--scope', 'events:read']),
    ]);
    expect(imported).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(imported.stdout)).toEqual({
      articles: 1,
      translations: 0,
      skipped: 0,
      errors: 0,
      problems: [],
      drafts: [],
    });
    expect(key.code).toBe(0);
    expect(parseApiKey(JSON.parse(key.stdout).key)).toBeDefined();

    await inStore(async (store) => {
      expect(await store.in(tenant_id).members.list()).toMatchObject([
        { id: owner_id, email: 'owner@shop.example', role: 'owner' },
      ]);
      const user = await store.users.listByEmail('owner@shop.example').then(([first]) => first);
      expect(await verifyPassword(PASSWORD, user?.passwordHash)).toBe(true);
    });
  });

  it('prints errors without a stack trace and exits with 1, or with 2 for invalid arguments', async () => {
    const [missing, unknown, bad] = await Promise.all([
      cli.apart(['workspace', 'list']),
      cli.apart(['workspace', 'destroy']),
      cli.apart(['workspace', 'create', '--name', 'Shop']),
    ]);
    expect(missing).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('There is no database'),
    });
    expect(unknown).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('unknown command'),
    });
    expect(bad).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('--domain') });
    for (const { stderr } of [missing, unknown, bad]) expect(stderr).not.toMatch(/\n\s+at /);
    expect(existsSync(databaseFile())).toBe(false);
  });
});

describe('every command', () => {
  const commands = [
    'serve',
    'workspace create',
    'workspace export',
    'workspace import',
    'workspace list',
    'workspace disable',
    'workspace enable',
    'workspace set',
    'workspace usage',
    'member create',
    'member link',
    'member password',
    'member reset-factors',
    'knowledge import',
    'push',
    'check',
    'session create',
    'session list',
    'session end',
    'key create',
    'key list',
    'key revoke',
    'key rotate',
    'killswitch on',
    'killswitch off',
    'killswitch status',
    'audit verify',
    'consent verify',
    'token rotate',
    'token reset',
    'backup',
    'restore',
    'rollback',
    'move',
    'doctor',
  ];
  it.each(commands)('%s prints help that lists --json', async (command) => {
    const { code, stdout } = await cli.runInProcess([...command.split(' '), '--help']);
    expect(code).toBe(0);
    expect(stdout).toContain(`Usage: guidepost ${command}`);
    expect(stdout).toContain('--json');
  });

  it('is covered by this test', async () => {
    const named = async (...path: string[]): Promise<string[]> => {
      const { stdout } = await cli.runInProcess([...path, '--help']);
      const own = /\nCommands:\n([\s\S]*)$/.exec(stdout)?.[1] ?? '';
      const names = [...own.matchAll(/^ {2}([a-z-]+)/gm)]
        .map((match) => match[1]!)
        .filter((name) => name !== 'help');
      if (names.length === 0) return [path.join(' ')];
      return (await Promise.all(names.map((name) => named(...path, name)))).flat();
    };
    expect((await named()).sort()).toEqual([...commands].sort());
  });

  it('prints errors with --json as one JSON document on standard error', async () => {
    const { code, stdout, stderr } = await cli.runInProcess(['workspace', 'list', '--json']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(JSON.parse(stderr)).toEqual({ error: 'failed', message: expect.stringContaining('no database') });
  });

  it('names the invalid environment variable', async () => {
    const child = cli.start(['workspace', 'list'], { PORT: 'eighty' });
    child.stdin.end();
    let stderr = '';
    for await (const piece of child.stderr) stderr += piece;
    expect(stderr).toBe('guidepost: PORT: expected a whole number\n');
    expect(stderr).not.toMatch(/\n\s+at /);
    expect(child.exitCode ?? (await new Promise((resolve) => child.once('close', resolve)))).toBe(2);
  });
});

describe('killswitch', () => {
  it('is idempotent and audited in every workspace', async () => {
    const { tenant_id } = await cli.createWorkspace();
    const state = async (word: string) => (await cli.json(['killswitch', word])).kill_switch;
    expect(await state('status')).toBe(false);
    expect(await state('on')).toBe(true);
    expect(await state('on')).toBe(true);
    expect(await inStore((store) => store.featureFlags.isOn('kill_switch'))).toBe(true);
    expect(await state('off')).toBe(false);
    expect(await actionsIn(tenant_id)).toEqual(['kill_switch.off', 'kill_switch.on', 'workspace.created']);
  });
});

describe('token rotate', () => {
  it('adds a signing key', async () => {
    await cli.createWorkspace();
    const first = await cli.json(['token', 'rotate']);
    const second = await cli.json(['token', 'rotate']);
    expect(second.kid).not.toBe(first.kid);
    expect(Date.parse(second.signs_from)).toBeGreaterThan(Date.now() - 1_000);
  });

  it('fails without a database, whether or not the folder exists', async () => {
    const rotate = () => cli.runInProcess(['token', 'rotate']);
    expect(await rotate()).toMatchObject({ code: 1, stderr: expect.stringContaining('no database') });
    mkdirSync(dataDir);
    expect(await rotate()).toMatchObject({ code: 1, stderr: expect.stringContaining('no database') });
    expect(readdirSync(dataDir)).toEqual([]);
  });

  it('fails when the environment configures the keys', async () => {
    const key = `k1:${Buffer.from(Array.from({ length: 32 }, (_, at) => at)).toString('base64url')}`;
    const child = cli.start(['token', 'rotate'], { VISITOR_TOKEN_KEYS: key });
    child.stdin.end();
    let stderr = '';
    for await (const piece of child.stderr) stderr += piece;
    expect(stderr).toContain('VISITOR_TOKEN_KEYS defines the keys');
  });
});

describe('backup and restore', () => {
  it('restores the data of the backup', async () => {
    const { app_id } = await cli.createWorkspace();
    const file = join(dataDir, '..', 'copy.db');
    expect(await cli.json(['backup', file])).toMatchObject({ file });
    await cli.json(['workspace', 'disable', app_id]);
    const unforced = await cli.runInProcess(['restore', file]);
    expect(unforced).toMatchObject({ code: 1, stderr: expect.stringContaining('--force') });
    expect(await cli.json(['workspace', 'list'])).toMatchObject([{ app_id, enabled: false }]);
    await cli.json(['restore', file, '--force']);
    expect(await cli.json(['workspace', 'list'])).toMatchObject([{ app_id, enabled: true }]);
  });

  it('restores into an empty folder', async () => {
    const { app_id } = await cli.createWorkspace();
    const file = join(dataDir, '..', 'copy.db');
    await cli.json(['backup', file]);
    const elsewhere = commandLine(join(dataDir, '..', 'elsewhere'));
    await elsewhere.json(['restore', file]);
    expect(await elsewhere.json(['workspace', 'list'])).toMatchObject([{ app_id }]);
  });

  it('fails rather than overwrite data', async () => {
    const { app_id } = await cli.createWorkspace();
    const noBackup = join(dataDir, '..', 'notes.txt');
    writeFileSync(noBackup, 'not a database');
    const errorCodes = [
      ['backup', databaseFile()],
      ['backup', join(dataDir, 'nowhere', 'copy.db')],
      ['restore', join(dataDir, 'nowhere.db'), '--force'],
      ['restore', noBackup, '--force'],
    ];
    for (const args of errorCodes) {
      const { code, stderr } = await cli.runInProcess(args);
      expect(code).toBe(1);
      expect(stderr).toMatch(/^guidepost: .*\n$/);
    }
    expect(await cli.json(['workspace', 'list'])).toMatchObject([{ app_id }]);
  });

  it('restores the keys, so that an earlier visitor keeps id, token and export cursor', async () => {
    const harness = await openHarness({ dataDir });
    const { jwt, visitor_id } = await harness.boot();
    await harness.ask(jwt);
    await harness.ask(jwt, { turn_idx: 1 });
    const { key } = (await cli.json([
      ...['key', 'create', '--workspace', harness.appId, '--name', 'Export', '--scope', 'events:read'],
    ])) as { key: string };
    const list = (at: typeof harness, query: string) =>
      at.fetch(`/api/export/events?limit=1${query}`, { headers: { authorization: `Bearer ${key}` } });
    const { next_cursor } = (await (await list(harness, '')).json()) as { next_cursor: string };
    const file = join(dataDir, '..', 'copy.db');
    expect(await cli.json(['backup', file])).toMatchObject({ file, keys: `${file}.keys` });
    expect(statSync(`${file}.keys`).mode & 0o077).toBe(0);
    await harness.close();

    const elsewhere = commandLine(join(dataDir, '..', 'elsewhere'));
    expect(await elsewhere.json(['restore', file])).toMatchObject({ keys: 'restored' });
    const restored = await openHarness({ dataDir: join(dataDir, '..', 'elsewhere') });
    await restored.ask(jwt, { turn_idx: 2 });
    expect(await restored.boot({ visitor_id })).toMatchObject({ visitor_id });
    expect((await list(restored, `&cursor=${encodeURIComponent(next_cursor)}`)).status).toBe(200);
    await restored.close();
  });

  it('keeps keys that were rotated since the backup', async () => {
    await (await openHarness({ dataDir })).service.close();
    const file = join(dataDir, '..', 'copy.db');
    await cli.json(['backup', file]);
    await cli.json(['token', 'rotate']);
    const rotated = readFileSync(keys(dataDir), 'utf8');
    expect(await cli.json(['restore', file, '--force'])).toMatchObject({ keys: 'kept' });
    expect(readFileSync(keys(dataDir), 'utf8')).toBe(rotated);
  });

  it('does not restore a database without its keys unless an option allows it', async () => {
    await (await openHarness({ dataDir })).service.close();
    const file = join(dataDir, '..', 'copy.db');
    await cli.json(['backup', file]);
    const folder = join(dataDir, '..', 'elsewhere');
    const elsewhere = commandLine(folder);
    chmodSync(`${file}.keys`, 0o644);
    expect(await elsewhere.runInProcess(['restore', file])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('chmod 600'),
    });
    rmSync(`${file}.keys`);
    expect(await elsewhere.runInProcess(['restore', file])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('copy.db.keys is missing'),
    });
    expect(existsSync(join(folder, 'guidepost.db'))).toBe(false);
    expect(await elsewhere.json(['restore', file, '--without-keys'])).toMatchObject({ keys: 'none' });
    await expect(openHarness({ dataDir: folder })).rejects.toThrow(/keys of this database are missing/);
    expect(await elsewhere.runInProcess(['token', 'rotate'])).toMatchObject({ code: 1 });
    await elsewhere.json(['token', 'reset']);
    await (await openHarness({ dataDir: folder })).service.close();
    expect(await elsewhere.runInProcess(['token', 'reset'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('has its keys'),
    });
  });

  it('fails a backup when the keys are lost, but writes the database', async () => {
    await (await openHarness({ dataDir })).service.close();
    rmSync(keys(dataDir));
    const file = join(dataDir, '..', 'copy.db');
    expect(await cli.runInProcess(['backup', file])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('but not its keys'),
    });
    expect(existsSync(file)).toBe(true);
  });

  it('does not restore while a server is running', async () => {
    await cli.createWorkspace();
    const file = join(dataDir, '..', 'copy.db');
    await cli.json(['backup', file]);
    await inStore(async () => {
      const { code, stderr } = await cli.runInProcess(['restore', file, '--force']);
      expect(code).toBe(1);
      expect(stderr).toContain('in use');
    });
  });
});

const ARTICLES = 800;
/** Longest wait of the other writer. Generous for busy machines: measured waits stay below 100 ms. */
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
