import type { ConsentDecision } from '../../contract/consent.ts';
import { LIMITS } from '../../contract/limits.ts';
import { getMeaning, type Purposes } from './purposes.ts';

const DENIED_HISTORY_MILLIS = LIMITS.deniedHistorySeconds * 1000;

/** What the effective purposes mean for what is stored of a visitor. Chatting itself is open to everybody. */
export type StoragePermissions = {
  /** Whether event rows of this visitor may be written. */
  readonly analytics: boolean;
  /** Whether the visitor id may be kept on the device. */
  readonly persistVisitor: boolean;
  /** Whether a screenshot may be read at all; else it is dropped on arrival. */
  readonly screenshot: boolean;
  /** Whether the visitor's conversations may appear in an export. */
  readonly exportable: boolean;
  /**
   * What was kept of the visitor's conversations is gone this long after the decision, and each later turn this long
   * after it was written. Absent: no deadline, and one that was set before is lifted.
   */
  readonly deleteConversationsWithinMillis?: number;
  /** Whether event rows that were written earlier are deleted now: a refusal also ends what leave had begun. */
  readonly forgetEvents: boolean;
};

/** `taken` has just been decided, with or without a privacy signal; without it nothing that exists is deleted at once. */
export function toStoragePermissions(
  purposes: Purposes,
  taken?: { readonly decision: ConsentDecision; readonly gpc: boolean },
): StoragePermissions {
  const retained = purposes.retention === 'granted';
  return {
    analytics: purposes.analytics === 'granted',
    persistVisitor: purposes.persistence === 'granted',
    screenshot: purposes.screenshot === 'granted',
    exportable: retained,
    ...(retained ? {} : { deleteConversationsWithinMillis: DENIED_HISTORY_MILLIS }),
    forgetEvents: taken !== undefined && (taken.gpc || getMeaning(taken.decision) === 'refusal'),
  };
}
