import type { z } from 'zod';
import type { exportedConversation, exportedTranscript } from '../../contract/export.ts';
import type { ExportedEvent } from '../../contract/export-events.ts';
import { BUCKETS } from '../../contract/limits.ts';
import type { Office } from '../accounts/office.ts';
import { type Answer, answerOf } from '../fixtures/answer.ts';
import { makeKey } from './keys.ts';

/** Reads exports with an API key. */

export type PageOf<Row> = {
  readonly data: Row[];
  readonly next_cursor: string | null;
  readonly has_more: boolean;
};
export type Events = PageOf<ExportedEvent>;
export type Conversations = PageOf<z.infer<typeof exportedConversation>>;
export type Transcripts = PageOf<z.infer<typeof exportedTranscript>>;

export type ExportClient = {
  /** Paths are relative to /api/export. */
  get<Json = unknown>(path: string): Promise<Answer<Json>>;
  /** Returns the rows of all pages. */
  all<Row>(path: string): Promise<Row[]>;
};

export async function createExportClient({ harness }: Office, workspaceId?: string): Promise<ExportClient> {
  const newKey = () => makeKey(harness, undefined, workspaceId);
  let key = newKey();
  let sent = 0;
  const get = async <Json>(path: string) => {
    // Switches to a new key before the old one reaches its rate limit.
    if (++sent % BUCKETS['export/key-burst'].points === 0) key = newKey();
    const headers = { 'x-api-key': (await key).text };
    return answerOf<Json>(fetch(`${harness.baseUrl}/api/export${path}`, { headers }));
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
