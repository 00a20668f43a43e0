/** The files of migrations and their comparison with what a database has, for both engines. */

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ExpectedError } from '../base/expected-error.ts';
import { IS_BUNDLE, PACKAGE_ROOT } from '../base/package-root.ts';

/** This version cannot use the database. The database is unchanged. */
export class IncompatibleDatabase extends ExpectedError {
  override readonly name = 'IncompatibleDatabase';
}

export type AppliedMigration = { name: string; checksum: string };
export type Migration = AppliedMigration & { text: string };

/** A migration of this name only adds, so that earlier versions can still use the database; a test checks this. */
export const ADDITIVE = /^\d{4}_add_/;

/** Returns the folder of an engine's migrations: beside the bundle, or among the generated files of the sources. */
export function findMigrations(engine: 'sqlite' | 'postgres'): string {
  const folder = IS_BUNDLE ? 'dist/migrations/' : `generated/migrations/${engine}/`;
  return fileURLToPath(new URL(folder, PACKAGE_ROOT));
}

/** Reads the migrations of a folder in their order: files `0001_name` with the extension. */
export function readMigrations(folder: string, extension: '.sql' | '.pgsql'): readonly Migration[] {
  const files = readdirSync(folder)
    .filter((file) => /^\d{4}_/.test(file) && file.endsWith(extension))
    .sort();
  if (files.length === 0) throw new Error(`there are no migrations in ${folder}`);
  return files.map((file) => {
    // A checkout may turn line endings into CRLF, which must not change the checksum.
    const text = readFileSync(join(folder, file), 'utf8').replaceAll('\r\n', '\n');
    const checksum = createHash('sha256').update(text).digest('hex');
    return { name: file.slice(0, -extension.length), text, checksum };
  });
}

/**
 * Returns the first pending migration.
 * @param aheadMax how many migrations of a newer version the database may have, besides those that only add
 * @throws IncompatibleDatabase unless the applied migrations begin with the known ones, or are a prefix of them.
 */
export function findPending(
  applied: readonly AppliedMigration[],
  known: readonly Migration[],
  aheadMax = 0,
): Migration | undefined {
  for (const [index, { name, checksum }] of applied.entries()) {
    const expected = known[index];
    if (!expected && (ADDITIVE.test(name) || index < known.length + aheadMax)) continue;
    if (expected?.name !== name) {
      throw new IncompatibleDatabase(
        `the database has the migration ${name}, which this version of the program does not know: it was last used by a newer version`,
      );
    }
    if (expected.checksum !== checksum) {
      throw new IncompatibleDatabase(
        `the migration ${name} was altered after it was applied to this database`,
      );
    }
  }
  return known[applied.length];
}
