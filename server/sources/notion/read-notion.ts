import type { Client, DataSourceObjectResponse, PageObjectResponse } from '@notionhq/client';
import { SOURCE_LIMITS } from '../../../contract/limits/sources.ts';
import { findDraftMark } from '../../knowledge/import/publication.ts';
import type { QueuedUrl } from '../../storage/source-rows.ts';
import { type CrawlStep, RunFailed, type SkipCause } from '../document.ts';
import { readFields } from '../files/fields.ts';
import { createReaderThread, type ReaderThread } from '../reader-thread.ts';
import type { ParsedTree } from '../reader-worker.ts';
import type { OpenToken, ReadSource } from '../runs.ts';
import { createServiceApi, type ServiceSettings } from '../service-api.ts';
import type { UrlQueue } from '../url-queue.ts';
import { type Block, toTree } from './blocks.ts';
import { type ApiError, createNotionClient, isPageUnreadable, listAll } from './client.ts';
import { type Page, toPage, toPlainText } from './fields.ts';
import { readBlocks } from './read-blocks.ts';

/**
 * Reads the pages that are shared with an integration of Notion. The lists of the API find them; each is then read by
 * itself, as are those of earlier runs, since a list may lack a page that still exists.
 */

type NotionSettings = ServiceSettings & {
  /** Address of the API; tests replace it. */
  apiUrl?: string;
};

/** The state of one run. */
type Run = {
  client: Client;
  thread: ReaderThread;
  queue: UrlQueue;
  sourceLocale: string;
  nowMillis: number;
  signal: AbortSignal;
  /** Pages by id, as they were listed. */
  listed: Map<string, Page>;
  /** Names of data sources by id. */
  dataSources: Map<string, string>;
  notices: CrawlStep[];
};

const API_URL = 'https://api.notion.com';
const PAGE_URL = 'https://www.notion.so/';
const READ_OPTIONS = { millisMax: SOURCE_LIMITS.pageReadSecondsMax * 1000 };
/** Pages in a row that could not be read after which the service counts as unavailable. */
const FAILURES_MAX = 3;

export function createNotionReader(
  { apiUrl = API_URL, intervalMillis = SOURCE_LIMITS.notionIntervalMillis, ...network }: NotionSettings,
  openToken: OpenToken,
): ReadSource {
  return async function* readNotion({ source, queue, signal, sourceLocale, nowMillis }) {
    const token = await openToken(source);
    if (token === undefined) throw new RunFailed('not_authorized', API_URL);
    const api = createServiceApi({ ...network, intervalMillis, signal });
    const thread = createReaderThread();
    try {
      const client = await createNotionClient({ api, token, apiUrl });
      const lists = { listed: new Map(), dataSources: new Map(), notices: [] };
      const run: Run = { client, thread, queue, signal, sourceLocale, nowMillis, ...lists };
      await listPages(run);
      yield* readQueue(run);
    } finally {
      api.close();
      thread.close();
    }
  };
}

async function* readQueue(run: Run): AsyncGenerator<CrawlStep> {
  let hasAddedEarlierPages = false;
  let failures = 0;
  for (;;) {
    yield* run.notices.splice(0);
    const entry = await run.queue.next();
    if (!entry && hasAddedEarlierPages) return;
    if (!entry) {
      hasAddedEarlierPages = true;
      await addPages(run, await run.queue.listKnown());
      continue;
    }
    try {
      yield await readEntry(run, entry);
      failures = 0;
    } catch (error) {
      const cause = toPageCause(error);
      failures += cause?.reason === 'unreachable' ? 1 : 0;
      if (!cause || failures === FAILURES_MAX) throw error;
      yield skip(entry, cause);
    }
  }
}

/** Why a page could not be read, unless the whole run fails. */
function toPageCause(error: unknown): SkipCause | undefined {
  if (error instanceof RunFailed)
    return error.reason === 'start_unreachable' ? { reason: 'unreachable', detail: error.detail } : undefined;
  const { status, code } = error as Partial<ApiError>;
  return typeof status === 'number' ? { reason: 'http_status', detail: `${status} ${code}` } : undefined;
}

