import type { getDocumentProxy } from 'unpdf';
import type { Line } from './pdf-lines.ts';
import { type Chapter, isTitle } from './pdf-sections.ts';

export type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>;

/** Deeper or further entries belong to the chapter around them. */
const DEPTH_MAX = 5;
const ENTRIES_MAX = 5000;

type Entry = NonNullable<Awaited<ReturnType<Pdf['getOutline']>>>[number];

/** Returns the outline of a PDF with the line at which each entry begins; empty without an outline. */
export async function findOutline(pdf: Pdf, lines: readonly Line[]): Promise<readonly Chapter[]> {
  const entries = await pdf.getOutline().catch(() => null);
  const starts = new Map<number, number>();
  for (const [at, { page }] of lines.entries()) if (!starts.has(page)) starts.set(page, at);
  let entriesLeft = ENTRIES_MAX;

  async function toChapters(items: readonly Entry[], depth: number): Promise<Chapter[]> {
    const chapters: Chapter[] = [];
    for (const { title, dest, items: inner } of items) {
      entriesLeft -= 1;
      if (entriesLeft < 0) break;
      const target = await resolveTarget(pdf, dest);
      const chapterTitle = title.replace(/\s+/g, ' ').trim();
      if (!target || chapterTitle === '') continue;
      const nested = depth < DEPTH_MAX ? await toChapters(inner, depth + 1) : [];
      chapters.push({
        title: chapterTitle,
        line: findLine(lines, starts, target, chapterTitle),
        chapters: nested,
      });
    }
    return chapters.sort((one, other) => one.line - other.line);
  }
  return entries ? toChapters(entries, 1) : [];
}

/** The page, counted from 1, and the distance from its lower edge. */
type Target = { page: number; top?: number };

async function resolveTarget(pdf: Pdf, dest: Entry['dest']): Promise<Target | undefined> {
  try {
    const [page, kind, , top] = (typeof dest === 'string' ? await pdf.getDestination(dest) : dest) ?? [];
    const index = typeof page === 'number' ? page : await pdf.getPageIndex(page);
    return { page: index + 1, ...(kind?.name === 'XYZ' && typeof top === 'number' ? { top } : {}) };
  } catch {
    return undefined;
  }
}

/** Returns the line that contains the title, else the first line below the target. */
function findLine(
  lines: readonly Line[],
  starts: ReadonlyMap<number, number>,
  { page, top = Number.POSITIVE_INFINITY }: Target,
  title: string,
): number {
  const start = starts.get(page);
  if (start === undefined) {
    const next = lines.findIndex((line) => line.page > page);
    return next < 0 ? lines.length : next;
  }
  const lastOnPage = lines.findLastIndex((line) => line.page <= page);
  const onPage = lines.slice(start, lastOnPage + 1);
  const named = onPage.findIndex((line) => isTitle(line.text, title) && line.y <= top + line.height * 2);
  if (named >= 0) return start + named;
  const below = onPage.findIndex((line) => line.y <= top);
  return start + Math.max(below, 0);
}
