import { and, sql } from 'drizzle-orm';
import {
  articleById,
  type Conflict,
  isThisArticle,
  isThisTranslation,
  type ScheduledPublication,
  UNSCHEDULED,
  type Verification,
} from './article-rows.ts';
import { type AuditEntry, insertAudit } from './audit.ts';
import type { SqlDatabase } from './database.ts';
import { articles, translations } from './schema/index.ts';
import { bound, db, input, matches, rawStatement, statement } from './statements.ts';

/** When articles and translations are published, and when articles are verified again. */

/** Sets a schedule, or removes it with null. */
type ScheduleChange = {
  id: string;
  baseRevision: number;
  scheduled: ScheduledPublication | null;
  audit: AuditEntry;
};

export function sqlSchedules({ write }: SqlDatabase) {
  return (workspaceId: string) => ({
    setOfArticle: ({ id: articleId, baseRevision, scheduled, audit }: ScheduleChange) =>
      write(workspaceId, async (tx) => {
        const current = await tx.get(articleById, { workspaceId, articleId });
        if (!current) return { outcome: 'gone' as const };
        if (current.revision !== baseRevision) return toConflict(current);
        await tx.run(scheduleArticle, { articleId, ...toColumns(scheduled) });
        await insertAudit(tx, workspaceId, audit);
        return { outcome: 'applied' as const };
      }),

    setOfTranslation: ({ id: translationId, baseRevision, scheduled, audit }: ScheduleChange) =>
      write(workspaceId, async (tx) => {
        const current = await tx.get(translationById, { workspaceId, translationId });
        if (!current) return { outcome: 'gone' as const };
        if (current.revision !== baseRevision) return toConflict(current);
        await tx.run(scheduleTranslation, { translationId, ...toColumns(scheduled) });
        await insertAudit(tx, workspaceId, audit);
        return { outcome: 'applied' as const };
      }),

    /** Sets when to verify an article, or with null that nobody has to. */
    setVerification: (articleId: string, verification: Verification | null, audit: AuditEntry) =>
      write(workspaceId, async (tx) => {
        if (!(await tx.get(articleById, { workspaceId, articleId }))) return 'gone';
        const { after: verifyAfter, checkedAt, checkedBy } = verification ?? NOT_VERIFIED;
        await tx.run(verifyArticle, { articleId, verifyAfter, checkedAt, checkedBy });
        await insertAudit(tx, workspaceId, audit);
        return 'applied';
      }),
  });
}

export function sqlAllSchedules({ read }: SqlDatabase) {
  return {
    /** Lists scheduled publications that are due, articles first: their translations may need the newer text. */
    listDue: (nowMillis: number, limit: number) =>
      read(undefined, async (tx) => [
        ...(await tx.all(dueArticles, { nowMillis, limit })),
        ...(await tx.all(dueTranslations, { nowMillis, limit })),
      ]),
  };
}

const NOT_VERIFIED = { after: null, checkedAt: null, checkedBy: null };

const toColumns = (scheduled: ScheduledPublication | null) =>
  scheduled ? { scheduledAt: scheduled.at, scheduledBy: scheduled.by } : UNSCHEDULED;

function toConflict(current: { revision: number; updatedBy: string; updatedAt: number }): Conflict {
  const { revision: currentRevision, updatedBy: changedBy, updatedAt: changedAt } = current;
  return { outcome: 'conflict', currentRevision, changedBy, changedAt };
}

const translationById = statement(() =>
  db
    .select({
      revision: translations.revision,
      updatedAt: translations.updatedAt,
      updatedBy: translations.updatedBy,
    })
    .from(translations)
    .where(and(isThisTranslation, matches(translations.workspaceId))),
);
const scheduleArticle = statement(() =>
  db.update(articles).set(bound('scheduledAt', 'scheduledBy')).where(isThisArticle),
);
const scheduleTranslation = statement(() =>
  db.update(translations).set(bound('scheduledAt', 'scheduledBy')).where(isThisTranslation),
);
const verifyArticle = statement(() =>
  db
    .update(articles)
    .set(bound('verifyAfter', 'checkedAt', 'checkedBy'))
    .where(isThisArticle),
);

type Due = { workspaceId: string; articleId: string; by: string };
const DUE = ['workspaceId', 'articleId', 'by'] as const;

const dueArticles = rawStatement<Due>(
  sql`SELECT workspace_id, articles.id, scheduled_by FROM articles
   JOIN workspaces ON workspaces.id = workspace_id AND removed_at IS NULL
   WHERE scheduled_at <= ${input('nowMillis')} AND scheduled_at IS NOT NULL
   ORDER BY scheduled_at, articles.id LIMIT ${input('limit')}`,
  ...DUE,
);
const dueTranslations = rawStatement<Due & { translationId: string }>(
  sql`SELECT workspace_id, article_id, scheduled_by, translations.id FROM translations
   JOIN workspaces ON workspaces.id = workspace_id AND removed_at IS NULL
   WHERE scheduled_at <= ${input('nowMillis')} AND scheduled_at IS NOT NULL
   ORDER BY scheduled_at, translations.id LIMIT ${input('limit')}`,
  ...DUE,
  'translationId',
);

/** The schedules of one workspace. */
export type Schedules = ReturnType<ReturnType<typeof sqlSchedules>>;
