import { setTimeout as pause } from 'node:timers/promises';
import type { ArchiveLine, ArchiveLineOf } from '../../contract/archive-line.ts';
import type { Clock } from '../base/clock.ts';
import { GENESIS_HASH, verifyAuditChain } from '../base/hash-chain.ts';
import { newId } from '../base/ids.ts';
import { readImage } from '../knowledge/images/image-file.ts';
import { createIndexing, type Indexing } from '../knowledge/search/indexing.ts';
import type { Store } from '../storage/store.ts';
import type { ImportRow } from '../storage/workspace-import.ts';
import type { Workspace } from '../storage/workspaces.ts';
import { canonicalizeAllowedOrigin } from '../visitors/allowed-origin.ts';
import { verifyChain } from '../visitors/consent/consent-log.ts';
import { purgeRemoved } from './archive.ts';
import { type ArticleLine, createArticleReader } from './article-reader.ts';
import { CODECS, expected, InvalidArchive, type ReadLine, readArchive, toWorkspace } from './codec.ts';

/** An import without progress for this long is abandoned and its rows are removed. */
const SILENCE_MILLIS = 120_000;
/** Limits per commit: rows, and bytes of the archive. */
const BATCH_ROWS_MAX = 100;
const BATCH_BYTES_MAX = 256 * 1024;
/** Pause between two commits, in which others can write. */
const PAUSE_MILLIS = 2;

export type ArchiveCounts = Partial<Record<ArchiveLine['type'], number>>;
type ArchiveReport = { workspace: Workspace; counts: ArchiveCounts };

type ArchiveImportDeps = {
  store: Pick<Store, 'workspaces' | 'workspaceImports'>;
  clock: Clock;
};

type OnProgress = (read: { lines: number; bytesRead: number }) => void;

/**
 * Imports an archive as a workspace with the id that it had. The workspace is invisible until it is complete; after an
 * error, nothing of it stays. With `into`, it replaces that empty workspace.
 * @throws InvalidArchive
 */
export async function importArchive(
  file: string,
  deps: ArchiveImportDeps,
  into?: string,
  onProgress: OnProgress = () => {},
): Promise<ArchiveReport> {
  const lines = readArchive(file);
  try {
    return await importLines(lines, deps, into, onProgress);
  } finally {
    await lines.return(undefined);
  }
}

async function importLines(
  lines: AsyncGenerator<ReadLine, void>,
  deps: ArchiveImportDeps,
  into: string | undefined,
  onProgress: OnProgress,
): Promise<ArchiveReport> {
  const first = await lines.next();
  if (first.done || first.value.line.type !== 'workspace') {
    throw expected('an archive, which begins with a workspace', 1, 'type');
  }
  const workspace = toWorkspace(first.value.line);
  const { allowedOrigins } = workspace.settings;
  const badOrigin = allowedOrigins.findIndex((origin) => canonicalizeAllowedOrigin(origin) !== origin);
  if (badOrigin >= 0)
    throw expected('an origin such as https://shop.example.com', 1, `allowedOrigins.${badOrigin}`);
  // Rows of an abandoned import may still occupy ids.
  await purgeRemoved(deps);
  await checkTarget(workspace, deps, into);
  const { store, clock } = deps;
  if ((await store.workspaceImports.begin(workspace, clock.now() + SILENCE_MILLIS)) === 'id_taken') {
    throw new InvalidArchive(
      `Another import of ${workspace.id} is under way, or broke off in the last two minutes: try again later.`,
    );
  }
  try {
    const counts = await putLines(workspace.id, lines, deps, onProgress);
    await completeWorkspace(workspace, deps, into);
    return { workspace, counts };
  } catch (error) {
    await store.workspaceImports.abandon(workspace.id);
    await purgeRemoved(deps);
    throw error;
  }
}

async function checkTarget(
  { id, appId }: Workspace,
  { store }: ArchiveImportDeps,
  into: string | undefined,
): Promise<void> {
  if (await store.workspaces.find(id)) {
    throw new InvalidArchive(
      `The workspace ${id} is here already. Delete it first to put the archive in its place.`,
    );
  }
  const holder = await store.workspaces.findByAppId(appId);
  if (holder && holder.id !== into) throw appIdTaken(appId, holder.id);
  if (into === undefined) return;
  if (!(await store.workspaces.find(into))) throw new InvalidArchive(`There is no workspace ${into}.`);
  if (!(await store.workspaceImports.isEmpty(into))) throw notEmpty(into);
}

