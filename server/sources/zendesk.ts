import { z } from 'zod';
import { SOURCE_LIMITS } from '../../contract/limits/sources.ts';
import { isAllowedOrigin } from '../visitors/allowed-origin.ts';
import { type CrawlStep, RunFailed, type SkipCause } from './document.ts';
import { readFields } from './files/fields.ts';
import { readLocale } from './html-head.ts';
import type { OpenToken, ReadSource } from './runs.ts';
import { createServiceApi, type ServiceApi, type ServiceSettings } from './service-api.ts';
import { createPageReader, type PageReader } from './website/page-reader.ts';

/**
 * Reads a help center of Zendesk: the articles of each locale, in lists of a hundred. What not everybody can see there is
 * left out as `draft`.
 */

const API = '/api/v2/help_center';
const PAGE = 'page[size]=100';

const locales = z.object({ locales: z.array(z.string()), default_locale: z.string() });
const meta = z.object({ has_more: z.boolean(), after_cursor: z.string().nullish() });
const sections = z.object({
  sections: z.array(z.object({ id: z.number(), name: z.string(), category_id: z.number().nullish() })),
  meta,
});
const categories = z.object({ categories: z.array(z.object({ id: z.number(), name: z.string() })), meta });
const article = z.object({
  id: z.number(),
  html_url: z.string(),
  title: z.string(),
  body: z.string().nullish(),
  locale: z.string(),
  source_locale: z.string(),
  draft: z.boolean(),
  section_id: z.number().nullish(),
  user_segment_id: z.number().nullish(),
  user_segment_ids: z.array(z.number()).nullish(),
  label_names: z.array(z.string()).nullish(),
});
const articles = z.object({ articles: z.array(article), meta });

type Article = z.infer<typeof article>;

/** The state of one run. */
type Run = {
  origin: string;
  api: ServiceApi;
  headers: Readonly<Record<string, string>>;
  reader: PageReader;
  sourceLocale: string;
  nowMillis: number;
  signal: AbortSignal;
  /** The name of the collection for each section. */
  collections: ReadonlyMap<number, string>;
};

export function createZendeskReader(
  { intervalMillis = SOURCE_LIMITS.zendeskIntervalMillis, ...network }: ServiceSettings,
  openToken: OpenToken,
): ReadSource {
  return async function* readZendesk({ source, allowedOrigins, queue, signal, ...options }) {
    if (!source.zendesk) throw new RunFailed('internal');
    const { address, email } = source.zendesk;
    const { origin } = new URL(address);
    const token = await openToken(source);
    if (token === undefined && !isAllowedOrigin(origin, allowedOrigins))
      throw new RunFailed('origin_not_proved', origin);
    const api = createServiceApi({ ...network, intervalMillis, signal });
    const reader = createPageReader();
    const start = { ...options, origin, api, reader, signal, headers: toHeaders(token, email) };
    try {
      const found = await get(start, `${API}/locales.json`, locales);
      const run: Run = { ...start, collections: await readCollections(start, found.default_locale) };
      const lists = found.locales.map(
        (locale) => `${API}/${encodeURIComponent(locale)}/articles.json?${PAGE}`,
      );
      yield* addList(run, queue, lists);
      for (let entry = await queue.next(); entry; entry = await queue.next())
        yield* readList(run, queue, entry.url);
    } finally {
      api.close();
      reader.close();
    }
  };
}

type Queue = Parameters<ReadSource>[0]['queue'];

function toHeaders(token: string | undefined, email: string | undefined): Record<string, string> {
  const basic = () => `Basic ${Buffer.from(`${email}/token:${token}`).toString('base64')}`;
  const authorization = email === undefined ? `Bearer ${token}` : basic();
  return { accept: 'application/json', ...(token !== undefined && { authorization }) };
}

