import type { IncomingMessage, ServerResponse } from 'node:http';
import { serveWebsite, type Website } from '../../support/website.ts';

/** A help center of Zendesk, with the parts of its Help Center API that list articles. */

type Translation = { title: string; body: string; draft?: boolean; outdated?: boolean };
export type ZendeskArticle = {
  id: number;
  section?: number;
  /** A user segment that alone may read it. */
  segment?: number;
  labels?: readonly string[];
  sourceLocale?: string;
  translations: Readonly<Record<string, Translation>>;
};

export type HelpCenter = {
  articles: ZendeskArticle[];
  sections?: readonly { id: number; name: string; category_id: number }[];
  categories?: readonly { id: number; name: string }[];
  /** The values of `Authorization` that are accepted. Anybody else reads what is public. */
  accepted?: readonly string[];
  /** Delays the response to a path. */
  hold?: ((path: string) => Promise<void> | undefined) | undefined;
  /** Number of requests that are refused as too many before one is answered. */
  tooMany?: number;
};

export type FakeZendesk = Website & { center: HelpCenter; authorizations: (string | undefined)[] };

const PAGE_SIZE = 30;
const PAGE_SIZE_MAX = 100;

/** Serves a help center until the end of the test. */
export async function serveZendesk(center: HelpCenter): Promise<FakeZendesk> {
  const authorizations: (string | undefined)[] = [];
  const site = await serveWebsite(() => (request, response) => {
    authorizations.push(request.headers.authorization);
    const held = center.hold?.(request.url ?? '') ?? Promise.resolve();
    void held.then(() => answer(center, site.origin, request, response));
  });
  return { ...site, center, authorizations };
}

function answer(center: HelpCenter, origin: string, request: IncomingMessage, response: ServerResponse) {
  const send = (status: number, body: unknown, headers: Record<string, string> = {}) => {
    response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers });
    response.end(JSON.stringify(body));
  };
  const { authorization } = request.headers;
  if (center.tooMany) {
    center.tooMany -= 1;
    return send(429, { error: 'APIRateLimitExceeded' }, { 'retry-after': '0' });
  }
  if (authorization !== undefined && !center.accepted?.includes(authorization))
    return send(401, { error: "Couldn't authenticate you" });
  const url = new URL(request.url ?? '/', origin);
  const [, locale = '', list = ''] =
    /^\/api\/v2\/help_center\/(?:([\w-]+)\/)?(\w+)\.json$/.exec(url.pathname) ?? [];
  const rows = listRows(center, list, { locale, origin, isAgent: authorization !== undefined });
  if (list === 'locales') return send(200, rows[0]);
  if (list === '' || (rows.length === 0 && !(list in ROWS))) return send(404, { error: 'RecordNotFound' });
  const size = Math.min(Number(url.searchParams.get('page[size]') ?? PAGE_SIZE), PAGE_SIZE_MAX);
  const from = Number(Buffer.from(url.searchParams.get('page[after]') ?? '', 'base64').toString() || 0);
  const page = rows.slice(from, from + size);
  const hasMore = from + size < rows.length;
  const cursor = hasMore ? Buffer.from(String(from + size)).toString('base64') : null;
  const next = hasMore ? `${origin}${url.pathname}?page[after]=${cursor}&page[size]=${size}` : null;
  send(200, {
    [list]: page,
    meta: { has_more: hasMore, after_cursor: cursor, before_cursor: null },
    links: { prev: null, next },
  });
}

type Reader = { locale: string; origin: string; isAgent: boolean };

const ROWS: Readonly<Record<string, (center: HelpCenter, reader: Reader) => readonly unknown[]>> = {
  locales: ({ articles }) => [
    {
      locales: [...new Set(articles.flatMap(({ translations }) => Object.keys(translations)))],
      default_locale: 'en-us',
    },
  ],
  sections: ({ sections = [] }) => sections,
  categories: ({ categories = [] }) => categories,
  articles: ({ articles }, reader) => articles.flatMap((article) => toRow(article, reader)),
};

const listRows = (center: HelpCenter, list: string, reader: Reader) => ROWS[list]?.(center, reader) ?? [];

function toRow(article: ZendeskArticle, { locale, origin, isAgent }: Reader): readonly unknown[] {
  const { id, section = 1, segment = null, labels = [], sourceLocale = 'en-us', translations } = article;
  const text = translations[locale];
  if (!text || (!isAgent && (text.draft || segment !== null))) return [];
  const { title, body, draft = false, outdated = false } = text;
  return [
    {
      ...{ id, title, name: title, body, draft, outdated, locale, source_locale: sourceLocale },
      url: `${origin}/api/v2/help_center/${locale}/articles/${id}.json`,
      html_url: `${origin}/hc/${locale}/articles/${id}-${encodeURIComponent(title.replaceAll(' ', '-'))}`,
      ...{
        section_id: section,
        user_segment_id: segment,
        user_segment_ids: segment === null ? [] : [segment],
      },
      ...{ label_names: labels, content_tag_ids: [], permission_group_id: 1, author_id: 2, promoted: false },
      ...{ created_at: '2026-01-01T00:00:00Z', updated_at: '2026-01-01T00:00:00Z', position: 0 },
    },
  ];
}
