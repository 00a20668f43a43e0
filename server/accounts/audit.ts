import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AuditPage, AuditQuery } from '../../contract/audit.ts';
import { toIsoString } from '../clock.ts';
import { canonicalJson } from '../consent/canonical-json.ts';
import { decodeCursor, encodeCursor } from '../cursor.ts';
import type { Audit, AuditEntry } from '../storage/audit.ts';

type Filter = Omit<AuditQuery, 'limit' | 'cursor'>;

const ROWS_A_STEP = 200;
/** A page is looked for among this many rows; the next page goes on behind them. */
const EXAMINED_MAX = 10_000;

/** A page of what was done, newest first; a cursor names the row that it follows. */
export async function auditPageOf(
  audit: Audit,
  { limit, cursor, ...filter }: AuditQuery,
): Promise<AuditPage> {
  const passes = passing(filter);
  const atOnce = passes ? ROWS_A_STEP : limit + 1;
  const data: AuditPage['data'] = [];
  let beforeId = cursor === undefined ? undefined : decodeCursor(cursor, /^[a-z0-9_]{1,64}$/)[0];
  for (let examined = 0; examined < EXAMINED_MAX; examined += atOnce) {
    const rows = await audit.list(atOnce, beforeId);
    for (const row of rows) {
      if (!passes || passes(row)) {
        if (data.length === limit) return { data, nextCursor: encodeCursor(beforeId!) };
        data.push(shown(row));
      }
      beforeId = row.id;
    }
    if (rows.length < atOnce || isBefore(rows.at(-1), filter.from)) return { data };
    await nextTurn();
  }
  return { data, nextCursor: encodeCursor(beforeId!) };
}

/** Undefined where everything passes. */
function passing({ actor, action, subject, from, to }: Filter): ((row: AuditEntry) => boolean) | undefined {
  const tests: ((row: AuditEntry) => boolean)[] = [];
  if (actor !== undefined) tests.push((row) => row.actor === actor);
  if (subject !== undefined) tests.push((row) => row.subject === subject);
  if (action?.endsWith('.')) tests.push((row) => row.action.startsWith(action));
  else if (action !== undefined) tests.push((row) => row.action === action);
  if (from !== undefined) tests.push((row) => row.atMillis >= Date.parse(from));
  if (to !== undefined) tests.push((row) => row.atMillis < Date.parse(to));
  return tests.length === 0 ? undefined : (row) => tests.every((test) => test(row));
}

/** Rows come by the order in which they were written, and a day is more than clocks differ by. */
function isBefore(row: AuditEntry | undefined, from: string | undefined): boolean {
  return row !== undefined && from !== undefined && row.atMillis < Date.parse(from) - DAY_MILLIS;
}

const DAY_MILLIS = 86_400_000;

function shown({ id, atMillis, actor, action, subject, details }: AuditEntry): AuditPage['data'][number] {
  return {
    id,
    at: toIsoString(atMillis),
    actor,
    action,
    subject,
    details: canonicalJson(details),
  };
}
