import type { Cell, Line } from './pdf-lines.ts';

/** Finds the tables of a page: rows whose cells stand in columns. */

type Row = { cells: readonly Cell[]; lines: readonly Line[] };

const ROWS_MIN = 2;
/** Longer cells are columns of text. */
const CELL_CHARS_MAX = 200;
const CELL_LINES_MAX = 6;
const TABLE_CHARS_MAX = 8000;
/** A bullet or a number before a text is no cell. */
const LABEL = /^(?:[•▪◦‣●○■□–—·*\-\uf0b7\uf0a7o]|\(?(?:\d{1,3}|[a-z]|[ivx]{1,4})[.)])$/iu;
/** Distances in heights of letters. */
const SAME_LINE_MAX = 0.5;
const NEXT_LINE_MAX = 1.75;
const PITCH_SHARE = 0.35;

/** Replaces the lines of each table by one, and marks rows whose columns are unclear. */
export function buildTables(lines: readonly Line[]): Line[] {
  const rows = toRows(lines);
  const result: Line[] = [];
  for (let from = 0; from < rows.length; ) {
    const to = findEnd(rows, from);
    const table = rows.slice(from, to);
    if (table.length < ROWS_MIN) {
      result.push(...rows[from]!.lines);
      from += 1;
      continue;
    }
    result.push(...formatTable(table));
    from = to;
  }
  return result;
}

/** Puts together what stands side by side, and the lines of a cell. */
function toRows(lines: readonly Line[]): readonly Row[] {
  const rows: Row[] = [];
  for (const line of lines) {
    const beside = findRowBeside(rows, line);
    if (beside >= 0) {
      const cells = rows.splice(beside);
      rows.push({
        cells: [...mergeCells(cells), ...line.cells],
        lines: [...cells.flatMap((row) => row.lines), line],
      });
    } else if (continuesLastCell(rows.at(-1), line)) {
      const row = rows.pop()!;
      const last = row.cells.at(-1)!;
      const joined = {
        ...last,
        text: `${last.text} ${line.text}`,
        end: Math.max(last.end, line.cells.at(-1)!.end),
      };
      rows.push({ cells: [...row.cells.slice(0, -1), joined], lines: [...row.lines, line] });
    } else rows.push({ cells: line.cells, lines: [line] });
  }
  return rows;
}

/** Returns the row whose first line is as high as this one, and that ends left of it; -1 if there is none. */
function findRowBeside(rows: readonly Row[], line: Line): number {
  for (let at = rows.length - 1; at >= Math.max(0, rows.length - CELL_LINES_MAX); at -= 1) {
    const row = rows[at]!;
    if (row.cells.length > 1 && at < rows.length - 1) return -1;
    const isSame = Math.abs(row.lines[0]!.y - line.y) <= line.height * SAME_LINE_MAX;
    const end = Math.max(...rows.slice(at).flatMap(({ cells }) => cells.map((cell) => cell.end)));
    if (isSame) return line.x > end ? at : -1;
  }
  return -1;
}

/** The lines of a first cell with several lines are rows until the next cell begins beside the first of them. */
const mergeCells = (rows: readonly Row[]): readonly Cell[] =>
  rows.length === 1
    ? rows[0]!.cells
    : [
        {
          text: rows.map(({ cells }) => cells[0]!.text).join(' '),
          x: Math.min(...rows.map(({ cells }) => cells[0]!.x)),
          end: Math.max(...rows.map(({ cells }) => cells[0]!.end)),
        },
      ];

function continuesLastCell(row: Row | undefined, line: Line): boolean {
  if (!row || row.cells.length < 2 || line.cells.length > 1) return false;
  const [before, last] = [row.lines.at(-1)!, row.cells.at(-1)!];
  const gap = before.y - line.y;
  const isBelow = gap > 0 && gap <= line.height * NEXT_LINE_MAX;
  return isBelow && line.x >= last.x - line.height && line.x > row.cells[0]!.end && line.x <= last.end;
}

const isTableRow = ({ cells, lines }: Row) =>
  cells.length > 1 &&
  lines.length <= CELL_LINES_MAX * cells.length &&
  !LABEL.test(cells[0]!.text) &&
  cells.every(({ text }) => text.length <= CELL_CHARS_MAX);

