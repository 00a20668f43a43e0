import { type CsvError, parse } from 'csv-parse/sync';
import { toSlug } from '../../knowledge/article-content.ts';
import type { Refusal } from '../document.ts';
import { type Content, type OpenedFile, RefusedFile } from './reader.ts';
import { decodeText } from './text.ts';
import type { ReadDocument } from './translations.ts';

const COLUMNS = ['title', 'answer', 'slug', 'locale', 'aliases', 'url', 'collection', 'tags'] as const;
type Row = { readonly [K in (typeof COLUMNS)[number]]?: string };

const COLUMNS_MAX = 100;
const DELIMITERS = [',', ';', '\t'];

/**
 * Reads a table with a heading: title, answer, and any of the other COLUMNS; ignores unknown columns.
 * Rows with the same slug are one article in several languages.
 */
export function readCsv({ place, bytes, parsedPath, sourceLocale }: OpenedFile): Content {
  const text = decodeText(bytes);
  const [heading, ...records] = parseRecords(text);
  const columns = findColumns(heading ?? []);
  const documents: ReadDocument[] = [];
  const refusals: Refusal[] = [];
  const taken = new Set<string>();
  records.forEach((record, at) => {
    const row = toRow(record, columns);
    const locale = row.locale ?? parsedPath.locale ?? sourceLocale;
    const article = `${place}#${row.slug ?? toSlug(row.title ?? '')}`;
    const documentPlace = locale === sourceLocale ? article : `${article}.${locale}`;
    if (taken.has(documentPlace)) {
      refusals.push({ place: `${place}#line-${at + 2}`, reason: 'duplicate', detail: documentPlace });
      return;
    }
    taken.add(documentPlace);
    documents.push({
      ...toDocument(row, locale),
      place: documentPlace,
      ...(row.slug === undefined ? {} : { article }),
    });
  });
  return { documents, refusals };
}

function parseRecords(text: string): string[][] {
  const firstLine = /^[^\r\n]*/.exec(text)![0];
  const count = (delimiter: string) => firstLine.split(delimiter).length;
  const delimiter = DELIMITERS.reduce((best, each) => (count(each) > count(best) ? each : best));
  if (count(delimiter) > COLUMNS_MAX) throw new RefusedFile('too_large', `over ${COLUMNS_MAX} columns`);
  try {
    return parse(text, { delimiter, bom: true, relaxColumnCount: true, skipEmptyLines: true, trim: true });
  } catch (error) {
    const { message } = error as CsvError;
    throw new RefusedFile('unreadable', message.slice(0, 200));
  }
}

function findColumns(heading: readonly string[]): ReadonlyMap<string, number> {
  const columns = new Map(heading.map((name, at) => [name.trim().toLowerCase(), at]));
  for (const name of ['title', 'answer']) {
    if (!columns.has(name))
      throw new RefusedFile('unreadable', `expected a first line with a column ${name}`);
  }
  return columns;
}

function toRow(record: readonly string[], columns: ReadonlyMap<string, number>): Row {
  const cells = COLUMNS.map((name) => [name, record[columns.get(name) ?? -1]?.trim()]);
  return Object.fromEntries(cells.filter(([, text]) => text));
}

function toDocument({ title = '', answer = '', aliases, tags, slug, url, collection }: Row, locale: string) {
  return {
    ...{ title, answer, locale },
    aliases: split(aliases, /[|;\n]/),
    ...(slug === undefined ? {} : { slug }),
    ...(url === undefined ? {} : { url }),
    ...(collection === undefined ? {} : { collection }),
    ...(tags === undefined ? {} : { tags: split(tags, /[|;,\n]/) }),
  };
}

function split(text = '', separator: RegExp): string[] {
  const parts = text.split(separator).map((part) => part.trim());
  return parts.filter((part) => part !== '');
}