async function completeWorkspace(
  { id, appId }: Workspace,
  { store, clock }: ArchiveImportDeps,
  into: string | undefined,
): Promise<void> {
  const outcome = await store.workspaceImports.complete(id, appId, clock.now(), into);
  if (outcome === 'gone') throw importExpired();
  if (outcome === 'app_id_taken') throw appIdTaken(appId);
  if (outcome === 'not_empty') throw notEmpty(into!);
}

async function putLines(
  workspaceId: string,
  lines: AsyncIterable<ReadLine>,
  deps: ArchiveImportDeps,
  onProgress: OnProgress,
): Promise<ArchiveCounts> {
  const { read, finish } = createRowReader(workspaceId, createIndexing());
  const counts: ArchiveCounts = {};
  let rows: ImportRow[] = [];
  let numbers: number[] = [];
  let committedBytes = 0;
  const commit = async (bytesRead: number, number: number) => {
    await commitRows(workspaceId, rows, numbers, deps);
    [rows, numbers, committedBytes] = [[], [], bytesRead];
    onProgress({ lines: number, bytesRead });
    await pause(PAUSE_MILLIS);
  };
  for await (const { line, number, bytesRead } of lines) {
    counts[line.type] = (counts[line.type] ?? 0) + 1;
    for (const row of await read(line, number)) {
      rows.push(row);
      numbers.push(number);
    }
    const isFull = rows.length >= BATCH_ROWS_MAX || bytesRead - committedBytes >= BATCH_BYTES_MAX;
    if (isFull || line.type === 'end') await commit(bytesRead, number);
  }
  finish();
  return counts;
}

async function commitRows(
  workspaceId: string,
  rows: readonly ImportRow[],
  numbers: readonly number[],
  { store, clock }: ArchiveImportDeps,
): Promise<void> {
  const nowMillis = clock.now();
  const untilMillis = nowMillis + SILENCE_MILLIS;
  const outcome = await store.workspaceImports.put(workspaceId, rows, { nowMillis, untilMillis });
  if (outcome === 'gone') throw importExpired();
  if (outcome !== 'put') {
    throw expected(
      'something new, but its id is here already, in this archive or another workspace',
      numbers[outcome.taken]!,
    );
  }
}

const importExpired = () =>
  new InvalidArchive('The import stood still for too long and was given up. Start it again.');

const appIdTaken = (appId: string, holder?: string) =>
  new InvalidArchive(
    `The app id ${appId} belongs to ${holder ?? 'another workspace'}. If that one is empty, put the archive in its place with --into.`,
  );

const notEmpty = (id: string) =>
  new InvalidArchive(
    `The workspace ${id} is not empty: only one without articles, conversations, events and consent records can be replaced.`,
  );

/** Checks that the lines of an archive fit together and converts them to rows. */

type LineType = ArchiveLine['type'];

/** The sections of an archive in order, with the line types of each. */
const SECTIONS: readonly (readonly LineType[])[] = [
  ['workspace'],
  ['member'],
  ['consent_policy'],
  ['consent_subject'],
  ['consent_record'],
  ['consent_decision'],
  ['image'],
  ['collection'],
  ['source'],
  ['source_document'],
  ['source_run'],
  ['source_run_item'],
  ['article', 'article_address', 'article_revision', 'translation', 'translation_revision'],
  ['answer_test'],
  ['conversation', 'turn', 'feedback', 'conversation_note'],
  ['inbox_group'],
  ['inbox_question'],
  ['handover'],
  ['handover_reply'],
  ['handover_note'],
  ['event'],
  ['audit'],
  ['end'],
];
const getSection = (type: LineType) => SECTIONS.findIndex((types) => types.includes(type));

type RowReader = {
  /** Returns the rows of this line, and of the article or conversation that it completes. */
  read(line: ArchiveLine, number: number): Promise<readonly ImportRow[]>;
  /** @throws InvalidArchive when the last line is missing. */
  finish(): void;
};

/**
 * Reads all lines after the first, in order.
 * @throws InvalidArchive at the first line that is out of order.
 */
