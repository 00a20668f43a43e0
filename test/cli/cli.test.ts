import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ConsentRecord, GENESIS_HASH, sealContent } from '../../server/consent/evidence.ts';
import { verifyPassword } from '../../server/dashboard/password.ts';
import { openSqlite } from '../../server/storage/sqlite/open.ts';
import type { Store } from '../../server/storage/store.ts';
import { hashSecret, parseApiKey } from '../../server/tokens/api-key.ts';
import { commandLine, PASSWORD } from './command-line.ts';

let dataDir: string;
let cli: ReturnType<typeof commandLine>;

beforeEach(() => {
  dataDir = join(mkdtempSync(join(tmpdir(), 'guidepost-cli-')), 'data');
  cli = commandLine(dataDir);
});

afterEach(() => rmSync(join(dataDir, '..'), { recursive: true, force: true }));

const databaseFile = () => join(dataDir, 'guidepost.db');

async function inStore<T>(action: (store: Store) => Promise<T>): Promise<T> {
  const store = openSqlite({ file: databaseFile() });
  try {
    return await action(store);
  } finally {
    await store.close();
  }
}

const actionsIn = (workspaceId: string) =>
  inStore(async (store) => (await store.in(workspaceId).audit.list(100)).map(({ action }) => action));

function articlesFile(...articles: unknown[]): string {
  const file = join(dataDir, '..', 'articles.jsonl');
  writeFileSync(file, articles.map((article) => JSON.stringify(article)).join('\n'));
  return file;
}

const returns = { slug: 'returns', locale: 'en', title: 'Returns', answer: 'Within 30 days.' };

describe('the command line as a process of its own', () => {
  it('creates a workspace, imports into it, makes a key and lists them', async () => {
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
    });
    expect(key.code).toBe(0);
    expect(parseApiKey(JSON.parse(key.stdout).key)).toBeDefined();

    await inStore(async (store) => {
      expect(await store.members.list(tenant_id)).toMatchObject([
        { id: owner_id, email: 'owner@shop.example', role: 'owner' },
      ]);
      const user = await store.members.findUserByEmail('owner@shop.example');
      expect(await verifyPassword(PASSWORD, user?.passwordHash)).toBe(true);
    });
  }, 30_000);

  it('says what is wrong without a stack trace, and exits with 1, or with 2 for the command line itself', async () => {
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
  }, 30_000);
});

