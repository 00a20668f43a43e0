import { Table } from '@mantine/core';
import { useFormatter } from 'use-intl';

type FigureCellProps = {
  value: number;
  /** The highest value of the column, which fills the cell. */
  max: number;
};

/** A table cell with a number, and a bar that compares it with the rest of its column. */
export function FigureCell({ value, max }: FigureCellProps) {
  const format = useFormatter();
  return (
    <Table.Td>
      <div className="figure">
        <span aria-hidden>
          <span className="figure-bar" style={{ width: `${(value / Math.max(1, max)) * 100}%` }} />
        </span>
        <span>{format.number(value)}</span>
      </div>
    </Table.Td>
  );
}
