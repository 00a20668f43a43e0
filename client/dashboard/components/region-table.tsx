import { Table, type TableProps } from '@mantine/core';
import type { ReactNode } from 'react';

type RegionTableProps = Pick<TableProps, 'horizontalSpacing'> & {
  /** Labels the table and its scroll region. */
  caption: string;
  /** Pixels; a narrower page scrolls the table sideways, or shows cards. */
  minWidth: number;
  columns: readonly string[];
  children: ReactNode;
};

/** A table in a scroll region that the keyboard can reach. */
export function RegionTable({ caption, minWidth, columns, children, horizontalSpacing }: RegionTableProps) {
  return (
    <Table.ScrollContainer minWidth={minWidth} role="region" aria-label={caption}>
      <Table
        verticalSpacing="sm"
        {...(horizontalSpacing && { horizontalSpacing })}
        {...asCardsWhenNarrow(columns)}
      >
        <caption className="unseen">{caption}</caption>
        <ColumnHeadings columns={columns} />
        <Table.Tbody>{children}</Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

/**
 * Props of a table that narrow pages show as one card per row. On cards, `columns` labels up to eight cells per row;
 * tables with more set `data-label` on each cell.
 */
export function asCardsWhenNarrow(columns: readonly string[] = []) {
  const labels = columns.map((column, index) => [`--column-${index + 1}`, JSON.stringify(column)]);
  return { 'data-cards': true, style: Object.fromEntries(labels) };
}

type ColumnHeadingsProps = {
  columns: readonly string[];
  /** Headings with their own formatting, after the plain ones. */
  children?: ReactNode;
};

export function ColumnHeadings({ columns, children }: ColumnHeadingsProps) {
  return (
    <Table.Thead>
      <Table.Tr>
        {columns.map((column) => (
          <Table.Th key={column} scope="col">
            {column}
          </Table.Th>
        ))}
        {children}
      </Table.Tr>
    </Table.Thead>
  );
}
