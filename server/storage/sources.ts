import type { ArticleStatus } from './articles.ts';
import type { AuditEntry } from './audit.ts';
import type { TranslationStatus } from './translations.ts';

/**
 * Sources of articles. A run reads a source: readings are the results of its readers, items are its planned changes,
 * and documents are the texts last applied. Every write of a run is idempotent per place.
 */

export type SourceType = 'website' | 'files';
export type SourceMode = 'review' | 'publish';
export type SourceSchedule = 'manual' | 'hourly' | 'daily' | 'weekly';
export type RunState = 'queued' | 'reading' | 'ready' | 'applying' | 'done' | 'failed' | 'cancelled';
export type ItemOutcome = 'added' | 'changed' | 'removed' | 'refused' | 'conflict';
export type ReadingKind = 'document' | 'unchanged' | 'refused' | 'gone';

export type WebsiteRules = {
  startUrls: readonly string[];
  include?: readonly string[] | undefined;
  exclude?: readonly string[] | undefined;
  pagesMax?: number | undefined;
};

export type FilesLocation = {
  /** The folder in which visitors can open the files, with a slash at the end. */
  baseUrl: string;
};

export type SourceSettings = {
  name: string;
  /** Absent for files. */
  website?: WebsiteRules | undefined;
  /** Absent for websites. */
  files?: FilesLocation | undefined;
  mode: SourceMode;
  schedule: SourceSchedule;
  paused: boolean;
  /** When the schedule starts the next run. */
  nextRunAt?: number | undefined;
};

export type Source = SourceSettings & {
  id: string;
  type: SourceType;
  /** Names the file by which an origin proves that it belongs to the workspace. */
  token: string;
  createdAt: number;
  createdBy: string;
};

export type SourceSummary = Source & {
  articles: number;
  conflicts: number;
  /** The number of uploaded documents that wait for a run. */
  waiting: number;
  lastRun?: SourceRun;
};

export type RunCounts = Readonly<
  Record<'added' | 'changed' | 'unchanged' | 'removed' | 'refused' | 'conflicts', number>
>;

export type SourceRun = RunCounts & {
  id: string;
  sourceId: string;
  state: RunState;
  preview: boolean;
  scheduled: boolean;
  done: number;
  total: number;
  failure?: string;
  detail?: string;
  createdAt: number;
  createdBy: string;
  startedAt?: number;
  finishedAt?: number;
};

export type NewRun = Pick<SourceRun, 'id' | 'sourceId' | 'preview' | 'scheduled' | 'createdAt' | 'createdBy'>;

/** The text to apply. */
export type ReadText = {
  title: string;
  answer: string;
  aliases: readonly string[];
  url?: string | undefined;
  slug?: string | undefined;
  collection?: string | undefined;
  tags?: readonly string[] | undefined;
};

/** A reader's result for a place, without the text. */
export type ReadingHead = {
  place: string;
  kind: ReadingKind;
  /** Name of the uploaded file; empty for websites. */
  upload: string;
  readUrl?: string | undefined;
  locale?: string | undefined;
  title?: string | undefined;
  translationOf?: string | undefined;
  /** Hash of title, answer and aliases, as for articles. */
  contentHash?: string | undefined;
  url?: string | undefined;
  /** The name that the document itself states. */
  slug?: string | undefined;
  etag?: string | undefined;
  lastModified?: string | undefined;
  reason?: string | undefined;
  detail?: string | undefined;
};

export type Reading = ReadingHead & {
  /** Present with `document`. */
  text?: ReadText | undefined;
};

/** The document that was last applied. */
export type AppliedDocument = {
  place: string;
  locale: string;
  translationOf?: string | undefined;
  contentHash: string;
  url?: string | undefined;
  upload: string;
  readUrl?: string | undefined;
  etag?: string | undefined;
  lastModified?: string | undefined;
  removed: boolean;
};

