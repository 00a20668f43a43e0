import type { AuditPage } from '../../contract/workspace.ts';
import { momentOf } from '../clock.ts';
import { canonicalJson } from '../consent/canonical-json.ts';
import { readCursor, writeCursor } from '../cursor.ts';
import type { Audit, AuditEntry } from '../storage/audit.ts';
import type { PageAsked } from './list-page.ts';

/** A page of what was done, newest first; a cursor names the row that it follows. */
export async function auditPageOf(audit: Audit, { limit, cursor }: PageAsked): Promise<AuditPage> {
  const rows = await audit.list(
    limit + 1,
    cursor === undefined ? undefined : readCursor(cursor, /^[a-z0-9_]{1,64}$/)[0],
  );
  const data = rows.slice(0, limit).map((row) => shown(row));
  const last = data.at(-1);
  const isMore = rows.length > limit && last !== undefined;
  return isMore ? { data, nextCursor: writeCursor(last.id) } : { data };
}

function shown({ id, atMillis, actor, action, subject, details }: AuditEntry): AuditPage['data'][number] {
  return {
    id,
    at: momentOf(atMillis),
    actor,
    action,
    subject,
    details: canonicalJson(details),
  };
}
