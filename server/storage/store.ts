import type { ApiKeyRing, ApiKeys } from './api-keys.ts';
import type { Articles } from './articles.ts';
import type { Audit } from './audit.ts';
import type { ConsentPolicies, Consents } from './consents.ts';
import type { Conversations } from './conversations.ts';
import type { Events } from './events.ts';
import type { FeatureFlags } from './feature-flags.ts';
import type { Installation, Installations } from './installations.ts';
import type { InvitationLinks, Invitations } from './invitations.ts';
import type { Members, Memberships } from './members.ts';
import type { PassageIndex, Passages } from './passages.ts';
import type { RateWindows } from './rate-windows.ts';
import type { Sessions } from './sessions.ts';
import type { TokenMonths } from './token-months.ts';
import type { WorkspaceExport, WorkspaceImports } from './transfer.ts';
import type { Translations } from './translations.ts';
import type { Users } from './users.ts';
import type { ExpiredReservations, VoiceReservations } from './voice-reservations.ts';
import type { Workspaces } from './workspaces.ts';

/**
 * The storage port. Every method is one atomic step that is durable when its promise resolves; nothing holds a
 * transaction across an await. A port answers with records, `undefined` or a word such as 'conflict'; it never refuses
 * and holds no rules. Any method rejects with `StorageUnavailable` while nothing can be written (disk full, locked).
 * `test/storage/store.suite.ts` defines it: an adapter is correct when it passes.
 */
export type Store = {
  readonly workspaces: Workspaces;
  readonly users: Users;
  readonly sessions: Sessions;
  readonly memberships: Memberships;
  readonly invitations: InvitationLinks;
  readonly apiKeys: ApiKeyRing;
  readonly featureFlags: FeatureFlags;
  readonly rateWindows: RateWindows;
  readonly consentPolicies: ConsentPolicies;
  readonly workspaceImports: WorkspaceImports;
  readonly passageIndex: PassageIndex;
  readonly expiredReservations: ExpiredReservations;
  readonly installations: Installations;
  /** Everything that belongs to one workspace, and nothing that belongs to another. */
  in(workspaceId: string): WorkspaceStore;
  /** What may be deleted by now, over all workspaces. One bounded step; call again while `more` is true. */
  sweep(
    nowMillis: number,
  ): Promise<{ conversations: number; events: number; interrupted: number; more: boolean }>;
  /** Answers when reading works; rejects otherwise. Says which migration is applied and whether writing works. */
  ready(): Promise<{ migration: string; writable: boolean }>;
  /** Writes a consistent copy while the service runs and verifies it. */
  backup(file: string): Promise<{ bytes: number; pages: number }>;
  /** Flushes what is waiting, checkpoints, closes. */
  close(): Promise<void>;
};

export type WorkspaceStore = {
  readonly consents: Consents;
  readonly conversations: Conversations;
  readonly events: Events;
  readonly members: Members;
  readonly invitations: Invitations;
  readonly apiKeys: ApiKeys;
  readonly articles: Articles;
  readonly translations: Translations;
  readonly passages: Passages;
  readonly audit: Audit;
  readonly workspaceExport: WorkspaceExport;
  readonly voiceReservations: VoiceReservations;
  readonly tokenMonths: TokenMonths;
  /** Where the guide was seen, for each domain that it was seen below; some of them may be allowed no more. */
  installations(): Promise<readonly Installation[]>;
  /** Erases all that belongs to a visitor; consent evidence loses what leads to the visitor. */
  eraseVisitor(visitorId: string): Promise<{ conversations: number; events: number; feedback: number }>;
};

/** Nothing can be stored right now; what was stored before is safe. */
export class StorageUnavailable extends Error {
  override readonly name = 'StorageUnavailable';
}
