/** Rows as they are stored, in the one order that a workspace is exported in. */
import type {
  ExportedArticle,
  ExportedArticleRevision,
  ExportedAudit,
  ExportedConsent,
  ExportedDecision,
  ExportedEvent,
  ExportedMember,
  ExportedPolicy,
  ExportedSubject,
  ExportedTranslation,
  ExportedTranslationRevision,
  ExportedTurn,
  WorkspaceExport,
} from '../holdings.ts';
import { contentOf } from './article-rows.ts';
import type { Connections } from './connections.ts';
import { type StandingRow, standingOf } from './consents.ts';
import { prepareHoldings } from './holding-queries.ts';
import { withoutNulls } from './statements.ts';

export function sqliteWorkspaceExport({
  reader,
  read,
  readAll,
}: Connections): (workspaceId: string) => WorkspaceExport {
  const db = reader.$client;
  const sql = prepareHoldings(db);

  /** Both tables at one moment, whoever else writes. */
  const openImport = db.transaction((workspaceId: string, limit: number, after: string) => {
    const articles = sql.articles.all({ workspaceId, limit, after }) as ArticleRow[];
    const ids = JSON.stringify(articles.map(({ id }) => id));
    return { articles, translations: sql.translations.all({ ids }) as TranslationRow[] };
  });

  return (workspaceId) => ({
    members: (limit, after) =>
      read(
        () =>
          sql.members.all({
            workspaceId,
            limit,
            at: after?.createdAt ?? -1,
            id: after?.id ?? '',
          }) as ExportedMember[],
      ),

    policies: (limit, after) =>
      read(() => sql.policies.all({ workspaceId, limit, after: after?.version ?? '' }) as ExportedPolicy[]),

    subjects: (limit, after) =>
      read(
        () => sql.subjects.all({ workspaceId, limit, after: after?.visitorId ?? '' }) as ExportedSubject[],
      ),

    consents: (limit, after) =>
      read(() => sql.consents.all({ workspaceId, limit, after: after?.position ?? 0 }) as ExportedConsent[]),

    decisions: (limit, after) =>
      read(() => {
        const rows = sql.decisions.all({ workspaceId, limit, after: after?.visitorId ?? '' });
        return (rows as (StandingRow & Pick<ExportedDecision, 'visitorId'>)[]).map(standingOf);
      }),

    articles: (limit, after) =>
      read(() => {
        const { articles, translations } = openImport(workspaceId, limit, after?.id ?? '');
        return articles.map((article) => ({
          ...articleOf(article),
          translations: translations.filter(({ articleId }) => articleId === article.id).map(translationOf),
        }));
      }),

    articleRevisions: (articleId, upTo, limit, after) =>
      read(() =>
        (
          sql.articleRevisions.all({ workspaceId, articleId, upTo, limit, after }) as ArticleRevisionRow[]
        ).map(({ title, answer, aliases, url, ...rest }) => ({
          ...rest,
          content: contentOf({ title, answer, aliases, url }),
        })),
      ),

    translationRevisions: (translationId, upTo, limit, after) =>
      read(() =>
        (
          sql.translationRevisions.all({
            workspaceId,
            translationId,
            upTo,
            limit,
            after,
          }) as TranslationRevisionRow[]
        ).map(translationRevisionOf),
      ),

    conversations: (limit, after) =>
      read(() =>
        (
          sql.conversations.all({
            workspaceId,
            limit,
            at: after?.startedAt ?? -1,
            id: after?.id ?? '',
          }) as ConversationRow[]
        ).map(({ ended, ...rest }) => ({ ...rest, ended: ended === 1 })),
      ),

    turns: (conversationId, limit, after) =>
      read(() => {
        const from = { at: after?.askedAt ?? -1, id: after?.messageId ?? '' };
        return (sql.turns.all({ workspaceId, conversationId, limit, ...from }) as TurnRow[]).map(turnOf);
      }),

    events: (limit, after) =>
      readAll(() => {
        const from = { at: after?.atMillis ?? -1, id: after?.id ?? '' };
        return (sql.events.all({ workspaceId, limit, ...from }) as ExportedEvent[]).map((row) =>
          withoutNulls(row),
        );
      }),

    audit: (limit, after) =>
      read(() => sql.audit.all({ workspaceId, limit, after: after?.id ?? null }) as ExportedAudit[]),
  });
}

