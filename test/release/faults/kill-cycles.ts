import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { openSqlite } from '../../../server/storage/sqlite/open.ts';
import { verifyChain } from '../../../server/visitors/consent/consent-log.ts';
import { pseudonymIn } from '../../support/harness.ts';
import {
  accept,
  ask,
  boot,
  command,
  createPlace,
  end,
  type Place,
  post,
  type Server,
  serve,
  signIn,
} from '../../support/service-process.ts';

/** Kills the service again and again during mixed load, and counts acknowledged writes that are lost or torn. */

const WORKERS = 6;
const CYCLE_MILLIS_MAX = 10_000;
/** How many of the newest acknowledgements each cycle checks; the last cycle checks all. */
const RECENT = 200;

type Acknowledged = {
  turns: Map<string, string>;
  consents: Set<string>;
  /** Titles, keyed by article and revision. */
  edits: Map<string, string>;
  keys: Set<string>;
};

export async function killCycles(cycles: number, report: (line: string) => void): Promise<string> {
  const place = await createPlace();
  const acknowledged: Acknowledged = {
    turns: new Map(),
    consents: new Set(),
    edits: new Map(),
    keys: new Set(),
  };
  for (let cycle = 1; cycle <= cycles; cycle += 1) {
    const server = await serve(place.dataDir, { LOG_LEVEL: 'silent' });
    const before = acknowledged.turns.size;
    const working = work(server, place, acknowledged);
    const until = Date.now() + CYCLE_MILLIS_MAX;
    // A busy machine needs longer to start.
    while (acknowledged.turns.size < before + WORKERS && Date.now() < until) await wait(20);
    await wait(Math.random() * 300);
    await end(server, 'SIGKILL');
    await working;
    checkRecent(place, acknowledged);
    const { turns, consents, edits, keys } = acknowledged;
    if (cycle % 10 === 0 || cycle === cycles)
      report(
        `cycle ${cycle}: ${turns.size} turns, ${consents.size} consents, ${edits.size} edits, ${keys.size} keys`,
      );
  }
  await checkAll(place, acknowledged);
  const { turns, consents, edits, keys } = acknowledged;
  if (Math.min(turns.size, consents.size, edits.size, keys.size) === 0)
    throw new Error('a kind of write was never acknowledged');
  return `${cycles} kills, ${turns.size + consents.size + edits.size + keys.size} acknowledged writes: 0 lost, 0 torn`;
}

let owner: Record<string, string> | undefined;

/** Sends writes of every kind until the server is down. */
async function work(server: Server, place: Place, acknowledged: Acknowledged): Promise<void> {
  const key = command(place.dataDir, [
    ...['key', 'create', '--json', '--workspace', place.tenantId, '--scope', 'events:read'],
  ]).then(({ code, stdout }) => {
    if (code === 0) acknowledged.keys.add((JSON.parse(stdout) as { id: string }).id);
  });
  const chats = Array.from({ length: WORKERS }, () => untilGone(() => visit(server, place, acknowledged)));
  const edits = untilGone(async () => {
    // The session outlives the process; its origin has a new port.
    owner = { ...(owner ?? (await signIn(server))), origin: server.baseUrl };
    await edit(server, place, acknowledged, owner);
  });
  await Promise.all([key, edits, ...chats]);
}

async function untilGone(step: () => Promise<void>): Promise<void> {
  try {
    for (;;) await step();
  } catch {
    // The connection ended with the server.
  }
}

async function visit(server: Server, { appId, dataDir, tenantId }: Place, { turns, consents }: Acknowledged) {
  const visitor = await boot(server, appId);
  if (await accept(server, visitor)) consents.add(pseudonymIn(dataDir, tenantId, visitor.visitor_id));
  const { messageId, text } = await ask(server, visitor, {
    conversation_id: `conv-${visitor.visitor_id.slice(-20)}`,
  });
  if (messageId !== undefined) turns.set(messageId, text);
}

