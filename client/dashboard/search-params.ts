import { useNavigate, useSearch } from '@tanstack/react-router';

/** The search parameters of each page, so that a filtered view is a link. */

type Search<Names extends string> = { readonly [K in Names]?: string };

const CONVERSATION_FILTERS = [
  'view',
  'q',
  'question',
  'answered',
  'rating',
  'commented',
  'locale',
  'visitor',
  'from',
  'to',
] as const;
const ANALYTICS_FILTERS = ['range', 'from', 'to', 'by', 'zone'] as const;
const INBOX_FILTERS = ['state', 'kind', 'for', 'order'] as const;
const ARTICLE_FILTERS = ['q', 'status', 'task', 'collection', 'tag', 'source', 'sort'] as const;
const AUDIT_FILTERS = ['who', 'action', 'subject', 'from', 'to'] as const;

export type ConversationSearch = Search<(typeof CONVERSATION_FILTERS)[number]>;
export type AnalyticsSearch = Search<(typeof ANALYTICS_FILTERS)[number]>;
export type InboxSearch = Search<(typeof INBOX_FILTERS)[number]>;
export type ArticleSearch = Search<(typeof ARTICLE_FILTERS)[number]>;
export type AuditSearch = Search<(typeof AUDIT_FILTERS)[number]>;
type SignInSearch = Search<'to'>;

export const parseConversationSearch = pickText(CONVERSATION_FILTERS);
export const parseAnalyticsSearch = pickText(ANALYTICS_FILTERS);
export const parseInboxSearch = pickText(INBOX_FILTERS);
export const parseArticleSearch = pickText(ARTICLE_FILTERS);
export const parseAuditSearch = pickText(AUDIT_FILTERS);
export const parseImportSearch = pickText(['source']);
export const parseNewArticleSearch = pickText(['title', 'inbox']);

/** Accepts only a path below the dashboard, which prevents open redirects. */
export function parseSignInSearch({ to }: Record<string, unknown>): SignInSearch {
  return typeof to === 'string' && /^\/(?![/\\])/.test(to) ? { to } : {};
}

/** Drops unknown and non-text parameters. */
function pickText<Names extends string>(names: readonly Names[]) {
  return (search: Record<string, unknown>): Search<Names> => {
    const entries = names.map((name) => [name, search[name]]);
    return Object.fromEntries(entries.filter(([, value]) => typeof value === 'string' && value !== ''));
  };
}

/** Filters kept in the URL, so that a filtered view is a link. */
export function useFilters<Search extends { [name: string]: string | undefined }>() {
  const search: object = useSearch({ strict: false });
  const filters = search as Search;
  const navigate = useNavigate();
  const change = (changed: { readonly [K in keyof Search]?: string | null | undefined }) =>
    navigate({
      to: '.',
      search: ((before: Search) => dropEmpty({ ...before, ...changed })) as never,
      replace: true,
      resetScroll: false,
    });
  return { filters, change };
}

function dropEmpty(fields: Readonly<Record<string, string | null | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).filter((field): field is [string, string] => !!field[1]));
}
