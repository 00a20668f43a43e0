import { Button, Stack, Table, type TableProps } from '@mantine/core';
import { keepPreviousData, type QueryKey, useInfiniteQuery } from '@tanstack/react-query';
import {
  type KeyboardEvent,
  type MouseEvent,
  memo,
  type ReactNode,
  type Ref,
  useEffect,
  useRef,
  useState,
} from 'react';
import { useTranslations } from 'use-intl';
import type { Page } from '../../sdk/connection.ts';
import type { Tenant } from '../../sdk/tenant.ts';
import { useWorkspace } from '../session.ts';
import { ErrorMessage, Loaded } from './loading.tsx';
import { useKeys, useSingleKeys } from './single-keys.ts';
import { usePendingIds } from './use-action.tsx';

export type Column<Row> = {
  /** The heading, and the label of the cell where a narrow page shows rows as cards. */
  label: string;
  cell: (row: Row) => ReactNode;
  /** Shown as the heading in place of the label. */
  heading?: ReactNode;
  width?: number | string | undefined;
  align?: 'center' | 'end';
  className?: string;
  /** Names the row; the first column does by default. */
  isTitle?: boolean;
};

type ColumnsProps<Row> = {
  columns: readonly Column<Row>[];
  /** A cell before those of the columns, which may change more often than they do. */
  lead?: { heading: ReactNode; cell: (row: Row) => ReactNode } | undefined;
};

type DataTableProps<Row> = ColumnsProps<Row> &
  Omit<TableProps, 'data' | 'children'> & {
    /** Labels the table. */
    caption: string;
    /** Pixels; a narrower page scrolls the table sideways, or shows its rows as cards. */
    minWidth: number;
    maxHeight?: number;
    /** Makes the scroll container a landmark. */
    isRegion?: boolean;
  };

type ShortTableProps<Row> = DataTableProps<Row> & {
  rows: readonly Row[];
  /** The id by default. */
  getKey?: (row: Row) => string;
};

const getId = (row: unknown) => (row as { id: string }).id;