type ContentRow = {
  readonly title: string;
  readonly answer: string;
  readonly aliases: string;
  readonly url: string | null;
};
type Stored<Held, Left extends PropertyKey> = Omit<Held, Left | 'content' | 'live' | 'review' | 'source'>;

type ArticleRow = Stored<ExportedArticle, never> & {
  readonly liveRevision: number | null;
  readonly publishedAt: number;
  readonly publishedBy: string;
};

function articleOf({ liveRevision, publishedAt, publishedBy, ...rest }: ArticleRow): ExportedArticle {
  return liveRevision === null
    ? rest
    : { ...rest, live: { revision: liveRevision, publishedAt, publishedBy } };
}

type TranslationRow = Stored<ExportedTranslation, never> & {
  readonly sourceRevision: number;
  readonly sourceHash: string;
  readonly liveRevision: number | null;
  readonly liveSourceRevision: number;
  readonly liveSourceHash: string;
  readonly publishedAt: number;
  readonly publishedBy: string;
  readonly reviewDecision: 'approve' | 'request_changes' | null;
  readonly reviewRevision: number;
  readonly reviewAuthorId: string;
  readonly reviewerId: string;
  readonly reviewNote: string | null;
  readonly reviewedAt: number;
};

function translationOf(row: TranslationRow): ExportedTranslation {
  const { id, articleId, locale, status, revision, createdAt, createdBy, updatedAt, updatedBy } = row;
  return {
    ...{ id, articleId, locale, status, revision, createdAt, createdBy, updatedAt, updatedBy },
    source: { revision: row.sourceRevision, contentHash: row.sourceHash },
    ...(row.liveRevision === null
      ? {}
      : {
          live: {
            revision: row.liveRevision,
            source: { revision: row.liveSourceRevision, contentHash: row.liveSourceHash },
            publishedAt: row.publishedAt,
            publishedBy: row.publishedBy,
          },
        }),
    ...(row.reviewDecision === null
      ? {}
      : {
          review: {
            decision: row.reviewDecision,
            revision: row.reviewRevision,
            authorId: row.reviewAuthorId,
            reviewerId: row.reviewerId,
            ...(row.reviewNote === null ? {} : { reviewNote: row.reviewNote }),
            reviewedAt: row.reviewedAt,
          },
        }),
  };
}

type ArticleRevisionRow = Stored<ExportedArticleRevision, never> & ContentRow;
type TranslationRevisionRow = Stored<ExportedTranslationRevision, 'reviewerId' | 'reviewNote'> &
  ContentRow & {
    readonly sourceRevision: number;
    readonly sourceHash: string;
    readonly reviewerId: string | null;
    readonly reviewNote: string | null;
  };

function translationRevisionOf(row: TranslationRevisionRow): ExportedTranslationRevision {
  const { title, answer, aliases, url, sourceRevision, sourceHash, reviewerId, reviewNote, ...rest } = row;
  return {
    ...rest,
    source: { revision: sourceRevision, contentHash: sourceHash },
    content: contentOf({ title, answer, aliases, url }),
    ...(reviewerId === null ? {} : { reviewerId }),
    ...(reviewNote === null ? {} : { reviewNote }),
  };
}

type ConversationRow = {
  readonly id: string;
  readonly visitorId: string;
  readonly startedAt: number;
  readonly nextTurnIdx: number;
  readonly turnCount: number;
  readonly ended: number;
};

type TurnRow = Omit<ExportedTurn, 'frames' | 'feedback'> & {
  readonly frames: string;
  readonly feedbackId: string | null;
  readonly rating: 'up' | 'down';
  readonly comment: string | null;
  readonly ratedAt: number;
};

function turnOf({ frames, feedbackId, rating, comment, ratedAt, ...rest }: TurnRow): ExportedTurn {
  const turn = { ...withoutNulls(rest), frames: JSON.parse(frames) as string[] };
  if (feedbackId === null) return turn;
  const said = comment === null ? {} : { comment };
  return { ...turn, feedback: { id: feedbackId, rating, ...said, atMillis: ratedAt } };
}
