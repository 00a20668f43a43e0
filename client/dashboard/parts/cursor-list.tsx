import { Button } from '@mantine/core';
import { keepPreviousData, type QueryKey, useInfiniteQuery } from '@tanstack/react-query';
import { useTranslations } from 'use-intl';

type OfRows = { readonly data: readonly unknown[]; readonly nextCursor?: string | undefined };

/** A list of the service, a page at a time; what was shown stays while other filters are asked for. */
export function useCursorList<P extends OfRows>(
  queryKey: QueryKey,
  list: { page(cursor: string | undefined, options: { readonly signal: AbortSignal }): PromiseLike<P> },
) {
  const query = useInfiniteQuery({
    queryKey,
    queryFn: async ({ signal, pageParam }) => await list.page(pageParam, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: keepPreviousData,
  });
  const rows: readonly P['data'][number][] = query.data?.pages.flatMap(({ data }) => data) ?? [];
  return { ...query, rows };
}

/** The way to the next page, while there is one. */
export function More({
  list: { hasNextPage, fetchNextPage, isFetchingNextPage },
}: {
  readonly list: {
    readonly hasNextPage: boolean;
    readonly isFetchingNextPage: boolean;
    readonly fetchNextPage: () => Promise<unknown>;
  };
}) {
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
