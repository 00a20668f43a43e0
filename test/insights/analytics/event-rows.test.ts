import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BUCKETS } from '../../../contract/limits/rate-limits.ts';
import type { EventRow } from '../../../server/storage/event-queries.ts';
import { decide, GERMANY, TEXAS, type Visitor } from '../../support/decisions.ts';
import { question } from '../../support/harness.ts';
import type { Team } from '../../support/team.ts';
import {
  accept,
  analyticsOf,
  deny,
  KNOWN,
  openShop,
  RESET_TARGET,
  rate,
  rowsOf,
  sendMessage,
  UNKNOWN,
  visit,
} from '../../support/visitor-actions.ts';

let team: Team;
beforeEach(async () => {
  team = await openShop({ settings: { suggestions: [] } });
});
afterEach(() => team.close());

const ofType = async (type: EventRow['type']) => (await rowsOf(team)).filter((row) => row.type === type);
const MESSAGE = expect.stringMatching(/^msg_/);

const withTarget = { capture_context: { targets: [RESET_TARGET] } };

async function threeTurns(visitor: Visitor): Promise<void> {
  const german = { 'accept-language': 'de-AT' };
  const { messageId, events } = await sendMessage(team, visitor, 'c1', KNOWN, withTarget, german);
  const action = events.find(({ type }) => type === 'action') as { action_id: string };
  const action_results = [{ action_id: action.action_id, outcome: 'done' }];
  await sendMessage(team, visitor, 'c1', UNKNOWN, { turn_idx: 1, action_results }, german);
  await rate(team, visitor, { message_id: messageId, rating: 'up', comment: 'Thanks' });
}

