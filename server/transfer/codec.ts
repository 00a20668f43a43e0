import { getTableColumns } from 'drizzle-orm';
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import type { z } from 'zod';
import * as articleLines from '../../contract/archive-articles.ts';
import * as conversationLines from '../../contract/archive-conversations.ts';
import { ARCHIVE_FORMAT } from '../../contract/archive-fields.ts';
import { type ArchiveLine, type ArchiveLineOf, archiveLine } from '../../contract/archive-line.ts';
import * as sourceLines from '../../contract/archive-sources.ts';
import * as workspaceLines from '../../contract/archive-workspace.ts';
import { toIsoString } from '../base/clock.ts';
import { packTexts, unpackTexts } from '../base/packed-texts.ts';
import { toFieldProblems } from '../knowledge/import/article-input.ts';
import { openFile, readLines } from '../knowledge/import/json-lines.ts';
import * as tables from '../storage/schema/index.ts';
import type { WorkspaceSettings } from '../storage/workspace-settings.ts';
import type { Workspace } from '../storage/workspaces.ts';

/**
 * Converts rows to archive lines and back. A codec derives from the columns of a table (storage/schema/) and the
 * schema of a line (contract/archive-*.ts). A field maps to the column of the same name.
 */

type Values = Record<string, unknown>;
type Columns = Readonly<Record<string, SQLiteColumn>>;
type LineSchema = z.ZodObject;

/**
 * A field of a line: a column, or an object of columns that is absent while its first column is null.
 */
type Field =
  | {
      name: string;
      column: string;
      kind: 'plain' | 'time' | 'json' | 'flag' | 'bytes' | 'packed';
    }
  | { name: string; fields: readonly Field[]; presence: string };

type Codec<Line, Row> = {
  toLine(row: Row): Line;
  /** Returns a row without the columns that the line omits. */
  toRow(line: Line): Row;
};

type Rule<Joined> = {
  /** Columns that are not exported or that the import sets; always includes `workspaceId`. */
  omit?: readonly string[];
  /** Fields whose names differ from their columns. */
  rename?: Readonly<Record<string, string>>;
  /** Text columns of other tables. */
  joined?: Joined;
};

/** @throws when a field has no column, or a column is neither in the line nor omitted. */
function createCodec<
  T extends SQLiteTable,
  S extends LineSchema,
  Joined extends Columns = Record<never, never>,
>(
  table: T,
  schema: S,
  { omit = [], rename = {}, joined }: Rule<Joined> = {},
): Codec<z.infer<S>, T['$inferSelect'] & { readonly [C in keyof Joined]: string }> {
  const columns: Columns = { ...getTableColumns(table), ...joined };
  const { type, ...shape } = schema.shape as Readonly<Record<string, z.ZodType>>;
  const [line] = (type as z.ZodLiteral).values;
  const used = new Set(['workspaceId', ...omit]);
  const fields = toFields(shape, columns, used, rename);
  const unmapped = Object.keys(columns).filter((column) => !used.has(column));
  if (unmapped.length > 0) throw new Error(`${line}: neither exported nor omitted: ${unmapped.join(', ')}`);
  return {
    toLine: (row) => encode(fields, row as Values, { type: line }) as z.infer<S>,
    toRow: (line) => decode(fields, line as Values, {}) as never,
  };
}

function toFields(
  shape: Readonly<Record<string, z.ZodType>>,
  columns: Columns,
  used: Set<string>,
  rename: Readonly<Record<string, string>>,
  prefix = '',
): Field[] {
  return Object.entries(shape).map(([name, optional]): Field => {
    const isOptional = optional.type === 'optional';
    const schema = isOptional ? (optional as z.ZodOptional<z.ZodType>).unwrap() : optional;
    const prefixed = `${prefix}${name[0]!.toUpperCase()}${name.slice(1)}`;
    const names = [rename[name], prefix === '' ? undefined : prefixed, name, `${name}Millis`];
    const column = names.find((candidate) => candidate !== undefined && candidate in columns);
    if (column !== undefined) {
      used.add(column);
      return { name, column, kind: toKind(schema, isOptional, columns[column]!) };
    }
    if (schema.type !== 'object') throw new Error(`no column for the field ${name}`);
    const fields = toFields((schema as LineSchema).shape, columns, used, rename, name);
    return { name, fields, presence: (fields[0] as { column: string }).column };
  });
}

