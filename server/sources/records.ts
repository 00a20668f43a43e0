import { LIMITS } from '../../contract/limits.ts';
import type { RefusalReason } from '../../contract/source-fields.ts';
import type { RunFailure, SourceRunItemRecord, SourceRunRecord } from '../../contract/source-runs.ts';
import type { SourceRecord, SourceUploadRecord } from '../../contract/sources.ts';
import { toIsoString } from '../base/clock.ts';
import type { Reading, RunItem, SourceRun, SourceSummary, WebsiteRules } from '../storage/source-rows.ts';
import { isAllowedOrigin } from '../visitors/allowed-origin.ts';

/** Converts stored sources to records of the dashboard API. */

export function toSourceRecord(source: SourceSummary, allowedOrigins: readonly string[]): SourceRecord {
  const { id, name, type, website, files, mode, schedule, paused, lastRun, nextRunAt } = source;
  const isRunning = lastRun !== undefined && lastRun.finishedAt === undefined;
  return {
    ...{ id, name, type, mode, schedule },
    ...(website && { website: toSettings(website) }),
    ...(files && { files }),
    state: isRunning ? 'running' : paused ? 'paused' : 'idle',
    articles: source.articles,
    conflicts: source.conflicts,
    waiting: source.waiting,
    ...(lastRun && { lastRun: toRunRecord(lastRun) }),
    ...(nextRunAt !== undefined && !paused && { nextRunAt: toIsoString(nextRunAt) }),
    ...(website && { proof: toProof(source.token, website, allowedOrigins) }),
    createdAt: toIsoString(source.createdAt),
    createdBy: source.createdBy,
  };
}

function toSettings({ startUrls, include, exclude, pagesMax }: WebsiteRules) {
  return {
    startUrls: [...startUrls],
    ...(include && { include: [...include] }),
    ...(exclude && { exclude: [...exclude] }),
    ...(pagesMax !== undefined && { pagesMax }),
  };
}

/** Returns the path at which an origin serves the token. */
export const getTokenPath = (token: string): string => `/.well-known/guidepost-${token}.txt`;

export const listOrigins = ({ startUrls }: WebsiteRules): readonly string[] => [
  ...new Set(startUrls.map((url) => new URL(url).origin)),
];

function toProof(token: string, website: WebsiteRules, allowedOrigins: readonly string[]) {
  const origins = listOrigins(website).map((origin) => ({
    origin,
    allowedDomain: isAllowedOrigin(origin, allowedOrigins),
  }));
  return { token, path: getTokenPath(token), origins };
}

export function toRunRecord(run: SourceRun): SourceRunRecord {
  const { id, state, preview, scheduled, done, total, failure, detail, createdBy } = run;
  const { added, changed, unchanged, removed, refused, conflicts } = run;
  return {
    ...{ id, state, preview, scheduled, progress: { done, total } },
    counts: { added, changed, unchanged, removed, refused, conflicts },
    ...(failure !== undefined && {
      failure: { reason: failure as RunFailure, detail },
    }),
    createdAt: toIsoString(run.createdAt),
    createdBy,
    ...(run.startedAt !== undefined && { startedAt: toIsoString(run.startedAt) }),
    ...(run.finishedAt !== undefined && { finishedAt: toIsoString(run.finishedAt) }),
  };
}

export function toItemRecord(item: RunItem): SourceRunItemRecord {
  const { place, outcome, locale, title, reason, detail, articleId, translationId, applied } = item;
  return {
    ...{ place, outcome, applied },
    ...(locale !== undefined && { locale }),
    ...(title !== undefined && { title }),
    ...(reason !== undefined && { reason: reason as RefusalReason }),
    ...(detail !== undefined && { detail }),
    ...(articleId !== undefined && { articleId }),
    ...(translationId !== undefined && { translationId }),
  };
}

export function toUploadRecord(file: string, readings: readonly Reading[]): SourceUploadRecord {
  const documents = readings.filter(({ kind }) => kind === 'document');
  const refusals = readings.filter(({ kind }) => kind === 'refused');
  return {
    file,
    documents: documents.slice(0, LIMITS.uploadListedMax).map(({ place, title, locale }) => ({
      ...{ place, title: title ?? '', locale: locale ?? 'und' },
    })),
    documentCount: documents.length,
    refusals: refusals.slice(0, LIMITS.uploadListedMax).map(({ place, reason, detail }) => ({
      ...{ place, reason: reason as RefusalReason },
      ...(detail !== undefined && { detail }),
    })),
    refusalCount: refusals.length,
  };
}
