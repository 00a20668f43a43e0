import { useFormatter } from 'use-intl';

type FigureProps = {
  value: number;
  /** The highest value of the column, which fills the cell. */
  max: number;
};

/** A number in a cell, and a bar that compares it with the rest of its column. */
export function Figure({ value, max }: FigureProps) {
  const format = useFormatter();
  return (
    <div className="figure">
      <span aria-hidden>
        <span className="figure-bar" style={{ width: `${(value / Math.max(1, max)) * 100}%` }} />
      </span>
      <span>{format.number(value)}</span>
    </div>
  );
}
