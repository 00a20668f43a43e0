import { getResolvedPDFJS } from 'unpdf';
import type { TextRun } from './pdf-lines.ts';
import type { Pdf } from './pdf-sections.ts';

/** Finds text that a PDF page contains but does not show. */

type Page = Awaited<ReturnType<Pdf['getPage']>>;
type Letter = { text: string; isVisible: boolean };

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
  const letters = await readLetters(page);
  if (letters.every(({ isVisible }) => isVisible)) return shown;
  if (!letters.some(({ isVisible, text }) => isVisible && text.trim() !== '')) return shown;
  let at = 0;
  return shown.filter(({ str }) => {
    const texts = [...str].filter((letter) => letter.trim() !== '');
    let visible = texts.length === 0;
    for (const text of texts) {
      const ahead = letters.slice(at, at + LOOK_AHEAD).findIndex((letter) => letter.text.includes(text));
      if (ahead < 0) {
        visible = true;
        continue;
      }
      at += ahead + 1;
      visible ||= letters[at - 1]!.isVisible;
    }
    return visible;
  });
}

/** Reads the letters of a page in the order in which they are drawn. */
async function readLetters(page: Page): Promise<readonly Letter[]> {
  const { OPS } = await getResolvedPDFJS();
  const { fnArray, argsArray } = await page.getOperatorList();
  const letters: Letter[] = [];
  const saved: number[] = [];
  let mode = 0;
  fnArray.forEach((operation, index) => {
    if (operation === OPS.save) saved.push(mode);
    else if (operation === OPS.restore) mode = saved.pop() ?? 0;
    else if (operation === OPS.setTextRenderingMode) mode = argsArray[index][0];
    else if (operation === OPS.showText) {
      for (const glyph of argsArray[index][0] as readonly ({ unicode?: string } | number | null)[]) {
        const text = typeof glyph === 'object' ? (glyph?.unicode ?? '') : '';
        if (text.trim() !== '') letters.push({ text, isVisible: !INVISIBLE_MODES.includes(mode) });
      }
    }
  });
  return letters;
}
