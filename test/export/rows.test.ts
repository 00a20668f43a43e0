import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  conversationColumns,
  exportedConversation,
  exportedTranscript,
  transcriptColumns,
} from '../../contract/export.ts';
import {
  EVENT_TYPES,
  type ExportedEvent,
  eventColumns,
  exportedEvent,
} from '../../contract/export-events.ts';
import { BUCKETS } from '../../contract/limits.ts';
import { newId } from '../../server/ids.ts';
import type { Team } from '../accounts/team.ts';
import { accept, deny, KNOWN, openShop, rate, say, UNKNOWN, visit } from '../analytics/visitor-actions.ts';
import { GERMANY } from '../consent/decisions.ts';
import { answerOf } from '../fixtures/answer.ts';
import { question } from '../harness.ts';
import {
  type Conversations,
  createExportClient,
  type ExportClient,
  formatCsvRows,
  rowsOfCsv,
  type Transcripts,
} from './export-client.ts';

let team: Team;
let client: ExportClient;
beforeEach(async () => {
  team = await openShop({ settings: { suggestions: [] } });
  client = await createExportClient(team);
});
afterEach(() => team.close());

const target = {
  gp_id: 'reset',
  role: 'button',
  name: 'Reset my password',
  confidence: 1,
  in_viewport: true,
};

/** Creates every type of row, for a visitor with consent and for one without. */
async function useEverything(): Promise<void> {
  const { harness, workspace } = team;
  const german = { 'accept-language': 'de-AT' };
  for (const visitor of [await visit(team), await visit(team, GERMANY)]) {
    const conversationId = `talk-${visitor.visitor_id}`;
    const targets = { capture_context: { targets: [target] } };
    const { messageId, events } = await say(team, visitor, conversationId, KNOWN, targets, german);
    const action = events.find(({ type }) => type === 'action') as { action_id: string };
    const action_results = [{ action_id: action.action_id, outcome: 'done' }];
    await say(team, visitor, conversationId, UNKNOWN, { turn_idx: 1, action_results }, german);
    await say(team, visitor, conversationId, KNOWN, { turn_idx: 2 }, { 'accept-language': 'fr' });
    await rate(team, visitor, {
      message_id: messageId,
      rating: 'up',
      comment: 'Thanks, "all" good\nreally',
    });
    if (visitor.region.country_code !== 'DE') await accept(team, visitor);
    const headers = { authorization: `Bearer ${visitor.jwt}` };
    for (let sent = 0; sent <= BUCKETS['chat/visitor-burst'].points; sent += 1) {
      await answerOf(harness.fetch('/chat', { json: question({ turn_idx: -1 }), headers }));
    }
  }
  const used = {
    id: newId('evt'),
    atMillis: harness.clock.now(),
    type: 'voice' as const,
    data: { kind: 'speech', provider: 'provider_b', seconds: 4, outcome: 'finished' },
  };
  await harness.service.store.in(workspace.id).events.append([used]);
  // Rate-limit events are written after the response.
  await new Promise((resolve) => setTimeout(resolve, 50));
}

const transcripts = () => client.all<Transcripts['data'][number]>('/transcripts');
const conversations = () => client.all<Conversations['data'][number]>('/conversations');

describe('exported rows', () => {
  it('match the contract in JSON pages, NDJSON and CSV', async () => {
    await useEverything();
    const paths = [
      ['/events', exportedEvent, eventColumns, 'data'],
      ['/conversations', exportedConversation, conversationColumns, ''],
      ['/transcripts', exportedTranscript, transcriptColumns, 'citations'],
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
      const expected = rows.map((each) =>
        asText ? { ...each, [asText]: JSON.stringify(each[asText]) } : each,
      );
      expect(rowsOfCsv(table.text, columns)).toEqual(expected);
    }
    const events = await client.all<ExportedEvent>('/events');
    expect(new Set(events.map(({ type }) => type))).toEqual(new Set(EVENT_TYPES));
    for (const type of EVENT_TYPES) {
      const named = events.filter((row) => row.type === type && row.visitor_id !== undefined);
      if (type !== 'voice' && type !== 'rate_limited') expect(named.length, type).toBeGreaterThan(0);
      else expect(named).toEqual([]);
    }
  });

  it('contain message text, sources and ratings only in transcripts', async () => {
    const visitor = await visit(team);
    const { messageId } = await say(team, visitor, 'talk', KNOWN, {}, { 'accept-language': 'de' });
    await say(team, visitor, 'talk', UNKNOWN, { turn_idx: 1 });
    await rate(team, visitor, { message_id: messageId, rating: 'down', comment: 'No' });
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
    await say(team, visitor, 'talk', KNOWN);
    expect(await transcripts()).toHaveLength(1);
    await deny(team, visitor);
    await say(team, visitor, 'talk', KNOWN, { turn_idx: 1 });
    await say(team, visitor, 'other', KNOWN);
    for (const path of ['/events', '/conversations', '/transcripts']) {
      expect(await client.all(path)).toEqual([]);
      expect((await client.get(`${path}.ndjson`)).text).toBe('');
      expect((await client.get(`${path}.csv`)).text.trim().split('\r\n')).toHaveLength(1);
    }
  });

  it('follow the rows that were already read when the visitor agrees later', async () => {
    const undecided = await visit(team, GERMANY);
    await say(team, undecided, 'waiting', KNOWN);
    const other = await visit(team);
    await say(team, other, 'talk', KNOWN);
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
    await say(team, visitor, 'talk', KNOWN);
    const headers = { authorization: `Bearer ${visitor.jwt}` };
    expect((await team.harness.fetch('/visitor', { method: 'DELETE', headers })).status).toBe(200);
    for (const path of ['/conversations', '/transcripts']) expect(await client.all(path)).toEqual([]);
    expect((await client.get('/events.ndjson')).text).not.toContain(team.harness.pseudonym(visitor));
  });
});
