import type { ArticleContent, ArticleEvent, ArticleStatus } from './articles.ts';
import type { ConsentPolicy, CurrentDecision, SealedConsent } from './consents.ts';
import type { Conversation, Feedback, Turn } from './conversations.ts';
import type { Member } from './members.ts';
import type { IndexedPassage } from './passages.ts';
import type { Review, SourceRef, TranslationEvent, TranslationStatus } from './translations.ts';
import type { Workspace } from './workspaces.ts';

/**
 * Everything that a workspace holds, row by row, as it is stored: what an export reads and an import writes. Passages are not among
 * it, since they are made of the rest, and neither are credentials.
 */

export type ExportedMember = Pick<Member, 'id' | 'email' | 'role' | 'createdAt'>;
export type ExportedPolicy = Omit<ConsentPolicy, 'workspaceId'>;
export type ExportedSubject = { readonly visitorId: string; readonly subjectId: string };
export type ExportedConsent = SealedConsent & { readonly subjectId: string };
export type ExportedDecision = CurrentDecision & { readonly visitorId: string };

type Changes = {
  readonly createdAt: number;
  readonly createdBy: string;
  readonly updatedAt: number;
  readonly updatedBy: string;
};

type ExportedContent = {
  readonly revision: number;
  readonly content: ArticleContent;
  readonly contentHash: string;
  readonly searchSummary: string;
  readonly authorId: string;
  readonly createdAt: number;
};

export type LivePointer = {
  readonly revision: number;
  readonly publishedAt: number;
  readonly publishedBy: string;
};

export type ExportedArticle = Changes & {
  readonly id: string;
  readonly slug: string;
  readonly locale: string;
  readonly status: ArticleStatus;
  readonly revision: number;
  readonly live?: LivePointer;
};

export type ExportedArticleRevision = ExportedContent & {
  readonly event: ArticleEvent;
  readonly locale: string;
};

export type ExportedTranslation = Changes & {
  readonly id: string;
  readonly articleId: string;
  readonly locale: string;
  readonly status: TranslationStatus;
  readonly revision: number;
  readonly source: SourceRef;
  readonly live?: LivePointer & { readonly source: SourceRef };
  readonly review?: Review;
};

export type ExportedTranslationRevision = ExportedContent & {
  readonly event: TranslationEvent;
  readonly status: TranslationStatus;
  readonly source: SourceRef;
  readonly reviewerId?: string;
  readonly reviewNote?: string;
};

export type ExportedFeedback = Omit<Feedback, 'messageId' | 'visitorId'>;
export type ExportedTurn = Omit<Turn, 'visitorId'> & { readonly feedback?: ExportedFeedback };

export type ExportedEvent = {
  readonly id: string;
  readonly atMillis: number;
  readonly type: string;
  readonly visitorId?: string;
  readonly conversationId?: string;
  /** As it is stored: a JSON text. */
  readonly data: string;
};

export type ExportedAudit = {
  readonly id: string;
  readonly atMillis: number;
  readonly actor: string;
  readonly action: string;
  readonly subject: string;
  /** As it is stored: a JSON text. */
  readonly details: string;
};

/** A page of rows in their one order, after the last row of the page before. */
type Pages<Row> = (limit: number, after?: Row) => Promise<readonly Row[]>;

export type WorkspaceExport = {
  readonly members: Pages<ExportedMember>;
  readonly policies: Pages<ExportedPolicy>;
  readonly subjects: Pages<ExportedSubject>;
  readonly consents: Pages<ExportedConsent>;
  readonly decisions: Pages<ExportedDecision>;
  /** With their translations, as they were at one moment. */
  readonly articles: Pages<ExportedArticle & { readonly translations: readonly ExportedTranslation[] }>;
  /** Up to a revision: what comes later belongs to a later moment. */
  articleRevisions(
    articleId: string,
    upTo: number,
    limit: number,
    after: number,
  ): Promise<readonly ExportedArticleRevision[]>;
  translationRevisions(
    translationId: string,
    upTo: number,
    limit: number,
    after: number,
  ): Promise<readonly ExportedTranslationRevision[]>;
  /** Without those that have to be deleted by a certain time; neither are their turns and events here. */
  readonly conversations: Pages<Conversation>;
  turns(conversationId: string, limit: number, after?: ExportedTurn): Promise<readonly ExportedTurn[]>;
  readonly events: Pages<ExportedEvent>;
  readonly audit: Pages<ExportedAudit>;
};

export type ImportRow =
  | { readonly kind: 'member'; readonly row: ExportedMember; readonly newUserId: string }
  | { readonly kind: 'policy'; readonly row: ExportedPolicy }
  | { readonly kind: 'subject'; readonly row: ExportedSubject }
  | { readonly kind: 'consent'; readonly row: ExportedConsent }
  | { readonly kind: 'decision'; readonly row: ExportedDecision }
  /** What is live comes with `live`, once all revisions are there. */
  | { readonly kind: 'article'; readonly row: ExportedArticle }
  | { readonly kind: 'article_revision'; readonly articleId: string; readonly row: ExportedArticleRevision }
  | { readonly kind: 'translation'; readonly row: ExportedTranslation }
  | {
      readonly kind: 'translation_revision';
      readonly translationId: string;
      readonly row: ExportedTranslationRevision;
    }
  | {
      readonly kind: 'live';
      readonly article: ExportedArticle;
      readonly translations: readonly ExportedTranslation[];
    }
  | { readonly kind: 'passage'; readonly row: IndexedPassage }
  | { readonly kind: 'conversation'; readonly row: Conversation }
  | { readonly kind: 'turn'; readonly visitorId: string; readonly row: ExportedTurn }
  | {
      readonly kind: 'feedback';
      readonly visitorId: string;
      readonly messageId: string;
      readonly row: ExportedFeedback;
    }
  | { readonly kind: 'event'; readonly row: ExportedEvent }
  | { readonly kind: 'audit'; readonly row: ExportedAudit };

/**
 * A workspace that comes in from elsewhere. Nobody sees it before it is complete. What does not go on arriving in time counts as
 * removed: the rest of it is deleted like that of any removed workspace.
 */
export type WorkspaceImports = {
  begin(workspace: Workspace, untilMillis: number): Promise<'begun' | 'id_taken'>;
  /**
   * Adds rows in the order given and grants time until then. 'gone' when the time ran out before. `taken` is the index of a row whose
   * id, or what else is there only once, is somewhere already; those before it are written.
   */
  put(
    workspaceId: string,
    rows: readonly ImportRow[],
    time: { readonly nowMillis: number; readonly untilMillis: number },
  ): Promise<'put' | 'gone' | { readonly taken: number }>;
  /** Whether there are no articles, conversations, events and consent records. */
  isEmpty(workspaceId: string): Promise<boolean>;
  /**
   * From now on everybody sees it, under this app id. With `instead`, that workspace is removed in the same step, if it is empty, and
   * its members are members of the new one.
   */
  complete(
    workspaceId: string,
    appId: string,
    nowMillis: number,
    instead?: string,
  ): Promise<'complete' | 'gone' | 'app_id_taken' | 'not_empty'>;
  /** It counts as removed from now on. */
  abandon(workspaceId: string): Promise<void>;
};
