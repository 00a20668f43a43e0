/** The worker thread that looks for damage, table by table with pauses; see damage-check.ts. */
import { setTimeout as wait } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import SqliteDatabase from 'better-sqlite3';
import { LOADED } from '../../base/native-worker.ts';
import type { CheckJob } from './damage-check.ts';

const PAUSE_MILLIS = 50;

const { file, isThorough } = workerData as CheckJob;
const db = new SqliteDatabase(file, { fileMustExist: true, readonly: true });
parentPort!.postMessage(LOADED);
const pragma = isThorough ? 'integrity_check' : 'quick_check';

function check(table: string): string | undefined {
  const verdict = db.pragma(`${pragma}('${table}')`, { simple: true });
  return verdict === 'ok' ? undefined : String(verdict);
}

async function findDamage(): Promise<string | undefined> {
  try {
    const tables = db
      .prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name`)
      .pluck()
      .all() as string[];
    for (const table of ['sqlite_schema', ...tables]) {
      const damage = check(table);
      if (damage !== undefined) return damage;
      await wait(PAUSE_MILLIS);
    }
    return undefined;
  } catch (error) {
    const { code = '', message } = error as Error & { code?: string };
    if (/^SQLITE_(CORRUPT|NOTADB)/.test(code)) return message;
    throw error;
  } finally {
    db.close();
  }
}

parentPort!.postMessage({ damage: await findDamage() });
