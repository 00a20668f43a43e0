import { Table } from '@mantine/core';
import type { ReactNode } from 'react';

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
