import { getResolvedPDFJS } from 'unpdf';
import type { TextRun } from './pdf-lines.ts';
import type { Pdf } from './pdf-sections.ts';

/** Finds text that a PDF page contains but does not show. */

type Page = Awaited<ReturnType<Pdf['getPage']>>;
type Box = readonly [left: number, bottom: number, right: number, top: number];
/** A letter as it is drawn. `at` is its place in the order of drawing. */
type Letter = { text: string; isVisible: boolean; at: number; color?: string };
/** A rectangle, or another filled shape, in one color; or an image. */
type Fill = { box: Box; color?: string; isOpaque: boolean; at: number };

/** PDF 32000-1, table 106: neither fills nor strokes the letters, perhaps clips. */
const INVISIBLE_MODES = [3, 7];
/** Text in points that no one can read. */
const HEIGHT_MIN = 1;
/** Both readings of a page may differ in a few letters, such as ligatures. */
const LOOK_AHEAD = 40;

/**
 * Leaves out runs in an invisible mode, outside of the page, or too small to read. A page without any visible text is
 * a scan with the text that was recognized in it, and stays.
 */
export async function removeHiddenRuns(page: Page, runs: readonly TextRun[]): Promise<readonly TextRun[]> {
  const [left = 0, bottom = 0, right = 0, top = 0] = page.view;
  const shown = runs.filter(({ str, width, transform: [, , skew = 0, scale = 0, x = 0, y = 0] }) => {
    const isOutside = x > right || x + width < left || y > top || y < bottom - Math.abs(scale);
    return str.trim() === '' || (!isOutside && Math.hypot(skew, scale) >= HEIGHT_MIN);
  });
  const { letters, fills } = await readDrawing(page);
  if (fills.length === 0 && letters.every(({ isVisible, color }) => isVisible && !isSameColor(color, PAPER)))
    return shown;
  const isScan = !letters.some(({ isVisible }) => isVisible);
  let at = 0;
  return shown.filter((run) => {
    const texts = [...run.str].filter((letter) => letter.trim() !== '');
    const drawn: Letter[] = [];
    for (const text of texts) {
      const ahead = letters.slice(at, at + LOOK_AHEAD).findIndex((letter) => letter.text.includes(text));
      if (ahead < 0) continue;
      at += ahead + 1;
      drawn.push(letters[at - 1]!);
    }
    if (drawn.length < texts.length || texts.length === 0) return true;
    const box = toBox(run);
    return drawn.some((letter) => (letter.isVisible || isScan) && isSeen(letter, box, fills));
  });
}

const PAPER = '#ffffff';
/** Colors of this difference cannot be told apart. */
const COLOR_STEPS_MIN = 16;

/** Whether a letter has another color than what is below it, and nothing covers it. */
function isSeen({ at, color }: Letter, box: Box, fills: readonly Fill[]): boolean {
  const below = fills.findLast((fill) => fill.at <= at && contains(fill.box, box));
  const isPlain = !isSameColor(color, below ? below.color : PAPER);
  return isPlain && !fills.some((fill) => fill.at > at && fill.isOpaque && contains(fill.box, box));
}

function isSameColor(one: string | undefined, other: string | undefined): boolean {
  if (!one?.startsWith('#') || !other?.startsWith('#')) return false;
  const read = (color: string, at: number) => Number.parseInt(color.slice(at, at + 2), 16);
  return [1, 3, 5].every((at) => Math.abs(read(one, at) - read(other, at)) < COLOR_STEPS_MIN);
}

function toBox({ width, transform: [, , skew = 0, scale = 0, x = 0, y = 0] }: TextRun): Box {
  const height = Math.hypot(skew, scale);
  return [x, y, x + width, y + height * 0.6];
}

const contains = (outer: Box, inner: Box) =>
  outer[0] <= inner[0] + 1 &&
  outer[1] <= inner[1] + 1 &&
  outer[2] >= inner[2] - 1 &&
  outer[3] >= inner[3] - 1;

type Matrix = readonly number[];

/** What PDF's operators `q` and `Q` save and restore. */
type State = { mode: number; color?: string; isOpaque: boolean; matrix: Matrix; clip?: Box };

const multiply = ([a, b, c, d, e, f]: Matrix, [g, h, i, j, k, l]: Matrix): Matrix => [
  a! * g! + c! * h!,
  b! * g! + d! * h!,
  a! * i! + c! * j!,
  b! * i! + d! * j!,
  a! * k! + c! * l! + e!,
  b! * k! + d! * l! + f!,
];

function transformBox([a, b, c, d, e, f]: Matrix, [left, bottom, right, top]: Box): Box {
  const points = [left, right].flatMap((x) =>
    [bottom, top].map((y) => [a! * x + c! * y + e!, b! * x + d! * y + f!]),
  );
  const [xs, ys] = [points.map(([x]) => x!), points.map(([, y]) => y!)];
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
}

