import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import SqliteDatabase, { type Database } from 'better-sqlite3';
import { toSnakeCase } from 'drizzle-orm/casing';
import { getTableConfig, SQLiteTable } from 'drizzle-orm/sqlite-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { IncompatibleDatabase } from '../../server/storage/migrations.ts';
import * as schema from '../../server/storage/schema/index.ts';
import { MIGRATIONS_FOLDER, migrate, readAppliedMigration } from '../../server/storage/sqlite/migrate.ts';
import { openSqlite } from '../../server/storage/sqlite/open.ts';
import { temporaryFile, temporaryFolder } from './temporary-store.ts';

const NAMES = readdirSync(MIGRATIONS_FOLDER)
  .filter((file) => file.endsWith('.sql'))
  .sort()
  .map((file) => file.slice(0, -'.sql'.length));

describe('migrate', () => {
  it('numbers migrations without gaps', () => {
    expect(NAMES.map((name) => Number(name.slice(0, 4)))).toEqual(NAMES.map((_, index) => index + 1));
  });

  it('applies every migration to a new file once', async () => {
    const file = temporaryFile();
    const messages: object[] = [];
    const log = { info: (fields: object) => messages.push(fields), error() {} };
    const store = openSqlite({ file, log });
    expect(await store.ready()).toMatchObject({ migration: NAMES.at(-1) });
    await store.close();
    await openSqlite({ file, log }).close();
    expect(messages).toEqual(NAMES.map((migration) => ({ migration })));
  });

  it('keeps every row when a filled database is opened again', async () => {
    const file = temporaryFile();
    await openSqlite({ file }).close();
    const db = openFile(file);
    db.exec(FILLED);
    const before = rowsOf(db);
    expect(before.size).toBeGreaterThan(20);
    await openSqlite({ file }).close();
    expect(rowsOf(db)).toEqual(before);
    expect(db.pragma('foreign_key_check')).toEqual([]);
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
  });

  it('rejects a database of a pre-release build and leaves it unchanged', () => {
    const file = temporaryFile();
    const db = openFile(file);
    db.exec(readFileSync(new URL('./pre-release.sql', import.meta.url), 'utf8'));
    const before = rowsOf(db);
    expect(() => openSqlite({ file })).toThrow(IncompatibleDatabase);
    expect(() => openSqlite({ file })).toThrow(/pre-release build.*empty DATA_DIR/);
    expect(rowsOf(db)).toEqual(before);
    expect(before.get('switches')).toHaveLength(1);
  });

  it('applies each migration once when several processes start together', async () => {
    const file = temporaryFile();
    const program = `
      import { openSqlite } from ${JSON.stringify(new URL('../../server/storage/sqlite/open.ts', import.meta.url).href)};
      await openSqlite({ file: ${JSON.stringify(file)} }).close();
    `;
    const starts = Array.from({ length: 3 }, async () => {
      const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'inherit' });
      const [code] = await once(child, 'exit');
      return code;
    });
    expect(await Promise.all(starts)).toEqual([0, 0, 0]);
    expect(readAppliedMigration(openFile(file))).toBe(NAMES.at(-1));
  });

  it('rejects a database of a newer version and leaves it unchanged', () => {
    const db = openFile();
    const newer = folderWith(NAMES);
    writeFileSync(join(newer, '9999_future.sql'), 'CREATE TABLE future (id TEXT) STRICT;');
    migrate(db, newer);
    expect(() => migrate(db)).toThrow(IncompatibleDatabase);
    expect(() => migrate(db)).toThrow(/9999_future.*newer version/);
    expect(readAppliedMigration(db)).toBe('9999_future');
  });

  it('rejects a database when an applied migration was altered', () => {
    const db = openFile();
    const altered = folderWith(NAMES);
    const first = join(altered, `${NAMES[0]}.sql`);
    writeFileSync(first, `${readFileSync(first, 'utf8')}-- an afterthought\n`);
    migrate(db, altered);
    expect(() => migrate(db)).toThrow(new RegExp(`${NAMES[0]} was altered`));
  });

  it('ignores CRLF line ends in checksums', () => {
    const db = openFile();
    const folder = folderWith(NAMES);
    for (const name of NAMES) {
      const path = join(folder, `${name}.sql`);
      writeFileSync(path, readFileSync(path, 'utf8').replaceAll('\n', '\r\n'));
    }
    migrate(db, folder);
    expect(migrate(db)).toEqual([]);
  });

  it('rolls back a migration that fails', () => {
    const db = openFile();
    const folder = folderWith(NAMES);
    writeFileSync(join(folder, '9998_fine.sql'), 'CREATE TABLE fine (id TEXT) STRICT;');
    writeFileSync(
      join(folder, '9999_broken.sql'),
      'CREATE TABLE half (id TEXT) STRICT; CREATE TABLE half (id TEXT);',
    );
    expect(() => migrate(db, folder)).toThrow('already exists');
    expect(readAppliedMigration(db)).toBe('9998_fine');
    expect(db.prepare(`SELECT name FROM sqlite_schema WHERE name = 'half'`).get()).toBeUndefined();
  });

  it('rejects a migration that leaves dangling references', () => {
    const db = openFile();
    migrate(db);
    db.exec(FILLED);
    const folder = folderWith(NAMES);
    writeFileSync(join(folder, '9999_careless.sql'), `DELETE FROM users;`);
    expect(() => migrate(db, folder)).toThrow(/9999_careless leaves 2 dangling/);
    expect(db.prepare('SELECT count(*) FROM users').pluck().get()).toBe(1);
  });

  it('creates the tables that the schema declares', () => {
    const db = openFile();
    migrate(db);
    const tables = Object.values(schema).filter((value) => value instanceof SQLiteTable);
    expect(tables.length).toBeGreaterThan(15);
    for (const table of tables) {
      const { name, columns, primaryKeys } = getTableConfig(table);
      const keys = primaryKeys.flatMap((key) => key.columns.map((column) => column.name));
      const expected = columns.map((column) => ({
        name: toSnakeCase(column.name),
        type: column.getSQLType().toUpperCase(),
        notnull: column.notNull,
        key: column.primary || keys.includes(column.name),
      }));
      const actual = (db.pragma(`table_info(${name})`) as ColumnInfo[]).map((column) => ({
        name: column.name,
        type: column.type,
        // An INTEGER PRIMARY KEY needs no NOT NULL.
        notnull: column.notnull === 1 || column.pk > 0,
        key: column.pk > 0,
      }));
      expect(expected, name).toEqual(actual);
    }
  });

  it('creates strict tables only', () => {
    const db = openFile();
    migrate(db);
    const lax = (db.pragma('table_list') as { name: string; type: string; strict: number }[]).filter(
      ({ name, type, strict }) => type === 'table' && strict === 0 && !name.startsWith('sqlite_'),
    );
    expect(lax).toEqual([]);
  });
});