describe('every command', () => {
  const commands = [
    'serve',
    'workspace create',
    'workspace list',
    'workspace disable',
    'workspace enable',
    'workspace set',
    'knowledge import',
    'key create',
    'key list',
    'key revoke',
    'killswitch on',
    'killswitch off',
    'killswitch status',
    'consent verify',
    'token rotate',
    'backup',
    'restore',
  ];
  it.each(commands)('%s explains itself and offers --json', async (command) => {
    const { code, stdout } = await cli.here([...command.split(' '), '--help']);
    expect(code).toBe(0);
    expect(stdout).toContain(`Usage: guidepost ${command}`);
    expect(stdout).toContain('--json');
  });

  it('is known to this list', async () => {
    const named = async (...path: string[]): Promise<string[]> => {
      const { stdout } = await cli.here([...path, '--help']);
      const own = /\nCommands:\n([\s\S]*)$/.exec(stdout)?.[1] ?? '';
      const names = [...own.matchAll(/^ {2}([a-z]+)/gm)]
        .map((match) => match[1]!)
        .filter((name) => name !== 'help');
      if (names.length === 0) return [path.join(' ')];
      return (await Promise.all(names.map((name) => named(...path, name)))).flat();
    };
    expect((await named()).sort()).toEqual([...commands].sort());
  });

  it('says with --json why it failed in one JSON document on standard error', async () => {
    const { code, stdout, stderr } = await cli.here(['workspace', 'list', '--json']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(JSON.parse(stderr)).toEqual({ error: 'failed', message: expect.stringContaining('no database') });
  });

  it('says which setting of the environment is wrong', async () => {
    const child = cli.start(['workspace', 'list'], { PORT: 'eighty' });
    child.stdin.end();
    let stderr = '';
    for await (const piece of child.stderr) stderr += piece;
    expect(stderr).toContain('PORT');
    expect(stderr).not.toMatch(/\n\s+at /);
    expect(child.exitCode ?? (await new Promise((resolve) => child.once('close', resolve)))).toBe(2);
  });
});

describe('workspace create', () => {
  const base = ['workspace', 'create', '--name', 'Shop', '--owner-password-stdin'];
  const email = ['--owner-email', 'owner@shop.example'];
  const domain = ['--domain', 'https://shop.example'];

  it('keeps domains in canonical form, each once', async () => {
    await cli.createWorkspace(
      ...['--domain', 'HTTPS://Shop.Example:443'],
      ...['--domain', 'https://*.bücher.example'],
    );
    const [workspace] = await cli.json(['workspace', 'list']);
    expect(workspace.domains).toEqual(['https://shop.example', 'https://*.xn--bcher-kva.example']);
  });

  it('takes app id, language, consent rule and branding', async () => {
    await cli.createWorkspace(
      '--app-id',
      'gp_mine',
      '--locale',
      'pt-br',
      '--consent',
      'opt_in',
      '--no-branding',
    );
    const [workspace] = await cli.json(['workspace', 'list']);
    expect(workspace).toMatchObject({
      app_id: 'gp_mine',
      locale: 'pt-BR',
      consent: 'opt_in',
      branding: false,
      enabled: true,
    });
  });

  it.each([
    ['an address with a path', [...base, ...email, '--domain', 'https://shop.example/help'], '--domain'],
    ['any host', [...base, ...email, '--domain', '*'], '--domain'],
    ['no address of mail', [...base, ...domain, '--owner-email', 'owner'], '--owner-email'],
    ['a foreign app id', [...base, ...email, ...domain, '--app-id', 'shop'], '--app-id'],
    ['no language', [...base, ...email, ...domain, '--locale', 'no such'], '--locale'],
    ['an unknown rule', [...base, ...email, ...domain, '--consent', 'never'], '--consent'],
    ['no name', [...base, ...email, ...domain, '--name', ' '], '--name'],
    ['no password', ['workspace', 'create', '--name', 'Shop', ...email, ...domain], '--owner-password-stdin'],
  ])('refuses %s as a usage error, before anything is stored', async (_, args, option) => {
    const { code, stderr } = await cli.here(args, PASSWORD);
    expect(code).toBe(2);
    expect(stderr).toContain(option);
    expect(existsSync(databaseFile())).toBe(false);
  });

  it('refuses a weak password and says why, without repeating it', async () => {
    const { code, stderr } = await cli.here([...base, ...email, ...domain], 'owner@shop.example\n');
    expect(code).toBe(1);
    expect(stderr).toContain('your address');
    expect(stderr).not.toContain('owner@');
  });

  it('refuses an app id that is taken', async () => {
    await cli.createWorkspace('--app-id', 'gp_mine');
    const { code, stderr } = await cli.here([...base, ...email, ...domain, '--app-id', 'gp_mine'], PASSWORD);
    expect(code).toBe(1);
    expect(stderr).toContain('gp_mine is taken');
  });

  it('lets one person own several workspaces, with the password of the first', async () => {
    await cli.createWorkspace();
    const { stderr } = await cli.here([...base, ...email, ...domain], 'another quiet password');
    expect(stderr).toContain('keeps the password');
    const user = await inStore((store) => store.members.findUserByEmail('owner@shop.example'));
    expect(await verifyPassword(PASSWORD, user?.passwordHash)).toBe(true);
  });
});

describe('workspace', () => {
  it('is disabled and enabled by its id or its app id, and the audit knows', async () => {
    const { tenant_id, app_id } = await cli.createWorkspace();
    expect(await cli.json(['workspace', 'disable', app_id])).toMatchObject({ tenant_id, enabled: false });
    expect(await cli.json(['workspace', 'enable', tenant_id])).toMatchObject({ tenant_id, enabled: true });
    expect(await actionsIn(tenant_id)).toEqual([
      'workspace.enabled',
      'workspace.disabled',
      'workspace.created',
    ]);
  });

  it('changes only the settings that are named', async () => {
    const { app_id } = await cli.createWorkspace('--locale', 'de');
    const changed = await cli.json([
      ...[
        'workspace',
        'set',
        app_id,
        '--domain',
        'https://new.example',
        '--consent',
        'notice',
        '--no-branding',
      ],
      ...['--suggestion', 'Wie geht das?', '--name', 'Laden'],
    ]);
    expect(changed).toMatchObject({
      name: 'Laden',
      domains: ['https://new.example'],
      consent: 'notice',
      branding: false,
      locale: 'de',
      suggestions: ['Wie geht das?'],
    });
    expect(await cli.json(['workspace', 'set', app_id, '--branding'])).toEqual({
      ...changed,
      branding: true,
      version: changed.version + 1,
    });
  });

  it('that does not exist is refused, and a change of nothing is a usage error', async () => {
    const { app_id } = await cli.createWorkspace();
    expect(await cli.here(['workspace', 'disable', 'ws_nobody'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no workspace ws_nobody'),
    });
    expect((await cli.here(['workspace', 'set', app_id])).code).toBe(2);
  });
});

describe('key', () => {
  it('is shown once, and only the hash of its secret is stored', async () => {
    const { tenant_id } = await cli.createWorkspace();
    const scopes = ['--scope', 'events:read', '--scope', 'analytics:read'];
    const { id, key } = await cli.json(['key', 'create', '--workspace', tenant_id, ...scopes]);
    const { publicId, secret } = parseApiKey(key)!;
    const stored = await inStore((store) => store.apiKeys.findByPublicId(publicId));
    expect(stored).toMatchObject({
      id,
      workspaceId: tenant_id,
      secretHash: hashSecret(secret),
      lastFour: key.slice(-4),
      scopes: ['events:read', 'analytics:read'],
    });
    const { stdout } = await cli.here(['key', 'list']);
    expect(stdout).toContain(id);
    expect(stdout).not.toContain(secret);
  });

  it('is revoked for ever', async () => {
    const { tenant_id, app_id } = await cli.createWorkspace();
    const { id } = await cli.json(['key', 'create', '--workspace', app_id, '--scope', 'events:read']);
    const { revoked_at } = await cli.json(['key', 'revoke', id]);
    expect(revoked_at).toMatch(/^\d{4}-/);
    expect(await cli.json(['key', 'list', '--workspace', tenant_id])).toMatchObject([{ id, revoked_at }]);
    expect(await actionsIn(tenant_id)).toEqual(['api_key.revoked', 'api_key.created', 'workspace.created']);
    expect((await cli.here(['key', 'revoke', 'key_nobody'])).code).toBe(1);
  });

  it.each([['events:write'], [''], ['events:read,admin']])(
    'refuses the scope %j as a usage error',
    async (scope) => {
      const { app_id } = await cli.createWorkspace();
      expect((await cli.here(['key', 'create', '--workspace', app_id, '--scope', scope])).code).toBe(2);
      expect((await cli.here(['key', 'create', '--workspace', app_id])).code).toBe(2);
    },
  );
});

describe('killswitch', () => {
  it('goes on and off, once is as good as twice, and every workspace can read when', async () => {
    const { tenant_id } = await cli.createWorkspace();
    const state = async (word: string) => (await cli.json(['killswitch', word])).kill_switch;
    expect(await state('status')).toBe(false);
    expect(await state('on')).toBe(true);
    expect(await state('on')).toBe(true);
    expect(await inStore((store) => store.switches.isOn('kill_switch'))).toBe(true);
    expect(await state('off')).toBe(false);
    expect(await actionsIn(tenant_id)).toEqual(['kill_switch.off', 'kill_switch.on', 'workspace.created']);
  });
});

describe('knowledge import', () => {
  it('reports what is wrong and where, publishes the rest, and exits with 1', async () => {
    const { app_id } = await cli.createWorkspace();
    const file = articlesFile(returns, { ...returns, slug: 'bad', title: '' }, { ...returns, slug: 'good' });
    const { code, stdout, stderr } = await cli.here(['knowledge', 'import', '--workspace', app_id, file]);
    expect(code).toBe(1);
    expect(stdout).toBe('2 articles and 0 translations published, 0 unchanged, 1 errors\n');
    expect(stderr).toContain(`${file}:2:title: expected string to have >=1 characters\n`);
    const again = await cli.here(['knowledge', 'import', '--workspace', app_id, file, '--json']);
    expect(JSON.parse(again.stdout)).toMatchObject({
      articles: 0,
      skipped: 2,
      errors: 1,
      problems: [{ file, line: 2, field: 'title' }],
    });
  });

  it('refuses a path where nothing is, and a workspace that does not exist', async () => {
    const { app_id } = await cli.createWorkspace();
    const nowhere = await cli.here(['knowledge', 'import', '--workspace', app_id, join(dataDir, 'nowhere')]);
    expect(nowhere).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('There is nothing at'),
    });
    const file = articlesFile(returns);
    expect((await cli.here(['knowledge', 'import', '--workspace', 'gp_nobody', file])).code).toBe(1);
  });

  it('shows progress in one line on a terminal, and now and then elsewhere', async () => {
    const { app_id } = await cli.createWorkspace();
    const many = Array.from({ length: 45 }, (_, at) => ({ ...returns, slug: `a-${at}` }));
    const { stderr } = await cli.here(['knowledge', 'import', '--workspace', app_id, articlesFile(...many)]);
    expect(stderr).toBe('');
    let now = 0;
    const slow = commandLine(dataDir, () => (now += 2_000));
    const more = many.map((article) => ({ ...article, answer: 'Changed.' }));
    const told = await slow.here(['knowledge', 'import', '--workspace', app_id, articlesFile(...more)]);
    expect(told.stderr).toMatch(/^\d+ articles and 0 translations published, .* MB read\n/);
  });
});

