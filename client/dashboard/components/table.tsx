import { Table, type TableProps } from '@mantine/core';
import type { ReactNode } from 'react';

type RegionTableProps = Pick<TableProps, 'horizontalSpacing'> & {
  /** Names the table and the region that it scrolls in. */
  readonly caption: string;
  /** Pixels; where there are fewer, the table scrolls sideways inside itself. */
  readonly minWidth: number;
  readonly columns: readonly string[];
  readonly children: ReactNode;
};

/** A table with a heading for each column; the keyboard reaches what does not fit. */
export function RegionTable({ caption, minWidth, columns, children, horizontalSpacing }: RegionTableProps) {
  return (
    <Table.ScrollContainer minWidth={minWidth} role="region" aria-label={caption}>
      <Table verticalSpacing="sm" {...(horizontalSpacing && { horizontalSpacing })}>
        <caption className="unseen">{caption}</caption>
        <ColumnHeadings columns={columns} />
        <Table.Tbody>{children}</Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

type ColumnHeadingsProps = {
  readonly columns: readonly string[];
  /** Headings that come after them and look different. */
  readonly children?: ReactNode;
};

/** The first row of a table. */
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
