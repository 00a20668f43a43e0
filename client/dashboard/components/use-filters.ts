import { useNavigate, useSearch } from '@tanstack/react-router';

/** Filters kept in the URL, so that a filtered view is a link. */
export function useFilters<Search extends { readonly [name: string]: string | undefined }>() {
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
