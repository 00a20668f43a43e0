/** Lines as rows, the other way round than line-of.ts. */
import type { ArchiveLineOf } from '../../contract/archive-line.ts';
import type {
  ExportedArticle,
  ExportedArticleRevision,
  ExportedDecision,
  ExportedTranslation,
  ExportedTranslationRevision,
  ExportedTurn,
} from '../storage/holdings.ts';
import type { Workspace, WorkspaceBranding, WorkspaceGuide, WorkspaceVoice } from '../storage/workspaces.ts';

export const millisOf = (moment: string): number => Date.parse(moment);

export function workspace(line: ArchiveLineOf<'workspace'>): Workspace {
  const { type: _, format: _f, id, appId, name, enabled, version, createdAt, updatedAt, ...given } = line;
  const { voice, guide, branding, consentStrictnessByRegion, ...settings } = given;
  return {
    ...{ id, appId, name, enabled, version },
    settings: {
      ...settings,
      voice: voiceOf(voice),
      ...(guide === undefined ? {} : { guide: guideOf(guide) }),
      ...(branding === undefined ? {} : { branding: brandingOf(branding) }),
      ...present({ consentStrictnessByRegion }),
    },
    createdAt: millisOf(createdAt),
    updatedAt: millisOf(updatedAt),
  };
}

function voiceOf({
  enabled,
  monthlySecondsMax,
  timeZone,
  ...chosen
}: ArchiveLineOf<'workspace'>['voice']): WorkspaceVoice {
  return { enabled, monthlySecondsMax, timeZone, ...present(chosen) };
}

function guideOf({
  generalAnswers,
  ...chosen
}: NonNullable<ArchiveLineOf<'workspace'>['guide']>): WorkspaceGuide {
  return { generalAnswers, ...present(chosen) };
}

function brandingOf({
  launcher,
  ...chosen
}: NonNullable<ArchiveLineOf<'workspace'>['branding']>): WorkspaceBranding {
  return { launcher, ...present(chosen) };
}

type Present<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Without the members that are absent. */
function present<T extends object>(fields: T): Present<T> {
  const set = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(set) as Present<T>;
}

export function decision(line: ArchiveLineOf<'consent_decision'>): ExportedDecision {
  const { type: _, decidedAt, gpc, claimedRegion, ...row } = line;
  return { ...row, decidedAt: millisOf(decidedAt), ...present({ gpc, claimedRegion }) };
}

export function article({ type: _, live, ...line }: ArchiveLineOf<'article'>): ExportedArticle {
  return {
    ...line,
    ...changesOf(line),
    ...(live ? { live: { ...live, publishedAt: millisOf(live.publishedAt) } } : {}),
  };
}

export function articleRevision(line: ArchiveLineOf<'article_revision'>): ExportedArticleRevision {
  const { event, locale } = line;
  return { event, locale, ...revisionOf(line) };
}

export function translation(line: ArchiveLineOf<'translation'>): ExportedTranslation {
  const { id, articleId, locale, status, revision, live, review, sourceRevision, sourceHash } = line;
  const held: ExportedTranslation = {
    ...{ id, articleId, locale, status, revision },
    source: { revision: sourceRevision, contentHash: sourceHash },
    ...changesOf(line),
  };
  return {
    ...held,
    ...(live
      ? {
          live: {
            revision: live.revision,
            source: { revision: live.sourceRevision, contentHash: live.sourceHash },
            publishedAt: millisOf(live.publishedAt),
            publishedBy: live.publishedBy,
          },
        }
      : {}),
    ...(review ? { review: reviewOf(review) } : {}),
  };
}

function reviewOf({ reviewNote, ...review }: NonNullable<ArchiveLineOf<'translation'>['review']>) {
  const note = reviewNote === undefined ? {} : { reviewNote };
  return { ...review, ...note, reviewedAt: millisOf(review.reviewedAt) };
}

export function translationRevision(
  line: ArchiveLineOf<'translation_revision'>,
): ExportedTranslationRevision {
  const { event, status, sourceRevision, sourceHash, reviewerId, reviewNote } = line;
  return {
    ...{ event, status },
    source: { revision: sourceRevision, contentHash: sourceHash },
    ...revisionOf(line),
    ...(reviewerId === undefined ? {} : { reviewerId }),
    ...(reviewNote === undefined ? {} : { reviewNote }),
  };
}

export function turn(line: ArchiveLineOf<'turn'>): ExportedTurn {
  const { messageId, conversationId, turnIdx, state, requestedLocale, question, answer, frames } = line;
  const { finishReason, idempotencyKey, payloadHash, finishedAt } = line;
  return {
    ...{ messageId, conversationId, turnIdx, state, requestedLocale, question, answer, frames },
    askedAt: millisOf(line.askedAt),
    ...(finishReason === undefined ? {} : { finishReason }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    ...(payloadHash === undefined ? {} : { payloadHash }),
    ...(finishedAt === undefined ? {} : { finishedAt: millisOf(finishedAt) }),
  };
}

function revisionOf(line: ArchiveLineOf<'article_revision'> | ArchiveLineOf<'translation_revision'>) {
  const { revision, title, answer, aliases, url, contentHash, searchSummary, authorId, createdAt } = line;
  return {
    ...{ revision, contentHash, searchSummary, authorId },
    content: { title, answer, aliases, ...(url === undefined ? {} : { url }) },
    createdAt: millisOf(createdAt),
  };
}

type Changes = Pick<ArchiveLineOf<'article'>, 'createdAt' | 'createdBy' | 'updatedAt' | 'updatedBy'>;

function changesOf(line: Changes) {
  const { createdAt, createdBy, updatedAt, updatedBy } = line;
  return { createdAt: millisOf(createdAt), createdBy, updatedAt: millisOf(updatedAt), updatedBy };
}