let articles = 0;
async function edit(
  server: Server,
  { tenantId }: Place,
  { edits }: Acknowledged,
  headers: Record<string, string>,
) {
  articles += 1;
  const base = `/api/tenants/${tenantId}/knowledge/articles`;
  const content = {
    title: `Topic ${articles}-${Date.now()}`,
    answer: 'There is little to say.',
  };
  const created = await post(server, base, content, headers);
  if (created.status !== 201) throw new Error(await created.text());
  const article = (await created.json()) as { id: string; revision: number };
  edits.set(`${article.id} ${article.revision}`, content.title);
  const changed = { ...content, title: `${content.title} again`, baseRevision: article.revision };
  const edited = await post(server, `${base}/${article.id}`, changed, headers, 'PUT');
  if (edited.status !== 200) throw new Error(await edited.text());
  const { revision } = (await edited.json()) as { revision: number };
  edits.set(`${article.id} ${revision}`, changed.title);
}

const open = ({ dataDir }: Place) => new Database(join(dataDir, 'guidepost.db'));

function checkRecent(place: Place, { turns, consents, edits, keys }: Acknowledged, recent = RECENT): void {
  const db = open(place);
  const turn = db.prepare('SELECT state, answer FROM turns WHERE message_id = ?');
  const decision = db.prepare('SELECT 1 FROM consent_current WHERE visitor_id = ?');
  const revision = db
    .prepare('SELECT title FROM article_revisions WHERE article_id = ? AND revision = ?')
    .pluck();
  const key = db.prepare('SELECT 1 FROM api_keys WHERE id = ?');
  const lost: string[] = [];
  for (const [id, text] of [...turns].slice(-recent)) {
    const found = turn.get(id) as { state: string; answer: string } | undefined;
    if (found?.state !== 'complete' || found.answer !== text) lost.push(`turn ${id} (${found?.state})`);
  }
  for (const id of [...consents].slice(-recent)) if (!decision.get(id)) lost.push(`consent ${id}`);
  for (const [at, title] of [...edits].slice(-recent))
    if (revision.get(...at.split(' ')) !== title) lost.push(`edit ${at}`);
  for (const id of [...keys].slice(-recent)) if (!key.get(id)) lost.push(`key ${id}`);
  db.close();
  if (lost.length > 0)
    throw new Error(`${lost.length} acknowledged writes are lost: ${lost.slice(0, 5).join(', ')}`);
}

async function checkAll(place: Place, acknowledged: Acknowledged): Promise<void> {
  checkRecent(place, acknowledged, Number.POSITIVE_INFINITY);
  const db = open(place);
  const count = (sql: string) => db.prepare(`SELECT count(*) FROM ${sql}`).pluck().get() as number;
  const torn = {
    'integrity check': db.pragma('integrity_check(1)', { simple: true }) === 'ok' ? 0 : 1,
    'dangling references': (db.pragma('foreign_key_check') as unknown[]).length,
    'articles without their revision': count(
      'articles a WHERE NOT EXISTS (SELECT 1 FROM article_revisions r WHERE r.article_id = a.id AND r.revision = a.revision)',
    ),
    'current decisions without a record': count('consent_current') > count('consent_records') ? 1 : 0,
    'conversations without a turn': count(
      'conversations c WHERE NOT EXISTS (SELECT 1 FROM turns t WHERE t.workspace_id = c.workspace_id AND t.conversation_id = c.id)',
    ),
  };
  db.close();
  const store = openSqlite({ file: join(place.dataDir, 'guidepost.db') });
  const chain = await store.in(place.tenantId).consents.chain(1_000_000);
  const verdict = await verifyChain(chain);
  await store.close();
  const found = Object.entries({ ...torn, 'consent chain': verdict.ok ? 0 : 1 }).filter(
    ([, many]) => many > 0,
  );
  if (found.length > 0) throw new Error(`torn: ${found.map(([what, many]) => `${many} ${what}`).join(', ')}`);
}
