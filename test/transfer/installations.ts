import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { newId } from '../../server/base/ids.ts';
import { openSqlite } from '../../server/storage/sqlite/open.ts';
import type { Store } from '../../server/storage/store.ts';
import { commandLine } from '../support/command-line.ts';
import { clock, type Harness, type HarnessOptions, ORIGIN } from '../support/harness.ts';
import { createGif, toForm } from '../support/image-files.ts';
import { joinAs, type MemberClient, openTeam, type Team } from '../support/team.ts';
import { tempDir } from '../support/temp-dir.ts';

/** The workspace archive of one installation, and another installation to import it into. */

export let team: FilledTeam;
export let archive: string;
export let lines: string[];
export let folder: string;
export let dataDir: string;
export let cli: ReturnType<typeof commandLine>;

export function setUpArchiveAndFolder(): void {
  beforeAll(async () => {
    team = await openFilled('canaryword');
    archive = (await team.as('owner').get('/export')).text;
    lines = lineTexts(archive);
  });
  afterAll(() => team.close());
  beforeEach(() => {
    folder = tempDir();
    dataDir = join(folder, 'data');
    cli = commandLine(dataDir, clock.now);
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
}

export const fileOf = (text: string): string => {
  const file = join(folder, 'archive.ndjson');
  writeFileSync(file, text);
  return file;
};

export async function inStore<T>(action: (store: Store) => Promise<T>): Promise<T> {
  const store = openSqlite({ file: join(dataDir, 'guidepost.db') });
  try {
    return await action(store);
  } finally {
    await store.close();
  }
}

export async function exportAgain(id: string): Promise<string> {
  const out = join(folder, 'again.ndjson');
  const outcome = await cli.json(['workspace', 'export', '--workspace', id, '--out', out]);
  expect(outcome).toEqual({
    tenant_id: id,
    file: out,
    lines: lines.length,
    bytes: Buffer.byteLength(archive),
  });
  return readFileSync(out, 'utf8');
}

/** Returns the names of the tables that have rows, except those that every database fills. */
export function listFilledTables(): string[] {
  const database = new Database(join(dataDir, 'guidepost.db'), { readonly: true });
  const tables = database
    .prepare(
      `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'passage_index%'
       AND name NOT IN ('migrations', 'passage_metadata', 'database_marks')`,
    )
    .pluck()
    .all() as string[];
  const filledTables = tables.filter((table) => database.prepare(`SELECT 1 FROM "${table}" LIMIT 1`).get());
  database.close();
  return filledTables;
}

/** Returns the number of the first line of this type, from 1. */
export const lineOf = (type: string) => lines.findIndex((line) => line.startsWith(`{"type":"${type}"`)) + 1;

export type Fields = Record<string, unknown>;

/** Returns the archive with the first line of this type changed, removed or duplicated. */
export function changed(type: string, change: (line: Fields) => readonly Fields[]): string {
  const at = lines.findIndex((line) => line.startsWith(`{"type":"${type}"`));
  const replacement = change(JSON.parse(lines[at]!)).map((line) => JSON.stringify(line));
  return `${[...lines.slice(0, at), ...replacement, ...lines.slice(at + 1)].join('\n')}\n`;
}

export const set = (type: string, fields: Fields) => changed(type, (line) => [{ ...line, ...fields }]);

/** Fills a workspace with data of every kind; each text contains a word that appears nowhere else. */

type CreatedRecord = { id: string; revision: number };

async function expectCreated<T = CreatedRecord>(
  answer: Promise<{ status: number; json: unknown; text: string }>,
): Promise<T> {
  const { status, json, text } = await answer;
  if (status >= 300) throw new Error(`could not be made: ${status} ${text}`);
  return json as T;
}

type Filled = {
  article: CreatedRecord;
  translationPath: string;
  visitorId: string;
};

/** Fills the workspace of the client; every stored text contains `word`. */
export async function fill(harness: Harness, memberClient: MemberClient, word: string): Promise<Filled> {
  const settings = {
    name: `${word} the shop`,
    suggestions: [`${word} where is my order?`],
    allowedOrigins: [ORIGIN, `https://${word}.example`],
    contact: { email: `${word}@shop.example`, url: `https://shop.example/${word}` },
    voice: {
      voiceId: `${word}-voice`,
      tokenProvider: 'provider_b',
      transcribeProvider: 'provider_a',
      speechProvider: 'mock',
    },
  };
  await expectCreated(memberClient.patch('', settings));
  const article = await publishedArticle(memberClient, word);
  const translationPath = await reviewedTranslation(memberClient, article.id, word);
  const draft = await expectCreated(
    memberClient.post('/knowledge/articles', { title: `${word} draft`, answer: `${word} not yet.` }),
  );
  await fillSchedules(harness, draft, article.id, memberClient.memberId);
  await expectCreated(
    memberClient.post('/invitations', { email: `${word}-guest@shop.example`, role: 'member' }),
  );
  await expectCreated(memberClient.post('/api-keys', { name: `${word} report`, scopes: ['events:read'] }));
  await expectCreated(memberClient.upload('/images', toForm(createGif(word), `${word}.gif`)));
  const { id: collectionId } = await expectCreated<{ id: string }>(
    memberClient.post('/knowledge/collections', { name: word }),
  );
  const { data } = await expectCreated<{ data: { id: string }[] }>(memberClient.get('/knowledge/articles'));
  const articleIds = data.map(({ id }) => id);
  await expectCreated(
    memberClient.post('/knowledge/article-actions', { action: 'move', articleIds, collectionId }),
  );
  await expectCreated(
    memberClient.post('/knowledge/article-actions', { action: 'tag', articleIds, tag: word }),
  );
  const { answerTests } = harness.service.store.in(harness.workspace.id);
  const by = { locale: 'en', createdAt: harness.clock.now(), createdBy: memberClient.memberId };
  const audit = { id: newId('aud'), atMillis: by.createdAt, actor: by.createdBy, details: {} };
  await answerTests.put(
    [
      { id: newId('tst'), question: `${word} where?`, articleId: article.id, ...by },
      { id: newId('tst'), question: `${word} never?`, ...by },
    ],
    2,
    { ...audit, action: 'answer_test.changed', subject: word },
  );
  await answerTests.begin(word);
  const { dictionaries } = harness.service.store.in(harness.workspace.id);
  await dictionaries.put({ from: 'en', to: 'en', content: Buffer.from(word), spellings: word });
  await dictionaries.finish({ fingerprint: word, version: '0' }, [{ from: 'en', to: 'en' }]);
  await embed(harness, word);
  await expectCreated(
    memberClient.post(`/knowledge/articles/${article.id}/alias-suggestions/dismiss`, {
      alias: `${word} glow`,
      locale: 'en',
    }),
  );
  await fillSources(harness, memberClient, word);
  const visitorId = await visitGuide(harness, word);
  const tombstone = { mark: `${word}-erased`, atMillis: harness.clock.now() };
  await harness.service.store.in(harness.workspace.id).eraseVisitor(newId('vp'), tombstone);
  await reserveTokensAndVoice(harness, visitorId);
  return { article, translationPath, visitorId };
}

/** Schedules a draft and a translation for years later, and lets the draft be verified. */
async function fillSchedules(
  harness: Harness,
  { id, revision: baseRevision }: CreatedRecord,
  articleId: string,
  by: string,
): Promise<void> {
  const { schedules, translations } = harness.service.store.in(harness.workspace.id);
  const now = harness.clock.now();
  const at = now + 1_000 * 86_400_000;
  const toAudit = () => ({ id: newId('aud'), atMillis: now, actor: by, details: {} });
  const scheduled = { at, by };
  const audit = { ...toAudit(), action: 'article.scheduled', subject: id };
  await schedules.setOfArticle({ id, baseRevision, scheduled, audit });
  await schedules.setVerification(
    id,
    { after: at, checkedAt: now, checkedBy: by },
    {
      ...toAudit(),
      action: 'article.verified',
      subject: id,
    },
  );
  const [translation] = await translations.list(articleId);
  await schedules.setOfTranslation({
    id: translation!.id,
    baseRevision: translation!.revision,
    scheduled,
    audit: { ...toAudit(), action: 'translation.scheduled', subject: translation!.id },
  });
}

/** Creates a source, runs it twice with an edit in between, and leaves a third upload pending. */
async function fillSources(harness: Harness, memberClient: MemberClient, word: string): Promise<void> {
  const { service, workspace } = harness;
  const { sources } = service.store.in(workspace.id);
  const files = { baseUrl: 'https://files.example.com/' };
  const settings = { name: `${word} manual`, type: 'files', files, mode: 'review' };
  const { id } = await expectCreated<{ id: string }>(memberClient.post('/knowledge/sources', settings));
  const upload = async (text: string) => {
    const form = new FormData();
    form.append('file', new Blob([`# ${word} ${text}\n\n${word} ${text} lanterns.\n`]));
    await expectCreated(memberClient.upload(`/knowledge/sources/${id}/files?name=${word}.md`, form));
  };
  const run = async () => {
    const { id: runId } = await expectCreated<CreatedRecord>(
      memberClient.post(`/knowledge/sources/${id}/runs`, {}),
    );
    while ((await sources.findRun(id, runId))?.state !== 'done') {
      await service.tick();
      await yieldToEventLoop();
    }
  };
  await upload('new');
  await run();
  const { data } = await expectCreated<{ data: CreatedRecord[] }>(
    memberClient.get(`/knowledge/articles?source=${id}`),
  );
  const [{ id: articleId, revision: baseRevision } = { id: '', revision: 0 }] = data;
  const edited = { baseRevision, title: `${word} edited`, answer: `${word} edited here.` };
  await expectCreated(memberClient.put(`/knowledge/articles/${articleId}`, edited));
  await upload('newer');
  await run();
  await upload('newest');
}

async function embed({ service, workspace }: Harness, word: string): Promise<void> {
  const { embeddings, embeddingMonths } = service.store.in(workspace.id);
  const passages = await service.store.embeddingIndex.newest(
    { above: 0, below: Number.MAX_SAFE_INTEGER },
    100,
    word,
  );
  for (const { passageId, articleId, locale } of passages.filter(
    ({ workspaceId }) => workspaceId === workspace.id,
  )) {
    await embeddings.put({
      ...{ passageId, articleId, locale, model: word, contentHash: word },
      ...{ dimensions: 1, vectors: Buffer.from(word) },
    });
  }
  await embeddingMonths.reserve('2026-11', () => 1);
}

async function publishedArticle(memberClient: MemberClient, word: string): Promise<CreatedRecord> {
  const text = {
    title: `${word} lanterns`,
    answer: `${word} lanterns are lit at night. ${`${word} lanterns have a switch below. `.repeat(60)}`,
    aliases: [`${word} lamps`],
    url: `https://shop.example.com/${word}`,
  };
  const { id, revision } = await expectCreated(memberClient.post('/knowledge/articles', text));
  const live = await expectCreated(
    memberClient.post(`/knowledge/articles/${id}/publish`, { baseRevision: revision }),
  );
  const changed = { ...text, title: `${word} lanterns and candles`, baseRevision: live.revision };
  return expectCreated(memberClient.put(`/knowledge/articles/${id}`, changed));
}

async function reviewedTranslation(
  memberClient: MemberClient,
  articleId: string,
  word: string,
): Promise<string> {
  const base = `/knowledge/articles/${articleId}/translations`;
  const german = {
    title: `${word} Laternen`,
    answer: `${word} Laternen leuchten nachts.`,
    searchAliases: [`${word} Lampen`],
  };
  let { id, revision } = await expectCreated(memberClient.post(base, { locale: 'de', ...german }));
  const step = async (name: string, body: Record<string, unknown> = {}) => {
    ({ revision } = await expectCreated(
      memberClient.post(`${base}/${id}/${name}`, { baseRevision: revision, ...body }),
    ));
  };
  await step('submit-review');
  await step('review', { decision: 'request_changes', reviewNote: `${word} please be formal` });
  ({ revision } = await expectCreated(
    memberClient.put(`${base}/${id}`, { baseRevision: revision, ...german, title: `${word} Die Laternen` }),
  ));
  await step('submit-review');
  await step('review', { decision: 'approve', reviewNote: `${word} well done` });
  await step('publish');
  return `${base}/${id}`;
}

/** Accepts as a visitor, asks twice, rates and comments. */
async function visitGuide(harness: Harness, word: string): Promise<string> {
  const visitor = await visit(harness, 'accepted');
  const { jwt } = visitor;
  const headers = { authorization: `Bearer ${jwt}` };
  const conversation_id = `conv-${word}`;
  const message = `${word} how do I return an order? ${`${word} `.repeat(100)}`;
  const turn = { conversation_id, message };
  const [start] = await harness.ask(jwt, turn, { 'idempotency-key': `${word}-key` });
  await harness.ask(jwt, { conversation_id, turn_idx: 1, message: `${word} lanterns` });
  const message_id = start?.type === 'message_start' ? start.message_id : '';
  const rating = { message_id, rating: 'up', comment: `${word} thank you` };
  const rated = await harness.fetch('/feedback', { json: rating, headers });
  if (rated.status !== 200) throw new Error(await rated.text());
  const { conversationNotes } = harness.service.store.in(harness.workspace.id);
  const note = { id: newId('note'), conversationId: conversation_id, text: `${word} called back` };
  await conversationNotes.add({ ...note, createdAt: harness.clock.now(), createdBy: newId('mem') }, 1);
  await askPerson(harness, word, conversation_id, harness.pseudonym(visitor));
  await fillInbox(harness, message_id);
  return harness.pseudonym(visitor);
}

/** Nobody is told: no webhook is set up. */
const NOBODY = { mail: undefined, payload: undefined as never };

/** Asks a person, who replies and writes a note. */
async function askPerson(
  { service, workspace, clock, origin }: Harness,
  word: string,
  conversationId: string,
  visitorId: string,
): Promise<void> {
  const { handovers, members } = service.store.in(workspace.id);
  const [member] = await members.list();
  const [handoverId, createdAt] = [newId('ho'), clock.now()];
  await handovers.create(
    {
      ...{ id: handoverId, visitorId, conversationId, state: 'open', createdAt, assigneeId: member!.id },
      ...{ message: `${word} where is it?`, name: word, email: `${word}@example.com`, locale: 'en' },
      ...{ pageUrl: `${origin}/${word}`, idempotencyKey: `${word}-person`, payloadHash: 'h' },
      summary: `${word} asked`,
      transcript: JSON.stringify([{ question: `${word} lanterns`, answer: 'At night.' }]),
    },
    NOBODY,
  );
  const part = { handoverId, createdAt, createdBy: member!.id };
  const audit = { atMillis: createdAt, actor: member!.id, action: 'handover.replied', subject: handoverId };
  const reply = { ...part, id: newId('hor'), text: `${word} tomorrow` };
  await handovers.reply(reply, 1, { ...audit, id: newId('aud'), details: {} }, NOBODY);
  await handovers.addNote({ ...part, id: newId('note'), text: `${word} was kind` }, 1);
  await service.store.in(workspace.id).digests.set(member!.id, createdAt);
}

async function fillInbox({ service, workspace, clock }: Harness, messageId: string): Promise<void> {
  const { inbox, members, articles } = service.store.in(workspace.id);
  const groupId = newId('ibx');
  const [article] = await articles.list(1);
  const [member] = await members.list();
  const question = { messageId, groupId, kinds: 1, askedAt: clock.now(), confidence: 100, signature: '{}' };
  await inbox.add([question], { turnAt: 0, messageId, ratedAt: 0 });
  await inbox.change(
    groupId,
    { state: 'resolved', assigneeId: member!.id, articleId: article!.id },
    clock.now(),
    () => undefined,
  );
  await inbox.recordAskedAgain(groupId, { atMillis: clock.now(), asked: 1, answered: 1 });
}

/** Reserves a token of the month, and seconds for an open realtime voice session. */
async function reserveTokensAndVoice(
  { service, workspace, clock }: Harness,
  visitorId: string,
): Promise<void> {
  const now = clock.now();
  await service.store.in(workspace.id).tokenMonths.reserve('2026-11', () => 1);
  await service.store.in(workspace.id).voiceReservations.reserve(
    {
      id: newId('hold'),
      visitorId,
      kind: 'realtime',
      provider: 'provider_a',
      period: '2026-11',
      openedAt: now,
      isRecordable: true,
    },
    () => ({ seconds: 120, defaultChargeSeconds: 0, closesAt: now + 60_000, purgeAt: now + 3_600_000 }),
  );
}

/** Boots a visitor of the harness's workspace who decides on consent. */
export async function visit(harness: Harness, decision: 'accepted' | 'denied') {
  harness.clock.advance(1000);
  const visitor = await harness.boot();
  const json = {
    visitor_id: visitor.visitor_id,
    url: `${ORIGIN}/canary-path`,
    copy_version: '2026-11-01',
    at: harness.clock.now(),
    decision,
  };
  const response = await harness.fetch('/consent', {
    json,
    headers: { authorization: `Bearer ${visitor.jwt}` },
  });
  const { recorded } = (await response.json()) as { recorded: boolean };
  if (!recorded) throw new Error('the decision was not recorded');
  return visitor;
}

export type FilledTeam = Team & Filled & { word: string; owner: MemberClient };

/** Opens a team whose workspace was filled by an owner with the word in their email. */
export async function openFilled(word: string, options: HarnessOptions = {}): Promise<FilledTeam> {
  const team = await openTeam(options);
  const owner = await joinAs(team.harness, team.workspace, 'owner', `${word}-owner@shop.example`);
  return { ...team, ...(await fill(team.harness, owner, word)), word, owner };
}

export const lineTexts = (text: string): string[] => text.trimEnd().split('\n');
