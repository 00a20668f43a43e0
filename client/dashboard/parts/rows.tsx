import { Button } from '@mantine/core';
import { keepPreviousData, type QueryKey, useInfiniteQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useTranslations } from 'use-intl';
import type { RowList } from '../../pages.ts';

/** How many pages without a row are passed over by themselves. */
const EMPTY_PAGES_MAX = 10;

/** A list of the service, page by page. Where few rows fit, a page can be empty though more follow. */
export function useRows<T>(
  queryKey: QueryKey,
  list: RowList<T>,
  options: { readonly enabled?: boolean } = {},
) {
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ signal, pageParam }) => list.page(pageParam, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: keepPreviousData,
    ...options,
  });
  const { data, hasNextPage, isFetching, isError, isPlaceholderData, fetchNextPage } = query;
  const rows = data?.pages.flatMap((page) => page.data) ?? [];
  const passesOver =
    rows.length === 0 && hasNextPage && !isError && (data?.pages.length ?? 0) < EMPTY_PAGES_MAX;
  useEffect(() => {
    if (passesOver && !isFetching && !isPlaceholderData) void fetchNextPage();
  }, [passesOver, isFetching, isPlaceholderData, fetchNextPage]);
  return { query, rows, looking: query.isPending || passesOver };
}

type MoreProps = {
  readonly query: {
    readonly hasNextPage: boolean;
    readonly isFetchingNextPage: boolean;
    fetchNextPage(): unknown;
  };
};

export function More({ query: { hasNextPage, isFetchingNextPage, fetchNextPage } }: MoreProps) {
  const t = useTranslations('shell');
  if (!hasNextPage) return null;
  return (
    <Button
      variant="default"
      className="self-start"
      onClick={() => fetchNextPage()}
      loading={isFetchingNextPage}
    >
      {t('more')}
    </Button>
  );
}