const intersect = (one: Box, other: Box | undefined): Box =>
  other
    ? [
        Math.max(one[0], other[0]),
        Math.max(one[1], other[1]),
        Math.min(one[2], other[2]),
        Math.min(one[3], other[3]),
      ]
    : one;

/** Reads the letters of a page, and the shapes that are filled, in the order in which they are drawn. */
async function readDrawing(page: Page): Promise<Drawing> {
  const { OPS } = await getResolvedPDFJS();
  const { fnArray, argsArray } = await page.getOperatorList();
  const drawing = new Drawing(OPS);
  for (const [index, operation] of fnArray.entries()) drawing.draw(operation, argsArray[index]);
  return drawing;
}

type Operations = Awaited<ReturnType<typeof getResolvedPDFJS>>['OPS'];
type Glyphs = readonly ({ unicode?: string } | number | null)[];

class Drawing {
  readonly letters: Letter[] = [];
  readonly fills: Fill[] = [];
  readonly #operations: Operations;
  readonly #paints: readonly number[];
  readonly #saved: State[] = [];
  #state: State = { mode: 0, color: '#000000', isOpaque: true, matrix: [1, 0, 0, 1, 0, 0] };
  #isClip = false;

  constructor(operations: Operations) {
    const { fill, eoFill, fillStroke, eoFillStroke, closeFillStroke, closeEOFillStroke } = operations;
    this.#operations = operations;
    this.#paints = [fill, eoFill, fillStroke, eoFillStroke, closeFillStroke, closeEOFillStroke];
  }

  draw(operation: number, args: readonly unknown[] | null): void {
    const ops = this.#operations;
    const [first, second, third] = args ?? [];
    switch (operation) {
      case ops.save:
        this.#saved.push(this.#state);
        break;
      case ops.paintFormXObjectBegin:
        this.#saved.push(this.#state);
        if (first) this.#transform(first as Matrix);
        break;
      case ops.restore:
      case ops.paintFormXObjectEnd:
        this.#state = this.#saved.pop() ?? this.#state;
        break;
      case ops.transform:
        this.#transform(args as Matrix);
        break;
      case ops.setTextRenderingMode:
        this.#state = { ...this.#state, mode: first as number };
        break;
      case ops.setFillRGBColor:
        this.#state = { ...this.#state, color: first as string };
        break;
      case ops.setFillColorN:
        this.#state = { ...this.#state, color: undefined };
        break;
      case ops.setGState:
        this.#setOpacity(new Map(first as [string, unknown][]));
        break;
      case ops.clip:
      case ops.eoClip:
        this.#isClip = true;
        break;
      case ops.constructPath:
        this.#addPath(first as number, second as [Float32Array], third as Box | null);
        break;
      case ops.paintImageXObject:
      case ops.paintInlineImageXObject:
        this.#addImage();
        break;
      case ops.showText:
        this.#addText(first as Glyphs);
    }
  }

  #transform(matrix: Matrix): void {
    this.#state = { ...this.#state, matrix: multiply(this.#state.matrix, matrix) };
  }

  #setOpacity(values: ReadonlyMap<string, unknown>): void {
    if (!values.has('BM') && !values.has('ca') && !values.has('SMask')) return;
    const isBlended = !/^(?:normal|compatible|source-over)$/i.test(String(values.get('BM') ?? 'normal'));
    const isThin = Number(values.get('ca') ?? 1) < 1 || Boolean(values.get('SMask'));
    this.#state = { ...this.#state, isOpaque: !isBlended && !isThin };
  }

  #addPath(paint: number, [path]: [Float32Array], edges: Box | null): void {
    if (!edges) return;
    const { matrix, clip, color, isOpaque } = this.#state;
    const box = intersect(transformBox(matrix, edges), clip);
    if (this.#isClip) this.#state = { ...this.#state, clip: box };
    this.#isClip = false;
    if (this.#paints.includes(paint))
      this.fills.push({ box, color, isOpaque: isOpaque && isRectangle(path), at: this.letters.length });
  }

  /** An image fills the unit square. Its colors are unknown, so text on it is taken for visible. */
  #addImage(): void {
    const { matrix, clip } = this.#state;
    const box = intersect(transformBox(matrix, [0, 0, 1, 1]), clip);
    this.fills.push({ box, isOpaque: false, at: this.letters.length });
  }

  #addText(glyphs: Glyphs): void {
    const { mode, color } = this.#state;
    for (const glyph of glyphs) {
      const text = typeof glyph === 'object' ? (glyph?.unicode ?? '') : '';
      if (text.trim() === '') continue;
      const isVisible = !INVISIBLE_MODES.includes(mode);
      this.letters.push({
        text,
        isVisible,
        at: this.letters.length,
        color: mode % 4 === 1 ? undefined : color,
      });
    }
  }
}

/** A path of four lines; the numbers are operations with their points. */
const isRectangle = (path: Float32Array | undefined) =>
  path !== undefined && path.length >= 12 && path.length <= 16;
