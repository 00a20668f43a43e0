/** Rows as lines: the fields of each in one order, moments as text. */
import { ARCHIVE_FORMAT, type ArchiveLineOf } from '../../contract/archive-line.ts';
import { toIsoString } from '../clock.ts';
import type { Conversation } from '../storage/conversations.ts';
import type {
  ExportedArticle,
  ExportedArticleRevision,
  ExportedAudit,
  ExportedConsent,
  ExportedDecision,
  ExportedEvent,
  ExportedFeedback,
  ExportedMember,
  ExportedPolicy,
  ExportedSubject,
  ExportedTranslation,
  ExportedTranslationRevision,
  ExportedTurn,
} from '../storage/holdings.ts';
import type { Workspace } from '../storage/workspaces.ts';

export function workspace({ settings, ...row }: Workspace): ArchiveLineOf<'workspace'> {
  const { features, voice, guide, branding, consentStrictnessByRegion: byRegion } = settings;
  return {
    type: 'workspace',
    format: ARCHIVE_FORMAT,
    id: row.id,
    appId: row.appId,
    name: row.name,
    enabled: row.enabled,
    allowedOrigins: [...settings.allowedOrigins],
    sourceLocale: settings.sourceLocale,
    features: {
      pageActions: features.pageActions,
      screenshot: features.screenshot,
      feedback: features.feedback,
    },
    showBranding: settings.showBranding,
    consentStrictness: settings.consentStrictness,
    suggestions: [...settings.suggestions],
    voice: {
      enabled: voice.enabled,
      monthlySecondsMax: voice.monthlySecondsMax,
      timeZone: voice.timeZone,
      ...(voice.voiceId === undefined ? {} : { voiceId: voice.voiceId }),
      ...providersOf(voice),
    },
    ...(guide === undefined ? {} : { guide }),
    ...(branding === undefined ? {} : { branding }),
    ...(byRegion === undefined ? {} : { consentStrictnessByRegion: [...byRegion] }),
    version: row.version,
    createdAt: toIsoString(row.createdAt),
    updatedAt: toIsoString(row.updatedAt),
  };
}

function providersOf({ tokenProvider, transcribeProvider, speechProvider }: Workspace['settings']['voice']) {
  return {
    ...(tokenProvider === undefined ? {} : { tokenProvider }),
    ...(transcribeProvider === undefined ? {} : { transcribeProvider }),
    ...(speechProvider === undefined ? {} : { speechProvider }),
  };
}

export function member({ id, email, role, createdAt }: ExportedMember): ArchiveLineOf<'member'> {
  return { type: 'member', id, email, role, createdAt: toIsoString(createdAt) };
}

export function policy({ version, document, createdAt }: ExportedPolicy): ArchiveLineOf<'consent_policy'> {
  return { type: 'consent_policy', version, document, createdAt: toIsoString(createdAt) };
}

export function subject({ visitorId, subjectId }: ExportedSubject): ArchiveLineOf<'consent_subject'> {
  return { type: 'consent_subject', visitorId, subjectId };
}

export function consent(row: ExportedConsent): ArchiveLineOf<'consent_record'> {
  const { position, id, subjectId, content, previousHash, hash } = row;
  return { type: 'consent_record', position, id, subjectId, content, previousHash, hash };
}

export function decision(row: ExportedDecision): ArchiveLineOf<'consent_decision'> {
  const { visitorId, decision, mode, policyVersion, regionCode, decidedAt, gpc, claimedRegion } = row;
  return {
    ...{ type: 'consent_decision' as const, visitorId, decision, mode, policyVersion, regionCode },
    decidedAt: toIsoString(decidedAt),
    ...(gpc ? { gpc } : {}),
    ...(claimedRegion === undefined ? {} : { claimedRegion }),
  };
}

export function article({ live, ...row }: ExportedArticle): ArchiveLineOf<'article'> {
  const { id, slug, locale, status, revision } = row;
  return {
    ...{ type: 'article' as const, id, slug, locale, status, revision },
    ...(live
      ? {
          live: {
            revision: live.revision,
            publishedAt: toIsoString(live.publishedAt),
            publishedBy: live.publishedBy,
          },
        }
      : {}),
    ...changesOf(row),
  };
}

export function articleRevision(
  articleId: string,
  row: ExportedArticleRevision,
): ArchiveLineOf<'article_revision'> {
  const { revision, event, locale, createdAt } = row;
  return {
    ...{ type: 'article_revision' as const, articleId, revision, event, locale },
    ...contentOf(row),
    createdAt: toIsoString(createdAt),
  };
}

