import type { AnalyticsFigures } from '../../../contract/analytics.ts';
import { WORKSPACE_LIMITS } from '../../../contract/limits/workspace.ts';
import { newId } from '../../../server/base/ids.ts';
import type { EventRow } from '../../../server/storage/event-queries.ts';
import type { Team } from '../../support/team.ts';

/** Event rows of every type, and a straightforward reference implementation that adds them up. */

const HOUR = 3_600_000;
export const DAY = 24 * HOUR;
/** The end of the range that tests query. */
export const END = Date.UTC(2026, 10, 1, 12);

export const NOTHING: AnalyticsFigures = {
  boots: 0,
  visitors: 0,
  conversations: 0,
  turns: 0,
  answered: 0,
  unanswered: 0,
  deflection: { conversations: 0, answered: 0 },
  citations: 0,
  actions: { proposed: 0, confirmed: 0, declined: 0, done: 0, missing: 0, failed: 0 },
  feedback: { up: 0, down: 0 },
  articles: { up: 0, down: 0 },
  voice: 0,
  searches: { found: 0, empty: 0 },
  limited: 0,
};

/**
 * Stores rows of every type over 41 days: the queried range, the range before it, and some outside
 * both.
 */
export async function fill(team: Team): Promise<void> {
  const { harness, workspace, elsewhere } = team;
  // Other tests of the process move its clock, and old rows are deleted.
  const { retentionDaysMax: days } = WORKSPACE_LIMITS;
  await team.as('owner').patch('', { retention: { conversationDays: days, eventDays: days } });
  const roll = dice(7);
  const visitors = Array.from({ length: 40 }, () => newId('vp'));
  const articles = Array.from({ length: 5 }, () => newId('art'));
  const pick = <T>(...from: readonly T[]): T => from[roll(from.length)]!;
  const data: Readonly<Record<EventRow['type'], () => EventRow['data']>> = {
    boot: () => ({ path: '/', region_code: 'DE', mode: 'opt_in', locale: 'de', returning: false }),
    consent: () => ({
      decision: pick('accepted', 'dismissed'),
      mode: pick('opt_in', 'opt_out'),
      reason: 'region_rule',
      region_code: pick('DE', 'US-TX', 'ZZ'),
    }),
    turn: () => ({
      path: pick('/', '/pricing', '/help'),
      turn_idx: 0,
      first: roll(2) === 0,
      finish_reason: 'stop',
      answered: roll(3) > 0,
      answer_confidence: 0.5,
      requested_locale: 'de',
      content_locale: pick(null, 'de-AT', 'en'),
      citations: 0,
      actions: 0,
      millis: 100,
      first_text_millis: pick(null, roll(90), roll(90)),
    }),
    citation: () => ({
      article_id: pick(...articles),
      revision: 1,
      requested_locale: 'de',
      stale: false,
      content_locale: pick('de', 'en'),
      fallback_reason: pick(null, 'base_language', 'source_article'),
    }),
    action: () => ({ action_id: 'act_1', kind: 'scroll_to', requires_confirmation: false }),
    action_outcome: () => ({
      action_id: 'act_1',
      outcome: pick('done', 'declined', 'target_missing', 'failed'),
    }),
    feedback: () => ({ rating: pick('up', 'down') }),
    article_feedback: () => ({
      article_id: pick(...articles),
      content_locale: 'de',
      rating: pick('up', 'down'),
    }),
    voice: () => ({
      kind: 'speech',
      provider: 'provider_b',
      seconds: roll(100) / 4,
      outcome: 'finished',
    }),
    search: () => ({ locale: pick('de', 'en'), results: pick(0, 3), words: pick('Lamps', 'return') }),
    rate_limited: () => ({ bucket: pick('chat/visitor-burst', 'chat/visitor-hour') }),
  };
  const types = Object.keys(data) as EventRow['type'][];
  const rows = Array.from({ length: 6000 }, (): EventRow => {
    const type = pick(...types);
    // Leaves some hours and days without rows.
    const atMillis = END - 41 * DAY + Math.floor(roll(42 * 24) / 5) * 5 * HOUR + roll(HOUR);
    return {
      id: newId('evt'),
      atMillis,
      type,
      ...(roll(4) > 0 ? { visitorId: pick(...visitors), conversationId: `c-${roll(200)}` } : {}),
      data: { ...data[type](), ...(type !== 'rate_limited' && roll(5) === 0 && { library: true }) },
    };
  });
  await harness.service.store.in(workspace.id).events.append(rows);
  await harness.service.store
    .in(elsewhere.id)
    .events.append(rows.slice(0, 100).map((row) => ({ ...row, id: newId('evt') })));
}

/** Adds up rows with plain filters, as the reference for the server's figures. */
export function addUp(rows: readonly EventRow[]): AnalyticsFigures {
  const ofType = (type: EventRow['type'], wanted: EventRow['data'] = {}) =>
    rows.filter(
      (row) =>
        row.type === type && Object.entries(wanted).every(([field, value]) => row.data[field] === value),
    ).length;
  const outcomes = (outcome: string) => ofType('action_outcome', { outcome });
  const millis = rows
    .map((row) => row.data.first_text_millis)
    .filter((value) => typeof value === 'number')
    .sort((one, other) => one - other);
  const endings = new Map(
    rows.flatMap(({ type, conversationId, data }) =>
      type === 'turn' && conversationId && !data.library
        ? [[conversationId, data.answered === true] as const]
        : [],
    ),
  );
  const countRatings = (type: EventRow['type']) => ({
    up: ofType(type, { rating: 'up' }),
    down: ofType(type, { rating: 'down' }),
  });
  const at = (share: number) => millis[Math.ceil(share * millis.length) - 1]!;
  return {
    boots: ofType('boot'),
    visitors: new Set(rows.flatMap(({ visitorId, data }) => (data.library ? [] : (visitorId ?? [])))).size,
    conversations: ofType('turn', { first: true }),
    turns: ofType('turn'),
    answered: ofType('turn', { answered: true }),
    unanswered: ofType('turn', { answered: false }),
    deflection: { conversations: endings.size, answered: [...endings.values()].filter(Boolean).length },
    citations: ofType('citation'),
    actions: {
      proposed: ofType('action'),
      confirmed: outcomes('done') + outcomes('target_missing') + outcomes('failed'),
      declined: outcomes('declined'),
      done: outcomes('done'),
      missing: outcomes('target_missing'),
      failed: outcomes('failed'),
    },
    feedback: countRatings('feedback'),
    articles: countRatings('article_feedback'),
    voice: rows.reduce((sum, { type, data }) => sum + (type === 'voice' ? Number(data.seconds) : 0), 0),
    searches: { found: ofType('search', { results: 3 }), empty: ofType('search', { results: 0 }) },
    limited: ofType('rate_limited'),
    ...(millis.length > 0 ? { latency: { p50: at(0.5), p90: at(0.9), p99: at(0.99) } } : {}),
  };
}

/** Returns the same pseudorandom numbers for the same seed. */
function dice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * sides);
  };
}