describe('consent verify', () => {
  function decision(id: string, workspaceId: string): ConsentRecord {
    return {
      id,
      workspaceId,
      visitorId: 'sub_1',
      origin: 'https://shop.example',
      path: '/',
      decision: 'accepted',
      purposes: {
        essential: 'granted',
        analytics: 'granted',
        persistence: 'granted',
        retention: 'granted',
        screenshot: 'granted',
        voice: 'granted',
      },
      mode: 'opt_in',
      reason: 'region_rule',
      policyVersion: 'p1',
      policyKnown: true,
      copyVersion: 'c1',
      snapshotSource: 'token',
      regionCode: 'DE',
      regionSource: 'none',
      gpcHeader: false,
      atMillis: 1,
      receivedAtMillis: 2,
      clockSkewMillis: 1,
    };
  }

  const append = (workspaceId: string, count: number, spoil?: number) =>
    inStore(async (store) => {
      for (let at = 1; at <= count; at += 1) {
        await store.in(workspaceId).consents.append({
          id: `con_${at}`,
          visitorId: `vis_${at}`,
          freshSubjectId: `sub_${at}`,
          standing: {
            decision: 'accepted',
            mode: 'opt_in',
            policyVersion: 'p1',
            regionCode: 'DE',
            decidedAt: at,
          },
          seal: ({ hash }) => {
            const sealed = sealContent(hash ?? GENESIS_HASH, decision(`con_${at}`, workspaceId));
            return at === spoil
              ? { ...sealed, content: sealed.content.replace('accepted', 'denied') }
              : sealed;
          },
          forgetEvents: false,
          events: [],
        });
      }
    });

  it('reads the whole chain, longer than a page, and tells its newest hash', async () => {
    const { tenant_id, app_id } = await cli.createWorkspace();
    expect(await cli.json(['consent', 'verify', '--workspace', app_id])).toMatchObject({
      ok: true,
      records: 0,
    });
    await append(tenant_id, 1_050);
    const verdict = await cli.json(['consent', 'verify', '--workspace', app_id]);
    expect(verdict).toEqual({ ok: true, records: 1_050, head: expect.stringMatching(/^[0-9a-f]{64}$/) });
    const same = ['consent', 'verify', '--workspace', app_id, '--head'];
    expect((await cli.here([...same, verdict.head])).code).toBe(0);
    expect(await cli.here([...same, 'f'.repeat(64)])).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('the chain ends before it'),
    });
  });

  it('finds the record that was changed, and exits with 1', async () => {
    const { tenant_id, app_id } = await cli.createWorkspace();
    await append(tenant_id, 5, 3);
    const { code, stdout, stderr } = await cli.here(['consent', 'verify', '--workspace', app_id, '--json']);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ ok: false, records: 2, broken_at: 3, why: 'hash_mismatch' });
    expect(stderr).toContain('not intact');
  });
});