export function translation({
  live,
  review,
  source,
  ...row
}: ExportedTranslation): ArchiveLineOf<'translation'> {
  const { id, articleId, locale, status, revision } = row;
  return {
    ...{ type: 'translation' as const, id, articleId, locale, status, revision },
    ...sourceOf(source),
    ...(live
      ? {
          live: {
            revision: live.revision,
            ...sourceOf(live.source),
            publishedAt: toIsoString(live.publishedAt),
            publishedBy: live.publishedBy,
          },
        }
      : {}),
    ...(review
      ? {
          review: {
            decision: review.decision,
            revision: review.revision,
            authorId: review.authorId,
            reviewerId: review.reviewerId,
            ...(review.reviewNote === undefined ? {} : { reviewNote: review.reviewNote }),
            reviewedAt: toIsoString(review.reviewedAt),
          },
        }
      : {}),
    ...changesOf(row),
  };
}

export function translationRevision(
  translationId: string,
  row: ExportedTranslationRevision,
): ArchiveLineOf<'translation_revision'> {
  const { revision, event, status, source, reviewerId, reviewNote, createdAt } = row;
  return {
    ...{ type: 'translation_revision' as const, translationId, revision, event, status },
    ...sourceOf(source),
    ...contentOf(row),
    ...(reviewerId === undefined ? {} : { reviewerId }),
    ...(reviewNote === undefined ? {} : { reviewNote }),
    createdAt: toIsoString(createdAt),
  };
}

export function conversation(row: Conversation): ArchiveLineOf<'conversation'> {
  const { id, visitorId, startedAt, nextTurnIdx, turnCount, ended } = row;
  return {
    type: 'conversation',
    id,
    visitorId,
    startedAt: toIsoString(startedAt),
    nextTurnIdx,
    turnCount,
    ended,
  };
}

export function turn(row: ExportedTurn): ArchiveLineOf<'turn'> {
  const { messageId, conversationId, turnIdx, state, finishReason, idempotencyKey, payloadHash, finishedAt } =
    row;
  return {
    ...{ type: 'turn' as const, messageId, conversationId, turnIdx, state },
    ...(finishReason === undefined
      ? {}
      : { finishReason: finishReason as NonNullable<ArchiveLineOf<'turn'>['finishReason']> }),
    requestedLocale: row.requestedLocale,
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    ...(payloadHash === undefined ? {} : { payloadHash }),
    askedAt: toIsoString(row.askedAt),
    ...(finishedAt === undefined ? {} : { finishedAt: toIsoString(finishedAt) }),
    question: row.question,
    answer: row.answer,
    frames: [...row.frames],
  };
}

export function feedback(messageId: string, row: ExportedFeedback): ArchiveLineOf<'feedback'> {
  const { id, rating, comment, atMillis } = row;
  const said = comment === undefined ? {} : { comment };
  return { type: 'feedback', id, messageId, rating, ...said, at: toIsoString(atMillis) };
}

export function event(row: ExportedEvent): ArchiveLineOf<'event'> {
  const { id, atMillis, visitorId, conversationId, data } = row;
  const kind = row.type as ArchiveLineOf<'event'>['kind'];
  return {
    ...{ type: 'event' as const, id, at: toIsoString(atMillis), kind },
    ...(visitorId === undefined ? {} : { visitorId }),
    ...(conversationId === undefined ? {} : { conversationId }),
    data,
  };
}

export function audit({
  id,
  atMillis,
  actor,
  action,
  subject,
  details,
}: ExportedAudit): ArchiveLineOf<'audit'> {
  return { type: 'audit', id, at: toIsoString(atMillis), actor, action, subject, details };
}

function contentOf({
  content,
  contentHash,
  searchSummary,
  authorId,
}: ExportedArticleRevision | ExportedTranslationRevision) {
  const { title, answer, aliases, url } = content;
  return {
    ...{ title, answer, aliases: [...aliases] },
    ...(url === undefined ? {} : { url }),
    ...{ contentHash, searchSummary, authorId },
  };
}

const sourceOf = ({ revision, contentHash }: ExportedTranslation['source']) => ({
  sourceRevision: revision,
  sourceHash: contentHash,
});

function changesOf({
  createdAt,
  createdBy,
  updatedAt,
  updatedBy,
}: ExportedArticle | Omit<ExportedTranslation, 'source'>) {
  return { createdAt: toIsoString(createdAt), createdBy, updatedAt: toIsoString(updatedAt), updatedBy };
}
