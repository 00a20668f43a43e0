import { parse } from 'csv-parse/sync';
import { z } from 'zod';
import type { exportedConversation, exportedTranscript } from '../../contract/export.ts';
import type { ExportedEvent } from '../../contract/export-events.ts';
import { BUCKETS } from '../../contract/limits/rate-limits.ts';
import { createKey } from '../../server/accounts/api-keys.ts';
import type { ApiKey, ApiKeyScope } from '../../server/storage/api-keys.ts';
import type { Harness } from './harness.ts';
import { readResponse, type TestResponse } from './response.ts';
import type { Team } from './team.ts';

/** Characters that some programs treat as the end of a row, even outside of quotes. */
const LINE_BREAKS = ['\r\n', '\n', '\r', '\v', '\f', '\u0085', '\u2028', '\u2029'];

/** Parses CSV rows with the types of the schema and without empty cells. */
export function rowsOfCsv<T extends z.ZodObject>(text: string, schema: T): z.infer<T>[] {
  const table = parse(text, { record_delimiter: LINE_BREAKS }) as string[][];
  const [header = [], ...lines] = table;
  return lines.map((cells) => {
    const named = header.map((column, at) => [column, cells[at] ?? ''] as const);
    const filled = named.filter(([, cell]) => cell !== '');
    return schema.parse(
      Object.fromEntries(filled.map(([column, cell]) => [column, cellValue(cell, schema.shape[column])])),
    );
  });
}

function cellValue(cell: string, field: unknown): unknown {
  if (field instanceof z.ZodOptional) return cellValue(cell, field.unwrap());
  if (field instanceof z.ZodArray) return JSON.parse(cell);
  if (field instanceof z.ZodNumber) return Number(cell);
  return field instanceof z.ZodBoolean ? cell === 'true' : cell;
}

const SCOPES: readonly ApiKeyScope[] = ['analytics:read', 'events:read', 'knowledge:read'];

/** Creates an API key and returns its text and its stored row. */
export function makeKey(
  { service, clock, workspace }: Harness,
  scopes: readonly ApiKeyScope[] = SCOPES,
  workspaceId = workspace.id,
): Promise<{ key: ApiKey; text: string }> {
  const wanted = { workspaceId, name: 'Nightly report', scopes, createdBy: 'operator' };
  return createKey({ store: service.store, clock }, wanted);
}

/** A client that reads exports with an API key. */

export type PageOf<Row> = {
  data: Row[];
  next_cursor: string | null;
  has_more: boolean;
};
export type Events = PageOf<ExportedEvent>;
export type Conversations = PageOf<z.infer<typeof exportedConversation>>;
export type Transcripts = PageOf<z.infer<typeof exportedTranscript>>;

export type ExportClient = {
  /** Paths are relative to /api/export. */
  get<Json = unknown>(path: string): Promise<TestResponse<Json>>;
  /** Returns the rows of all pages. */
  all<Row>(path: string): Promise<Row[]>;
};

export async function createExportClient({ harness }: Team, workspaceId?: string): Promise<ExportClient> {
  const newKey = () => makeKey(harness, undefined, workspaceId);
  let key = newKey();
  let sent = 0;
  const get = async <Json>(path: string) => {
    // Switches to a new key before the old one reaches its rate limit.
    if (++sent % BUCKETS['export/key-burst'].points === 0) key = newKey();
    const headers = { 'x-api-key': (await key).text };
    return readResponse<Json>(fetch(`${harness.baseUrl}/api/export${path}`, { headers }));
  };
  return {
    get,
    async all<Row>(path: string) {
      const rows: Row[] = [];
      for (let cursor: string | null = null; ; ) {
        const went: string =
          cursor === null ? path : `${path}${path.includes('?') ? '&' : '?'}cursor=${cursor}`;
        const { status, json, text } = await get<PageOf<Row>>(went);
        if (status !== 200) throw new Error(`${went}: ${text}`);
        rows.push(...json.data);
        if (!json.has_more) return rows;
        cursor = json.next_cursor;
      }
    },
  };
}

export const formatCsvRows = (text: string): unknown[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