describe('token rotate', () => {
  it('adds a key to sign with', async () => {
    await cli.createWorkspace();
    const first = await cli.json(['token', 'rotate']);
    const second = await cli.json(['token', 'rotate']);
    expect(second.kid).not.toBe(first.kid);
    expect(Date.parse(second.signs_from)).toBeGreaterThan(Date.now() - 1_000);
  });

  it('is refused where the environment names the keys', async () => {
    const key = `k1:${Buffer.from(Array.from({ length: 32 }, (_, at) => at)).toString('base64url')}`;
    const child = cli.start(['token', 'rotate'], { VISITOR_TOKEN_KEYS: key });
    child.stdin.end();
    let stderr = '';
    for await (const piece of child.stderr) stderr += piece;
    expect(stderr).toContain('VISITOR_TOKEN_KEYS names the keys');
  });
});

describe('backup and restore', () => {
  it('bring back what was there', async () => {
    const { app_id } = await cli.createWorkspace();
    const file = join(dataDir, '..', 'copy.db');
    expect(await cli.json(['backup', file])).toMatchObject({ file });
    await cli.json(['workspace', 'disable', app_id]);
    const unforced = await cli.here(['restore', file]);
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

  it('refuse what would destroy something', async () => {
    const { app_id } = await cli.createWorkspace();
    const noBackup = join(dataDir, '..', 'notes.txt');
    writeFileSync(noBackup, 'not a database');
    const refusals = [
      ['backup', databaseFile()],
      ['backup', join(dataDir, 'nowhere', 'copy.db')],
      ['restore', join(dataDir, 'nowhere.db'), '--force'],
      ['restore', noBackup, '--force'],
    ];
    for (const args of refusals) {
      const { code, stderr } = await cli.here(args);
      expect(code).toBe(1);
      expect(stderr).toMatch(/^guidepost: .*\n$/);
    }
    expect(await cli.json(['workspace', 'list'])).toMatchObject([{ app_id }]);
  });

  it('refuses to restore beneath a running service', async () => {
    await cli.createWorkspace();
    const file = join(dataDir, '..', 'copy.db');
    await cli.json(['backup', file]);
    await inStore(async () => {
      const { code, stderr } = await cli.here(['restore', file, '--force']);
      expect(code).toBe(1);
      expect(stderr).toContain('in use');
    });
  });
});
