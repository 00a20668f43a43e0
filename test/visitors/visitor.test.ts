import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Engine } from '../../server/engine/engine.ts';
import type { Visitor } from '../support/decisions.ts';
import { type Conversations, type Events, makeKey, type Transcripts } from '../support/export-client.ts';
import { eventsOf, type Harness, openHarness, question } from '../support/harness.ts';
import { expectError, readResponse } from '../support/response.ts';
import type { Team } from '../support/team.ts';
import { accept, KNOWN, openShop, rate, sendMessage, visit } from '../support/visitor-actions.ts';

describe('erasing a visitor', () => {
  let harness: Harness;
  beforeEach(async () => {
    harness = await openHarness();
  });
  afterEach(() => harness.close());

  const erase = (jwt: string) =>
    harness.fetch('/visitor', { method: 'DELETE', headers: { authorization: `Bearer ${jwt}` } });

  it('ends every token of an erased visitor at once, also after a restart', async () => {
    const first = await harness.boot();
    const second = await harness.boot({ visitor_id: first.visitor_id });
    expect(second.visitor_id).toBe(first.visitor_id);
    expect((await erase(first.jwt)).status).toBe(200);
    for (const { jwt } of [first, second]) expect((await erase(jwt)).status).toBe(401);
    harness = await harness.restart();
    for (const { jwt } of [first, second]) expect((await erase(jwt)).status).toBe(401);
  });

  it('gives a new id to a browser that sends the id of an erased visitor', async () => {
    const { jwt, visitor_id } = await harness.boot();
    await erase(jwt);
    const again = await harness.boot({ visitor_id });
    expect(again.visitor_id).not.toBe(visitor_id);
    expect((await erase(again.jwt)).status).toBe(200);
  });
});

/** An engine that writes until it is stopped. */
const endless: Engine = {
  name: 'endless',
  async *answer(_question, signal) {
    while (!signal.aborted) {
      yield { type: 'text', delta: 'More. ' };
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  },
};

describe('the kill switch', () => {
  let harness: Harness;
  let headers: Record<string, string>;

  beforeEach(async () => {
    harness = await openHarness({ engine: endless });
    headers = { authorization: `Bearer ${(await harness.boot()).jwt}` };
  });
  afterEach(() => harness.close());

  it('stops chat and voice for issued tokens, but no request that costs nothing', async () => {
    await harness.pause(true);
    const form = new FormData();
    form.append('audio', new Blob(['RIFF']), 'recording');
    const paused = [
      harness.fetch('/chat', { json: question(), headers }),
      harness.fetch('/transcribe-token', { headers }),
      harness.fetch('/transcribe', { method: 'POST', body: form, headers }),
      harness.fetch('/tts', { json: { text: 'Hello' }, headers }),
    ];
    for (const answer of paused) expectError(await readResponse(answer), 'guide/paused');
    expect((await harness.fetch('/visitor', { method: 'DELETE', headers })).status).toBe(200);
    await harness.pause(false);
    await harness.boot();
  });

  it('ends a running answer with an error event', async () => {
    const response = await harness.fetch('/chat', { json: question(), headers });
    await harness.pause(true);
    const events = eventsOf(await response.text());
    expect(events.filter(({ type }) => type === 'error' || type === 'message_end')).toHaveLength(1);
    expect(events.at(-1)).toMatchObject({ type: 'error', code: 'guide/paused', retryable: true });
    const read = await harness.fetch('/conversations/conv-of-a-test', { headers });
    expect(await read.json()).toMatchObject({ turns: [{ state: 'interrupted' }] });
  });
});

describe('the pseudonym of a visitor', () => {
  /** A visitor who consented to everything, asked and rated. */

  let team: Team;
  let visitor: Visitor;
  let key: string;

  beforeAll(async () => {
    team = await openShop();
    visitor = await visit(team);
    await accept(team, visitor);
    const { messageId } = await sendMessage(team, visitor, 'talk', KNOWN);
    await rate(team, visitor, { message_id: messageId, rating: 'up' });
    await visit(team);
    key = (await makeKey(team.harness)).text;
  });
  afterAll(() => team.close());

  const read = async <Page>(path: string): Promise<Page> => {
    const response = await team.harness.fetch(`/api/export${path}`, { headers: { 'x-api-key': key } });
    return (await response.json()) as Page;
  };

  it('is the same in exports, the dashboard and the archive', async () => {
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

  it('rejects a boot with the pseudonym of a visitor', async () => {
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

  it('is stored instead of the id that the browser was given, which is in no file and no log line', async () => {
    await team.harness.service.tick();
    const files = readdirSync(team.harness.dataDir).map((name) => join(team.harness.dataDir, name));
    expect(files.length).toBeGreaterThan(1);
    for (const file of files) expect(readFileSync(file).includes(visitor.visitor_id), file).toBe(false);
    expect(JSON.stringify(team.harness.logged)).not.toMatch(/vis_|vp_/);
  });
});
