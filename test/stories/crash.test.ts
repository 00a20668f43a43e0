import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, describe, expect, it } from 'vitest';
import { openSqlite } from '../../server/storage/sqlite/open.ts';
import { verifyChain } from '../../server/visitors/consent/consent-log.ts';
import { pseudonymIn } from '../support/harness.ts';
import {
  accept,
  ask,
  boot,
  command,
  createPlace,
  end,
  killAll,
  serve as serveFrom,
  type Visitor,
} from '../support/service-process.ts';

/**
 * A server and an import share a data folder; `kill -9` ends the server twice during two hundred turns.
 */

const TURNS = 200;

describe('a server killed twice during two hundred turns', () => {
  afterAll(killAll);

  it('keeps everything it acknowledged and leaves nothing half-written or running', {
    timeout: 180_000,
  }, async () => {
    const { dataDir, tenantId, appId } = await createPlace();
    const serve = () => serveFrom(dataDir, { LOG_LEVEL: 'silent' });
    let server = await serve();
    const booted = await Promise.all(Array.from({ length: TURNS }, () => boot(server, appId)));

    const more = Array.from({ length: 300 }, (_, index) => ({
      slug: `extra-${index}`,
      locale: 'en',
      title: `Extra topic ${index}`,
      answer: `This is what there is to say about extra topic ${index}. It is short.`,
    }));
    writeFileSync(join(dataDir, 'more.jsonl'), more.map((line) => JSON.stringify(line)).join('\n'));
    const importing = command(dataDir, [
      ...['knowledge', 'import', '--workspace', tenantId, join(dataDir, 'more.jsonl'), '--json'],
    ]);

    const ended = new Map<string, { text: string }>();
    const recorded = new Set<string>();
    let finished = 0;
    const turn = async (visitor: Visitor, index: number) => {
      const running = server;
      if (await accept(running, visitor)) recorded.add(pseudonymIn(dataDir, tenantId, visitor.visitor_id));
      const { messageId, text } = await ask(running, visitor, { conversation_id: `conv-${index}` });
      if (messageId === undefined) return;
      ended.set(messageId, { text });
      finished += 1;
      // By then some turns have ended, some are running and some have not started.
      if (finished === TURNS / 5 || finished === TURNS / 2) running.child.kill('SIGKILL');
    };
    await Promise.allSettled(booted.slice(0, TURNS / 2).map(turn));
    await end(server, 'SIGKILL');
    server = await serve();
    await Promise.allSettled(booted.slice(TURNS / 2).map((visitor, at) => turn(visitor, TURNS / 2 + at)));
    await end(server, 'SIGKILL');
    expect(JSON.parse((await importing).stdout)).toMatchObject({ articles: 300, errors: 0 });
    expect(ended.size).toBeGreaterThanOrEqual(TURNS / 5);

    const database = new Database(join(dataDir, 'guidepost.db'), { readonly: true });
    expect(database.pragma('integrity_check', { simple: true })).toBe('ok');
    expect(database.pragma('foreign_key_check')).toEqual([]);
    database.close();
    const store = openSqlite({ file: join(dataDir, 'guidepost.db') });
    const here = store.in(tenantId);
    for (const [messageId, { text }] of ended) {
      const turn = await here.conversations.findTurn(messageId);
      expect(turn).toMatchObject({ state: 'complete', answer: text });
    }
    for (const visitorId of recorded)
      expect(await here.consents.getCurrentDecision(visitorId)).toMatchObject({ decision: 'accepted' });
    const chain = await here.consents.chain(10_000);
    expect(chain.length).toBeGreaterThanOrEqual(recorded.size);
    expect(chain.map(({ position }) => position)).toEqual(chain.map((_, index) => index + 1));
    expect(await verifyChain(chain)).toMatchObject({ ok: true, count: chain.length });
    await store.close();

    const again = await serve();
    const after = new Database(join(dataDir, 'guidepost.db'), { readonly: true });
    expect(after.prepare("SELECT count(*) FROM turns WHERE state = 'running'").pluck().get()).toBe(0);
    after.close();
    const visitor = await boot(again, appId);
    expect(await ask(again, visitor, { conversation_id: 'after' })).toMatchObject({ status: 200 });
  });
});
