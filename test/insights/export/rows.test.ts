import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Analytics, analyticsReport } from '../../../contract/analytics.ts';
import { exportedConversation, exportedTranscript } from '../../../contract/export.ts';
import {
  EVENT_TYPES,
  type ExportedEvent,
  eventColumns,
  exportedEvent,
} from '../../../contract/export-events.ts';
import { BUCKETS } from '../../../contract/limits/rate-limits.ts';
import { newId } from '../../../server/base/ids.ts';
import type { EventRow } from '../../../server/storage/event-queries.ts';
import { GERMANY } from '../../support/decisions.ts';
import {
  type Conversations,
  createExportClient,
  type ExportClient,
  formatCsvRows,
  rowsOfCsv,
  type Transcripts,
} from '../../support/export-client.ts';
import { question } from '../../support/harness.ts';
import { expectError, readResponse } from '../../support/response.ts';
import { openTeam, type Team } from '../../support/team.ts';
import {
  accept,
  deny,
  KNOWN,
  openShop,
  RESET_TARGET,
  rate,
  sendMessage,
  UNKNOWN,
  visit,
} from '../../support/visitor-actions.ts';
import { addUp, DAY, END, fill } from '../analytics/reference-analytics.ts';

describe('rows of an export', () => {
  let team: Team;
  let client: ExportClient;
  beforeEach(async () => {
    team = await openShop({ settings: { suggestions: [] } });
    client = await createExportClient(team);
  });
  afterEach(() => team.close());

  /** Creates every type of row, for a visitor with consent and for one without. */
  async function useEverything(): Promise<void> {
    const { harness, workspace } = team;
    const german = { 'accept-language': 'de-AT' };
    for (const visitor of [await visit(team), await visit(team, GERMANY)]) {
      const conversationId = `talk-${visitor.visitor_id}`;
      const targets = { capture_context: { targets: [RESET_TARGET] } };
      const { messageId, events } = await sendMessage(team, visitor, conversationId, KNOWN, targets, german);
      const action = events.find(({ type }) => type === 'action') as { action_id: string };
      const action_results = [{ action_id: action.action_id, outcome: 'done' }];
      await sendMessage(team, visitor, conversationId, UNKNOWN, { turn_idx: 1, action_results }, german);
      await sendMessage(team, visitor, conversationId, KNOWN, { turn_idx: 2 }, { 'accept-language': 'fr' });
      await rate(team, visitor, {
        message_id: messageId,
        rating: 'down',
        comment: 'No, "all" wrong\nreally',
        reasons: ['incorrect', 'outdated'],
      });
      if (visitor.region.country_code !== 'DE') await accept(team, visitor);
      const headers = { authorization: `Bearer ${visitor.jwt}` };
      await harness.fetch('/articles/search?q=order', { headers });
      for (let sent = 0; sent <= BUCKETS['chat/visitor-burst'].points; sent += 1) {
        await readResponse(harness.fetch('/chat', { json: question({ turn_idx: -1 }), headers }));
      }
    }
    // Only then does a visitor no longer type.
    harness.clock.advance(10_000);
    await harness.service.tick();
    const used = {
      id: newId('evt'),
      atMillis: harness.clock.now(),
      type: 'voice' as const,
      data: { kind: 'speech', provider: 'provider_b', seconds: 4, outcome: 'finished' },
    };
    const rated = {
      ...{ id: newId('evt'), atMillis: harness.clock.now(), type: 'article_feedback' as const },
      data: { article_id: newId('art'), content_locale: 'de', rating: 'up' },
    };
    await harness.service.store.in(workspace.id).events.append([used, rated]);
    // Rate-limit events are written after the response.
    const { events } = harness.service.store.in(workspace.id);
    const listed = async () => (await events.list(1000)).filter(({ type }) => type === 'rate_limited');
    await expect.poll(listed).toHaveLength(2);
  }

  const transcripts = () => client.all<Transcripts['data'][number]>('/transcripts');
  const conversations = () => client.all<Conversations['data'][number]>('/conversations');

  describe('exported rows', () => {
    it('match the contract in JSON pages, NDJSON and CSV', async () => {
      await useEverything();
      const paths = [
        ['/events', exportedEvent, eventColumns, ['data']],
        ['/conversations', exportedConversation, exportedConversation, []],
        ['/transcripts', exportedTranscript, exportedTranscript, []],
      ] as const;
      for (const [path, row, columns, asText] of paths) {
        const rows = await client.all<Record<string, unknown>>(`${path}?limit=7`);
        expect(rows.length).toBeGreaterThan(0);
        for (const each of rows) expect(row.parse(each)).toEqual(each);
        const lines = await client.get(`${path}.ndjson`);
        expect(lines.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
        expect(formatCsvRows(lines.text)).toStrictEqual(rows);
        const table = await client.get(`${path}.csv`);
        expect(table.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
        expect(table.headers.get('content-disposition')).toBe(
          `attachment; filename="guidepost-${path.slice(1)}.csv"`,
        );
        const expected = rows.map((each) => {
          const texts = asText
            .filter((name) => name in each)
            .map((name) => [name, JSON.stringify(each[name])]);
          return { ...each, ...Object.fromEntries(texts) };
        });
        expect(rowsOfCsv(table.text, columns)).toEqual(expected);
      }
      const events = await client.all<ExportedEvent>('/events');
      expect(new Set(events.map(({ type }) => type))).toEqual(new Set(EVENT_TYPES));
      for (const type of EVENT_TYPES) {
        const named = events.filter((row) => row.type === type && row.visitor_id !== undefined);
        const isAnonymous = ['voice', 'rate_limited', 'article_feedback'].includes(type);
        if (isAnonymous) expect(named).toEqual([]);
        else expect(named.length, type).toBeGreaterThan(0);
      }
    });

    it('contain message text, sources and ratings only in transcripts', async () => {
      const visitor = await visit(team);
      const { messageId } = await sendMessage(team, visitor, 'talk', KNOWN, {}, { 'accept-language': 'de' });
      await sendMessage(team, visitor, 'talk', UNKNOWN, { turn_idx: 1 });
      await rate(team, visitor, {
        message_id: messageId,
        rating: 'down',
        comment: 'No',
        reasons: ['outdated'],
      });
      expect(await transcripts()).toMatchObject([
        {
          message_id: messageId,
          conversation_id: 'talk',
          visitor_id: team.harness.pseudonym(visitor),
          turn_idx: 0,
          locale: 'de',
          message: KNOWN,
          answer: expect.stringContaining('Passwort'),
          state: 'complete',
          finish_reason: 'stop',
          citations: [{ content_locale: 'de', quote: expect.stringContaining('Passwort'), stale: false }],
          rating: 'down',
          comment: 'No',
          reasons: ['outdated'],
        },
        { turn_idx: 1, message: UNKNOWN, finish_reason: 'no_knowledge', citations: [] },
      ]);
      expect(await conversations()).toMatchObject([
        { id: 'talk', turns: 2, locale: 'de', first_message: KNOWN, answered: false, rating: 'down' },
      ]);
      expect((await client.get('/events.ndjson')).text).not.toMatch(/password|submarines/i);
    });
  });

  describe('exported rows of visitors who refuse', () => {
    it('disappear, including earlier ones', async () => {
      const visitor = await visit(team);
      await sendMessage(team, visitor, 'talk', KNOWN);
      expect(await transcripts()).toHaveLength(1);
      await deny(team, visitor);
      await sendMessage(team, visitor, 'talk', KNOWN, { turn_idx: 1 });
      await sendMessage(team, visitor, 'other', KNOWN);
      for (const path of ['/events', '/conversations', '/transcripts']) {
        expect(await client.all(path)).toEqual([]);
        expect((await client.get(`${path}.ndjson`)).text).toBe('');
        expect((await client.get(`${path}.csv`)).text.trim().split('\r\n')).toHaveLength(1);
      }
    });

    it('appear after the rows that were already read when the visitor agrees later', async () => {
      const undecided = await visit(team, GERMANY);
      await sendMessage(team, undecided, 'waiting', KNOWN);
      const other = await visit(team);
      await sendMessage(team, other, 'talk', KNOWN);
      const { json } = await client.get<Transcripts>('/transcripts');
      expect(json.data.map((row) => row.conversation_id)).toEqual(['talk']);
      team.harness.clock.advance(60_000);
      await accept(team, undecided);
      const later = (await client.get<Transcripts>(`/transcripts?cursor=${json.next_cursor}`)).json;
      expect(later.data.map((row) => row.conversation_id)).toEqual(['waiting']);
      expect(Date.parse(later.data[0]!.at) - Date.parse(later.data[0]!.finished_at)).toBeGreaterThanOrEqual(
        60_000,
      );
      expect((await conversations()).map(({ id }) => id)).toEqual(['talk', 'waiting']);
    });

    it('disappear when the visitor is erased', async () => {
      const visitor = await visit(team);
      await sendMessage(team, visitor, 'talk', KNOWN);
      const headers = { authorization: `Bearer ${visitor.jwt}` };
      expect((await team.harness.fetch('/visitor', { method: 'DELETE', headers })).status).toBe(200);
      for (const path of ['/conversations', '/transcripts']) expect(await client.all(path)).toEqual([]);
      expect((await client.get('/events.ndjson')).text).not.toContain(team.harness.pseudonym(visitor));
    });
  });
});

const iso = (millis: number) => new Date(millis).toISOString();
const rowOf = ({ id, at, type, visitor_id, conversation_id, data }: ExportedEvent): EventRow => ({
  id,
  atMillis: Date.parse(at),
  type,
  ...(visitor_id ? { visitorId: visitor_id } : {}),
  ...(conversation_id ? { conversationId: conversation_id } : {}),
  data: data as EventRow['data'],
});

describe('exported analytics', () => {
  let team: Team;
  beforeAll(async () => {
    team = await openTeam();
    await fill(team);
  });
  afterAll(() => team.close());

  it('GET /api/export/analytics equals the sums over the exported events', async () => {
    const client = await createExportClient(team);
    const [from, before] = [END - 20 * DAY, END - 40 * DAY];
    const rowsIn = async (start: number, end: number) =>
      (await client.all<ExportedEvent>(`/events?limit=1000&from=${iso(start)}&to=${iso(end)}`)).map(rowOf);
    const rows = await rowsIn(from, END);
    expect(rows.length).toBeGreaterThan(2000);
    const { json } = await client.get<Analytics>(
      `/analytics?from=${from / 1000}&to=${END / 1000}&zone=Asia/Kolkata`,
    );
    analyticsReport.parse(json);
    expect(json.totals).toEqual(addUp(rows));
    expect(json.previous).toEqual(addUp(await rowsIn(before, from)));
    for (const [index, { start, ...figures }] of json.periods.entries()) {
      const end = json.periods[index + 1]?.start ?? iso(END);
      expect(figures, start).toEqual(
        addUp(rows.filter(({ atMillis }) => iso(atMillis) >= start && iso(atMillis) < end)),
      );
    }
    const count = (type: string) => rows.filter((row) => row.type === type).length;
    const sum = (list: readonly { count: number }[]) => list.reduce((total, row) => total + row.count, 0);
    expect(json.articles.reduce((total, { citations }) => total + citations, 0)).toBe(count('citation'));
    expect(sum(json.consents)).toBe(count('consent'));
    expect(sum(json.hits)).toBe(count('rate_limited'));
  });

  it("GET /api/export/analytics equals the dashboard's analytics", async () => {
    const client = await createExportClient(team);
    for (const query of ['', '&by=hour&zone=America/St_Johns']) {
      const range = `?from=${iso(END - 9 * DAY)}&to=${iso(END)}${query}`;
      const shown = await team.as('member').get<Analytics>(`/analytics${range}`);
      expect((await client.get(`/analytics${range}`)).json).toEqual(shown.json);
    }
  });

  it.each([
    ['an unknown zone', 'zone=Mars/Base', 'query.zone'],
    ['a range that ends before it begins', `from=2026-11-02&to=2026-11-01`, 'query.from'],
    ['a day that does not exist', 'from=2026-02-30', 'query.from'],
    ['too many days', 'from=2020-01-01', 'query.from'],
    ['a day before the year 1', 'to=0000-01-01', 'query.to'],
    ['a moment before the year 1 in UTC', 'to=0001-01-01T00:00:00%2B23:59', 'query.to'],
    ['a moment after the year 9999 in UTC', 'to=9999-12-31T23:59:59-23:59', 'query.to'],
  ])('GET /api/export/analytics rejects %s', async (_what, query, path) => {
    const { issues } = expectError(
      await (await createExportClient(team)).get(`/analytics?${query}`),
      'request/invalid',
    );
    expect(issues).toMatchObject([{ path }]);
  });
});
