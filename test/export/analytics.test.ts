import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Analytics, analyticsReport } from '../../contract/analytics.ts';
import type { ExportedEvent } from '../../contract/export-events.ts';
import type { EventRow } from '../../server/storage/events.ts';
import { openTeam, type Team } from '../accounts/team.ts';
import { addUp, DAY, END, fill } from '../analytics/reference-analytics.ts';
import { expectError } from '../fixtures/answer.ts';
import { createExportClient } from './export-client.ts';

let team: Team;
beforeAll(async () => {
  team = await openTeam();
  await fill(team);
});
afterAll(() => team.close());

const iso = (millis: number) => new Date(millis).toISOString();
const rowOf = ({ id, at, type, visitor_id, data }: ExportedEvent): EventRow => ({
  id,
  atMillis: Date.parse(at),
  type,
  ...(visitor_id ? { visitorId: visitor_id } : {}),
  data: data as EventRow['data'],
});

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
