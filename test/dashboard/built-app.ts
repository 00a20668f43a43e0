import { createHash } from 'node:crypto';
import { globSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { buildDashboard } from '../../client/dashboard/build.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const KEPT = join(ROOT, 'node_modules/.cache/guidepost');

/** The application built as its sources are now, once for all test files that look at it. */
export async function builtApp(): Promise<URL> {
  const folder = join(KEPT, `dashboard-${hashOfSources()}`);
  if (globSync('manifest.json', { cwd: folder }).length === 0) await buildInto(folder);
  return pathToFileURL(`${folder}/`);
}

/** Whole or not at all, when several files come at once. */
async function buildInto(folder: string): Promise<void> {
  mkdirSync(KEPT, { recursive: true });
  const fresh = mkdtempSync(join(KEPT, 'building-'));
  await buildDashboard(fresh);
  try {
    renameSync(fresh, folder);
  } catch {
    // Somebody else was faster with the same.
    rmSync(fresh, { recursive: true, force: true });
  }
}

function hashOfSources(): string {
  const hash = createHash('sha256');
  const paths = globSync(['client/**/*.{ts,tsx,css}', 'generated/routes.ts', 'package-lock.json'], {
    cwd: ROOT,
  });
  for (const path of paths.filter((each) => !each.includes('node_modules')).sort()) {
    hash.update(path).update(readFileSync(join(ROOT, path)));
  }
  return hash.digest('hex').slice(0, 16);
}
