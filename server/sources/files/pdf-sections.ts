import type { getDocumentProxy } from 'unpdf';
import type { Line } from './pdf-lines.ts';
import type { Headings } from './pdf-text.ts';

/** An entry of an outline, or a heading: where a chapter begins. */
export type Chapter = {
  title: string;
  /** Index of its first line. */
  line: number;
  chapters: readonly Chapter[];
};

export type Section = { title: string; lines: readonly Line[] };

/** A longer chapter is split into sections for its own chapters. */
const SECTION_CHARS_MAX = 4000;

/** Splits a document into sections on one topic each. The text before the first chapter gets the document's title. */
export function divide(
  lines: readonly Line[],
  chapters: readonly Chapter[],
  title: string,
): readonly Section[] {
  const sections = splitChapter({ title, line: 0, chapters }, lines.length, lines, []);
  return disambiguateTitles(sections)
    .map((section) => ({ ...section, lines: removeTitle(section) }))
    .filter((section) => section.lines.length > 0);
}

type SectionWithParents = Section & { parents: readonly string[] };

function splitChapter(
  chapter: Chapter,
  end: number,
  lines: readonly Line[],
  parents: readonly string[],
): SectionWithParents[] {
  const { title, line: start } = chapter;
  const all = lines.slice(start, end);
  const inner = chapter.chapters.filter(({ line }) => line >= start && line < end);
  if (inner.length === 0 || countChars(all) <= SECTION_CHARS_MAX) return [{ title, lines: all, parents }];
  return [
    { title, lines: lines.slice(start, inner[0]!.line), parents },
    ...inner.flatMap((each, at) =>
      splitChapter(each, inner[at + 1]?.line ?? end, lines, [...parents, title]),
    ),
  ];
}

const countChars = (lines: readonly Line[]) => lines.reduce((sum, { text }) => sum + text.length, 0);

/** Renames a repeated `Overview` in the chapter Printing to `Printing: Overview`. Never adds the document's title. */
function disambiguateTitles(sections: readonly SectionWithParents[]): readonly Section[] {
  const counts = new Map<string, number>();
  for (const { title } of sections) counts.set(title, (counts.get(title) ?? 0) + 1);
  return sections.map(({ title, lines, parents }) => {
    const isAmbiguous = counts.get(title)! > 1 && parents.length > 1;
    return { title: isAmbiguous ? `${parents.at(-1)}: ${title}` : title, lines };
  });
}

const TITLE_LINES_MAX = 4;

/** Removes the title, which the article already shows. */
function removeTitle({ title, lines }: Section): readonly Line[] {
  const own = title.slice(title.lastIndexOf(': ') + 1);
  for (let count = TITLE_LINES_MAX; count > 0; count -= 1) {
    const start = lines.slice(0, count).map(({ text }) => text);
    if (isTitle(start.join(' '), title) || isTitle(start.join(' '), own)) return lines.slice(count);
  }
  return lines;
}

/** Whether a line is the title, perhaps with its number. */
export function isTitle(line: string, title: string): boolean {
  return toKey(line) === toKey(title) && toKey(title) !== '';
}

const toKey = (text: string) =>
  text
    .replace(/^(?:chapter|appendix|kapitel|anhang|chapitre|annexe)?\s*(?:\d+|[A-Z])(?:\.\d+)*[.:)]?\s+/i, '')
    .replace(/[^\p{L}\p{N}]+/gu, '')
    .toLowerCase();

/** Treats the headings of a document without an outline as its outline. */
export function toChapters(lines: readonly Line[], { getLevel }: Headings): readonly Chapter[] {
  type Open = { title: string; line: number; level: number; chapters: Open[] };
  const root: Open = { title: '', line: 0, level: 0, chapters: [] };
  const path = [root];
  let last: { at: number; level: number } | undefined;
  lines.forEach((line, at) => {
    const level = getLevel(line);
    if (level === undefined) return;
    const isSameHeading = last?.at === at - 1 && last.level === level && lines[at - 1]!.page === line.page;
    last = { at, level };
    if (isSameHeading) {
      path.at(-1)!.title += ` ${line.text}`;
      return;
    }
    while (path.at(-1)!.level >= level) path.pop();
    const opened = { title: line.text, line: at, level, chapters: [] };
    path.at(-1)!.chapters.push(opened);
    path.push(opened);
  });
  return root.chapters;
}

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
      const line = findLine(lines, starts, target, chapterTitle);
      chapters.push({ title: chapterTitle, line, chapters: nested });
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
    return { page: index + 1, top: kind?.name === 'XYZ' && typeof top === 'number' ? top : undefined };
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
