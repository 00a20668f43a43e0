import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { anInstallationForEach, cli, databaseFile, dataDir } from './command-line.ts';

anInstallationForEach();

describe('command-line errors', () => {
  it.each([
    ['an unknown command', ['nothing'], /unknown command/],
    ['an unknown option', ['workspace', 'list', '--nothing'], /unknown option/],
    ['a missing option', ['key', 'create'], /--workspace/],
    ['a missing argument', ['backup'], /file/],
    ['a value that is none of the choices', ['workspace', 'set', 'x', '--consent', 'no'], /choices/],
  ])('with --json report %s as one JSON document on standard error', async (_, args, message) => {
    const { code, stdout, stderr } = await cli.here([...args, '--json']);
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
  ])('name %s', async (_, path, complaint) => {
    const { app_id } = await cli.createWorkspace();
    const file = join(dataDir, ...path);
    const outcomes = [
      await cli.here(['backup', file]),
      await cli.here(['workspace', 'export', '--workspace', app_id, '--out', file]),
    ];
    for (const { code, stderr } of outcomes) {
      expect(code).toBe(1);
      expect(stderr).toMatch(complaint);
    }
  });

  it('explain why the database cannot be opened', async () => {
    mkdirSync(databaseFile(), { recursive: true });
    const { code, stderr } = await cli.here(['workspace', 'list']);
    expect(code).toBe(1);
    expect(stderr).toBe(
      `guidepost: Cannot open the database ${databaseFile()}: illegal operation on a directory.\n`,
    );
  });
});
