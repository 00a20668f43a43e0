import type { IncomingMessage, ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { serveWebsite, type Website } from '../../support/website.ts';

/** The part of a workspace of Notion that is shared with an integration, and the API that lists it. */

type Json = Readonly<Record<string, unknown>>;
/** A block as the API returns it, with those inside of it, which it returns on request. */
export type FakeBlock = Json & { id: string; type: string; children: readonly FakeBlock[] };
export type FakePage = {
  id: string;
  properties: Json;
  blocks: readonly FakeBlock[];
  dataSource?: string;
  editedAt?: string;
  publicUrl?: string;
  inTrash?: boolean;
  /** Whether search does not list it, as for a while after it was written. */
  isUnlisted?: boolean;
};
export type Shared = {
  pages: FakePage[];
  dataSources?: readonly { id: string; title: string }[];
  token: string;
  /** Number of requests that are refused as too many before one is answered. */
  tooMany?: number;
};
export type FakeNotion = Website & { shared: Shared };

/** Serves a workspace until the end of the test. */
export async function serveNotion(shared: Shared): Promise<FakeNotion> {
  const site = await serveWebsite(() => (request, response) => void answer(shared, request, response));
  return { ...site, shared };
}

let created = 0;
/** Returns an id in the form of Notion. */
export const newNotionId = (): string => {
  created += 1;
  return `00000000-0000-4000-8000-${String(created).padStart(12, '0')}`;
};

const PLAIN = {
  ...{ bold: false, italic: false, strikethrough: false, underline: false, code: false, color: 'default' },
};

/** Rich text; an item is plain, or has annotations or a link. */
export const rich = (
  ...items: readonly (string | ({ text: string; href?: string } & Partial<typeof PLAIN>))[]
) =>
  items.map((item) => {
    const { text, href = null, ...annotations } = typeof item === 'string' ? { text: item } : item;
    return {
      ...{ type: 'text', text: { content: text, link: href === null ? null : { url: href } } },
      ...{ annotations: { ...PLAIN, ...annotations }, plain_text: text, href },
    };
  });

const TIME = '2026-01-01T00:00:00.000Z';
const BY = { object: 'user', id: '00000000-0000-4000-8000-00000000000f' };
const STAMPS = { created_time: TIME, last_edited_time: TIME, created_by: BY, last_edited_by: BY };

export const block = (
  type: string,
  content: Json,
  children: readonly FakeBlock[] = [],
  id = newNotionId(),
): FakeBlock => ({
  ...{ object: 'block', id, type, [type]: content, children, has_children: children.length > 0 },
  ...{ ...STAMPS, archived: false, in_trash: false, parent: { type: 'page_id', page_id: id } },
});
export const textBlock = (type: string, text: string, children: readonly FakeBlock[] = []): FakeBlock =>
  block(type, { rich_text: rich(text), color: 'default' }, children);

export const titled = (title: string, properties: Json = {}): Json => ({
  Name: { id: 'title', type: 'title', title: rich(title) },
  ...properties,
});

const PAGE_SIZE_MAX = 100;

async function answer(shared: Shared, request: IncomingMessage, response: ServerResponse) {
  const send = (status: number, body: Json, headers: Record<string, string> = {}) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };
  const fail = (status: number, code: string, headers = {}) =>
    send(status, { object: 'error', status, code, message: code, request_id: newNotionId() }, headers);
  const body = request.method === 'POST' ? ((await json(request)) as Json) : {};
  if (shared.tooMany) {
    shared.tooMany -= 1;
    return fail(429, 'rate_limited', { 'retry-after': '0' });
  }
  if (request.headers.authorization !== `Bearer ${shared.token}`) return fail(401, 'unauthorized');
  if (!request.headers['notion-version']) return fail(400, 'missing_version');
  const url = new URL(request.url ?? '/', 'http://localhost');
  const cursor = String(body.start_cursor ?? url.searchParams.get('start_cursor') ?? '');
  const size = Math.min(Number(body.page_size ?? url.searchParams.get('page_size') ?? 100), PAGE_SIZE_MAX);
  const list = (rows: readonly Json[], type: string) => {
    const from = cursor === '' ? 0 : rows.findIndex(({ id }) => id === cursor);
    const next = rows[from + size]?.id ?? null;
    const results = rows.slice(from, from + size);
    send(200, { object: 'list', type, [type]: {}, results, has_more: next !== null, next_cursor: next });
  };
  const [, resource, id = '', part] =
    /^\/v1\/([a-z_]+)(?:\/([0-9a-f-]{36}))?(?:\/([a-z]+))?$/.exec(url.pathname) ?? [];
  if (resource === 'search') return list(search(shared, body), 'page_or_data_source');
  if (resource === 'data_sources' && part === 'query')
    return list(
      shared.pages.filter(({ dataSource }) => dataSource === id).map(toPage),
      'page_or_data_source',
    );
  const page = shared.pages.find((each) => each.id === id);
  if (resource === 'pages' && page) return send(200, toPage(page));
  const children = resource === 'blocks' && part === 'children' ? findChildren(shared, id) : undefined;
  if (children)
    return list(
      children.map(({ children: _, ...rest }) => rest),
      'block',
    );
  return fail(404, 'object_not_found');
}

function search({ pages, dataSources = [] }: Shared, { filter }: Json): readonly Json[] {
  const { value } = filter as { value: string };
  if (value === 'page') return pages.filter(({ isUnlisted, inTrash }) => !isUnlisted && !inTrash).map(toPage);
  return dataSources.map(({ id, title }) => ({
    object: 'data_source',
    id,
    title: rich(title),
    properties: {},
  }));
}

const toPage = ({ id, properties, dataSource, editedAt = TIME, publicUrl, inTrash = false }: FakePage) => ({
  ...{ object: 'page', id, properties, ...STAMPS, last_edited_time: editedAt, icon: null, cover: null },
  ...{ archived: inTrash, in_trash: inTrash, is_archived: inTrash, is_locked: false },
  ...{ url: `https://www.notion.so/${id.replaceAll('-', '')}`, public_url: publicUrl ?? null },
  parent: dataSource
    ? { type: 'data_source_id', data_source_id: dataSource, database_id: dataSource }
    : { type: 'workspace', workspace: true },
});

function findChildren({ pages }: Shared, id: string): readonly FakeBlock[] | undefined {
  const find = (blocks: readonly FakeBlock[]): readonly FakeBlock[] | undefined => {
    for (const each of blocks) {
      const found = each.id === id ? each.children : find(each.children);
      if (found) return found;
    }
    return undefined;
  };
  return pages.find((page) => page.id === id)?.blocks ?? find(pages.flatMap(({ blocks }) => blocks));
}
