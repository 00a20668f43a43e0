import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findConfigWarnings } from '../../server/cli/serve.ts';
import { readConfig } from '../../server/settings/config.ts';
import { cli, databaseFile, dataDir, inStore, setUpInstallation } from '../support/command-line.ts';

setUpInstallation();

describe('command-line errors', () => {
  it.each([
    ['an unknown command', ['nothing'], /unknown command/],
    ['an unknown option', ['workspace', 'list', '--nothing'], /unknown option/],
    ['a missing option', ['key', 'create'], /--workspace/],
    ['a missing argument', ['backup'], /file/],
    ['a value that is not among the choices', ['workspace', 'set', 'x', '--consent', 'no'], /choices/],
  ])('report %s as one JSON document on standard error with --json', async (_, args, message) => {
    const { code, stdout, stderr } = await cli.runInProcess([...args, '--json']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(JSON.parse(stderr)).toEqual({ error: 'usage', message: expect.stringMatching(message) });
  });

  it.skipIf(!existsSync('/dev/full'))('report a full disk on standard output', async () => {
    await cli.createWorkspace();
    const { code, stderr } = await cli.into('/dev/full', ['workspace', 'list']);
    expect(stderr).toBe('guidepost: Cannot write to standard output: no space left on device.\n');
    expect(code).toBe(1);
  });

  it.each([
    ['a missing folder', ['nowhere', 'file'], /^guidepost: The folder \S+nowhere does not exist\.\n$/],
    ['a folder instead of a file', [], /^guidepost: \S+ is a folder\. Pass the path of a file\.\n$/],
  ])('name the cause: %s', async (_, path, expectedMessage) => {
    const { app_id } = await cli.createWorkspace();
    const file = join(dataDir, ...path);
    const outcomes = [
      await cli.runInProcess(['backup', file]),
      await cli.runInProcess(['workspace', 'export', '--workspace', app_id, '--out', file]),
    ];
    for (const { code, stderr } of outcomes) {
      expect(code).toBe(1);
      expect(stderr).toMatch(expectedMessage);
    }
  });

  it('explain why the database cannot be opened', async () => {
    mkdirSync(databaseFile(), { recursive: true });
    const { code, stderr } = await cli.runInProcess(['workspace', 'list']);
    expect(code).toBe(1);
    expect(stderr).toBe(
      `guidepost: Cannot open the database ${databaseFile()}: illegal operation on a directory.\n`,
    );
  });
});

it.each(['javascript:alert(1)', 'ftp://guide.example.com', 'guide.example.com'])(
  'a start is refused with %s as PUBLIC_URL',
  (PUBLIC_URL) => {
    expect(() => readConfig({ PUBLIC_URL })).toThrow(/PUBLIC_URL: expected a URL that starts with http/);
    expect(readConfig({ PUBLIC_URL: 'https://guide.example.com/' }).publicUrl).toBe(
      'https://guide.example.com',
    );
  },
);

it.each([
  [{}, ['127.0.0.0/8', '::1/128']],
  [{ HOST: '::1' }, ['127.0.0.0/8', '::1/128']],
  [{ PUBLIC_URL: 'http://localhost:8787' }, ['127.0.0.0/8', '::1/128']],
  [{ PUBLIC_URL: 'https://guide.example.com' }, []],
  [{ TRUSTED_PROXIES: '10.0.0.1' }, []],
  [{ HOST: '0.0.0.0' }, []],
  [{ SOURCE_NETWORKS: '10.0.0.0/8' }, ['10.0.0.0/8']],
])('sources may read loopback addresses unless other machines reach the server: %o', (env, networks) => {
  expect(readConfig(env).sourceNetworks).toStrictEqual(networks);
});

const findWarnings = (settings: Record<string, string>) =>
  inStore((store) => findConfigWarnings(readConfig(settings), store.workspaces));

describe('findConfigWarnings', () => {
  it('warns about EDGE_PROVIDER without TRUSTED_PROXIES', async () => {
    await cli.createWorkspace();
    expect(await findWarnings({ EDGE_PROVIDER: 'fastly' })).toEqual([
      expect.stringContaining('EDGE_PROVIDER has no effect without TRUSTED_PROXIES'),
    ]);
    expect(await findWarnings({ EDGE_PROVIDER: 'fastly', TRUSTED_PROXIES: 'loopback' })).toEqual([]);
  });

  it('warns about unknown workspaces in ROLLOUT', async () => {
    const { app_id, tenant_id } = await cli.createWorkspace();
    expect(await findWarnings({})).toEqual([]);
    expect(await findWarnings({ ROLLOUT: `${app_id},gp_typo,${tenant_id}` })).toEqual([
      'ROLLOUT contains gp_typo, but no such workspace exists',
    ]);
  });

  it('accepts the demo workspace in ROLLOUT unless the demo is off', async () => {
    await cli.createWorkspace();
    expect(await findWarnings({ ROLLOUT: 'gp_demo' })).toEqual([]);
    expect(await findWarnings({ ROLLOUT: 'gp_demo', GUIDEPOST_DEMO: 'off' })).toHaveLength(1);
  });
});