/** Returns where the rows of a table end. A row may be written in one piece. */
function findEnd(rows: readonly Row[], from: number): number {
  let [at, chars] = [from, 0];
  while (at < rows.length && chars < TABLE_CHARS_MAX && isTableRow(rows[at]!)) {
    chars += rows[at]!.cells.reduce((sum, { text }) => sum + text.length, 0);
    at += 1;
  }
  if (at - from < ROWS_MIN) return at;
  const { cells } = rows[at - 1]!;
  while (
    at < rows.length &&
    chars < TABLE_CHARS_MAX &&
    continuesTable(cells, [rows[at - 2]!, rows[at - 1]!], rows[at]!)
  )
    at += 1;
  return at;
}

/** Whether a line has the distance of the rows before, and lies within the width of these cells. */
function continuesTable(cells: readonly Cell[], [earlier, before]: [Row, Row], row: Row): boolean {
  const [line, lastLine] = [row.lines[0]!, before.lines[0]!];
  const pitch = earlier.lines[0]!.y - lastLine.y;
  const gap = lastLine.y - line.y;
  const end = Math.max(...cells.map((cell) => cell.end));
  const isInside = line.x >= cells[0]!.x - line.height && row.cells.at(-1)!.end <= end + line.height * 2;
  const isWide = row.cells.at(-1)!.end > cells[1]!.x;
  return row.lines.length === 1 && isInside && isWide && Math.abs(gap - pitch) <= pitch * PITCH_SHARE;
}

type Column = { x: number; end: number };

function formatTable(rows: readonly Row[]): Line[] {
  const columns = findColumns(rows.filter(({ cells }) => cells.length > 1));
  const cells = columns && rows.map((row) => placeCells(row, columns));
  const first = rows[0]!.lines[0]!;
  if (!cells?.every((row) => row !== undefined))
    return rows.map((row) => ({
      ...row.lines[0]!,
      text: row.cells.map(({ text }) => text).join(' | '),
      isRow: true,
    }));
  const write = (row: readonly string[]) =>
    `| ${row.map((text) => text.replaceAll('|', '\\|')).join(' | ')} |`;
  const [head, ...others] = cells.map((row) => write(row!));
  const table = [head, `|${' - |'.repeat(columns!.length)}`, ...others].join('\n').replace(/ {2,}/g, ' ');
  return [
    {
      ...first,
      y: rows.at(-1)!.lines.at(-1)!.y,
      text: cells.map((row) => row!.join(' ').trim()).join(' '),
      table,
    },
  ];
}

/** Joins what overlaps to columns. Undefined if two cells of a row would be in one column. */
function findColumns(rows: readonly Row[]): readonly Column[] | undefined {
  const columns: Column[] = [];
  for (const { x, end } of rows.flatMap(({ cells }) => cells).sort((one, other) => one.x - other.x)) {
    const last = columns.at(-1);
    if (last && x < last.end) last.end = Math.max(last.end, end);
    else columns.push({ x, end });
  }
  const isClear = (candidates: readonly Column[]) =>
    rows.every(
      ({ cells }) => new Set(cells.map((cell) => getColumn(cell, candidates))).size === cells.length,
    );
  if (!isClear(columns)) return undefined;
  // Values that are aligned at another side than their heading.
  for (let at = columns.length - 2; at >= 0; at -= 1) {
    const merged = columns.toSpliced(at, 2, { x: columns[at]!.x, end: columns[at + 1]!.end });
    if (merged.length > 1 && isClear(merged)) columns.splice(0, columns.length, ...merged);
  }
  return columns;
}

/** Returns the column that a cell overlaps most, or is nearest to. */
function getColumn({ x, end }: Column, columns: readonly Column[]): number {
  const rate = (column: Column) => Math.min(end, column.end) - Math.max(x, column.x);
  const rates = columns.map(rate);
  return rates.indexOf(Math.max(...rates));
}

/** Returns the texts of a row by column. The words of a row in one piece are placed by where they would stand. */
function placeCells({ cells }: Row, columns: readonly Column[]): readonly string[] | undefined {
  const texts = columns.map(() => '');
  const parts = cells.length > 1 ? cells : splitWords(cells[0]!);
  let last = 0;
  for (const part of parts) {
    const at = getColumn(part, columns);
    if (at < last) return undefined;
    last = at;
    texts[at] = `${texts[at]} ${part.text}`.trim();
  }
  return texts;
}

function splitWords({ text, x, end }: Cell): readonly Cell[] {
  const width = (end - x) / text.length;
  return [...text.matchAll(/\S+/g)].map(({ 0: word, index }) => ({
    text: word,
    x: x + index * width,
    end: x + (index + word.length) * width,
  }));
}