function createRowReader(workspaceId: string, indexing: Indexing): RowReader {
  const [collectionIds, sourceIds] = [new Set<string>(), new Set<string>()];
  const articles = createArticleReader(indexing, collectionIds, sourceIds);
  const conversations = createConversationReader();
  const readers: Readers = {
    ...createOwnReaders(workspaceId, collectionIds),
    ...createSourceReaders(sourceIds),
    article: articles.read,
    article_address: articles.read,
    article_revision: articles.read,
    translation: articles.read,
    translation_revision: articles.read,
    conversation: conversations.read,
    turn: conversations.read,
    feedback: conversations.read,
    conversation_note: conversations.read,
  };
  let section = 0;
  let hasEnded = false;

  function checkOrder({ type }: ArchiveLine, number: number): void {
    if (hasEnded) throw expected('nothing after the last line', number);
    if (type === 'workspace') throw expected('one workspace', number, 'type');
    if (getSection(type) < section) throw expected(`no ${type} here any more`, number, 'type');
    section = getSection(type);
  }

  function readEnd({ lines }: ArchiveLineOf<'end'>, number: number): void {
    if (lines !== number - 1) throw expected(`${number - 1}, the lines before`, number, 'lines');
    hasEnded = true;
  }

  return {
    async read(line, number) {
      checkOrder(line, number);
      const isOfArticle = line.type !== 'article' && getSection(line.type) === getSection('article');
      const completedRows = isOfArticle ? [] : await articles.close(number);
      if (!PARTS_OF_CONVERSATIONS.has(line.type)) conversations.close(number);
      if (line.type === 'end') readEnd(line, number);
      if (line.type === 'workspace' || line.type === 'end') return completedRows;
      return [...completedRows, await (readers[line.type] as Reader)(line, number)];
    },
    finish() {
      if (!hasEnded) throw new InvalidArchive('The archive is not whole: its last line is missing.');
    },
  };
}

type Reader<Line = ArchiveLine> = (line: Line, number: number) => ImportRow | Promise<ImportRow>;

/** The first and the last line are no rows. */
type Readers = { [T in Exclude<LineType, 'workspace' | 'end'>]: Reader<ArchiveLineOf<T>> };
type OfSource = Extract<LineType, `source${string}`>;
type OfParent = OfSource | ArticleLine['type'] | ConversationLine['type'];

/** Returns the readers of lines that belong to no line before them. */
function createOwnReaders(workspaceId: string, collectionIds: Set<string>): Omit<Readers, OfParent> {
  return {
    member: (line) => ({ table: 'members', row: { ...CODECS.member.toRow(line), userId: newId('usr') } }),
    consent_policy: (line) => ({ table: 'consentPolicies', row: CODECS.consent_policy.toRow(line) }),
    consent_subject: (line) => ({ table: 'consentSubjects', row: CODECS.consent_subject.toRow(line) }),
    consent_record: createConsentReader(workspaceId),
    consent_decision: (line) => ({ table: 'consentCurrent', row: CODECS.consent_decision.toRow(line) }),
    image: readImageLine,
    collection(line) {
      collectionIds.add(line.id);
      return { table: 'collections', row: CODECS.collection.toRow(line) };
    },
    answer_test: (line) => ({
      table: 'answerTests',
      row: {
        ...CODECS.answer_test.toRow(line),
        ...{ waiting: true, ranAt: null, outcome: null, passages: null },
      },
    }),
    // A trigger counts the questions of the group.
    inbox_group: (line) => ({ table: 'inboxGroups', row: { ...CODECS.inbox_group.toRow(line), asked: 0 } }),
    inbox_question: (line) => ({
      table: 'inboxQuestions',
      row: { ...CODECS.inbox_question.toRow(line), signature: null },
    }),
    handover: (line) => ({
      table: 'handovers',
      row: { ...CODECS.handover.toRow(line), idempotencyKey: null, payloadHash: null },
    }),
    handover_reply: (line) => ({ table: 'handoverReplies', row: CODECS.handover_reply.toRow(line) }),
    handover_note: (line) => ({ table: 'handoverNotes', row: CODECS.handover_note.toRow(line) }),
    event: (line) => ({ table: 'events', row: CODECS.event.toRow(line) }),
    audit: createAuditReader(workspaceId),
  };
}