function toKind(schema: z.ZodType, isOptional: boolean, column: SQLiteColumn) {
  if (column.dataType === 'number' && schema.type === 'string') return 'time';
  if (column.dataType === 'string' && (schema.type === 'array' || schema.type === 'object')) return 'json';
  if (column.dataType === 'buffer') return schema.type === 'array' ? 'packed' : 'bytes';
  // Optional booleans are written only when true.
  return column.dataType === 'boolean' && isOptional ? 'flag' : 'plain';
}

function encode(fields: readonly Field[], row: Values, line: Values): Values {
  for (const field of fields) {
    if ('fields' in field) {
      if (row[field.presence] !== null) line[field.name] = encode(field.fields, row, {});
      continue;
    }
    const value = row[field.column];
    if (value === null || (field.kind === 'flag' && value === false)) continue;
    if (field.kind === 'time') line[field.name] = toIsoString(value as number);
    else if (field.kind === 'bytes') line[field.name] = Buffer.from(value as Uint8Array).toString('base64');
    else if (field.kind === 'packed') line[field.name] = unpackTexts(value as Uint8Array);
    else line[field.name] = field.kind === 'json' ? JSON.parse(value as string) : value;
  }
  return line;
}

function decode(fields: readonly Field[], line: Values | undefined, row: Values): Values {
  for (const field of fields) {
    const value = line?.[field.name];
    if ('fields' in field) decode(field.fields, value as Values | undefined, row);
    else if (value === undefined) row[field.column] = field.kind === 'flag' ? false : null;
    else if (field.kind === 'time') row[field.column] = Date.parse(value as string);
    else if (field.kind === 'bytes') row[field.column] = Buffer.from(value as string, 'base64');
    else if (field.kind === 'packed') row[field.column] = packTexts(value as string[]);
    else row[field.column] = field.kind === 'json' ? JSON.stringify(value) : value;
  }
  return row;
}

/** The codecs of all row lines, in the order of an archive. */
export const CODECS = {
  member: createCodec(tables.members, workspaceLines.member, {
    omit: ['userId'],
    joined: { email: tables.users.email },
  }),
  consent_policy: createCodec(tables.consentPolicies, workspaceLines.consentPolicy),
  consent_subject: createCodec(tables.consentSubjects, workspaceLines.consentSubject),
  consent_record: createCodec(tables.consentRecords, workspaceLines.consentRecord),
  consent_decision: createCodec(tables.consentCurrent, workspaceLines.consentDecision),
  image: createCodec(tables.images, articleLines.image, { omit: ['contentBytes', 'contentHash'] }),
  collection: createCodec(tables.collections, articleLines.collection),
  source: createCodec(tables.sources, sourceLines.source, {
    omit: ['sealedToken'],
    rename: { kind: 'type' },
  }),
  source_document: createCodec(tables.sourceDocuments, sourceLines.sourceDocument),
  source_run: createCodec(tables.sourceRuns, sourceLines.sourceRun),
  source_run_item: createCodec(tables.sourceRunItems, sourceLines.sourceRunItem),
  article: createCodec(tables.articles, articleLines.article, { omit: ['titleKey', 'searchText'] }),
  article_address: createCodec(tables.articleAddresses, articleLines.articleAddress),
  article_revision: createCodec(tables.articleRevisions, articleLines.articleRevision),
  translation: createCodec(tables.translations, articleLines.translation),
  translation_revision: createCodec(tables.translationRevisions, articleLines.translationRevision),
  answer_test: createCodec(tables.answerTests, articleLines.answerTest, {
    omit: ['waiting', 'ranAt', 'outcome', 'passages'],
  }),
  conversation: createCodec(tables.conversations, conversationLines.conversation, {
    omit: ['deleteAfterMillis'],
  }),
  turn: createCodec(tables.turns, conversationLines.turn, { omit: ['visitorId', 'attempt'] }),
  feedback: createCodec(tables.feedback, conversationLines.feedback, { omit: ['visitorId'] }),
  conversation_note: createCodec(tables.conversationNotes, conversationLines.note),
  inbox_group: createCodec(tables.inboxGroups, conversationLines.inboxGroup, { omit: ['asked'] }),
  inbox_question: createCodec(tables.inboxQuestions, conversationLines.inboxQuestion, {
    omit: ['signature'],
  }),
  handover: createCodec(tables.handovers, conversationLines.handover, {
    omit: ['idempotencyKey', 'payloadHash'],
  }),
  handover_reply: createCodec(tables.handoverReplies, conversationLines.handoverReply),
  handover_note: createCodec(tables.handoverNotes, conversationLines.handoverNote),
  event: createCodec(tables.events, conversationLines.event, {
    rename: { kind: 'type' },
    omit: ['happenedMillis'],
  }),
  audit: createCodec(tables.audit, workspaceLines.audit, { omit: ['sequence'] }),
};

