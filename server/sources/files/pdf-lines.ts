/** Reads the lines of text that a PDF page shows. */

/** A run of text as pdf.js reports it. */
export type TextRun = {
  str: string;
  /** PDF's transform: the last two numbers are the position from the lower left corner, the others scale and rotate. */
  transform: readonly number[];
  width: number;
  hasEOL: boolean;
};

export type Line = {
  /** Starts at one. */
  page: number;
  text: string;
  x: number;
  y: number;
  /** Height of its letters, in points. */
  height: number;
};

/** Distances between runs, in heights of their letters. */
const OTHER_LINE_MIN = 0.6;
const SPACE_MIN = 0.15;
/** Letters may overlap a little; text further back, such as in another column, is apart. */
const STEP_BACK_MIN = 2;

type OpenLine = { text: string; x: number; y: number; height: number; end: number };

/** Joins the runs of a page in the order in which they were written. Rotated text, such as a watermark, is left out. */
export function toLines(runs: readonly TextRun[], page: number): Line[] {
  const lines: Line[] = [];
  let open: OpenLine | undefined;
  const finish = () => {
    const text = open?.text.replace(/\s+/g, ' ').trim();
    if (open && text) lines.push({ page, text, x: open.x, y: open.y, height: open.height });
    open = undefined;
  };
  for (const { str, transform, width, hasEOL } of runs) {
    const [, turn = 0, skew = 0, scale = 0, x = 0, y = 0] = transform;
    const height = Math.hypot(skew, scale);
    if (str !== '' && Math.abs(turn) <= Math.abs(scale)) {
      if (open && Math.abs(open.y - y) > Math.max(open.height, height) * OTHER_LINE_MIN) finish();
      if (!open) open = { text: str, x, y, height, end: x + width };
      else {
        const isApart = x - open.end > height * SPACE_MIN || x < open.end - height * STEP_BACK_MIN;
        open.text += isApart && !open.text.endsWith(' ') ? ` ${str}` : str;
        open.end = x + width;
        // A space is as high as the text before it.
        if (str.trim() !== '') open.height = Math.max(open.height, height);
      }
    }
    if (hasEOL) finish();
  }
  finish();
  return lines;
}

/** How many lines at each edge of a page may be headers or footers. */
const EDGE_LINES = 2;
/** On fewer pages, the same line at the same height may be coincidence. */
const REPEATED_MIN = 3;

/** Leaves out headers, footers, page numbers, and the lines of a table of contents. */
export function removeHeadersAndFooters(pages: readonly (readonly Line[])[]): Line[] {
  const getEdgeLines = (lines: readonly Line[]) =>
    new Set([...lines.slice(0, EDGE_LINES), ...lines.slice(-EDGE_LINES)]);
  const counts = new Map<string, number>();
  for (const lines of pages) {
    for (const key of new Set([...getEdgeLines(lines)].map(toKey)))
      counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return pages.flatMap((lines) => {
    const edgeLines = getEdgeLines(lines);
    const isRepeated = (line: Line) => edgeLines.has(line) && counts.get(toKey(line))! >= REPEATED_MIN;
    return lines.filter((line) => !isRepeated(line) && !LEADERS.test(line.text));
  });
}

/** Returns a key without numbers, because page numbers differ from page to page. */
const toKey = ({ text, y }: Line) => `${Math.round(y)} ${text.replace(/\d+|\b[ivxlc]+\b/gi, '#')}`;

/** `Installation . . . . . . 12` */
const LEADERS = /(?:\.\s?){5,}\s*[\divxlc]*$/i;
