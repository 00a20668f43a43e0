import { expect, it } from 'vitest';
import { buildTables } from '../../../server/sources/files/pdf-tables.ts';

/** A line of a page whose cells begin at these places. */
const toLine = (y: number, ...cells: readonly [x: number, text: string][]) => ({
  page: 1,
  text: cells.map(([, text]) => text).join(' '),
  x: cells[0]![0],
  y,
  height: 10,
  cells: cells.map(([x, text]) => ({ text, x, end: x + text.length * 5 })),
});

it('reads a table that ends with several rows written in one piece', () => {
  const rows = [
    toLine(700, [72, 'Zone'], [200, 'Price']),
    toLine(686, [72, 'Inland'], [200, '4 euros']),
    ...['Islands of the north 9 euros', 'Islands of the south 9 euros', 'Everywhere else, 12 euros'].map(
      (text, at) => toLine(672 - at * 14, [72, text]),
    ),
  ];
  const lines = buildTables(rows);
  expect(lines.map(({ text }) => text).join(' ')).toContain('Everywhere else');
  expect(lines[0]!.text).toContain('Zone');
});