/** The state of an article, to compare a plan with. */
export type ArticleState = {
  id: string;
  slug: string;
  locale: string;
  status: ArticleStatus;
  revision: number;
  contentHash: string;
  url?: string | undefined;
  sourceId?: string | undefined;
  sourcePlace?: string | undefined;
  translations: readonly TranslationState[];
};

export type TranslationState = {
  id: string;
  locale: string;
  status: TranslationStatus;
  revision: number;
  contentHash: string;
};

export type RunItem = {
  place: string;
  /** Place of the article that a translation belongs to; else `place`. */
  root: string;
  outcome: ItemOutcome;
  locale?: string | undefined;
  title?: string | undefined;
  reason?: string | undefined;
  detail?: string | undefined;
  articleId?: string | undefined;
  translationId?: string | undefined;
  applied: boolean;
};

/** An item that is not applied, with the reader's result. */
export type ItemToApply = { item: RunItem; reading?: Reading };

/** The result of applying an item. `document` replaces the last applied one; null deletes it. */
export type AppliedItem = {
  item: RunItem;
  document?: AppliedDocument | null | undefined;
  conflict?: { reading: Reading; atMillis: number } | undefined;
};

export type SourceConflict = {
  place: string;
  locale: string;
  translationOf?: string;
  reading: Reading;
  foundAt: number;
};

export type FrontierRow = {
  position: number;
  url: string;
  place?: string;
  etag?: string;
  lastModified?: string;
};

/** The sources of one workspace. */
export type Sources = {
  /** Lists all sources, newest first. */
  list(): Promise<readonly SourceSummary[]>;
  find(sourceId: string): Promise<SourceSummary | undefined>;
  create(source: Source, sourcesMax: number, audit: AuditEntry): Promise<'created' | 'too_many'>;
  change(sourceId: string, settings: SourceSettings, audit: AuditEntry): Promise<'changed' | 'gone'>;
  /** Deletes a bounded part of the source's rows, the source itself last; call again while 'more'. Articles stay. */
  remove(sourceId: string, audit: AuditEntry): Promise<'removed' | 'more' | 'gone'>;

  /** Begins an upload, which replaces an earlier one of this name; call again while 'more'. */
  beginUpload(sourceId: string, name: string): Promise<'begun' | 'more' | 'busy' | 'gone'>;
  /** Returns 'full' and stores nothing when there would be too many documents or too much text. */
  addReadings(
    sourceId: string,
    readings: readonly Reading[],
    limits: { documentsMax: number; bytesMax: number },
  ): Promise<'added' | 'full' | 'busy'>;
  completeUpload(sourceId: string, name: string): Promise<void>;

  /**
   * Returns 'busy' while another run of the source is not finished. Keeps the newest `runsKept` runs. `nextRunAt` is
   * when the schedule starts the next run.
   */
  startRun(
    run: NewRun,
    runsKept: number,
    nextRunAt?: number,
  ): Promise<'started' | 'busy' | 'gone' | 'nothing_uploaded'>;
  /** Lists the runs of a source, newest first. */
  listRuns(sourceId: string): Promise<readonly SourceRun[]>;
  findRun(sourceId: string, runId: string): Promise<SourceRun | undefined>;
  listItems(
    runId: string,
    limit: number,
    filter: { afterPlace: string; outcome?: ItemOutcome | undefined },
  ): Promise<readonly RunItem[]>;

  listConflicts(sourceId: string, limit: number, afterPlace: string): Promise<readonly SourceConflict[]>;
  findConflicts(sourceId: string, places: readonly string[]): Promise<readonly SourceConflict[]>;
  /** Stores the decisions on conflicts, and the audit row. */
  resolve(sourceId: string, documents: readonly AppliedDocument[], audit: AuditEntry): Promise<void>;
  /** Returns the articles at these places, with the documents last applied. */
  states(
    sourceId: string,
    places: readonly string[],
  ): Promise<{ articles: readonly ArticleState[]; documents: readonly AppliedDocument[] }>;
  /** Assigns an article to the source, at this place. */
  adopt(sourceId: string, articleId: string, place: string): Promise<void>;
  /** Returns the articles with these slugs, from any source. */
  statesBySlug(slugs: readonly string[]): Promise<readonly ArticleState[]>;
  runs: SourceRuns;
};

