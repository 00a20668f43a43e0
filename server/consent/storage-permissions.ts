import type { ConsentDecision } from '../../contract/consent.ts';
import { LIMITS } from '../../contract/limits.ts';
import { getMeaning, type Purposes } from './purposes.ts';

const DENIED_HISTORY_MILLIS = LIMITS.deniedHistorySeconds * 1000;

/** What may be stored of a visitor under the effective purposes. Chatting itself needs no consent. */
export type StoragePermissions = {
  /** Whether event rows of this visitor may be written. */
  readonly analytics: boolean;
  /** Whether the visitor id may be kept on the device. */
  readonly persistVisitor: boolean;
  /** Whether screenshots may be read; otherwise they are dropped on arrival. */
  readonly screenshot: boolean;
  /** Whether the visitor's conversations may appear in an export. */
  readonly exportable: boolean;
  /** Deadline for deleting conversations, from the decision or from each later turn. Absent: no deadline, and an earlier one is lifted. */
  readonly deleteConversationsWithinMillis?: number;
  /** Whether to delete earlier event rows now, as after a refusal. */
  readonly forgetEvents: boolean;
};

/** `taken` is a decision made just now; without it, no existing rows are deleted. */
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