describe('event rows', () => {
  it('record what happened in flat fields without any message text', async () => {
    const visitor = await visit(team);
    await accept(team, visitor);
    await threeTurns(visitor);
    const data = async (type: EventRow['type']) => (await ofType(type)).map((row) => row.data);
    expect(await data('boot')).toEqual([
      { path: '/', region_code: 'US-TX', mode: 'opt_out', locale: 'en', returning: false },
    ]);
    expect(await data('consent')).toEqual([
      { decision: 'accepted', mode: 'opt_out', reason: 'prior_decision', region_code: 'US-TX' },
    ]);
    const millis = { millis: expect.any(Number), first_text_millis: expect.any(Number) };
    const turn = {
      message_id: MESSAGE,
      path: expect.stringMatching(/^\//),
      requested_locale: 'de-AT',
      ...millis,
    };
    expect(await data('turn')).toEqual([
      {
        ...turn,
        turn_idx: 0,
        first: true,
        finish_reason: 'stop',
        answered: true,
        answer_confidence: expect.any(Number),
        content_locale: 'de',
        nearest_article_id: null,
        citations: 1,
        actions: 1,
      },
      {
        ...turn,
        turn_idx: 1,
        first: false,
        finish_reason: 'no_knowledge',
        answered: false,
        answer_confidence: expect.any(Number),
        content_locale: null,
        nearest_article_id: expect.stringMatching(/^art_/),
        citations: 0,
        actions: 0,
      },
    ]);
    expect(await data('citation')).toEqual([
      {
        message_id: MESSAGE,
        article_id: expect.stringMatching(/^art_/),
        revision: 1,
        requested_locale: 'de-AT',
        content_locale: 'de',
        fallback_reason: 'base_language',
        stale: false,
      },
    ]);
    expect(await data('action')).toEqual([
      { message_id: MESSAGE, action_id: 'act_1', kind: expect.any(String), requires_confirmation: false },
    ]);
    expect(await data('action_outcome')).toEqual([{ action_id: 'act_1', outcome: 'done' }]);
    expect(await data('feedback')).toEqual([{ message_id: MESSAGE, rating: 'up' }]);
    const rows = await rowsOf(team);
    expect(rows.every((row) => row.visitorId === team.harness.pseudonym(visitor))).toBe(true);
    expect(JSON.stringify(rows)).not.toMatch(/password|Thanks|submarines/i);
  });

  it('of an HTTP library carry a mark, and none of them counts as a visitor', async () => {
    const library = await visit(team, { ...TEXAS, 'user-agent': 'axios/1.7.7' });
    await accept(team, library);
    await threeTurns(library);
    const rows = await rowsOf(team);
    expect(new Set(rows.map(({ type }) => type)).size).toBe(7);
    expect(rows.every(({ data }) => data.library === true)).toBe(true);
    expect(rows.every(({ visitorId }) => visitorId === team.harness.pseudonym(library))).toBe(true);
    await sendMessage(team, await visit(team), 'c2', KNOWN);
    team.harness.clock.advance(1000);
    const { boots, visitors, conversations, turns, deflection } = (await analyticsOf(team)).totals;
    expect({ boots, visitors, conversations, turns }).toEqual({
      boots: 2,
      visitors: 1,
      conversations: 2,
      turns: 3,
    });
    expect(deflection).toEqual({ conversations: 1, answered: 1 });
  });

  it('contain no visitor id before consent and are not written after a refusal', async () => {
    const silent = await visit(team, GERMANY);
    await threeTurns(silent);
    const rows = await rowsOf(team);
    expect(rows.map(({ type }) => type).sort()).toEqual(
      ['action', 'action_outcome', 'boot', 'citation', 'feedback', 'turn', 'turn'].sort(),
    );
    expect(JSON.stringify(rows)).not.toMatch(/vp_|vis_|msg_|"c1"/);
    await deny(team, silent);
    await sendMessage(team, silent, 'c2', KNOWN);
    await decide(team.harness, silent);
    await deny(team, silent);
    expect(await rowsOf(team)).toEqual(rows);
  });
});

describe('rate-limit events', () => {
  const { points } = BUCKETS['chat/visitor-burst'];

  async function sendQuestions(visitor: Visitor, times: number): Promise<number[]> {
    const authorization = { authorization: `Bearer ${visitor.jwt}` };
    const statuses: number[] = [];
    for (let sent = 0; sent < times; sent += 1) {
      // Buckets are checked before the body, so an invalid body consumes points without running a
      // turn.
      const json = question({ turn_idx: -1 });
      statuses.push((await team.harness.fetch('/chat', { json, headers: authorization })).status);
    }
    return statuses;
  }

  /** Waits for rows, which are written after the response. */
  const hits = (count: number) =>
    vi.waitFor(async () => {
      const rows = await ofType('rate_limited');
      expect(rows).toHaveLength(count);
      return rows;
    });

  it('are written once per visitor and minute, without a visitor id', async () => {
    const [one, other] = [await visit(team), await visit(team)];
    expect((await sendQuestions(one, points + 3)).filter((status) => status === 429)).toHaveLength(3);
    expect(await hits(1)).toMatchObject([{ data: { bucket: 'chat/visitor-burst' } }]);
    await sendQuestions(other, points + 1);
    const rows = await hits(2);
    expect(JSON.stringify(rows)).not.toMatch(/vp_|vis_|conversation/);
    team.harness.clock.advance(61_000);
    await sendQuestions(one, points + 2);
    await hits(3);
  });

  it('are not written for visitors who refused', async () => {
    const visitor = await visit(team, TEXAS);
    await deny(team, visitor);
    await sendQuestions(visitor, points + 2);
    // A later visitor's row is the only row.
    await sendQuestions(await visit(team), points + 1);
    await hits(1);
  });
});

describe('rows of searches', () => {
  /** Types these words one after another, and rests. */
  async function search(visitor: Visitor, words: readonly string[], headers: Record<string, string> = {}) {
    for (const q of words) {
      const sent = { authorization: `Bearer ${visitor.jwt}`, 'accept-language': 'de-AT', ...headers };
      const found = await team.harness.fetch(`/articles/search?q=${encodeURIComponent(q)}`, {
        headers: sent,
      });
      expect(found.status).toBe(200);
      team.harness.clock.advance(1_000);
      await team.harness.service.tick();
    }
    team.harness.clock.advance(10_000);
    await team.harness.service.tick();
  }

  it('count what is typed in one go once, with masked words of visitors who may be named', async () => {
    const visitor = await visit(team);
    await search(visitor, ['pass', 'passw', 'password jane.doe@example.com']);
    await search(visitor, ['qqqqzzzz']);
    const rows = await ofType('search');
    expect(rows.map(({ data }) => data)).toEqual([
      { locale: 'de-AT', results: expect.any(Number), words: expect.stringMatching(/^password /) },
      { locale: 'de-AT', results: 0, words: 'qqqqzzzz' },
    ]);
    expect(rows[0]!.data.results).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain('jane');
    const { totals, searched } = await analyticsOf(team);
    expect(searched).toMatchObject([
      { words: expect.stringMatching(/^password /), count: 1 },
      { words: 'qqqqzzzz', count: 1, results: 0 },
    ]);
    expect(totals.searches).toEqual({ found: 1, empty: 1 });
  });

  it('name the visitor only where consent allows it', async () => {
    const [undecided, refused, known] = [await visit(team, GERMANY), await visit(team), await visit(team)];
    await deny(team, refused);
    for (const visitor of [undecided, refused, known]) await search(visitor, ['order']);
    await search(undecided, ['order'], { 'sec-gpc': '1' });
    const rows = await ofType('search');
    expect(rows.map(({ visitorId, data }) => [visitorId !== undefined, data.words])).toEqual([
      [false, undefined],
      [true, 'order'],
    ]);
  });

  it('count words of undecided visitors once the workspace keeps them, without the visitor', async () => {
    const [undecided, refused] = [await visit(team, GERMANY), await visit(team, GERMANY)];
    await deny(team, refused);
    await team.as('admin').patch('', { retention: { anonymousQuestions: true } });
    team.harness.clock.advance(1_001);
    for (const visitor of [undecided, refused]) await search(visitor, ['Order']);
    await search(undecided, ['order']);
    await search(undecided, ['whales'], { 'sec-gpc': '1' });
    expect(JSON.stringify(await ofType('search'))).not.toContain('rder');
    const { searched } = await analyticsOf(team);
    // Either spelling may stand for both.
    expect(searched).toEqual([
      { words: expect.stringMatching(/^order$/i), count: 2, results: expect.any(Number) },
    ]);
    expect((await team.as('member').get<{ data: [] }>('/anonymous-questions')).json.data).toEqual([]);
    expect((await team.as('owner').get('/export')).text).not.toMatch(/"order"/);
  });

  it('are not written for a visitor who is erased while typing', async () => {
    const visitor = await visit(team);
    const headers = { authorization: `Bearer ${visitor.jwt}` };
    await team.harness.fetch('/articles/search?q=order', { headers });
    await team.harness.fetch('/visitor', { method: 'DELETE', headers });
    await search(await visit(team), ['order']);
    expect(await ofType('search')).toHaveLength(1);
  });
});
