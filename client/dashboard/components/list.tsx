import { Alert, Button, Stack, Text } from '@mantine/core';
import { keepPreviousData, type QueryKey, useInfiniteQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useTranslations } from 'use-intl';
import type { Page } from '../../sdk/connection.ts';
import type { Tenant } from '../../sdk/tenant.ts';
import { useWorkspace } from '../session.ts';
import { usePendingIds } from './deferred.ts';
import { ErrorMessage } from './page.tsx';

/** Formats a list of short texts with the separators of the user's language. */
export const LISTED = { type: 'conjunction', style: 'narrow' } as const;

/** Empty pages skipped in a row before the user is asked to continue. */
const EMPTY_PAGES_MAX = 10;

type Pages<P> = { page(cursor: string | undefined, options: { signal: AbortSignal }): PromiseLike<P> };

/**
 * Reads an infinite list that keeps its rows while new filters load. When few rows match, a page can be empty although
 * more follow; the list then stays pending while it fetches the next pages.
 */
export function useCursorList<P extends Page<unknown>>(key: QueryKey, read: (tenant: Tenant) => Pages<P>) {
  const { tenant, tenantId } = useWorkspace();
  const query = useInfiniteQuery({
    queryKey: ['tenant', tenantId, ...key],
    queryFn: async ({ signal, pageParam }) => await read(tenant).page(pageParam, { signal }),
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
  error: unknown;
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  isFetchNextPageError: boolean;
  fetchNextPage: () => Promise<unknown>;
};

export function LoadMore({ list }: { list: PagedList }) {
  const t = useTranslations('shell');
  const load = () => void list.fetchNextPage();
  if (!list.hasNextPage) return null;
  if (list.isFetchNextPageError) return <ErrorMessage error={list.error} retry={load} />;
  return (
    <Button variant="default" className="self-start" onClick={load} loading={list.isFetchingNextPage}>
      {t('more')}
    </Button>
  );
}

type NothingFoundProps = {
  /** Set if the list has more pages, whose rows may match. */
  list?: PagedList;
  title: string;
  lead: string;
  /** Names the button that clears the filters. */
  clearLabel: string;
  clear: () => unknown;
};

/** Says that the filters match no row, with a button to clear them. */
export function NothingFound({ title, lead, list, clearLabel, clear }: NothingFoundProps) {
  return (
    <Alert color="gray" role="status" title={title}>
      <Stack gap="xs" align="flex-start">
        <Text>{lead}</Text>
        {list && <LoadMore list={list} />}
        <Button variant="default" onClick={clear}>
          {clearLabel}
        </Button>
      </Stack>
    </Alert>
  );
}
