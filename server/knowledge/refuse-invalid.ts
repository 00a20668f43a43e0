import type { RefusalBody } from '../../contract/refusals.ts';
import { refuse } from '../refuse.ts';

/** One thing that is wrong with a request, beyond what its schema says. */
export type Problem = NonNullable<RefusalBody['issues']>[number];

export function refuseInvalid(...issues: readonly Problem[]): never {
  return refuse('request/invalid', undefined, { issues: [...issues] });
}

/** What stands in a cursor, when it is of this form. */
export function readCursor(cursor: string, form: RegExp): string {
  const text = Buffer.from(cursor, 'base64url').toString('utf8');
  if (form.test(text)) return text;
  return refuseInvalid({ path: 'query.cursor', code: 'invalid_cursor', message: 'No page ended here.' });
}

export const writeCursor = (text: string) => Buffer.from(text).toString('base64url');
