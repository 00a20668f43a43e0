import { Table, type TableProps } from '@mantine/core';
import type { ReactNode } from 'react';

type RegionTableProps = Pick<TableProps, 'horizontalSpacing'> & {
  /** Labels the table and its scroll region. */
  readonly caption: string;
  /** Pixels; a narrower viewport scrolls the table sideways. */
  readonly minWidth: number;
  readonly columns: readonly string[];
  readonly children: ReactNode;
};

/** A table in a scroll region that the keyboard can reach. */
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
  /** Headings after the columns with their own formatting. */
  readonly children?: ReactNode;
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