type ColumnInfo = { name: string; type: string; notnull: number; pk: number };

function openFile(file = temporaryFile()): Database {
  const db = new SqliteDatabase(file);
  onTestFinished(() => {
    db.close();
  });
  return db;
}

function folderWith(names: readonly string[]): string {
  const folder = temporaryFolder();
  for (const name of names) copyFileSync(join(MIGRATIONS_FOLDER, `${name}.sql`), join(folder, `${name}.sql`));
  return folder;
}

/** Returns the rows of every table that is not empty. */
function rowsOf(db: Database): Map<string, unknown[]> {
  const names = db
    .prepare(
      `SELECT name FROM pragma_table_list WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name <> 'migrations'`,
    )
    .pluck()
    .all() as string[];
  const rows = names.map((name) => [name, db.prepare(`SELECT * FROM ${name}`).all()] as const);
  return new Map(rows.filter(([, found]) => found.length > 0));
}

/** A row in each of the main tables. */
const FILLED = `
  BEGIN;
  INSERT INTO workspaces VALUES ('ws_1', 'gp_1', 'Shop', 1, '{}', 1, 10, 10, NULL);
  INSERT INTO workspace_origins VALUES ('https://shop.example', 'ws_1');
  INSERT INTO users VALUES ('usr_1', 'ada@example.com', '$argon2id$', 10, NULL, 10, NULL);
  INSERT INTO members VALUES ('mem_1', 'ws_1', 'usr_1', 'owner', 10);
  INSERT INTO api_keys VALUES ('key_1', 'ws_1', 'aaaaaaaa', 'ab', 'wxyz', 'BI', '[]', 'operator', 10, NULL, 11, NULL, '[]', NULL, '[]', NULL);
  INSERT INTO sessions VALUES ('ses_1', 'usr_1', 'hash', 10, 10, 99, 10, 'password', 'totp', NULL, 'Firefox');
  INSERT INTO invitations VALUES ('inv_1', 'ws_1', 'bo@example.com', 'member', 'hash', 'usr_1', 10, 99, 0);
  INSERT INTO feature_flags VALUES ('kill_switch', 1, 10);
  INSERT INTO rate_windows VALUES ('a', 1, 99);
  INSERT INTO consent_policies VALUES ('ws_1', 'v1', '{}', 10);
  INSERT INTO consent_subjects VALUES ('ws_1', 'vis_1', 'sub_1');
  INSERT INTO consent_records VALUES ('ws_1', 1, 'con_1', 'sub_1', '{}', '0', 'a'), ('ws_1', 2, 'con_2', 'sub_1', '{}', 'a', 'b');
  INSERT INTO consent_current VALUES ('ws_1', 'vis_1', 'denied', 'opt_in', 'v1', 'DE', 10, 0, NULL);
  INSERT INTO conversations VALUES ('conv_1', 'ws_1', 'vis_1', 10, 1, 1, 0, 99);
  INSERT INTO turns VALUES ('msg_1', 'ws_1', 'conv_1', 'vis_1', 0, 'complete', 'stop', 'en', 'k', 'h', 10, 11, 'q', 'a', x'01', 1);
  INSERT INTO feedback VALUES ('msg_1', 'fb_1', 'ws_1', 'vis_1', 'down', NULL, '["outdated"]', 12);
  INSERT INTO events VALUES ('ws_1', 10, 'evt_1', 'boot', 'vis_1', NULL, '{}', NULL);
  INSERT INTO audit VALUES (1, 'ws_1', 'aud_1', 10, 'operator', 'article.imported', 'art_1', '{}', NULL, NULL, '0', '1');
  INSERT INTO collections VALUES ('col_1', 'ws_1', 'Billing', 'billing', NULL, 10, 'operator');
  INSERT INTO articles VALUES ('art_1', 'ws_1', 'a', 'en', 'published', 1, 1, 10, 'operator', 10, 'operator', 10, 'operator', '[{"alias":"b","locale":"en"}]', 'col_1', '["c"]', NULL, 'a', 'a', 'src_1', 'a', 20, 'operator', 30, 10, 'operator');
  INSERT INTO article_addresses VALUES ('ws_1', 'a', 'en', 'art_1', 1);
  INSERT INTO article_revisions VALUES ('art_1', 1, 'imported', 'en', 'A', 'A.', '[]', NULL, 'h', 'A.', 'operator', 10);
  INSERT INTO translations VALUES ('tr_1', 'ws_1', 'art_1', 'de', 'published', 1, 1, 'h', 1, 1, 'h', 10, 'operator', NULL, NULL, NULL, NULL, NULL, NULL, 20, 'operator', 10, 'operator', 10, 'operator');
  INSERT INTO translation_revisions VALUES ('tr_1', 1, 'imported', 'published', 1, 'h', 'Ah', 'Ah.', '[]', NULL, 'i', 'Ah.', 'operator', NULL, NULL, 10);
  INSERT INTO voice_reservations VALUES ('hold_1', 'ws_1', 'vis_1', 'speech', 'mock', '2026-11', 10, 0, 10, 20, 30, 1, NULL);
  INSERT INTO voice_months VALUES ('ws_1', '2026-11', 10);
  INSERT INTO token_months VALUES ('ws_1', '2026-11', 10);
  INSERT INTO dictionaries VALUES ('ws_1', 'en', 'de', x'01', NULL);
  INSERT INTO dictionary_builds VALUES ('ws_1', 'f', '1');
  INSERT INTO embeddings VALUES ('ws_1', 'art_1', 'en', 1, 'm', 'h', 1, x'01');
  INSERT INTO embedding_months VALUES ('ws_1', '2026-11', 10);
  INSERT INTO inbox_groups VALUES ('ibx_1', 'ws_1', 'open', 0, 10, 'mem_1', 'art_1', 'art_1', 10, 10, 1, 1);
  INSERT INTO inbox_questions VALUES ('msg_1', 'ws_1', 'ibx_1', 1, 10, 400, '{}');
  INSERT INTO inbox_progress VALUES ('ws_1', 10, 'msg_1', 10);
  INSERT INTO installations VALUES ('ws_1', 'https://shop.example', 'https://shop.example', 10);
  COMMIT;
`;
