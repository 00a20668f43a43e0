import { SOURCE_LIMITS } from '../../contract/limits/sources.ts';
import type { SkipReason } from '../../contract/source-fields.ts';
import type { RunFailure, SourceRunItemRecord, SourceRunRecord } from '../../contract/source-runs.ts';
import type { SourceRecord, SourceUploadRecord, WebsiteSettings } from '../../contract/sources.ts';
import { toIsoString } from '../base/clock.ts';
import type { RunItem, Snapshot, SourceRun, SourceSummary, WebsiteRules } from '../storage/source-rows.ts';
import { isAllowedOrigin } from '../visitors/allowed-origin.ts';

/** Converts stored sources to records of the dashboard API. */

export function toSourceRecord(source: SourceSummary, allowedOrigins: readonly string[]): SourceRecord {
  const { id, name, type, website, files, zendesk, sealedToken, mode, schedule, paused } = source;
  const { lastRun, nextRunAt, createdBy } = source;
  const { articles, conflicts, waiting } = source;
  const isRunning = lastRun !== undefined && lastRun.finishedAt === undefined;
  return {
    ...{ id, name, type, website: website as WebsiteSettings, files, zendesk, mode, schedule },
    hasApiToken: sealedToken !== undefined,
    state: isRunning ? 'running' : paused ? 'paused' : 'idle',
    ...{ articles, conflicts, waiting },
    lastRun: lastRun && toRunRecord(lastRun),
    nextRunAt: paused ? undefined : toOptionalIsoString(nextRunAt),
    proof: website && toProof(source.token, website, allowedOrigins),
    createdAt: toIsoString(source.createdAt),
    createdBy,
  };
}

const toOptionalIsoString = (millis: number | undefined) =>
  millis === undefined ? undefined : toIsoString(millis);

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
    failure: failure === undefined ? undefined : { reason: failure as RunFailure, detail },
    createdAt: toIsoString(run.createdAt),
    createdBy,
    startedAt: toOptionalIsoString(run.startedAt),
    finishedAt: toOptionalIsoString(run.finishedAt),
  };
}

export const toItemRecord = ({ root: _, reason, ...item }: RunItem): SourceRunItemRecord => ({
  ...item,
  reason: reason as SkipReason,
});

export function toUploadRecord(file: string, snapshots: readonly Snapshot[]): SourceUploadRecord {
  const documents = snapshots.filter(({ kind }) => kind === 'document');
  const skipped = snapshots.filter(({ kind }) => kind === 'refused');
  return {
    file,
    documents: documents
      .slice(0, SOURCE_LIMITS.uploadListedMax)
      .map(({ place, title = '', locale = 'und' }) => ({ place, title, locale })),
    documentCount: documents.length,
    refusals: skipped
      .slice(0, SOURCE_LIMITS.uploadListedMax)
      .map(({ place, reason, detail }) => ({ place, reason: reason as SkipReason, detail })),
    refusalCount: skipped.length,
  };
}