/** A table that shows all its rows. */
export function DataTable<Row>({ rows, getKey = getId, ...table }: ShortTableProps<Row>) {
  return (
    <Frame {...table}>
      <Table.Tbody>
        {rows.map((row) => (
          <Table.Tr key={getKey(row)}>
            <Cells columns={table.columns} row={row} />
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Frame>
  );
}

function Frame<Row>({
  caption,
  minWidth,
  maxHeight,
  isRegion,
  columns,
  lead,
  tableRef,
  children,
  ...table
}: DataTableProps<Row> & { tableRef?: Ref<HTMLTableElement>; children: ReactNode }) {
  const region = isRegion ? { role: 'region', 'aria-label': caption } : {};
  const { ref, isWider } = useIsWider();
  const scrolls = isWider || maxHeight !== undefined;
  return (
    <Table.ScrollContainer
      type="native"
      minWidth={minWidth}
      ref={ref}
      className="table-frame"
      data-scrolls={scrolls || undefined}
      tabIndex={scrolls ? 0 : undefined}
      mah={maxHeight}
      {...region}
    >
      <Table
        ref={tableRef}
        stickyHeader
        stickyHeaderOffset="var(--table-top)"
        onMouseOver={showWholeText}
        onClick={followTitle}
        data-cards
        {...table}
      >
        <caption className="unseen">{caption}</caption>
        <Table.Thead>
          <Table.Tr aria-rowindex={table['aria-rowcount'] === undefined ? undefined : 1}>
            {lead && (
              <Table.Th scope="col" w={44} className="compact">
                {lead.heading}
              </Table.Th>
            )}
            {columns.map(({ label, heading = label, width, align, className }) => (
              <Table.Th key={label} scope="col" w={width} ta={align} className={className}>
                {heading}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        {children}
      </Table>
    </Table.ScrollContainer>
  );
}

/** Returns whether the table is wider than its frame. Only then does the frame scroll: a header does not leave its frame. */
function useIsWider() {
  const ref = useRef<HTMLDivElement>(null);
  const [isWider, setWider] = useState(false);
  useEffect(() => {
    const frame = ref.current;
    if (!frame) return;
    const observer = new ResizeObserver(() => setWider(frame.scrollWidth > frame.clientWidth));
    observer.observe(frame);
    for (const table of frame.querySelectorAll('table')) observer.observe(table);
    return () => observer.disconnect();
  }, []);
  return { ref, isWider };
}

/** Shows the text of a cell that is cut. */
function showWholeText({ target }: MouseEvent<HTMLElement>) {
  const cell = (target as Element).closest<HTMLElement>('.cell');
  if (cell) cell.title = cell.scrollWidth > cell.clientWidth ? cell.innerText : '';
}

/** Opens the row: a click beside its title follows the link there, unless it means something else. */
function followTitle(event: MouseEvent<HTMLElement>) {
  const target = event.target as Element;
  if (event.defaultPrevented || !getSelection()?.isCollapsed) return;
  if (target.closest('a, button, input, label, summary, [role="menu"], [role="dialog"]')) return;
  target.closest('tbody tr')?.querySelector<HTMLElement>('th[scope="row"] a[href]')?.click();
}

type CellsProps<Row> = Pick<ColumnsProps<Row>, 'columns'> & { row: Row };

function Cells<Row>({ columns, row }: CellsProps<Row>) {
  const title = Math.max(
    0,
    columns.findIndex(({ isTitle }) => isTitle),
  );
  return columns.map(({ label, cell, align, className }, index) =>
    index === title ? (
      <Table.Th key={label} scope="row" fw={400} className={className}>
        <div className="cell">{cell(row)}</div>
      </Table.Th>
    ) : (
      <Table.Td key={label} data-label={label} ta={align} className={className}>
        <div className="cell">{cell(row)}</div>
      </Table.Td>
    ),
  );
}

/** Small enough to be rendered between two frames. */
const ROWS_PER_BLOCK = 10;
/** Pixels, assumed for rows that were never shown. */
const ROW_HEIGHT = 40;

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

/** An infinite list, as `useCursorList` reads it. */
export type ListState<Row> = PagedList & {
  rows: readonly Row[];
  data?: { pages: readonly { data: readonly unknown[] }[] } | undefined;
  isPending: boolean;
  isFetching: boolean;
  refetch: () => unknown;
};

/** `j` and `k` move to the title of the next and of the previous row, where Enter opens it. */
function useRowKeys() {
  const table = useRef<HTMLTableElement>(null);
  const [enabled] = useSingleKeys();
  useKeys(({ key }) => {
    if (key !== 'j' && key !== 'k') return false;
    const rows = [...(table.current?.querySelectorAll('tbody tr:has(th a)') ?? [])];
    const at = rows.findIndex((row) => row.contains(document.activeElement));
    const next = rows[Math.max(0, at + (key === 'j' ? 1 : -1))];
    next?.querySelector<HTMLElement>('th a')?.focus();
    return true;
  }, enabled);
  return table;
}

type ListTableProps<Row> = Omit<DataTableProps<Row>, 'onKeyDown'> & {
  list: ListState<Row>;
  /** The id by default. */
  getKey?: (row: Row) => string;
  /** The number of rows, loaded or not, if the service counts them. */
  total?: number;
  onKeyDown?: (event: KeyboardEvent<HTMLElement>) => void;
};

/**
 * The table of an infinite list. Only rows near the viewport are in the document, and further pages load as the user
 * scrolls to them: unless a page could not be loaded, or was empty because few rows match. The user then decides
 * whether to continue. Column widths must not depend on the content, and columns must be memoized in a large list.
 */
export function ListTable<Row extends object>({
  list,
  getKey = getId,
  total,
  onKeyDown,
  ...table
}: ListTableProps<Row>) {
  const { rows, data, hasNextPage, isFetching, isFetchNextPageError, fetchNextPage } = list;
  const { columns, lead } = table;
  const tableRef = useRowKeys();
  const width = columns.length + (lead ? 1 : 0);
  const remaining = total === undefined ? ROWS_PER_BLOCK : Math.max(1, total - rows.length);
  const isAutomatic = hasNextPage && !isFetchNextPageError && data?.pages.at(-1)?.data.length !== 0;
  const rowCount = total ?? (isAutomatic ? -2 : rows.length);
  const starts = Array.from(rows.keys()).filter((at) => at % ROWS_PER_BLOCK === 0);
  return (
    <>
      <Frame
        tableRef={tableRef}
        layout="fixed"
        highlightOnHover
        aria-busy={isFetching}
        // The header is the first row; -1 stands for an unknown number.
        aria-rowcount={rowCount + 1}
        {...table}
      >
        {starts.map((start) => (
          <Block
            key={start}
            isFirst={start === 0}
            first={rows[start] as Row}
            count={Math.min(ROWS_PER_BLOCK, rows.length - start)}
            width={width}
            onKeyDown={onKeyDown}
          >
            {rows.slice(start, start + ROWS_PER_BLOCK).map((row, index) => (
              <Table.Tr key={getKey(row)} aria-rowindex={start + index + 2}>
                {lead && <Table.Td className="compact">{lead.cell(row)}</Table.Td>}
                <MemoizedCells columns={columns as readonly Column<object>[]} row={row} />
              </Table.Tr>
            ))}
          </Block>
        ))}
        {isAutomatic && (
          <Unloaded width={width} count={remaining} isLoading={isFetching} load={fetchNextPage} />
        )}
      </Frame>
      {!isAutomatic && <LoadMore list={list} />}
    </>
  );
}

/** Loading or selecting other rows does not render these cells: a list can have thousands. */
const MemoizedCells = memo(Cells<object>);

/** Measured block heights, keyed by the block's first row. They keep the scroll position when the user returns. */
const heights = new WeakMap<object, number>();

type BlockProps = {
  isFirst: boolean;
  first: object;
  count: number;
  width: number;
  onKeyDown: ((event: KeyboardEvent<HTMLElement>) => void) | undefined;
  children: ReactNode;
};

function Block({ isFirst, first, count, width, onKeyDown, children }: BlockProps) {
  const { ref, isNear } = useNear(isFirst, (height) => heights.set(first, height));
  return (
    <Table.Tbody ref={ref} className="table-block" onKeyDown={onKeyDown} aria-hidden={!isNear || undefined}>
      {isNear ? children : <Space width={width} height={heights.get(first) ?? count * ROW_HEIGHT} />}
    </Table.Tbody>
  );
}

type UnloadedProps = { width: number; count: number; isLoading: boolean; load: () => unknown };

/** Takes up the space of rows that are not loaded, and loads them when the user scrolls near. */
function Unloaded({ width, count, isLoading, load }: UnloadedProps) {
  const { ref, isNear } = useNear(false);
  const isWanted = isNear && !isLoading;
  useEffect(() => {
    if (isWanted) load();
  }, [isWanted, load]);
  return (
    <Table.Tbody ref={ref} aria-hidden>
      <Space width={width} height={count * ROW_HEIGHT} />
    </Table.Tbody>
  );
}

function Space({ width, height }: { width: number; height: number }) {
  return (
    <tr>
      <td colSpan={width} style={{ height, padding: 0 }} />
    </tr>
  );
}

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
type PagedList = {
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

type ListProps<Row> = {
  list: ListState<Row>;
  /** In place of a list without rows. */
  empty: ReactNode;
  children: (rows: readonly Row[]) => ReactNode;
};

/** An infinite list that shows all its rows, with a button for more. */
export function List<Row>({ list, empty, children }: ListProps<Row>) {
  return (
    <Loaded query={list} shape="table">
      {() =>
        list.rows.length === 0 ? (
          empty
        ) : (
          <Stack>
            {children(list.rows)}
            <LoadMore list={list} />
          </Stack>
        )
      }
    </Loaded>
  );
}
