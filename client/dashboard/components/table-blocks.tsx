import { Alert, Button, Stack, Table, Text } from '@mantine/core';
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { LoadMore, type PagedList } from './list.tsx';
import { ErrorMessage, Loading } from './page.tsx';

/** Small enough to be rendered between two frames. */
const ROWS_PER_BLOCK = 10;
/** Pixels, assumed for rows that were never shown. */
const ROW_HEIGHT = 62;

const listeners = new WeakMap<Element, (entry: IntersectionObserverEntry) => void>();
const observer = new IntersectionObserver(
  (entries) => {
    for (const entry of entries) listeners.get(entry.target)?.(entry);
  },
  // Render one viewport above and below, so that scrolling shows no gaps.
  { rootMargin: '100% 0%' },
);

/** Returns whether a part of the table is near the viewport. A part that contains the focus counts as near. */
function useNear(isFirst: boolean, onFar?: (height: number) => void) {
  const ref = useRef<HTMLTableSectionElement>(null);
  const [isNear, setNear] = useState(isFirst);
  const latestOnFar = useRef(onFar);
  latestOnFar.current = onFar;
  useEffect(() => {
    const part = ref.current;
    if (!part) return;
    listeners.set(part, ({ isIntersecting, boundingClientRect }) => {
      if (!isIntersecting && part.contains(document.activeElement)) return;
      if (!isIntersecting) latestOnFar.current?.(boundingClientRect.height);
      setNear(isIntersecting);
    });
    observer.observe(part);
    return () => observer.unobserve(part);
  }, []);
  return { ref, isNear };
}

type TableBlocksProps<Row extends object> = {
  rows: readonly Row[];
  columns: number;
  /** `rowIndex` is the position in the table, for `aria-rowindex`. */
  children: (row: Row, rowIndex: number) => ReactNode;
  onKeyDown?: ((event: KeyboardEvent<HTMLElement>) => void) | undefined;
  more: MoreRows;
};

/**
 * The rows of a long table. Only rows near the viewport are in the document, and further pages load as the user
 * scrolls to them. The table needs `aria-rowcount`, and column widths that do not depend on the content.
 */
export function TableBlocks<Row extends object>({
  rows,
  columns,
  children,
  onKeyDown,
  more,
}: TableBlocksProps<Row>) {
  const starts = Array.from(
    { length: Math.ceil(rows.length / ROWS_PER_BLOCK) },
    (_, at) => at * ROWS_PER_BLOCK,
  );
  return (
    <>
      {starts.map((start) => (
        <Block
          key={start}
          rows={rows.slice(start, start + ROWS_PER_BLOCK)}
          start={start}
          columns={columns}
          onKeyDown={onKeyDown}
        >
          {children}
        </Block>
      ))}
      <Unloaded columns={columns} more={more} />
    </>
  );
}

/** Measured block heights, keyed by the block's first row. They keep the scroll position when the user returns. */
const heights = new WeakMap<object, number>();

type BlockProps<Row extends object> = Omit<TableBlocksProps<Row>, 'more'> & { start: number };

function Block<Row extends object>({ rows, start, columns, children, onKeyDown }: BlockProps<Row>) {
  const first = rows[0] as Row;
  const { ref, isNear } = useNear(start === 0, (height) => heights.set(first, height));
  return (
    <Table.Tbody ref={ref} className="table-block" onKeyDown={onKeyDown} aria-hidden={!isNear || undefined}>
      {isNear ? (
        // The header is the first row.
        rows.map((row, at) => children(row, start + at + 2))
      ) : (
        <Space columns={columns} height={heights.get(first) ?? rows.length * ROW_HEIGHT} />
      )}
    </Table.Tbody>
  );
}

export type MoreRows = {
  /** Rows that are not loaded yet. */
  count: number;
  load: () => unknown;
  isLoading: boolean;
};

type LongList = PagedList & {
  rows: readonly unknown[];
  data?: { pages: readonly { data: readonly unknown[] }[] } | undefined;
  error: unknown;
  isFetching: boolean;
  isFetchNextPageError: boolean;
};

/**
 * Describes the rows of an infinite list that load automatically. None after a page that could not be loaded, or that
 * was empty because few rows match: the user then decides whether to continue.
 */
export function toMoreRows(list: LongList, total?: number): MoreRows {
  const { rows, data, hasNextPage, isFetching, isFetchNextPageError, fetchNextPage } = list;
  const remaining = total === undefined ? ROWS_PER_BLOCK : Math.max(1, total - rows.length);
  const isAutomatic = hasNextPage && !isFetchNextPageError && data?.pages.at(-1)?.data.length !== 0;
  return { count: isAutomatic ? remaining : 0, load: fetchNextPage, isLoading: isFetching };
}

/** Below the table: how to continue when rows do not load automatically. */
export function ListEnd({ list, more }: { list: LongList; more: MoreRows }) {
  if (list.isFetchNextPageError)
    return <ErrorMessage error={list.error} retry={() => void list.fetchNextPage()} />;
  return more.count === 0 ? <LoadMore list={list} /> : null;
}

type LongTableProps = {
  list: LongList & {
    isPending: boolean;
    isError: boolean;
    refetch: () => void;
  };
  /** Shown in place of the table when there are no rows. */
  empty: ReactNode;
  children: (more: MoreRows) => ReactNode;
};

/** An infinite list as a table: while it loads, after a failure, without rows, and with them. */
export function LongTable({ list, empty, children }: LongTableProps) {
  const more = toMoreRows(list);
  if (list.isError && !list.isFetchNextPageError)
    return <ErrorMessage error={list.error} retry={list.refetch} />;
  if (list.isPending) return <Loading shape="table" />;
  if (list.rows.length === 0) return empty;
  return (
    <>
      {children(more)}
      <ListEnd list={list} more={more} />
    </>
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

type UnloadedProps = { columns: number; more: MoreRows };

/** Takes up the space of rows that are not loaded, and loads them when the user scrolls near. */
function Unloaded({ columns, more: { count, load, isLoading } }: UnloadedProps) {
  const { ref, isNear } = useNear(false);
  const isWanted = isNear && count > 0 && !isLoading;
  useEffect(() => {
    if (isWanted) load();
  }, [isWanted, load]);
  return (
    <Table.Tbody ref={ref} aria-hidden>
      {count > 0 && <Space columns={columns} height={count * ROW_HEIGHT} />}
    </Table.Tbody>
  );
}

function Space({ columns, height }: { columns: number; height: number }) {
  return (
    <tr>
      <td colSpan={columns} style={{ height, padding: 0 }} />
    </tr>
  );
}
