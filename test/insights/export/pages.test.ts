import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { newId } from '../../../server/base/ids.ts';
import type { EventRow } from '../../../server/storage/event-queries.ts';
import {
  type Conversations,
  createExportClient,
  type Events,
  type ExportClient,
  type Transcripts,
} from '../../support/export-client.ts';
import { expectError } from '../../support/response.ts';
import { closeTurn, openTurn } from '../../support/stored-samples.ts';
import { openTeam, type Team } from '../../support/team.ts';

const START = Date.UTC(2026, 9, 1);
const [ADA, BOB] = [newId('vp'), newId('vp')];

let team: Team;
let client: ExportClient;
let rows: EventRow[];
let talks: string[];

beforeAll(async () => {
  team = await openTeam();
  client = await createExportClient(team);
  rows = Array.from({ length: 25 }, (_, at) => ({
    id: newId('evt'),
    // Several rows share a timestamp.
    atMillis: START + Math.floor(at / 4) * 1000,
    ...(at % 5 === 0
      ? { type: 'turn' as const, data: turnData(at === 10 ? 'pt-BR' : 'de') }
      : { type: 'feedback' as const, data: { rating: 'up' } }),
    ...(at % 2 ? { visitorId: at % 3 ? ADA : BOB, conversationId: `talk-${at % 3}` } : {}),
  }));
  const { events, conversations } = team.harness.service.store.in(team.workspace.id);
  await events.append(rows);
  talks = ['a', 'b', 'c', 'd'].map((name) => `${name}-${newId('conv')}`);
  for (const [at, conversationId] of talks.entries()) {
    const turn = openTurn({
      conversationId,
      visitorId: at % 2 ? ADA : BOB,
      requestedLocale: at === 2 ? 'de' : 'en',
      askedAt: START + at * 10_000,
    });
    await conversations.openTurn(turn, []);
    const finishedAt = turn.askedAt + 2000;
    await conversations.closeTurn(
      closeTurn(turn.messageId, { frames: [], finishedAt, requestedLocale: turn.requestedLocale }),
      [],
    );
  }
});
afterAll(() => team.close());

function turnData(locale: string): EventRow['data'] {
  return {
    path: '/pricing',
    turn_idx: 0,
    first: true,
    finish_reason: 'stop',
    answered: true,
    answer_confidence: 0.5,
    requested_locale: locale,
    content_locale: locale,
    citations: 1,
    actions: 0,
    millis: 5,
    first_text_millis: null,
  };
}

const ids = async (query: string) =>
  (await client.all<{ id: string }>(`/events${query}`)).map(({ id }) => id);
const idsWhere = (wanted: (row: EventRow) => boolean) => rows.filter(wanted).map(({ id }) => id);
const at = (millis: number) => encodeURIComponent(new Date(START + millis).toISOString());