const toUrl = (id: string) => `${PAGE_URL}${id.replaceAll('-', '')}`;

async function addPages({ queue, notices }: Run, urls: readonly string[]): Promise<void> {
  const overLimit = await queue.add(urls);
  if (overLimit !== undefined) notices.push(skip({ url: overLimit }, { reason: 'too_many_pages' }));
}

/** Lists the shared pages, and those of shared data sources. */
async function listPages(run: Run): Promise<void> {
  const { client, listed, dataSources } = run;
  const found = (filter: 'page' | 'data_source') => ({
    filter: { property: 'object' as const, value: filter },
    page_size: 100,
  });
  const keep = async (rows: readonly object[]) => {
    const pages = rows.filter(
      (row): row is PageObjectResponse => 'object' in row && row.object === 'page' && 'properties' in row,
    );
    for (const page of pages) listed.set(page.id, toPage(page));
    await addPages(
      run,
      pages.map(({ id }) => toUrl(id)),
    );
  };
  for await (const { results } of listAll((cursor) => client.search({ ...found('data_source'), ...cursor })))
    for (const row of results as DataSourceObjectResponse[])
      dataSources.set(row.id, toPlainText(row.title ?? []));
  for (const id of dataSources.keys()) {
    const query = { data_source_id: id, page_size: 100 };
    for await (const { results } of listAll((cursor) => client.dataSources.query({ ...query, ...cursor })))
      await keep(results);
  }
  for await (const { results } of listAll((cursor) => client.search({ ...found('page'), ...cursor })))
    await keep(results);
}

type Entry = Omit<QueuedUrl, 'position'>;

const skip = ({ url, place = url }: Entry, cause: SkipCause): CrawlStep => ({
  kind: 'skipped',
  url,
  skipped: { place, ...cause },
});

async function readEntry(run: Run, entry: Entry): Promise<CrawlStep> {
  const { client, listed, nowMillis } = run;
  const { url, place, etag } = entry;
  const id = toId(url);
  try {
    const page =
      listed.get(id) ?? toPage((await client.pages.retrieve({ page_id: id })) as PageObjectResponse);
    if (page.isGone) return toGone(entry, 'in_trash');
    const mark = findDraftMark(page.fields, nowMillis);
    if (mark) return skip(entry, { reason: 'draft', detail: mark });
    if (place !== undefined && etag === page.editedAt) return { kind: 'unchanged', url, place };
    const read = await readBlocks(client, id);
    if ('reason' in read) return skip(entry, read);
    await addPages(run, read.pages.map(toUrl));
    return await toStep(run, url, page, read.blocks);
  } catch (error) {
    if (isPageUnreadable(error)) return toGone(entry, (error as ApiError).code);
    throw error;
  }
}

/** The id in an address of a page, with the hyphens that the API writes. */
const toId = (url: string) => url.slice(-32).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');

/** A page that was never an article is only refused. */
const toGone = (entry: Entry, detail: string): CrawlStep =>
  entry.place === undefined
    ? skip(entry, { reason: 'draft', detail })
    : { kind: 'gone', url: entry.url, place: entry.place };

async function toStep(run: Run, url: string, page: Page, blocks: readonly Block[]): Promise<CrawlStep> {
  const { thread, sourceLocale, signal, dataSources } = run;
  const { title, fields, publicUrl: address } = page;
  const known = readFields({ collection: dataSources.get(page.dataSourceId ?? ''), ...fields, title });
  const task = { kind: 'tree', tree: toTree(blocks), locale: known.locale, sourceLocale, address } as const;
  const parsed = await thread.run<ParsedTree>(task, { signal, ...READ_OPTIONS });
  if ('reason' in parsed) return skip({ url }, parsed);
  const document = { ...known, title: known.title ?? title, url: address, place: url, ...parsed };
  return { kind: 'document', url, document, validators: { etag: toValidator(page, run.nowMillis) } };
}

/** The API rounds times to minutes, so that a page edited just now may be edited again without a new time. */
const SETTLE_MILLIS = 120_000;

const toValidator = ({ editedAt }: Page, nowMillis: number) =>
  nowMillis - Date.parse(editedAt) > SETTLE_MILLIS ? editedAt : undefined;
