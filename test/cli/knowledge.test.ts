import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { GENESIS_HASH } from '../../server/base/hash-chain.ts';
import { newId } from '../../server/base/ids.ts';
import { type ConsentRecord, chainContent } from '../../server/visitors/consent/consent-log.ts';
import {
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

/** Reading this file fails even for its owner. */
const UNREADABLE = '/proc/self/mem';

setUpInstallation();

describe('knowledge import', () => {
  it('reports invalid rows with their location, publishes the rest, and exits with 1', async () => {
    const { app_id } = await cli.createWorkspace();
    const file = articlesFile(returns, { ...returns, slug: 'bad', title: '' }, { ...returns, slug: 'good' });
    const { code, stdout, stderr } = await cli.runInProcess([
      'knowledge',
      'import',
      '--workspace',
      app_id,
      file,
    ]);
    expect(code).toBe(1);
    expect(stdout).toBe('2 articles and 0 translations published, 0 unchanged, 1 errors\n');
    expect(stderr).toContain(`${file}:2:title: expected string to have >=1 characters\n`);
    const again = await cli.runInProcess(['knowledge', 'import', '--workspace', app_id, file, '--json']);
    expect(JSON.parse(again.stdout)).toMatchObject({
      articles: 0,
      skipped: 2,
      errors: 1,
      problems: [{ file, line: 2, field: 'title' }],
    });
  });

  it('rejects a missing path and an unknown workspace', async () => {
    const { app_id } = await cli.createWorkspace();
    const nowhere = await cli.runInProcess([
      'knowledge',
      'import',
      '--workspace',
      app_id,
      join(dataDir, 'nowhere'),
    ]);
    expect(nowhere).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('does not exist'),
    });
    const file = articlesFile(returns);
    expect((await cli.runInProcess(['knowledge', 'import', '--workspace', 'gp_nobody', file])).code).toBe(1);
  });

  it('reports that there is nothing to import for an empty file and an empty folder', async () => {
    const { app_id } = await cli.createWorkspace();
    const folder = join(dataDir, '..', 'pages');
    mkdirSync(folder);
    for (const emptySource of [articlesFile(), folder]) {
      const { code, stdout, stderr } = await cli.runInProcess([
        ...['knowledge', 'import', '--json', '--workspace', app_id, emptySource],
      ]);
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(JSON.parse(stderr)).toEqual({
        error: 'failed',
        message: expect.stringMatching(/^Nothing to import: /),
      });
    }
  });

  it.skipIf(!existsSync(UNREADABLE))('exits with 1 when a file cannot be read', async () => {
    const { app_id } = await cli.createWorkspace();
    const args = ['knowledge', 'import', '--workspace', app_id, UNREADABLE];
    const outcome = await cli.runInProcess(args);
    expect(outcome).toMatchObject({ code: 1, stdout: '' });
    expect(outcome.stderr).toMatch(/^guidepost: \S+ cannot be read: .*\.\n$/);
    const { stderr } = await cli.runInProcess([...args, '--json']);
    expect(JSON.parse(stderr)).toEqual({ error: 'failed', message: expect.stringContaining(UNREADABLE) });
  });

  it('prints occasional progress lines when stderr is not a terminal', async () => {
    const { app_id } = await cli.createWorkspace();
    const many = Array.from({ length: 45 }, (_, at) => ({ ...returns, slug: `a-${at}` }));
    const { stderr } = await cli.runInProcess([
      'knowledge',
      'import',
      '--workspace',
      app_id,
      articlesFile(...many),
    ]);
    expect(stderr).toBe('');
    let now = 0;
    const slow = commandLine(dataDir, () => (now += 2_000));
    const more = many.map((article) => ({ ...article, answer: 'Changed.' }));
    const outcome = await slow.runInProcess([
      'knowledge',
      'import',
      '--workspace',
      app_id,
      articlesFile(...more),
    ]);
    expect(outcome.stderr).toMatch(/^\d+ articles and 0 translations published, .* MB read\n/);
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

  const append = (workspaceId: string, count: number, spoil?: number, first = 1) =>
    inStore(async (store) => {
      for (let at = first; at < first + count; at += 1) {
        await store.in(workspaceId).consents.append({
          id: `con_${at}`,
          visitorId: `vis_${at}`,
          newSubjectId: `sub_${at}`,
          currentDecision: {
            decision: 'accepted',
            mode: 'opt_in',
            policyVersion: 'p1',
            regionCode: 'DE',
            decidedAt: at,
          },
          chain: ({ hash }) => {
            const sealed = chainContent(hash ?? GENESIS_HASH, decision(`con_${at}`, workspaceId));
            return at === spoil
              ? { ...sealed, content: sealed.content.replace('accepted', 'denied') }
              : sealed;
          },
          forgetEvents: false,
          events: [],
        });
      }
    });

  it('verifies a chain of several pages and prints its latest hash', async () => {
    const { tenant_id, app_id } = await cli.createWorkspace();
    expect(await cli.json(['consent', 'verify', '--workspace', app_id])).toMatchObject({
      ok: true,
      records: 0,
    });
    await append(tenant_id, 1_050);
    const verdict = await cli.json(['consent', 'verify', '--workspace', app_id]);
    expect(verdict).toEqual({ ok: true, records: 1_050, head: expect.stringMatching(/^[0-9a-f]{64}$/) });
    const same = ['consent', 'verify', '--workspace', app_id, '--head'];
    expect((await cli.runInProcess([...same, verdict.head])).code).toBe(0);
    expect(await cli.runInProcess([...same, 'f'.repeat(64)])).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('the chain ends before the hash in --head'),
    });
    for (const none of ['zz', verdict.head.slice(1), `${verdict.head}0`]) {
      expect(await cli.runInProcess([...same, none])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('--head: expected 64 hexadecimal digits'),
      });
    }
  });

  it('accepts a hash printed before later records were added', async () => {
    const { tenant_id, app_id } = await cli.createWorkspace();
    const verify = ['consent', 'verify', '--workspace', app_id];
    const { head: ofNone } = await cli.json(verify);
    await append(tenant_id, 3);
    const { head: ofThree } = await cli.json(verify);
    await append(tenant_id, 3, undefined, 4);
    for (const head of [ofNone, ofThree]) {
      expect(await cli.json([...verify, '--head', head])).toMatchObject({ ok: true, records: 6 });
    }
  });

  it('names the first changed record and exits with 1', async () => {
    const { tenant_id, app_id } = await cli.createWorkspace();
    await append(tenant_id, 5, 3);
    const { code, stdout, stderr } = await cli.runInProcess([
      'consent',
      'verify',
      '--workspace',
      app_id,
      '--json',
    ]);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ ok: false, records: 2, broken_at: 3, why: 'hash_mismatch' });
    expect(stderr).toContain('not intact');
  });
});

