import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { tempDir } from '../support/temp-dir.ts';

const CHECK = new URL('../../scripts/advisories/check.ts', import.meta.url).pathname;
const ADVISORY = {
  id: 1,
  url: 'https://github.com/advisories/GHSA-0000-0000-0000',
  title: 'Anything is parsed',
  severity: 'high',
  vulnerable_versions: '*',
  cwe: [],
  cvss: { score: 0, vectorString: null },
};

let registry: Server | undefined;
afterEach(() => registry?.close());

/** A registry as npm asks it for advisories, and for the versions of a package that has one. */
async function openRegistry(status: number, advisories: unknown): Promise<string> {
  registry = createServer((request, response) => {
    request.resume();
    if (request.method === 'POST') {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(advisories));
    } else {
      const name = decodeURIComponent(request.url!.slice(1));
      response.end(JSON.stringify({ name, 'dist-tags': {}, versions: {} }));
    }
  });
  await new Promise<void>((resolve) => registry!.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(registry.address() as AddressInfo).port}/`;
}

type Outcome = { code: number; output: string };

async function check(registryUrl: string, ...flags: string[]): Promise<Outcome> {
  const env = { ...process.env, npm_config_registry: registryUrl, npm_config_cache: tempDir() };
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [CHECK, ...flags],
      { env: { ...env, npm_config_fetch_retries: '0' } },
      (error, out, err) => resolve({ code: Number(error?.code ?? 0), output: out + err }),
    );
  });
}

function accept(until: string): string {
  const file = join(tempDir(), 'accepted.json');
  writeFileSync(file, JSON.stringify([{ url: ADVISORY.url, reason: 'The service does not parse.', until }]));
  return `--accepted=${file}`;
}

describe('the check of advisories', () => {
  it('fails for a package of the service with a vulnerability of high severity', async () => {
    const url = await openRegistry(200, { zod: [ADVISORY] });
    const { code, output } = await check(url);
    expect(output).toContain(`zod: high: ${ADVISORY.title} (${ADVISORY.url})`);
    expect(code).toBe(1);
  });

  it('passes for a vulnerability of moderate severity', async () => {
    const url = await openRegistry(200, { zod: [{ ...ADVISORY, severity: 'moderate' }] });
    expect((await check(url)).code).toBe(0);
  });

  it('passes for an accepted advisory until its date', async () => {
    const url = await openRegistry(200, { zod: [ADVISORY] });
    expect((await check(url, accept('2999-12-31'))).code).toBe(0);
    const { code, output } = await check(url, accept('2020-01-01'));
    expect(output).toContain('accepted until 2020-01-01');
    expect(code).toBe(1);
  });

  it('says so when the registry has no advisory database, and fails if an answer is required', async () => {
    const url = await openRegistry(405, {});
    const { code, output } = await check(url);
    expect(output).toContain('advisories: NOT CHECKED');
    expect(code).toBe(0);
    expect((await check(url, '--required')).code).toBe(1);
  });

  it('fails when the registry cannot be reached', async () => {
    const { code, output } = await check('http://127.0.0.1:9/');
    expect(output).toContain('advisories: NOT CHECKED');
    expect(code).toBe(1);
  });
});