/** Methods of the background job. Writes return 'stopped' and store nothing if the run is in another state. */
export type SourceRuns = {
  /** Moves a queued run to `reading`, after deleting what an earlier run left. Call again while it returns 'more'. */
  begin(runId: string, nowMillis: number): Promise<'begun' | 'more' | 'stopped'>;
  /** Adds addresses that are new to the run, up to `urlsMax` in total; returns the first one over that limit. */
  addUrls(runId: string, urls: readonly string[], urlsMax: number): Promise<string | undefined>;
  /** Lists addresses that are not settled, in order. */
  listUrls(runId: string, afterPosition: number, limit: number): Promise<readonly FrontierRow[]>;
  /** Lists addresses from which documents of the source were read. */
  listKnownUrls(sourceId: string, limit: number, afterUrl: string): Promise<readonly string[]>;
  /**
   * Stores the reading of an address and marks the address as settled. A document that is already applied is stored
   * as 'unchanged', with its new validators. If two texts have the same place, the first is kept.
   */
  settle(runId: string, url: string, reading: Reading): Promise<'settled' | 'stopped'>;

  listReadings(sourceId: string, limit: number, afterPlace: string): Promise<readonly ReadingHead[]>;
  listUploads(sourceId: string): Promise<readonly string[]>;
  listDocuments(sourceId: string, limit: number, afterPlace: string): Promise<readonly AppliedDocument[]>;
  listArticles(sourceId: string, limit: number, afterPlace: string): Promise<readonly ArticleState[]>;
  /** Deletes a part of an unfinished plan; call again while 'more'. */
  clearPlan(runId: string): Promise<'clear' | 'more'>;
  addItems(runId: string, items: readonly RunItem[]): Promise<'added' | 'stopped'>;
  /** Ends reading: the run is `ready` if it is a preview, else `applying`. */
  finishPlan(runId: string, counts: RunCounts, toApply: number): Promise<RunState | 'stopped'>;
  /** Continues a previewed run. */
  confirm(runId: string): Promise<'confirmed' | 'stopped'>;

  listToApply(runId: string, limit: number): Promise<readonly ItemToApply[]>;
  /**
   * Stores the results of applied items. If the run was cancelled meanwhile, they still count: `audit` builds another
   * row from the counts of these items alone, and the result is 'stopped'.
   */
  settleItems(
    runId: string,
    applied: readonly AppliedItem[],
    audit: (counts: RunCounts) => AuditEntry | undefined,
  ): Promise<'settled' | 'stopped'>;
  /** Deletes a part of the readings; call again while 'more'. */
  clearReadings(runId: string): Promise<'clear' | 'more'>;
  /**
   * Ends a run that is not finished, and counts what it has applied. `audit` builds the audit row from the counts; it
   * may be called more than once. Returns undefined when the run was finished already.
   */
  finish(
    runId: string,
    end: {
      state: 'done' | 'failed' | 'cancelled';
      failure?: string | undefined;
      detail?: string | undefined;
      atMillis: number;
    },
    audit: (counts: RunCounts) => AuditEntry | undefined,
  ): Promise<SourceRun | undefined>;
};

/** A run that is waiting or active. */
export type ActiveRun = { workspaceId: string; sourceId: string; runId: string };

/** The sources of all workspaces. */
export type AllSources = {
  /** Lists unfinished runs that do not wait for a person, oldest first. */
  listActive(): Promise<readonly ActiveRun[]>;
  /** Lists sources whose scheduled run is due. */
  listDue(nowMillis: number, limit: number): Promise<readonly { workspaceId: string; sourceId: string }[]>;
};
