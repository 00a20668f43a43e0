import type { Fields } from '../../knowledge/import/front-matter.ts';

/** What is particular to Markdown that Notion exports: ids in names and links, and properties as text below the title. */

/** Notion ends the names of pages, folders and tables with their ids. */
const ID = / [0-9a-f]{32}(?=\/|_all\.csv$|\.[a-z]+$)/g;

export const isNotionPath = (path: string): boolean => path.search(ID) >= 0;

/** Returns the paths without ids, but where two would become the same. */
export function removeIds(paths: readonly string[]): ReadonlyMap<string, string> {
  const byName = Map.groupBy(paths, (path) => path.replace(ID, '').toLowerCase());
  return new Map(
    [...byName.values()].flatMap((same) =>
      same.map((path) => [path, same.length === 1 ? path.replace(ID, '') : path]),
    ),
  );
}

/** Returns tables with the rows of one view, each with the table of all rows beside it. */
export function findPartialTables(paths: readonly string[]): ReadonlyMap<string, string> {
  const known = new Set(paths);
  const toWhole = (path: string) => path.replace(/\.csv$/, '_all.csv');
  const partial = paths.filter(
    (path) => isNotionPath(path) && path.endsWith('.csv') && known.has(toWhole(path)),
  );
  return new Map(partial.map((path) => [path, toWhole(path)]));
}

const HEADING = /^\s*# [^\n]*\n+/;
const PROPERTY = /^(\p{L}[^:\n]{0,80}): ?(.*)$/u;
/** Properties that Notion gives by default. Other lines with a colon may be text, such as opening hours. */
const USUAL =
  /^(?:status|statut|estado|stato|created(?: time| by)?|last edited(?: time| by)?|edited|tags?|owner|author|verification|date|type|category|priority|assign(?:ee)?|due|url|publish\w*|erstellt(?: von)?|zuletzt bearbeitet(?: von)?|créée?|creada|criado)$/i;

/** Splits off the properties below the title. */
export function splitProperties(text: string): { fields: Fields; body: string } {
  const heading = HEADING.exec(text)?.[0] ?? '';
  const [block = ''] = text.slice(heading.length).split(/\n\s*\n/, 1);
  const lines = block.split('\n').map((line) => PROPERTY.exec(line.trim()));
  const fields = Object.fromEntries(lines.flatMap((line) => (line ? [[line[1]!, line[2]!]] : [])));
  const areProperties = lines.every(Boolean) && Object.keys(fields).some((name) => USUAL.test(name));
  if (heading === '' || !areProperties) return { fields: {}, body: text };
  return { fields, body: heading + text.slice(heading.length + block.length).trimStart() };
}

const LINK = /(?<!!)\[((?:[^[\]\n]|\\.)*)\]\(((?!\w+:|#|\/)[^()\s]+)\)/g;

/** Links lead to the files of the export where visitors can open them; elsewhere, their words stay. */
export const resolveLinks = (text: string, address: string | undefined): string =>
  text.replace(LINK, (_, words: string, target: string) => {
    const url = address === undefined ? undefined : URL.parse(target, address)?.href;
    return url === undefined ? words : `[${words}](${url})`;
  });
