import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EventRow } from '../../server/storage/event-queries.ts';
import { getBytesMax } from '../../server/workspaces/storage-meter.ts';
import { decide } from '../support/decisions.ts';
import { clock, type Harness, openHarness } from '../support/harness.ts';
import { createPng, toForm } from '../support/image-files.ts';
import { expectError } from '../support/response.ts';
import { event } from '../support/stored-samples.ts';
import { openTeam, type Team } from '../support/team.ts';

const MIB = 1_048_576;
const MINUTE = 60_000;
const DAY = 86_400_000;

type Usage = {
  storage?: {
    usedBytes: number;
    bytesMax: number;
    kinds: readonly {
      kind: string;
      rows: number;
      oldestAt?: string;
    }[];
  };
};

describe('stored amounts', () => {
  let team: Team;
  beforeEach(async () => {
    team = await openTeam({ env: { WORKSPACE_BYTES_MAX: String(MIB) } });
  });
  afterEach(() => team.close());

  const store = () => team.harness.service.store.in(team.workspace.id);
  const readStorage = async () => (await team.as('member').get<Usage>('/usage')).json.storage;
  const count = async () => (await store().events.list(10_000)).length;
  const createArticle = (slug: string) =>
    team
      .as('owner')
      .post<{ id: string }>('/knowledge/articles', { slug, title: 'Lanterns', answer: 'They glow.' });

  async function fill(): Promise<void> {
    const atMillis = team.harness.clock.now() - DAY;
    await store().events.append(Array.from({ length: 4000 }, () => event({ atMillis })));
    await measure();
  }

  async function measure(): Promise<void> {
    // A measurement may already be running; only the second one is sure to see the latest rows.
    for (let time = 0; time < 2; time += 1) {
      team.harness.clock.advance(10 * MINUTE);
      await team.harness.service.tick();
    }
  }

  describe('the storage of a workspace', () => {
    it('is reported by kind to every member', async () => {
      await measure();
      const storage = await readStorage();
      expect(storage).toMatchObject({ bytesMax: MIB });
      expect(storage!.usedBytes).toBeGreaterThan(1000);
      expect(storage!.usedBytes).toBeLessThan(MIB);
      const knowledge = storage!.kinds.find(({ kind }) => kind === 'knowledge');
      expect(knowledge?.rows).toBeGreaterThan(0);
      expect(knowledge?.oldestAt).toBeDefined();
    });

    it('rejects new texts with used and maximum bytes when it is full, and accepts them once there is room', async () => {
      const owner = team.as('owner');
      const text = { title: 'Laternen', answer: 'Sie leuchten.' };
      const article = `/knowledge/articles/${(await createArticle('before')).json.id}`;
      const draft = { ...text, locale: 'de' };
      const created = await owner.post<{ id: string }>(`${article}/translations`, draft);
      await fill();
      const usedBytes = (await readStorage())!.usedBytes;
      for (const response of [
        await createArticle('after'),
        await owner.upload('/images', toForm(new Uint8Array(createPng(8, 8)))),
        await owner.put(article, { ...text, baseRevision: 1 }),
        await owner.post(`${article}/translations`, { ...text, locale: 'fr' }),
        await owner.put(`${article}/translations/${created.json.id}`, { ...text, baseRevision: 1 }),
      ]) {
        expectError(response, 'tenant/storage_full');
        expect(response.json).toMatchObject({ usedBytes, bytesMax: MIB });
      }
      const cutoffs = {
        conversationsBeforeMillis: 0,
        eventsBeforeMillis: team.harness.clock.now(),
        anonymousQuestionsBeforeMillis: 0,
        webhookEventsBeforeMillis: 0,
      };
      while ((await store().storedData.deleteOlder(cutoffs)).more);
      team.harness.clock.advance(MINUTE);
      await team.harness.service.tick();
      expect((await createArticle('after')).status).toBe(201);
    });

    it('still answers when it is full, and keeps new conversations for a day', async () => {
      await fill();
      const before = await count();
      const visitor = await team.harness.boot();
      await decide(team.harness, visitor);
      const events = await team.harness.ask(visitor.jwt, { conversation_id: 'of-a-full-workspace' });
      expect(events.at(-1)).toMatchObject({ type: 'message_end' });
      // A later decision does not extend the deadline of the conversation.
      await decide(team.harness, visitor);
      expect(await count()).toBe(before);
      expect(await store().conversations.find('of-a-full-workspace')).toBeDefined();
      team.harness.clock.advance(DAY);
      await team.harness.service.tick();
      expect(await store().conversations.find('of-a-full-workspace')).toBeUndefined();
    });

    it('does not affect another workspace when it is full', async () => {
      await fill();
      const row = event({ atMillis: team.harness.clock.now() });
      const elsewhere = team.harness.service.store.in(team.elsewhere.id);
      await elsewhere.events.append([row]);
      expect(await elsewhere.events.list(10)).toMatchObject([{ id: row.id }]);
    });
  });

  it('are limited to an equal part for each workspace when the database is nearly full', () => {
    const limits = { workspaceBytesMax: 500, databaseBytesMax: 1000 };
    expect(getBytesMax(limits, 899, 10)).toBe(500);
    expect(getBytesMax(limits, 900, 10)).toBe(90);
    expect(getBytesMax(limits, 900, 1)).toBe(500);
  });
});

describe('retention', () => {
  let harness: Harness;
  afterEach(() => harness.close());

  const store = () => harness.service.store.in(harness.workspace.id);
  const eventTypes = async () => (await store().events.list(100)).map(({ type }: EventRow) => type);

  /** Asks one question as a visitor who agreed. */
  async function converse(conversation: string): Promise<void> {
    const visitor = await harness.boot();
    expect((await decide(harness, visitor)).json).toMatchObject({ recorded: true });
    await harness.ask(visitor.jwt, { conversation_id: conversation });
  }

  it('keeps conversations and events of visitors who agreed for thirteen months', async () => {
    harness = await openHarness();
    await converse('an-old-one');
    clock.advance(394 * DAY);
    await converse('a-recent-one');
    await harness.service.tick();
    expect(await store().conversations.find('an-old-one')).toBeDefined();
    const before = await eventTypes();
    clock.advance(2 * DAY);
    await harness.service.tick();
    expect(await store().conversations.find('an-old-one')).toBeUndefined();
    expect(await store().conversations.find('a-recent-one')).toBeDefined();
    expect(await eventTypes()).toHaveLength(before.length / 2);
  });

  it('deletes within an hour what a shorter retention no longer keeps', async () => {
    harness = await openHarness();
    await converse('one');
    clock.advance(3 * DAY);
    await harness.service.tick();
    await harness.service.store.workspaces.change(
      harness.workspace.id,
      { settings: { retention: { conversationDays: 395, eventDays: 2 } } },
      clock.now(),
    );
    clock.advance(3_600_000);
    await harness.service.tick();
    expect(await eventTypes()).toEqual([]);
    expect(await store().conversations.find('one')).toBeDefined();
  });
});