describe('audit verify', () => {
  const append = (workspaceId: string, count: number) =>
    inStore(async (store) => {
      for (let at = 1; at <= count; at += 1) {
        const row = { id: newId('aud'), atMillis: at, actor: 'operator', action: 'workspace.enabled' };
        await store.in(workspaceId).audit.append({ ...row, subject: workspaceId, details: { at } });
      }
    });
  /** Changes the database directly, as any program with access to the file could. */
  function tamper(statement: string): void {
    const db = new Database(databaseFile());
    const triggers = db
      .prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'audit'")
      .all() as { name: string; sql: string }[];
    for (const { name } of triggers) db.exec(`DROP TRIGGER ${name}`);
    expect(db.prepare(statement).run().changes).toBe(1);
    for (const { sql } of triggers) db.exec(sql);
    db.close();
  }

  it('verifies a chain of several pages and prints its latest hash', async () => {
    const { tenant_id, app_id } = await cli.createWorkspace();
    await append(tenant_id, 1_050);
    const verify = ['audit', 'verify', '--workspace', app_id];
    const verdict = await cli.json(verify);
    expect(verdict).toEqual({ ok: true, records: 1_051, head: expect.stringMatching(/^[0-9a-f]{64}$/) });
    await append(tenant_id, 1);
    expect(await cli.json([...verify, '--head', verdict.head])).toMatchObject({ ok: true, records: 1_052 });
  });

  it('verifies all workspaces when none is named', async () => {
    const one = await cli.createWorkspace();
    const other = await cli.json(
      [
        'workspace',
        'create',
        '--name',
        'Other',
        '--domain',
        'https://other.example',
        '--owner-email',
        'o@other.example',
        '--owner-password-stdin',
      ],
      PASSWORD,
    );
    expect(await cli.json(['audit', 'verify'])).toMatchObject({
      ok: true,
      workspaces: expect.arrayContaining(
        [one, other].map(({ tenant_id }) => expect.objectContaining({ tenant_id, ok: true, records: 1 })),
      ),
    });
    expect(await cli.runInProcess(['audit', 'verify', '--head', 'f'.repeat(64)])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--head needs --workspace'),
    });
  });

  it.each([
    ['changed', `UPDATE audit SET actor = 'mem_1' WHERE sequence = 3`, 'hash_mismatch'],
    [
      'moved to another network',
      `UPDATE audit SET network = '192.0.2.0/24' WHERE sequence = 3`,
      'hash_mismatch',
    ],
    ['removed', 'DELETE FROM audit WHERE sequence = 3', 'link_broken'],
  ])('names the first row that was %s and exits with 1', async (_what, statement, why) => {
    const { tenant_id } = await cli.createWorkspace();
    await append(tenant_id, 4);
    tamper(statement);
    const { code, stdout, stderr } = await cli.runInProcess(['audit', 'verify', '--json']);
    expect(code).toBe(1);
    const broken = { tenant_id, ok: false, records: 2, broken_at: 3, why };
    expect(JSON.parse(stdout)).toMatchObject({ ok: false, workspaces: [broken] });
    expect(stderr).toContain('The audit log of');
  });

  it('detects a cut-off end by a hash noted earlier', async () => {
    const { tenant_id } = await cli.createWorkspace();
    await append(tenant_id, 2);
    const verify = ['audit', 'verify', '--workspace', tenant_id];
    const { head } = await cli.json(verify);
    tamper('DELETE FROM audit WHERE sequence = 3');
    expect(await cli.json(verify)).toMatchObject({ ok: true, records: 2 });
    expect((await cli.runInProcess([...verify, '--head', head])).code).toBe(1);
  });
});