describe('GET /api/export/events', () => {
  it.each([1, 3, 24, 25, 26, 1000])(
    'returns every row once in pages of %i and sets has_more',
    async (limit) => {
      const found: string[] = [];
      for (let cursor = ''; ; ) {
        const { json } = await client.get<Events>(`/events?limit=${limit}${cursor}`);
        found.push(...json.data.map(({ id }) => id));
        expect(json.has_more).toBe(found.length < rows.length);
        expect(json.data).toHaveLength(Math.min(limit, rows.length - found.length + json.data.length));
        if (!json.has_more) break;
        cursor = `&cursor=${json.next_cursor}`;
      }
      expect(found).toEqual(rows.map(({ id }) => id));
    },
  );

  it('returns 100 rows by default and at most 1,000', async () => {
    const { json } = await client.get<Events>('/events');
    expect(json.data[0]).toEqual({
      id: rows[0]!.id,
      at: '2026-10-01T00:00:00.000Z',
      type: 'turn',
      data: rows[0]!.data,
    });
    for (const limit of ['0', '1001', '1.5', 'many', '', '0x10', '1e2', '%201', '%2B1', '-1']) {
      expectError(await client.get(`/events?limit=${limit}`), 'request/invalid');
    }
  });

  it('continues from the last cursor when rows are added later', async () => {
    const { events } = team.harness.service.store.in(team.workspace.id);
    const last = (await client.get<Events>('/events')).json;
    expect(last.has_more).toBe(false);
    const emptyPage = await client.get<Events>(`/events?cursor=${last.next_cursor}`);
    expect(emptyPage.json).toEqual({ data: [], next_cursor: null, has_more: false });
    const late: EventRow = {
      id: newId('evt'),
      atMillis: START,
      type: 'rate_limited',
      data: { bucket: 'chat/visitor-burst' },
    };
    await events.append([late]);
    const { json } = await client.get<Events>(`/events?cursor=${last.next_cursor}&limit=7`);
    expect(json).toMatchObject({ data: [{ id: late.id }], has_more: false });
    rows = [...rows, { ...late, atMillis: Date.parse(json.data[0]!.at) }];
  });

  it('filters by a half-open time range in every accepted time format', async () => {
    const within = idsWhere(({ atMillis }) => atMillis >= START + 1000 && atMillis < START + 3000);
    expect(within).toHaveLength(8);
    const timeFormats = [
      [at(1000), at(3000)],
      [`${START / 1000 + 1}`, `${START / 1000 + 3}`],
      ['2026-10-01T02:00:01%2B02:00', '2026-10-01T00:00:03Z'],
    ];
    for (const [from, to] of timeFormats) expect(await ids(`?limit=3&from=${from}&to=${to}`)).toEqual(within);
    expect(await ids('?from=2026-10-01&to=2026-10-02')).toHaveLength(rows.length);
    expect(await ids('?to=2026-10-01')).toEqual([]);
    expect(await ids(`?from=${at(1000)}&to=${at(1000)}`)).toEqual([]);
    for (const wrong of [
      'yesterday',
      '2026-10-01T00:00',
      '2026-13-01',
      '2026-02-30',
      '-5',
      '2026-10-01T25:00Z',
    ]) {
      const { issues } = expectError(await client.get(`/events?from=${wrong}`), 'request/invalid');
      expect(issues).toMatchObject([{ path: 'query.from' }]);
    }
    const turned = expectError(await client.get(`/events?from=${at(1)}&to=${at(0)}`), 'request/invalid');
    expect(turned.issues).toMatchObject([{ path: 'query.from', code: 'empty_range' }]);
  });

  it('filters by type, visitor, conversation and language', async () => {
    expect(await ids('?type=turn&limit=2')).toEqual(idsWhere(({ type }) => type === 'turn'));
    expect(await ids(`?visitor_id=${ADA}&limit=2`)).toEqual(idsWhere(({ visitorId }) => visitorId === ADA));
    expect(await ids('?conversation_id=talk-0&limit=2')).toEqual(
      idsWhere((row) => row.conversationId === 'talk-0'),
    );
    expect(await ids('?locale=pt-br')).toEqual([rows[10]!.id]);
    expect(await ids(`?visitor_id=${BOB}&type=turn&from=${at(1000)}`)).toEqual(
      idsWhere((row) => row.visitorId === BOB && row.type === 'turn' && row.atMillis >= START + 1000),
    );
    for (const wrong of ['type=click', 'visitor_id=me', 'conversation_id=', 'locale=_', 'format=csv']) {
      expectError(await client.get(`/events?${wrong}`), 'request/invalid');
    }
  });
});

