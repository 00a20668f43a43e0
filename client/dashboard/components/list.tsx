import { Button } from '@mantine/core';
import { keepPreviousData, type QueryKey, useInfiniteQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useTranslations } from 'use-intl';
import type { Page } from '../../sdk/connection.ts';
import { usePendingIds } from './deferred.ts';

/** Formats a list of short texts with the separators of the user's language. */
export const LISTED = { type: 'conjunction', style: 'narrow' } as const;

/** Empty pages skipped in a row before the user is asked to continue. */
const EMPTY_PAGES_MAX = 10;

/**
 * Reads an infinite list that keeps its rows while new filters load. When few rows match, a page can be empty although
 * more follow; the list then stays pending while it fetches the next pages.
 */
export function useCursorList<P extends Page<unknown>>(
  queryKey: QueryKey,
  list: { page(cursor: string | undefined, options: { signal: AbortSignal }): PromiseLike<P> },
) {
  const query = useInfiniteQuery({
    queryKey,
    queryFn: async ({ signal, pageParam }) => await list.page(pageParam, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: keepPreviousData,
  });
  const { data, hasNextPage, isFetching, isError, isPlaceholderData, fetchNextPage } = query;
  const pending = usePendingIds();
  const rows: readonly P['data'][number][] = (data?.pages.flatMap((page) => page.data) ?? []).filter(
    (row) => !pending.has((row as { id?: string }).id ?? ''),
  );
  const skipsEmptyPages =
    rows.length === 0 && hasNextPage && !isError && (data?.pages.length ?? 0) < EMPTY_PAGES_MAX;
  useEffect(() => {
    if (skipsEmptyPages && !isFetching && !isPlaceholderData) void fetchNextPage();
  }, [skipsEmptyPages, isFetching, isPlaceholderData, fetchNextPage]);
  return { ...query, rows, isPending: query.isPending || skipsEmptyPages };
}

/** A list that may have more pages. */
export type PagedList = {
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => Promise<unknown>;
};

type LoadMoreProps = { list: PagedList };

export function LoadMore({ list: { hasNextPage, isFetchingNextPage, fetchNextPage } }: LoadMoreProps) {
  const t = useTranslations('shell');
  if (!hasNextPage) return null;
  return (
    <Button
      variant="default"
      className="self-start"
      onClick={() => void fetchNextPage()}
      loading={isFetchingNextPage}
    >
      {t('more')}
    </Button>
  );
}
