import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import SqliteDatabase from 'better-sqlite3';
import { expect, it } from 'vitest';
import type { ChainedConsent } from '../../server/storage/consents.ts';
import type { Store } from '../../server/storage/store.ts';
import { isUnbroken } from '../support/stored-samples.ts';
import { temporaryStore } from './temporary-store.ts';

const KILLS = 3;

it('a database keeps every acknowledged write whole when one of two writing processes is killed', async () => {
  const { store, file, workspaceId } = await temporaryStore();
  const acknowledged = { opened: new Set<string>(), closed: new Set<string>(), consent: new Set<string>() };
  const start = () => listen(startWriter(file, workspaceId), acknowledged);

  const survivor = start();
  for (let kill = 0; kill < KILLS; kill += 1) {
    const victim = start();
    await once(victim.stdout!, 'data');
    await wait(100 + 40 * kill);
    await killed(victim);
  }
  await killed(survivor);

  const { opened, closed, consent } = acknowledged;
  expect(Math.min(opened.size, closed.size, consent.size)).toBeGreaterThan(100);
  const { conversations } = store.in(workspaceId);
  for (const id of opened) expect(await conversations.findTurn(id), id).toBeDefined();
  for (const id of closed) {
    expect(await conversations.findTurn(id)).toMatchObject({ state: 'complete', answer: id.repeat(50) });
  }
  const chain = await wholeChain(store, workspaceId);
  const recorded = new Set(chain.map(({ id }) => id));
  expect([...consent].filter((id) => !recorded.has(id))).toEqual([]);
  expect(isUnbroken(chain)).toBe(true);

  const db = new SqliteDatabase(file, { readonly: true });
  const count = (sql: string) => db.prepare(`SELECT count(*) FROM ${sql}`).pluck().get();
  expect(count(`events WHERE type = 'consent'`)).toBe(chain.length);
  expect(count(`consent_current`)).toBe(chain.length);
  const finished = count(`turns WHERE state = 'complete'`);
  expect(count(`events JOIN turns ON message_id = data ->> 'messageId' WHERE state = 'complete'`)).toBe(
    finished,
  );
  expect(count(`events WHERE type = 'turn'`)).toBe(finished);
  expect(count(`conversations`)).toBe(count(`turns`));
  expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
  expect(db.pragma('foreign_key_check')).toEqual([]);
  db.close();
});

function startWriter(file: string, workspaceId: string): ChildProcess {
  const program = new URL('./durability-writer.ts', import.meta.url).pathname;
  return spawn(process.execPath, [program, file, workspaceId], { stdio: ['ignore', 'pipe', 'inherit'] });
}

/** Collects the complete lines that the process printed. */
function listen(child: ChildProcess, acknowledged: Readonly<Record<string, Set<string>>>): ChildProcess {
  let partialLine = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    const lines = (partialLine + text).split('\n');
    partialLine = lines.pop() ?? '';
    for (const line of lines) {
      const [kind = '', id = ''] = line.split(' ');
      acknowledged[kind]?.add(id);
    }
  });
  return child;
}

async function killed(child: ChildProcess): Promise<void> {
  const closed = once(child, 'close');
  expect(child.exitCode, 'the writer must still be running').toBeNull();
  child.kill('SIGKILL');
  await closed;
}

async function wholeChain(store: Store, workspaceId: string): Promise<ChainedConsent[]> {
  const chain: ChainedConsent[] = [];
  for (;;) {
    const page = await store.in(workspaceId).consents.chain(1_000, chain.length);
    if (page.length === 0) return chain;
    chain.push(...page);
  }
}
