import { cpSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/** Copies the built program into a new folder, with more migrations, as a later release has. Returns its file. */
export function buildLaterRelease(root: string, migrations: Record<string, string>): string {
  const filter = (path: string) => !path.endsWith('.map');
  cpSync(join(ROOT, 'dist'), join(root, 'dist'), { recursive: true, filter });
  for (const name of ['openapi.yaml', 'package.json', 'node_modules', 'server', 'languages'])
    symlinkSync(join(ROOT, name), join(root, name));
  for (const [name, sql] of Object.entries(migrations))
    writeFileSync(join(root, 'dist/migrations', `${name}.sql`), sql);
  return join(root, 'dist/guidepost.js');
}
