import type { IndexedPassage } from './passages.ts';
import type * as tables from './sql/schema.ts';
import type { Workspace } from './workspaces.ts';

/** Stored rows for exporting and importing a workspace, without credentials and passages. */
export type TransferRows = {
  members: typeof tables.members.$inferSelect & { email: string };
  consentPolicies: typeof tables.consentPolicies.$inferSelect;
  consentSubjects: typeof tables.consentSubjects.$inferSelect;
  consentRecords: typeof tables.consentRecords.$inferSelect;
  consentCurrent: typeof tables.consentCurrent.$inferSelect;
  collections: typeof tables.collections.$inferSelect;
  articles: typeof tables.articles.$inferSelect;
  articleRevisions: typeof tables.articleRevisions.$inferSelect;
  translations: typeof tables.translations.$inferSelect;
  translationRevisions: typeof tables.translationRevisions.$inferSelect;
  images: typeof tables.images.$inferSelect;
  sources: typeof tables.sources.$inferSelect;
  sourceDocuments: typeof tables.sourceDocuments.$inferSelect;
  sourceRuns: typeof tables.sourceRuns.$inferSelect;
  sourceRunItems: typeof tables.sourceRunItems.$inferSelect;
  conversations: typeof tables.conversations.$inferSelect;
  turns: typeof tables.turns.$inferSelect;
  feedback: typeof tables.feedback.$inferSelect;
  inboxGroups: typeof tables.inboxGroups.$inferSelect;
  inboxQuestions: typeof tables.inboxQuestions.$inferSelect;
  events: typeof tables.events.$inferSelect;
  audit: typeof tables.audit.$inferSelect;
};

/** Returns a page of rows in a fixed order, after the last row of the previous page. */
type Pages<Row> = (limit: number, after?: Row) => Promise<readonly Row[]>;

export type ExportedArticle = TransferRows['articles'] & {
  translations: readonly TransferRows['translations'][];
};
type ExportedTurn = TransferRows['turns'] & { feedback?: TransferRows['feedback'] };

export type WorkspaceExport = {
  [T in
    | 'members'
    | 'consentPolicies'
    | 'consentSubjects'
    | 'consentRecords'
    | 'consentCurrent'
    | 'images'
    | 'inboxGroups'
    | 'inboxQuestions'
    | 'collections'
    | 'sources'
    | 'sourceDocuments'
    | 'sourceRuns'
    | 'sourceRunItems'
    | 'audit']: Pages<TransferRows[T]>;
} & {
  /** Articles with their translations, read from one snapshot. */
  articles: Pages<ExportedArticle>;
  /** Returns the revisions after `after`, oldest first. */
  articleRevisions(
    articleId: string,
    limit: number,
    after: number,
  ): Promise<readonly TransferRows['articleRevisions'][]>;
  translationRevisions(
    translationId: string,
    limit: number,
    after: number,
  ): Promise<readonly TransferRows['translationRevisions'][]>;
  /** Excludes conversations with a deletion deadline, with their turns and events. */
  conversations: Pages<TransferRows['conversations']>;
  turns(conversationId: string, limit: number, after?: ExportedTurn): Promise<readonly ExportedTurn[]>;
  events: Pages<TransferRows['events']>;
};

/** A row to insert; the adapter adds the workspace. */
export type ImportRow =
  | {
      readonly [T in keyof TransferRows]: { table: T; row: TransferRows[T] };
    }[keyof TransferRows]
  /** Sets the live revision of an article or translation once that revision is stored. */
  | {
      table: 'live';
      of: 'articles' | 'translations';
      id: string;
      revision: number;
    }
  /** Sets the columns that lists of articles sort and search by, once the newest revision is known. */
  | {
      table: 'search';
      id: string;
      slug: string;
      content: { title: string; aliases: readonly string[] };
    }
  | { table: 'passages'; row: IndexedPassage };

/**
 * A workspace under import, invisible until it is complete. An import without progress for too long
 * counts as removed, and its rows are purged like those of a removed workspace.
 */
export type WorkspaceImports = {
  begin(workspace: Workspace, untilMillis: number): Promise<'begun' | 'id_taken'>;
  /**
   * Inserts rows in order and extends the import's deadline to `untilMillis`. Returns 'gone' when
   * the deadline has passed. `taken` is the index of the first row whose id or other unique value exists
   * already; nothing is stored then. A member with an unknown address becomes a user with the id `userId` and no
   * password.
   */
  put(
    workspaceId: string,
    rows: readonly ImportRow[],
    time: { nowMillis: number; untilMillis: number },
  ): Promise<'put' | 'gone' | { taken: number }>;
  /** Returns whether the workspace has no articles, conversations, events and consent records. */
  isEmpty(workspaceId: string): Promise<boolean>;
  /**
   * Makes the workspace visible under this app id. With `replacedId`, the same transaction removes
   * that workspace if it is empty and moves its members to the new one.
   */
  complete(
    workspaceId: string,
    appId: string,
    nowMillis: number,
    replacedId?: string,
  ): Promise<'complete' | 'gone' | 'app_id_taken' | 'not_empty'>;
  /** Removes the incomplete workspace. */
  abandon(workspaceId: string): Promise<void>;
};
