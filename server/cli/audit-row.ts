import { newId } from '../ids.ts';
import type { AuditEntry } from '../storage/audit.ts';
import type { Terminal } from './terminal.ts';

/** Who acts on the command line has the data folder and no account. */
export const OPERATOR = 'operator';

export function auditRow(
  { clock }: Pick<Terminal, 'clock'>,
  action: string,
  subject: string,
  details: AuditEntry['details'],
): AuditEntry {
  return { id: newId('aud'), atMillis: clock.now(), actor: OPERATOR, action, subject, details };
}
