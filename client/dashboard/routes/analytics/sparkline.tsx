const WIDTH = 96;
const HEIGHT = 28;
/** Keeps the line inside of the picture. */
const MARGIN = 2;

/** A line that shows how a value went. Its figures are in a table or chart beside it, so assistive technology skips it. */
export function Sparkline({ values }: { values: readonly (number | undefined)[] }) {
  const known = values.flatMap((value, at) => (value === undefined ? [] : [{ at, value }]));
  if (known.length < 2) return null;
  const max = Math.max(...known.map(({ value }) => value));
  const min = Math.min(0, ...known.map(({ value }) => value));
  const x = (at: number) => MARGIN + (at / (values.length - 1)) * (WIDTH - 2 * MARGIN);
  const y = (value: number) => HEIGHT - MARGIN - ((value - min) / (max - min || 1)) * (HEIGHT - 2 * MARGIN);
  const points = known.map(({ at, value }) => `${x(at).toFixed(1)},${y(value).toFixed(1)}`);
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} width={WIDTH} height={HEIGHT} aria-hidden="true">
      <polyline
        points={points.join(' ')}
        fill="none"
        stroke="var(--mantine-color-anchor)"
        strokeWidth={2}
        strokeLinejoin="round"
      />
    </svg>
  );
}
