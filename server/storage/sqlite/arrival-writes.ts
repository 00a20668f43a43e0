/** Writes rows as they come in from elsewhere; statements for write jobs. */
import { eq, sql } from 'drizzle-orm';
import type {
  ExportedArticle,
  ExportedArticleRevision,
  ExportedMember,
  ExportedTranslation,
  ExportedTranslationRevision,
  ExportedTurn,
  ImportRow,
} from '../holdings.ts';
import { contentColumns } from './article-rows.ts';
import type { Drizzle } from './connections.ts';
import { writePassage } from './passages.ts';
import {
  articleRevisions,
  articles,
  consentCurrent,
  consentPolicies,
  consentRecords,
  consentSubjects,
  conversations,
  events,
  feedback,
  members,
  translationRevisions,
  translations,
  turns,
  users,
} from './schema.ts';
import { given, insertInto } from './statements.ts';

export function arrivalWrites(writer: Drizzle): (workspaceId: string, row: ImportRow) => void {
  const insert = {
    member: insertInto(writer, members),
    user: insertInto(writer, users),
    policy: insertInto(writer, consentPolicies),
    subject: insertInto(writer, consentSubjects),
    consent: insertInto(writer, consentRecords),
    decision: insertInto(writer, consentCurrent),
    article: insertInto(writer, articles),
    articleRevision: insertInto(writer, articleRevisions),
    translation: insertInto(writer, translations),
    translationRevision: insertInto(writer, translationRevisions),
    conversation: insertInto(writer, conversations),
    turn: insertInto(writer, turns),
    feedback: insertInto(writer, feedback),
    event: insertInto(writer, events),
  };
  const insertAudit = writer.$client.prepare(
    `INSERT INTO audit (workspace_id, id, at_millis, actor, action, subject, details)
     VALUES (@workspaceId, @id, @atMillis, @actor, @action, @subject, @details)`,
  );
  const userByEmail = writer
    .select({ id: users.id })
    .from(users)
    .where(eq(users.email, given('email')))
    .prepare();
  const live = (table: typeof articles | typeof translations) =>
    writer
      .update(table)
      .set({ liveRevision: sql`${given('revision')}` })
      .where(eq(table.id, given('id')))
      .prepare();
  const articleLive = live(articles);
  const translationLive = live(translations);

  function putMember(workspaceId: string, { id, email, role, createdAt }: ExportedMember, newUserId: string) {
    const known = userByEmail.get({ email });
    if (!known) insert.user({ id: newUserId, email, passwordHash: '', createdAt });
    insert.member({ id, workspaceId, userId: known?.id ?? newUserId, role, createdAt });
  }

  return (workspaceId, arriving) => {
    switch (arriving.kind) {
      case 'member':
        return putMember(workspaceId, arriving.row, arriving.newUserId);
      case 'policy':
        return void insert.policy({ workspaceId, ...arriving.row });
      case 'subject':
        return void insert.subject({ workspaceId, ...arriving.row });
      case 'consent':
        return void insert.consent({ workspaceId, ...arriving.row });
      case 'decision':
        return void insert.decision({ workspaceId, gpc: false, claimedRegion: null, ...arriving.row });
      case 'article':
        return void insert.article({ workspaceId, ...articleColumns(arriving.row) });
      case 'article_revision':
        return void insert.articleRevision({
          articleId: arriving.articleId,
          ...revisionColumns(arriving.row),
          locale: arriving.row.locale,
        });
      case 'translation':
        return void insert.translation({ workspaceId, ...translationColumns(arriving.row) });
      case 'translation_revision':
        return void insert.translationRevision({
          translationId: arriving.translationId,
          ...translationRevisionColumns(arriving.row),
        });
      case 'live':
        articleLive.run({ id: arriving.article.id, revision: arriving.article.live?.revision ?? null });
        for (const { id, live } of arriving.translations) {
          translationLive.run({ id, revision: live?.revision ?? null });
        }
        return;
      case 'passage':
        return writePassage(writer.$client, workspaceId, arriving.row);
      case 'conversation':
        return void insert.conversation({ workspaceId, ...arriving.row, deleteAfterMillis: null });
      case 'turn':
        return void insert.turn({ workspaceId, visitorId: arriving.visitorId, ...turnColumns(arriving.row) });
      case 'feedback': {
        const { visitorId, messageId, row } = arriving;
        return void insert.feedback({
          workspaceId,
          visitorId,
          messageId,
          ...row,
          comment: row.comment ?? null,
        });
      }
      case 'event': {
        const { visitorId = null, conversationId = null, ...rest } = arriving.row;
        return void insert.event({ workspaceId, visitorId, conversationId, ...rest });
      }
      case 'audit':
        return void insertAudit.run({ workspaceId, ...arriving.row });
    }
  };
}

/** Nothing is live before its revision is there. */
function articleColumns({ live, ...rest }: ExportedArticle) {
  return {
    ...rest,
    liveRevision: null,
    livePublishedAt: live?.publishedAt ?? null,
    livePublishedBy: live?.publishedBy ?? null,
  };
}

function revisionColumns({ content, ...rest }: ExportedArticleRevision | ExportedTranslationRevision) {
  const { revision, event, contentHash, searchSummary, authorId, createdAt } = rest;
  return { revision, event, contentHash, searchSummary, authorId, createdAt, ...contentColumns(content) };
}

function translationColumns({ source, live, review, ...rest }: ExportedTranslation) {
  return {
    ...rest,
    sourceRevision: source.revision,
    sourceHash: source.contentHash,
    liveRevision: null,
    liveSourceRevision: live?.source.revision ?? null,
    liveSourceHash: live?.source.contentHash ?? null,
    livePublishedAt: live?.publishedAt ?? null,
    livePublishedBy: live?.publishedBy ?? null,
    reviewDecision: review?.decision ?? null,
    reviewRevision: review?.revision ?? null,
    reviewAuthorId: review?.authorId ?? null,
    reviewerId: review?.reviewerId ?? null,
    reviewNote: review?.reviewNote ?? null,
    reviewedAt: review?.reviewedAt ?? null,
  };
}

function translationRevisionColumns(row: ExportedTranslationRevision) {
  const { source, status, reviewerId = null, reviewNote = null } = row;
  return {
    ...revisionColumns(row),
    status,
    sourceRevision: source.revision,
    sourceHash: source.contentHash,
    reviewerId,
    reviewNote,
  };
}

function turnColumns({ feedback: _, frames, ...row }: ExportedTurn) {
  const { finishReason = null, idempotencyKey = null, payloadHash = null, finishedAt = null, ...rest } = row;
  return { ...rest, finishReason, idempotencyKey, payloadHash, finishedAt, frames: JSON.stringify(frames) };
}
