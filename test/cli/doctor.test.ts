import { chmodSync, closeSync, mkdirSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { openKeyRing } from '../../server/tokens/key-ring.ts';
import {
  cli,
  commandLine,
  databaseFile,
  dataDir,
  inStore,
  setUpInstallation,
} from '../support/command-line.ts';
import { CLIENT, openIdentityProvider } from '../support/identity-provider.ts';
import { openMailServer } from '../support/mail-server.ts';

setUpInstallation();

describe('guidepost doctor on a file', () => {
  beforeEach(async () => {
    mkdirSync(dataDir, { mode: 0o700 });
    await inStore(async () => undefined);
    openKeyRing(dataDir, [], Date.now());
  });

  it('finds nothing wrong with a fresh installation', async () => {
    const { ok, findings } = await cli.json(['doctor']);
    expect(ok).toBe(true);
    expect(Object.fromEntries(findings.map(({ check, status }: Finding) => [check, status]))).toMatchObject({
      database: 'ok',
      permissions: 'ok',
      keys: 'ok',
    });
  });

  it('prints a line for each finding', async () => {
    const { code, stdout } = await cli.runInProcess(['doctor']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ok {7}database {5}.*guidepost\.db is sound/m);
  });

  it('signs in to the mail server, and sends a test mail where it is asked to', async () => {
    const server = await openMailServer();
    const settings = { SMTP_URL: server.url, MAIL_FROM: 'guide@shop.example' };
    const mailing = commandLine(dataDir, Date.now, settings);
    const run = async (args: string[]): Promise<Finding[]> => {
      const { stdout } = await mailing.runInProcess(['doctor', '--json', ...args]);
      return JSON.parse(stdout).findings.filter(({ check }: Finding) => check === 'mail');
    };
    expect(await run([])).toMatchObject([{ status: 'ok' }]);
    expect(server.mails).toEqual([]);
    expect(await run(['--mail-to', 'ana@shop.example'])).toMatchObject([{ status: 'ok' }, { status: 'ok' }]);
    expect(server.recipients).toEqual([['ana@shop.example']]);
    await server.close();
    expect(await run([])).toMatchObject([
      { status: 'problem', message: expect.stringContaining('SMTP_URL') },
    ]);
  });

  it('reads what the identity provider publishes, and says what is wrong with it', async () => {
    const provider = await openIdentityProvider('http://127.0.0.1:9/dashboard/sign-in/callback');
    const run = async (issuer: string): Promise<Finding[]> => {
      const client = { OIDC_CLIENT_ID: CLIENT.clientId, OIDC_CLIENT_SECRET: CLIENT.clientSecret };
      const settings = { OIDC_ISSUER: issuer, ...client };
      const { stdout } = await commandLine(dataDir, Date.now, settings).runInProcess(['doctor', '--json']);
      return JSON.parse(stdout).findings.filter(({ check }: Finding) => check === 'sign-in');
    };
    expect(await run(provider.issuer)).toMatchObject([{ status: 'ok' }]);
    expect(await run(`${provider.issuer}/nowhere`)).toMatchObject([
      { status: 'problem', message: expect.stringContaining('has no discovery document') },
    ]);
    await provider.close();
    expect(await run(provider.issuer)).toMatchObject([
      { status: 'problem', message: expect.stringContaining('does not answer') },
    ]);
  });

  it('fails without a database', async () => {
    rmSync(databaseFile());
    expect(await findingsOf('database')).toMatchObject([
      { status: 'problem', message: expect.stringMatching(/set DATA_DIR/) },
    ]);
  });

  it('warns when other users may read the database', async () => {
    chmodSync(databaseFile(), 0o644);
    expect(await findingsOf('permissions')).toMatchObject([
      { status: 'warning', message: expect.stringMatching(/chmod 600/) },
    ]);
  });

  it('fails when other users may read the keys', async () => {
    chmodSync(join(dataDir, 'visitor-token-keys.json'), 0o644);
    expect(await findingsOf('keys')).toMatchObject([
      { status: 'problem', message: expect.stringMatching(/chmod 600/) },
    ]);
  });

  it('fails on a damaged database', async () => {
    const handle = openSync(databaseFile(), 'r+');
    writeSync(handle, Buffer.alloc(8192, 7), 0, 8192, 8192);
    closeSync(handle);
    expect(await findingsOf('database')).toMatchObject([
      { status: 'problem', message: expect.stringMatching(/damaged.*restore a backup/) },
    ]);
  });

  it('fails when acknowledged commits are missing', async () => {
    const mark = { commits: 1_000, at: '2026-01-02T03:04:05.000Z', damaged: false };
    writeFileSync(`${databaseFile()}-mark`, JSON.stringify(mark));
    expect(await findingsOf('commits')).toMatchObject([
      { status: 'problem', message: expect.stringMatching(/2026-01-02/) },
    ]);
  });
});

type Finding = { check: string; status: string; message: string };

async function findingsOf(check: string): Promise<unknown[]> {
  const { code, stdout } = await cli.runInProcess(['doctor', '--json']);
  const { ok, findings } = JSON.parse(stdout) as { ok: boolean; findings: Finding[] };
  expect(code).toBe(ok ? 0 : 1);
  expect(ok).toBe(!findings.some(({ status }) => status === 'problem'));
  return findings.filter((finding) => finding.check === check);
}