/**
 * Returns the first line of an archive. Settings are stored as one document, so their fields come from the line's
 * schema alone.
 */
export function toWorkspaceLine({ settings, ...row }: Workspace): ArchiveLineOf<'workspace'> {
  const [createdAt, updatedAt] = [toIsoString(row.createdAt), toIsoString(row.updatedAt)];
  const line = {
    ...settings,
    ...row,
    createdAt,
    updatedAt,
    type: 'workspace',
    format: ARCHIVE_FORMAT,
  };
  return pick(workspaceLines.workspace, line) as ArchiveLineOf<'workspace'>;
}

export function toWorkspace(line: ArchiveLineOf<'workspace'>): Workspace {
  const {
    type: _,
    format: _format,
    id,
    appId,
    name,
    enabled,
    version,
    createdAt,
    updatedAt,
    ...settings
  } = line;
  return {
    ...{ id, appId, name, enabled, version },
    settings: settings as WorkspaceSettings,
    createdAt: Date.parse(createdAt),
    updatedAt: Date.parse(updatedAt),
  };
}

/** Returns the fields that a schema has, in the order of the schema. */
function pick(schema: z.ZodType, value: unknown): unknown {
  if (schema.type === 'optional') return pick((schema as z.ZodOptional<z.ZodType>).unwrap(), value);
  if (schema.type !== 'object') return value;
  const { shape } = schema as LineSchema;
  const fields = Object.entries(shape).filter(([name]) => (value as Values)[name] !== undefined);
  return Object.fromEntries(
    fields.map(([name, field]) => [name, pick(field as z.ZodType, (value as Values)[name])]),
  );
}

/**
 * The archive is invalid or conflicts with existing data. Nothing of it is imported; the message
 * states the reason.
 */
export class InvalidArchive extends Error {
  override readonly name = 'InvalidArchive';
}

export function expected(expectation: string, line: number, field?: string): InvalidArchive {
  const where = field === undefined ? `line ${line}` : `line ${line}, field ${field}`;
  return new InvalidArchive(`${where}: expected ${expectation}`);
}

/** Bytes of a line: more than a turn with a long answer needs, even with \u escapes. */
const LINE_BYTES_MAX = 64 * 1024 * 1024;

export type ReadLine = { line: ArchiveLine; number: number; bytesRead: number };

/** Yields the lines of an archive, each validated on its own. Holds one line at a time. */
export async function* readArchive(file: string): AsyncGenerator<ReadLine> {
  try {
    for await (const { number, bytes, bytesRead } of readLines(openFile(file), LINE_BYTES_MAX)) {
      if (bytes === 'too_long') throw expected(`at most ${LINE_BYTES_MAX} bytes`, number);
      yield { line: validateLine(parseLine(bytes, number), number), number, bytesRead };
    }
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (syscall === undefined) throw error;
    throw new InvalidArchive(`${file} cannot be read: ${code}`);
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function parseLine(bytes: Buffer, number: number): unknown {
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch {
    throw expected('a JSON object in UTF-8', number);
  }
}

function validateLine(value: unknown, number: number): ArchiveLine {
  rejectNewer(value);
  const result = archiveLine.safeParse(value);
  if (result.success) return result.data;
  const [problem] = toFieldProblems(result.error);
  throw expected(problem?.expected ?? 'a line of an archive', number, problem?.field);
}

/** Rejects newer formats. Runs before other checks, because a newer format may have changed everything else. */
function rejectNewer(value: unknown): void {
  const { type, format } = (value ?? {}) as { type?: unknown; format?: unknown };
  if (type !== 'workspace' || typeof format !== 'number' || format <= ARCHIVE_FORMAT) return;
  throw new InvalidArchive(
    `This archive has the format ${format}, and this version of the service reads formats up to ${ARCHIVE_FORMAT}: ` +
      'import it with the version that wrote it, or a newer one.',
  );
}
