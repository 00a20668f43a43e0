/** What reads everything that a workspace holds, a page at a time and without credentials. */
import type { Database } from 'better-sqlite3';

const CHANGES =
  'created_at AS createdAt, created_by AS createdBy, updated_at AS updatedAt, updated_by AS updatedBy';
const LIVE =
  'live_revision AS liveRevision, live_published_at AS publishedAt, live_published_by AS publishedBy';
const REVISION = `revision, event, title, answer, aliases, url, content_hash AS contentHash,
  search_summary AS searchSummary, author_id AS authorId, created_at AS createdAt`;
const SOURCE = 'source_revision AS sourceRevision, source_hash AS sourceHash';

// A bare parameter beside ORDER BY makes SQLite prepare the statement anew each time that it runs; `+@` does not.
export function prepareHoldings(db: Database) {
  return {
    members: db.prepare(
      `SELECT members.id, email, role, members.created_at AS createdAt FROM members JOIN users ON users.id = user_id
       WHERE workspace_id = +@workspaceId AND (members.created_at, members.id) > (+@at, +@id)
       ORDER BY members.created_at, members.id LIMIT 0 + @limit`,
    ),
    policies: db.prepare(
      `SELECT version, document, created_at AS createdAt FROM consent_policies
       WHERE workspace_id = +@workspaceId AND version > +@after ORDER BY version LIMIT 0 + @limit`,
    ),
    subjects: db.prepare(
      `SELECT visitor_id AS visitorId, subject_id AS subjectId FROM consent_subjects
       WHERE workspace_id = +@workspaceId AND visitor_id > +@after ORDER BY visitor_id LIMIT 0 + @limit`,
    ),
    consents: db.prepare(
      `SELECT position, id, subject_id AS subjectId, content, previous_hash AS previousHash, hash FROM consent_records
       WHERE workspace_id = +@workspaceId AND position > +@after ORDER BY position LIMIT 0 + @limit`,
    ),
    decisions: db.prepare(
      `SELECT visitor_id AS visitorId, decision, mode, policy_version AS policyVersion, region_code AS regionCode,
         decided_at AS decidedAt, gpc, claimed_region AS claimedRegion FROM consent_current
       WHERE workspace_id = +@workspaceId AND visitor_id > +@after ORDER BY visitor_id LIMIT 0 + @limit`,
    ),
    articles: db.prepare(
      `SELECT id, slug, locale, status, revision, ${LIVE}, ${CHANGES} FROM articles
       WHERE workspace_id = +@workspaceId AND id > +@after ORDER BY id LIMIT 0 + @limit`,
    ),
    translations: db.prepare(
      `SELECT id, article_id AS articleId, locale, status, revision, ${SOURCE}, ${LIVE},
         live_source_revision AS liveSourceRevision, live_source_hash AS liveSourceHash,
         review_decision AS reviewDecision, review_revision AS reviewRevision, review_author_id AS reviewAuthorId,
         reviewer_id AS reviewerId, review_note AS reviewNote, reviewed_at AS reviewedAt, ${CHANGES}
       FROM translations WHERE article_id IN (SELECT value FROM json_each(+@ids)) ORDER BY article_id, locale`,
    ),
    articleRevisions: db.prepare(
      `SELECT locale, ${REVISION} FROM article_revisions
       WHERE article_id = (SELECT id FROM articles WHERE id = +@articleId AND workspace_id = +@workspaceId)
         AND revision > +@after AND revision <= +@upTo ORDER BY revision LIMIT 0 + @limit`,
    ),
    translationRevisions: db.prepare(
      `SELECT status, ${SOURCE}, reviewer_id AS reviewerId, review_note AS reviewNote, ${REVISION}
       FROM translation_revisions
       WHERE translation_id = (SELECT id FROM translations WHERE id = +@translationId AND workspace_id = +@workspaceId)
         AND revision > +@after AND revision <= +@upTo ORDER BY revision LIMIT 0 + @limit`,
    ),
    conversations: db.prepare(
      `SELECT id, visitor_id AS visitorId, started_at AS startedAt, next_turn_idx AS nextTurnIdx,
         turn_count AS turnCount, ended FROM conversations
       WHERE workspace_id = +@workspaceId AND delete_after_millis IS NULL AND (started_at, id) > (+@at, +@id)
       ORDER BY started_at, id LIMIT 0 + @limit`,
    ),
    turns: db.prepare(
      `SELECT turns.message_id AS messageId, conversation_id AS conversationId, turn_idx AS turnIdx, state,
         finish_reason AS finishReason, requested_locale AS requestedLocale, idempotency_key AS idempotencyKey,
         payload_hash AS payloadHash, asked_at AS askedAt, finished_at AS finishedAt, question, answer, frames,
         feedback.id AS feedbackId, rating, comment, at_millis AS ratedAt
       FROM turns LEFT JOIN feedback ON feedback.message_id = turns.message_id
       WHERE conversation_id = (SELECT id FROM conversations
           WHERE id = +@conversationId AND workspace_id = +@workspaceId AND delete_after_millis IS NULL)
         AND (asked_at, turns.message_id) > (+@at, +@id)
       ORDER BY asked_at, turns.message_id LIMIT 0 + @limit`,
    ),
    events: db.prepare(
      `SELECT id, at_millis AS atMillis, type, visitor_id AS visitorId, conversation_id AS conversationId, data FROM events
       WHERE workspace_id = +@workspaceId AND (at_millis, id) > (+@at, +@id) AND NOT EXISTS (
         SELECT 1 FROM conversations WHERE conversations.id = conversation_id AND delete_after_millis IS NOT NULL)
       ORDER BY at_millis, id LIMIT 0 + @limit`,
    ),
    audit: db.prepare(
      `SELECT id, at_millis AS atMillis, actor, action, subject, details FROM audit
       WHERE workspace_id = +@workspaceId
         AND sequence > coalesce((SELECT sequence FROM audit WHERE id = @after AND workspace_id = @workspaceId), 0)
       ORDER BY sequence LIMIT 0 + @limit`,
    ),
  };
}