/** Converts an image, whose bytes decide its media type, as in an upload. */
function readImageLine(line: ArchiveLineOf<'image'>, number: number): ImportRow {
  const row = CODECS.image.toRow(line);
  const image = readImage(row.content);
  if (image?.mediaType !== line.mediaType)
    throw expected(`the bytes of ${line.mediaType}`, number, 'content');
  return { table: 'images', row: { ...row, ...image } };
}

/** Expects each line after the line that it belongs to. */
function createSourceReaders(sourceIds: Set<string>): Pick<Readers, OfSource> {
  const runIds = new Set<string>();
  const requireSource = (sourceId: string, number: number) => {
    if (!sourceIds.has(sourceId)) throw expected('the id of a source above', number, 'sourceId');
  };
  return {
    source(line) {
      sourceIds.add(line.id);
      return { table: 'sources', row: CODECS.source.toRow(line) };
    },
    source_document(line, number) {
      requireSource(line.sourceId, number);
      return { table: 'sourceDocuments', row: CODECS.source_document.toRow(line) };
    },
    source_run(line, number) {
      requireSource(line.sourceId, number);
      runIds.add(line.id);
      return { table: 'sourceRuns', row: CODECS.source_run.toRow(line) };
    },
    source_run_item(line, number) {
      if (!runIds.has(line.runId)) throw expected('the id of a run above', number, 'runId');
      return { table: 'sourceRunItems', row: CODECS.source_run_item.toRow(line) };
    },
  };
}

function createConsentReader(workspaceId: string) {
  let head = { position: 0, hash: GENESIS_HASH };
  return async (line: ArchiveLineOf<'consent_record'>, number: number): Promise<ImportRow> => {
    const row = CODECS.consent_record.toRow(line);
    if (row.position !== head.position + 1) throw expected(`${head.position + 1}`, number, 'position');
    const verdict = await verifyChain([row], { workspaceId, after: head.hash });
    if (!verdict.ok) throw expected(`an unbroken chain of evidence (${verdict.why})`, number);
    const { visitorId } = JSON.parse(row.content) as { visitorId?: unknown };
    if (visitorId !== row.subjectId) throw expected('the one that the content is about', number, 'subjectId');
    head = row;
    return { table: 'consentRecords', row };
  };
}

function createAuditReader(workspaceId: string) {
  let after = GENESIS_HASH;
  return async (line: ArchiveLineOf<'audit'>, number: number): Promise<ImportRow> => {
    const row = CODECS.audit.toRow(line);
    const verdict = await verifyAuditChain([{ ...row, workspaceId }], { after });
    if (!verdict.ok) throw expected(`an unbroken chain of audit rows (${verdict.why})`, number);
    after = row.hash;
    return { table: 'audit', row };
  };
}

type ConversationLine = ArchiveLineOf<'conversation' | 'turn' | 'feedback' | 'conversation_note'>;

const PARTS_OF_CONVERSATIONS: ReadonlySet<LineType> = new Set(['turn', 'feedback', 'conversation_note']);

/** Expects turns after their conversation, each followed by its rating, then its notes. */
function createConversationReader() {
  let current: { id: string; visitorId: string; messageId?: string } | undefined;
  return {
    read(line: ConversationLine, number: number): ImportRow {
      if (line.type === 'conversation') {
        current = { id: line.id, visitorId: line.visitorId };
        return {
          table: 'conversations',
          row: { ...CODECS.conversation.toRow(line), deleteAfterMillis: null },
        };
      }
      if (line.type === 'turn') {
        if (line.conversationId !== current?.id) {
          throw expected('the id of the conversation above', number, 'conversationId');
        }
        current.messageId = line.messageId;
        return {
          table: 'turns',
          row: { ...CODECS.turn.toRow(line), visitorId: current.visitorId, attempt: 1 },
        };
      }
      if (line.type === 'conversation_note') {
        if (line.conversationId !== current?.id || current.messageId === undefined) {
          throw expected('the id of the conversation above', number, 'conversationId');
        }
        return { table: 'conversationNotes', row: CODECS.conversation_note.toRow(line) };
      }
      if (line.messageId !== current?.messageId || !current) {
        throw expected('the id of the turn above', number, 'messageId');
      }
      return { table: 'feedback', row: { ...CODECS.feedback.toRow(line), visitorId: current.visitorId } };
    },

    /** `number` is the number of the line after the conversation. */
    close(number: number): void {
      if (current && current.messageId === undefined) throw expected(`a turn of ${current.id}`, number);
      current = undefined;
    },
  };
}
