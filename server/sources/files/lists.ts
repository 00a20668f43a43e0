import { type CsvError, parse } from 'csv-parse/sync';
import { toSlug } from '../../base/slug.ts';
import { LINE_BYTES_MAX, parseLine, readLines } from '../../knowledge/import/json-lines.ts';
import { findDraftMark } from '../../knowledge/import/publication.ts';
import type { Skipped } from '../document.ts';
import { readLocale } from '../html-head.ts';
import { fitSlug } from './fields.ts';
import { toPlainMarkdown } from './markdown.ts';
import { type Content, decodeFile, type OpenedFile, type ReadDocument, SkippedFile } from './reader.ts';

/** Readers of lists of articles: tables and JSON lines. */

const COLUMNS = ['title', 'answer', 'slug', 'locale', 'aliases', 'url', 'collection', 'tags'] as const;
type Column = (typeof COLUMNS)[number];
type Row = { readonly [K in Column]?: string };

/** Headings of other help desks for the same columns, the likelier ones first. */
const NAMES: Readonly<Record<Column, string>> = {
  title: 'title question name subject headline titel frage titre pregunta domanda pergunta vraag',
  answer:
    'answer body content text html solution reply response description antwort réponse respuesta risposta resposta antwoord',
  slug: 'slug',
  locale: 'locale language lang languagecode',
  aliases: 'aliases',
  url: 'url publicurl link',
  collection: 'collection category section folder',
  tags: 'tags labels keywords',
};

const COLUMNS_MAX = 100;
const DELIMITERS = [',', ';', '\t', '|'];

/**
 * Reads a table with a heading: title, answer, and any of the other COLUMNS. Other columns only say which rows are not
 * public. Rows with the same slug are one article in several languages.
 */
export function readCsv(opened: OpenedFile): Content {
  const { place: file, parsedPath, sourceLocale, nowMillis } = opened;
  const { text, remark } = decodeFile(opened);
  const [heading, ...records] = parseRecords(text);
  const columns = findColumns(heading ?? []);
  const documents = new Map<string, ReadDocument>();
  const skipped: Skipped[] = [];
  records.forEach((record, at) => {
    const row = toRow(record, columns);
    const { title = '', slug, url, collection, aliases, tags } = row;
    const answer = BLOCK_ELEMENT.test(row.answer ?? '') ? toPlainMarkdown(row.answer!) : (row.answer ?? '');
    const locale = readLocale(row.locale) ?? row.locale ?? parsedPath.locale ?? sourceLocale;
    const article = `${file}#${slug ?? toSlug(title)}`;
    const place = locale === sourceLocale ? article : `${article}.${locale}`;
    const draft = findDraftMark(toMarks(record, heading ?? []), nowMillis);
    if (draft) {
      skipped.push({
        place: documents.has(place) ? `${file}#line-${at + 2}` : place,
        reason: 'draft',
        detail: draft,
      });
      return;
    }
    if (documents.has(place)) {
      skipped.push({ place: `${file}#line-${at + 2}`, reason: 'duplicate', detail: place });
      return;
    }
    documents.set(place, {
      ...{ place, title, answer, locale, url, collection },
      slug: slug === undefined ? undefined : fitSlug(slug),
      aliases: split(aliases, /[|;\n]/),
      tags: tags === undefined ? undefined : split(tags, /[|;,\n]/),
      article: slug === undefined ? undefined : article,
    });
  });
  return { documents: [...documents.values()], skipped, remark };
}

/** Cells with HTML of an export. */
const BLOCK_ELEMENT = /<(?:p|div|br|ul|ol|li|h[1-6]|table|strong|b|em|i|a|img|span)(?:\s[^<>]*)?\/?>/i;

const toMarks = (record: readonly string[], heading: readonly string[]) =>
  Object.fromEntries(heading.map((name, at) => [name.trim(), record[at] ?? '']));

/** The line by which Excel is told what stands between the cells. */
const SEPARATOR = /^\s*"?sep=(.)"?[^\S\r\n]*\r?\n/i;

function parseRecords(whole: string): string[][] {
  const stated = SEPARATOR.exec(whole);
  const text = whole.slice(stated?.[0].length ?? 0).replace(/^[\r\n]+/, '');
  const firstLine = /^[^\r\n]*/.exec(text)![0];
  const count = (delimiter: string) => firstLine.split(delimiter).length;
  const likely = DELIMITERS.reduce((best, each) => (count(each) > count(best) ? each : best));
  const delimiter = stated?.[1] ?? likely;
  if (count(delimiter) > COLUMNS_MAX) throw new SkippedFile('too_large', `over ${COLUMNS_MAX} columns`);
  try {
    return parse(text, { delimiter, bom: true, relaxColumnCount: true, skipEmptyLines: true, trim: true });
  } catch (error) {
    const { message } = error as CsvError;
    throw new SkippedFile('unreadable', message.slice(0, 200));
  }
}

function findColumns(heading: readonly string[]): ReadonlyMap<string, number> {
  const places = new Map(heading.map((cell, at) => [toName(cell), at]));
  const columns = new Map<string, number>();
  for (const [column, names] of Object.entries(NAMES)) {
    const name = names.split(' ').find((each) => places.has(each));
    if (name) columns.set(column, places.get(name)!);
  }
  for (const name of ['title', 'answer']) {
    if (!columns.has(name))
      throw new SkippedFile('unreadable', `expected a first line with a column ${name}`);
  }
  return columns;
}

/** `Article Title*` is the column `title`. */
const toName = (cell: string) =>
  cell
    .toLowerCase()
    .replace(/[^\p{L}]+/gu, '')
    .replace(/^(?:article|post)(?=.)/, '');

function toRow(record: readonly string[], columns: ReadonlyMap<string, number>): Row {
  const cells = COLUMNS.map((name) => [name, record[columns.get(name) ?? -1]?.trim()]);
  return Object.fromEntries(cells.filter(([, text]) => text));
}

function split(text = '', separator: RegExp): string[] {
  const parts = text.split(separator).map((part) => part.trim());
  return parts.filter((part) => part !== '');
}

/** Reads lines in the import format: an article with its translations on each line. */
export async function readJsonl({ place: file, bytes, nowMillis }: OpenedFile): Promise<Content> {
  const documents: ReadDocument[] = [];
  const skipped: Skipped[] = [];
  const taken = new Set<string>();
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for await (const line of readLines([buffer], LINE_BYTES_MAX)) {
    const item = parseLine(file, line, nowMillis);
    const linePlace = `${file}#line-${line.number}`;
    if (!item) continue;
    if ('draft' in item) {
      const slug = item.draft.slug;
      skipped.push({ place: slug ? `${file}#${slug}` : linePlace, reason: 'draft', detail: item.draft.mark });
      continue;
    }
    if ('problems' in item) {
      const [problem] = item.problems;
      const detail = `${problem?.field ? `${problem.field}: ` : ''}expected ${problem?.expected}`;
      const reason = line.bytes === 'too_long' ? 'too_large' : 'invalid_article';
      skipped.push({ place: linePlace, reason, detail });
      continue;
    }
    const { translations, ...article } = item.article;
    const place = `${file}#${article.slug}`;
    if (taken.has(place)) {
      skipped.push({ place: linePlace, reason: 'duplicate', detail: place });
      continue;
    }
    taken.add(place);
    documents.push({ ...article, place, article: place });
    for (const { title, answer, aliases, locale } of translations)
      documents.push({ title, answer, aliases, locale, place: `${place}.${locale}`, translationOf: place });
  }
  return { documents, skipped };
}