describe('an export cursor', () => {
  const PATHS = ['/events', '/conversations', '/transcripts'];

  it.each(PATHS)('is bound to its filters, path and workspace, but not to the limit: %s', async (path) => {
    const first = await client.get<Events>(`${path}?limit=1&from=2026-10-01`);
    const { next_cursor: cursor } = first.json;
    expect(first.json.has_more).toBe(true);
    const continueAfter = (query: string, by = client) => by.get(`${path}?cursor=${cursor}${query}`);
    expect((await continueAfter('&limit=2&from=2026-10-01T00:00:00Z')).status).toBe(200);
    for (const query of [
      '',
      '&from=2026-10-02',
      `&from=2026-10-01&visitor_id=${ADA}`,
      '&from=2026-10-01&to=2027-01-01',
    ]) {
      expectError(await continueAfter(query), 'export/cursor_mismatch');
    }
    const elsewhere = await createExportClient(team, team.elsewhere.id);
    expectError(await continueAfter('&from=2026-10-01', elsewhere), 'export/cursor_mismatch');
    for (const other of PATHS.filter((name) => name !== path)) {
      expectError(await client.get(`${other}?from=2026-10-01&cursor=${cursor}`), 'export/cursor_mismatch');
    }
  });

  it('is rejected when it was made up or changed', async () => {
    const { json } = await client.get<Events>('/events?limit=1');
    const bytes = Buffer.from(json.next_cursor!, 'base64url');
    const changed = Array.from(bytes, (byte, place) => {
      const copy = Buffer.from(bytes);
      copy[place] = byte ^ 1;
      return copy.toString('base64url');
    });
    const madeUp = Buffer.from(`${START} evt_0`).toString('base64url');
    for (const cursor of [...changed.slice(0, 40), 'x', madeUp, json.next_cursor!.slice(0, -8)]) {
      expectError(await client.get(`/events?cursor=${cursor}`), 'export/cursor_mismatch');
    }
  });

  it('survives a restart of the server', async () => {
    const { json } = await client.get<Events>('/events?limit=1');
    const harness = await team.harness.restart();
    team = { ...team, harness };
    client = await createExportClient(team);
    expect((await client.get<Events>(`/events?cursor=${json.next_cursor}`)).json.data).toHaveLength(
      rows.length - 1,
    );
  });
});

describe('GET /api/export/conversations and /api/export/transcripts', () => {
  const began = async (query: string) =>
    (await client.all<Conversations['data'][number]>(`/conversations${query}`)).map(({ id }) =>
      talks.indexOf(id),
    );
  const turnsOf = async (query: string) =>
    (await client.all<Transcripts['data'][number]>(`/transcripts${query}`)).map((row) =>
      talks.indexOf(row.conversation_id),
    );

  it.each([1, 2, 3, 4, 5])('return every row once in pages of %i', async (limit) => {
    expect(await began(`?limit=${limit}`)).toEqual([0, 1, 2, 3]);
    expect(await turnsOf(`?limit=${limit}`)).toEqual([0, 1, 2, 3]);
  });

  it('filter by time, visitor, conversation and language', async () => {
    for (const rowsOf of [began, turnsOf]) {
      expect(await rowsOf(`?visitor_id=${ADA}&limit=1`)).toEqual([1, 3]);
      expect(await rowsOf(`?conversation_id=${talks[1]}`)).toEqual([1]);
      expect(await rowsOf('?locale=DE')).toEqual([2]);
      expect(await rowsOf(`?from=${at(5000)}&to=${at(25_000)}`)).toEqual([1, 2]);
    }
  });
});

describe('an export cursor', () => {
  it('reaches rows that are committed after the clock was set back two hours', async () => {
    const stepped = await openTeam();
    onTestFinished(() => stepped.close());
    const exports = await createExportClient(stepped);
    const { events } = stepped.harness.service.store.in(stepped.workspace.id);
    const HOUR = 3_600_000;
    const boot = (atMillis: number) =>
      ({ id: newId('evt'), atMillis, type: 'feedback', data: { rating: 'up' } }) as const;
    await events.append([boot(START + 2 * HOUR)]);
    const { next_cursor } = (await exports.get<Events>('/events')).json;
    const late = Array.from({ length: 20 }, (_, minute) => boot(START + minute * 60_000));
    for (const row of late) await events.append([row]);
    const after = (await exports.get<Events>(`/events?cursor=${next_cursor}&limit=7`)).json;
    const rest = (await exports.get<Events>(`/events?cursor=${after.next_cursor}`)).json;
    const listed = [...after.data, ...rest.data].map(({ id, at: time }) => ({ id, time }));
    expect(listed).toEqual(late.map(({ id, atMillis }) => ({ id, time: new Date(atMillis).toISOString() })));
    const found = await exports.all<{ id: string }>(`/events?from=${at(300_000)}&to=${at(600_000)}`);
    expect(found.map(({ id }) => id)).toEqual(late.slice(5, 10).map(({ id }) => id));
  });
});