/** @throws RunFailed when the response is not what the API documents. */
async function get<Reply>(
  { api, origin, headers }: Pick<Run, 'api' | 'origin' | 'headers'>,
  path: string,
  schema: z.ZodType<Reply>,
) {
  const { status, text } = await api.send(`${origin}${path}`, { headers });
  if (status === 401 || status === 403) throw new RunFailed('not_authorized', `${origin} (${status})`);
  const fail = (detail: string) => new RunFailed('start_unreachable', `${origin}${path} (${detail})`);
  if (status !== 200) throw fail(`http_status ${status}`);
  const reply = schema.safeParse(parseJson(text));
  if (!reply.success) throw fail('unreadable');
  return reply.data;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Names the collection of each section: by the section, or by its category too if another section has the same name. */
async function readCollections(run: Omit<Run, 'collections'>, locale: string): Promise<Map<number, string>> {
  const path = `${API}/${encodeURIComponent(locale)}`;
  const found = await readLists(run, `${path}/sections.json`, sections, (list) => list.sections);
  const groups = await readLists(run, `${path}/categories.json`, categories, (list) => list.categories);
  const categoryNames = new Map(groups.map(({ id, name }) => [id, name]));
  const byName = Map.groupBy(found, ({ name }) => name);
  return new Map(
    found.map(({ id, name, category_id: categoryId }) => {
      const category = byName.get(name)!.length > 1 && categoryId ? categoryNames.get(categoryId) : undefined;
      return [id, category === undefined ? name : `${category}: ${name}`];
    }),
  );
}

async function readLists<Reply extends { meta: z.infer<typeof meta> }, Row>(
  run: Omit<Run, 'collections'>,
  path: string,
  schema: z.ZodType<Reply>,
  getRows: (list: Reply) => readonly Row[],
): Promise<Row[]> {
  const rows: Row[] = [];
  let next: string | undefined = `${path}?${PAGE}`;
  for (let read = 0; next !== undefined && read < SOURCE_LIMITS.listPagesMax; read += 1) {
    const list: Reply = await get(run, next, schema);
    rows.push(...getRows(list));
    next = toNextList(next, list.meta);
  }
  return rows;
}

/** Returns the next list by its cursor. The address of the response is not followed, which could lead elsewhere. */
function toNextList(path: string, { has_more: hasMore, after_cursor: cursor }: z.infer<typeof meta>) {
  if (!hasMore || !cursor) return undefined;
  return `${path.replace(/&page\[after\]=.*$/, '')}&page[after]=${encodeURIComponent(cursor)}`;
}

async function* addList({ origin }: Run, queue: Queue, paths: readonly string[]): AsyncGenerator<CrawlStep> {
  const overLimit = await queue.add(paths.map((path) => `${origin}${path}`));
  if (overLimit !== undefined)
    yield { kind: 'skipped', url: overLimit, skipped: { place: overLimit, reason: 'too_many_pages' } };
}

/** Reads a list. Its address counts as read after its articles, so that a run that a crash interrupts reads it again. */
async function* readList(run: Run, queue: Queue, url: string): AsyncGenerator<CrawlStep> {
  const path = url.slice(run.origin.length);
  const list = await get(run, path, articles);
  const next = toNextList(path, list.meta);
  if (next !== undefined) yield* addList(run, queue, [next]);
  for (const each of list.articles) yield await readArticle(run, each);
  yield { kind: 'listed', url };
}

/** The place of an article in a locale. Unlike its address, it does not change with the title. */
const toPlace = ({ origin }: Run, id: number, locale: string) => `${origin}/hc/${locale}/articles/${id}`;

async function readArticle(run: Run, each: Article): Promise<CrawlStep> {
  const { id, locale, source_locale: original, title } = each;
  const place = toPlace(run, id, locale);
  const skip = (cause: SkipCause): CrawlStep => ({
    kind: 'skipped',
    url: place,
    skipped: { place, ...cause },
  });
  if (each.draft) return skip({ reason: 'draft', detail: 'draft: true' });
  const segments = [each.user_segment_id, ...(each.user_segment_ids ?? [])].filter(
    (segment) => segment != null,
  );
  if (segments.length > 0) return skip({ reason: 'draft', detail: `user_segment_id: ${segments[0]}` });
  const { reader, sourceLocale, nowMillis, signal } = run;
  const page = await reader.readPage(
    {
      bytes: new TextEncoder().encode(toPage(each)),
      url: each.html_url,
      headers: { contentType: 'text/html; charset=utf-8' },
      sourceLocale,
      nowMillis,
    },
    signal,
  );
  if ('reason' in page) return skip(page);
  const collection = each.section_id == null ? undefined : run.collections.get(each.section_id);
  const fields = readFields({ title, tags: each.label_names ?? [], collection, url: each.html_url });
  return {
    kind: 'document',
    url: place,
    validators: {},
    document: {
      ...{ ...fields, title: fields.title ?? page.title, place, answer: page.answer, locale: page.locale },
      translationOf: locale === original ? undefined : toPlace(run, id, original),
    },
  };
}

/** Makes a page of the body of an article, for the reader of pages. */
function toPage({ title, body, locale }: Article): string {
  const lang = readLocale(locale);
  return `<!doctype html><html${lang ? ` lang="${lang}"` : ''}><body><main><h1>${escapeText(title)}</h1>${body ?? ''}</main></body></html>`;
}

const escapeText = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
