import type { Translations } from '../translations.ts';
import type { InsertAudit } from './audit.ts';
import type { Connections } from './connections.ts';
import { waitingReads } from './review-queue.ts';
import { translationReads } from './translation-rows.ts';
import { translationWrites } from './translation-writes.ts';

export function sqliteTranslations(
  connections: Connections,
  insertAudit: InsertAudit,
): (workspaceId: string) => Translations {
  const { read, write } = connections;
  const reads = translationReads(connections);
  const writes = translationWrites(connections.writer, insertAudit);
  const listReviewQueue = waitingReads(connections);

  return (workspaceId) => ({
    list: (articleId) => read(() => reads.list(workspaceId, articleId)),
    find: (articleId, translationId) => read(() => reads.find(workspaceId, articleId, translationId)),
    revisions: (translationId, limit, beforeRevision) =>
      read(() => reads.revisions(workspaceId, translationId, limit, beforeRevision)),
    countRevisions: (translationId) => read(() => reads.countRevisions(workspaceId, translationId)),
    lastAuthor: (translationId, events) => read(() => reads.lastAuthor(workspaceId, translationId, events)),
    listReviewQueue: (statuses, limit, afterId) =>
      read(() => listReviewQueue(workspaceId, statuses, limit, afterId)),
    create: (draft, localesMax) => write(() => writes.create(workspaceId, draft, localesMax)),
    apply: (step) => write(() => writes.apply(workspaceId, step)),
  });
}
