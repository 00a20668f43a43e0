import { Table, type TableProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { ColumnHeadings } from './column-headings.tsx';

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
