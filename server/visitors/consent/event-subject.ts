import { newId } from '../../base/ids.ts';
import type { VisitorCaller } from '../../http/handler.ts';
import type { EventRow } from '../../storage/event-queries.ts';
import type { VisitorConsent } from './visitor-consent.ts';

/** The visitor that event rows are about; without ids for visitors that are counted anonymously. */
export type EventSubject = {
  visitorId?: string;
  conversationId?: string;
  /** Whether what the visitor writes may be kept, and so may leave the service. */
  keepsWords?: boolean;
  /** An HTTP library or a headless browser, which does not count as a visitor. */
  isLibrary?: boolean;
};

/** Returns undefined when this visitor must not be counted. */
export function getEventSubject(
  { counting, permissions }: Pick<VisitorConsent, 'counting' | 'permissions'>,
  { visitorId, isLibrary }: Pick<VisitorCaller, 'visitorId' | 'isLibrary'>,
  conversationId?: string,
): EventSubject | undefined {
  if (counting === 'none') return undefined;
  if (counting === 'anonymous') return { isLibrary };
  return { visitorId, isLibrary, conversationId, keepsWords: permissions.exportable };
}

export function toEventRow(
  type: EventRow['type'],
  { isLibrary, keepsWords: _, ...ids }: EventSubject,
  atMillis: number,
  data: EventRow['data'],
): EventRow {
  return { id: newId('evt'), atMillis, type, ...ids, data: isLibrary ? { ...data, library: true } : data };
}
