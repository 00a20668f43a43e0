import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packClient } from '../../client/pack.ts';
import { openOffice, PASSWORD } from '../accounts/office.ts';
import { USER_AGENT } from '../harness.ts';

const run = promisify(execFile);

/** A project that has installed the client's tarball and nothing else. */
export type Project = {
  readonly folder: string;
  readonly tarball: string;
  /** The package before it was packed. */
  readonly written: string;
  readonly remove: () => Promise<void>;
};

export async function openProject(): Promise<Project> {
  const place = await mkdtemp(join(tmpdir(), 'guidepost-package-'));
  const written = join(place, 'written');
  const folder = join(place, 'project');
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
  return { folder, tarball, written, remove: () => rm(place, { recursive: true, force: true }) };
}

/** A service with some content. */
export async function openPlace() {
  const office = await openOffice();
  const { baseUrl, appId, origin } = office.harness;
  const owner = office.as('owner');
  const { json } = await owner.post<{ key: string }>('/api-keys', { name: 'Walk', scopes: ['events:read'] });
  const place = {
    ...{ baseUrl, appId, origin, userAgent: USER_AGENT },
    ...{ apiKey: json.key, tenantId: office.workspace.id, email: owner.email, password: PASSWORD },
  };
  return { office, place };
}
