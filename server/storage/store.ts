import type { ApiKeyLookup, ApiKeys } from './api-keys.ts';
import type { Articles, DismissedAliases } from './articles.ts';
import type { Audit } from './audit.ts';
import type { AutomationSessions } from './automation-sessions.ts';
import type { ExpiredReservations, TokenMonths, VoiceReservations } from './caps.ts';
import type { Collections } from './collections.ts';
import type { ConsentPolicies, Consents } from './consents.ts';
import type { Conversations } from './conversations.ts';
import type { Dictionaries, DictionaryBuilds } from './dictionaries.ts';
import type { EmbeddingIndex, Embeddings } from './embeddings.ts';
import type { Events } from './events.ts';
import type { IdempotencyKeys } from './idempotency.ts';
import type { Images, PublicImages } from './images.ts';
import type { Inbox, Inboxes } from './inbox.ts';
import type { InvitationLinks, Invitations, Members, Memberships } from './members.ts';
import type { FeatureFlags, Installation, Installations, RateWindows } from './operations.ts';
import type { PassageIndex, Passages } from './passages.ts';
import type { AllSources, Sources } from './sources.ts';
import type { StoredData } from './stored-data.ts';
import type { WorkspaceExport, WorkspaceImports } from './transfer.ts';
import type { Translations } from './translations.ts';
import type { Sessions, Users } from './users.ts';
import type { Workspaces } from './workspaces.ts';

/**
 * The storage port. Every method is atomic and durable when its promise resolves; no transaction
 * spans an await. Methods return records, `undefined` or a word such as 'conflict'; business rules
 * and API errors are the caller's. Any method rejects with `StorageUnavailable` while writing is
 * impossible (disk full, locked). `test/storage/store.suite.ts` defines the behaviour: an adapter
 * is correct when it passes.
 */
export type Store = {
  workspaces: Workspaces;
  users: Users;
  sessions: Sessions;
  memberships: Memberships;
  invitations: InvitationLinks;
  apiKeys: ApiKeyLookup;
  featureFlags: FeatureFlags;
  rateWindows: RateWindows;
  consentPolicies: ConsentPolicies;
  workspaceImports: WorkspaceImports;
  passageIndex: PassageIndex;
  dictionaryBuilds: DictionaryBuilds;
  embeddingIndex: EmbeddingIndex;
  expiredReservations: ExpiredReservations;
  installations: Installations;
  images: PublicImages;
  inboxes: Inboxes;
  sources: AllSources;
  /** The data of one workspace, isolated from all others. */
  in(workspaceId: string): WorkspaceStore;
  /**
   * Marks the turns that an earlier process left running as interrupted, and returns how many. Call
   * it before the first turn starts.
   */
  interruptRunning(nowMillis: number): Promise<number>;
  /**
   * Deletes expired data of all workspaces, in one bounded step; call again while `more` is true.
   */
  sweep(
    nowMillis: number,
  ): Promise<{ conversations: number; events: number; interrupted: number; more: boolean }>;
  /**
   * From now on, this process stores no event rows of these workspaces, and deletes their new
   * conversations after `conversationMillis`.
   */
  restrict(workspaceIds: ReadonlySet<string>, conversationMillis: number): void;
  /** Returns the size of the stored data; free space within the file does not count. */
  usedBytes(): Promise<number>;
  /**
   * Resolves when reading works and rejects otherwise. Reports the applied migration and whether
   * writing works. Writes only if the last write failed, or none was tried yet.
   */
  ready(): Promise<{ migration: string; writable: boolean }>;
  /** The connections to a database server; absent where the database is a file. */
  connections?: () => ConnectionStats;
  /** Returns the replica's lag in seconds; undefined while it cannot be reached, or without a replica. */
  replicaLagSeconds?: () => Promise<number | undefined>;
  /** Problems with the stored data; empty when none are known. */
  problems(): readonly StorageProblem[];
  /**
   * Looks for damage in the background. Clears damage that was reported before if there is none any
   * more.
   */
  check(): Promise<void>;
  /** The id of the key ring that visitors' ids and tokens were made with; undefined until a key ring was used. */
  keyRingId: {
    get(): Promise<string | undefined>;
    set(id: string): Promise<void>;
  };
  /** The key ring itself if nodes share it through the database, encrypted by the caller; otherwise undefined. */
  sealedKeys: {
    get(): Promise<string | undefined>;
    /** Returns 'conflict' and stores nothing unless the stored text is still `from`. */
    replace(from: string | undefined, to: string): Promise<'replaced' | 'conflict'>;
  };
  /** Returns the tombstones of all workspaces since `sinceMillis`, oldest first. */
  listErasedVisitors(sinceMillis: number): Promise<readonly Tombstone[]>;
  /** Writes a consistent copy while the service runs, and verifies it. */
  backup(file: string, tryOut?: (copy: Store) => Promise<void>): Promise<{ bytes: number; pages: number }>;
  /** Writes deferred data, checkpoints and closes. */
  close(): Promise<void>;
};

/** What is kept of an erased visitor, so that the browser's id is not accepted again. */
type Tombstone = { mark: string; atMillis: number };

export type WorkspaceStore = {
  consents: Consents;
  conversations: Conversations;
  events: Events;
  inbox: Inbox;
  members: Members;
  invitations: Invitations;
  apiKeys: ApiKeys;
  automationSessions: AutomationSessions;
  idempotencyKeys: IdempotencyKeys;
  articles: Articles;
  collections: Collections;
  dismissedAliases: DismissedAliases;
  translations: Translations;
  images: Images;
  sources: Sources;
  passages: Passages;
  dictionaries: Dictionaries;
  embeddings: Embeddings;
  audit: Audit;
  storedData: StoredData;
  workspaceExport: WorkspaceExport;
  voiceReservations: VoiceReservations;
  /** Tokens of the language model. */
  tokenMonths: TokenMonths;
  /** Tokens of texts that were embedded. */
  embeddingMonths: TokenMonths;
  /** Installation checks by domain; may include domains that are no longer allowed. */
  installations(): Promise<readonly Installation[]>;
  /** Erases all data of a visitor, unlinks their consent records and keeps the tombstone. */
  eraseVisitor(
    visitorId: string,
    tombstone: Tombstone,
  ): Promise<{ conversations: number; events: number; feedback: number }>;
};

/**
 * `file_replaced`: the file or its folder was removed or replaced while in use; nothing is written. `corrupt`: it
 * is damaged; nothing is written. `commits_missing`: at the start it lacked acknowledged commits.
 */
export type StorageProblem = (typeof STORAGE_PROBLEMS)[number];
export const STORAGE_PROBLEMS = ['file_replaced', 'corrupt', 'commits_missing'] as const;

/** The current connections, and counts since the start of the process. */
export type ConnectionStats = {
  open: number;
  idle: number;
  /** Callers that wait for a connection. */
  waiting: number;
  transactions: number;
  /** The total time that transactions have waited for the locks of their workspaces. */
  lockWaitMillis: number;
};

/** Nothing can be written at the moment. */
export class StorageUnavailable extends Error {
  override readonly name = 'StorageUnavailable';
}
