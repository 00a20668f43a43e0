import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Team } from '../accounts/team.ts';
import { accept, KNOWN, openShop, rate, say, visit } from '../analytics/visitor-actions.ts';
import type { Visitor } from '../consent/decisions.ts';
import { type Conversations, type Events, makeKey, type Transcripts } from '../export/export-client.ts';

/** A visitor who agreed to everything, asked and rated. */

let team: Team;
let visitor: Visitor;
let key: string;

beforeAll(async () => {
  team = await openShop();
  visitor = await visit(team);
  await accept(team, visitor);
  const { messageId } = await say(team, visitor, 'talk', KNOWN);
  await rate(team, visitor, { message_id: messageId, rating: 'up' });
  await visit(team);
  key = (await makeKey(team.harness)).text;
});
afterAll(() => team.close());

const read = async <Page>(path: string): Promise<Page> => {
  const answer = await team.harness.fetch(`/api/export${path}`, { headers: { 'x-api-key': key } });
  return (await answer.json()) as Page;
};

it('exports, the dashboard and the archive call a visitor by one pseudonym', async () => {
  const pseudonym = team.harness.pseudonym(visitor);
  expect(pseudonym).toMatch(/^vp_/);
  const pages = [
    await read<Events>(`/events?visitor_id=${pseudonym}`),
    await read<Conversations>(`/conversations?visitor_id=${pseudonym}`),
    await read<Transcripts>(`/transcripts?visitor_id=${pseudonym}`),
  ];
  for (const { data } of pages) {
    expect(data.length).toBeGreaterThan(0);
    for (const row of data) expect(row.visitor_id).toBe(pseudonym);
  }
  const listed = await team.as('member').get(`/conversations?visitorId=${pseudonym}`);
  expect(listed.json).toMatchObject({ data: [{ id: 'talk', visitorId: pseudonym }] });
  const { text } = await team.as('owner').get('/export');
  expect(text).toContain(pseudonym);
  expect(text).not.toContain('vis_');
});

it('whoever has the pseudonym of a visitor cannot boot as that visitor', async () => {
  const [row] = (await read<Conversations>('/conversations')).data;
  const { harness } = team;
  for (const visitor_id of [row!.visitor_id, row!.visitor_id.replace('vp_', 'vis_')]) {
    const thief = await harness.boot({ visitor_id });
    expect([visitor.visitor_id, visitor_id]).not.toContain(thief.visitor_id);
    const headers = { authorization: `Bearer ${thief.jwt}` };
    expect((await harness.fetch('/conversations/talk', { headers })).status).toBe(404);
    const erased = await harness.fetch('/visitor', { method: 'DELETE', headers });
    expect(await erased.json()).toMatchObject({ conversations: 0, events: 0, feedback: 0 });
  }
  const headers = { authorization: `Bearer ${visitor.jwt}` };
  expect((await harness.fetch('/conversations/talk', { headers })).status).toBe(200);
});

it('the id that a browser was given is in no file and no log line', async () => {
  await team.harness.service.tick();
  const files = readdirSync(team.harness.dataDir).map((name) => join(team.harness.dataDir, name));
  expect(files.length).toBeGreaterThan(1);
  for (const file of files) expect(readFileSync(file).includes(visitor.visitor_id), file).toBe(false);
  expect(JSON.stringify(team.harness.logged)).not.toMatch(/vis_|vp_/);
});
