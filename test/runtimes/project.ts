import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packClient } from '../../client/pack.ts';
import { openOffice, PASSWORD } from '../accounts/office.ts';
import { USER_AGENT } from '../harness.ts';

const run = promisify(execFile);

/** A project whose only dependency is the packed client. */
export type Project = {
  readonly folder: string;
  readonly tarball: string;
  /** The package folder before packing. */
  readonly written: string;
  readonly remove: () => Promise<void>;
};

export async function openProject(): Promise<Project> {
  const root = await mkdtemp(join(tmpdir(), 'guidepost-package-'));
  const written = join(root, 'written');
  const folder = join(root, 'project');
  const tarball = await packClient(written);
  await cp(new URL('.', import.meta.url), folder, {
    recursive: true,
    filter: (path) => /\/(runtimes\/?|[a-z]+\.js)$/.test(path),
  });
  await writeFile(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'project', private: true, type: 'module' }),
  );
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', tarball], { cwd: folder });
  return { folder, tarball, written, remove: () => rm(root, { recursive: true, force: true }) };
}

/** A service with articles, an owner and an API key; `target` is what the scenario gets. */
export async function openService() {
  const office = await openOffice();
  const { baseUrl, appId, origin } = office.harness;
  const owner = office.as('owner');
  const { json } = await owner.post<{ key: string }>('/api-keys', {
    name: 'Runtimes',
    scopes: ['events:read'],
  });
  const target = {
    ...{ baseUrl, appId, origin, userAgent: USER_AGENT },
    ...{ apiKey: json.key, tenantId: office.workspace.id, email: owner.email, password: PASSWORD },
  };
  return { office, target };
}
