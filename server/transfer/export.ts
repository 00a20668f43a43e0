import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { ArchiveLine } from '../../contract/archive-line.ts';
import type { Store, Workspaces } from '../storage/store.ts';
import type { ExportedArticle, TransferRows, WorkspaceExport } from '../storage/workspace-export.ts';
import type { Workspace } from '../storage/workspaces.ts';
import { CODECS, toWorkspaceLine } from './codec.ts';

/** Rows per page; fewer where rows may be long. */
const SHORT_ROWS = 200;
const LONG_ROWS = 16;
const IMAGE_ROWS = 2;

/**
 * Exports everything that a workspace owns, one JSON text per line. Holds at most a page and no transaction: each
 * article and turn is consistent, the whole is not a snapshot. The same rows always produce the same bytes.
 * @throws when the workspace, or an article, is deleted meanwhile.
 */
export async function* exportLines(
  workspace: Workspace,
  store: Pick<Store, 'in' | 'workspaces'>,
): AsyncGenerator<string> {
  const { workspaceExport } = store.in(workspace.id);
  let lines = 0;
  const pager = createPager(workspace.id, store.workspaces);
  for await (const line of toLines(workspace, workspaceExport, pager)) {
    lines += 1;
    yield JSON.stringify(line);
  }
  yield JSON.stringify({ type: 'end', lines } satisfies ArchiveLine);
}

async function* toLines(
  workspace: Workspace,
  rows: WorkspaceExport,
  readAll: Pager,
): AsyncGenerator<ArchiveLine> {
  yield toWorkspaceLine(workspace);
  for await (const row of readAll(rows.members, SHORT_ROWS)) yield CODECS.member.toLine(row);
  for await (const row of readAll(rows.consentPolicies, LONG_ROWS)) yield CODECS.consent_policy.toLine(row);
  for await (const row of readAll(rows.consentSubjects, SHORT_ROWS)) yield CODECS.consent_subject.toLine(row);
  for await (const row of readAll(rows.consentRecords, SHORT_ROWS)) yield CODECS.consent_record.toLine(row);
  for await (const row of readAll(rows.consentCurrent, SHORT_ROWS)) yield CODECS.consent_decision.toLine(row);
  for await (const row of readAll(rows.images, IMAGE_ROWS)) yield CODECS.image.toLine(row);
  for await (const row of readAll(rows.collections, SHORT_ROWS)) yield CODECS.collection.toLine(row);
  for await (const row of readAll(rows.sources, SHORT_ROWS)) yield CODECS.source.toLine(row);
  for await (const row of readAll(rows.sourceDocuments, LONG_ROWS)) yield CODECS.source_document.toLine(row);
  for await (const row of readAll(rows.sourceRuns, SHORT_ROWS)) yield CODECS.source_run.toLine(row);
  for await (const row of readAll(rows.sourceRunItems, SHORT_ROWS)) yield CODECS.source_run_item.toLine(row);
  for await (const row of readAll(rows.articles, SHORT_ROWS)) yield* articleLines(row, rows, readAll);
  for await (const row of readAll(rows.answerTests, SHORT_ROWS)) yield CODECS.answer_test.toLine(row);
  for await (const row of readAll(rows.conversations, SHORT_ROWS))
    yield* conversationLines(row, rows, readAll);
  for await (const row of readAll(rows.inboxGroups, SHORT_ROWS)) yield CODECS.inbox_group.toLine(row);
  for await (const row of readAll(rows.inboxQuestions, SHORT_ROWS)) yield CODECS.inbox_question.toLine(row);
  for await (const row of readAll(rows.handovers, LONG_ROWS)) yield CODECS.handover.toLine(row);
  for await (const row of readAll(rows.handoverReplies, SHORT_ROWS)) yield CODECS.handover_reply.toLine(row);
  for await (const row of readAll(rows.handoverNotes, SHORT_ROWS)) yield CODECS.handover_note.toLine(row);
  for await (const row of readAll(rows.events, SHORT_ROWS))
    yield CODECS.event.toLine({ ...row, atMillis: row.happenedMillis ?? row.atMillis });
  yield* auditLines(rows, readAll);
}

/** Omits the audit rows of exports at the end, so that two archives of an unchanged workspace are equal. */
async function* auditLines(rows: WorkspaceExport, readAll: Pager): AsyncGenerator<ArchiveLine> {
  let exports: TransferRows['audit'][] = [];
  for await (const row of readAll(rows.audit, SHORT_ROWS)) {
    exports.push(row);
    if (row.action === 'workspace.exported') continue;
    for (const each of exports) yield CODECS.audit.toLine(each);
    exports = [];
  }
}

/** Yields nothing for a conversation without turns, which was erased meanwhile. */
async function* conversationLines(
  conversation: TransferRows['conversations'],
  rows: WorkspaceExport,
  readAll: Pager,
): AsyncGenerator<ArchiveLine> {
  let isFirst = true;
  const turns = (limit: number, after?: TransferRows['turns']) => rows.turns(conversation.id, limit, after);
  for await (const turn of readAll(turns, LONG_ROWS)) {
    if (isFirst) yield CODECS.conversation.toLine(conversation);
    isFirst = false;
    yield CODECS.turn.toLine(turn);
    if (turn.feedback) yield CODECS.feedback.toLine(turn.feedback);
  }
  if (isFirst) return;
  const notes = (limit: number, after?: TransferRows['conversationNotes']) =>
    rows.conversationNotes(conversation.id, limit, after);
  for await (const row of readAll(notes, SHORT_ROWS)) yield CODECS.conversation_note.toLine(row);
}

async function* articleLines(
  article: ExportedArticle,
  rows: WorkspaceExport,
  readAll: Pager,
): AsyncGenerator<ArchiveLine> {
  yield CODECS.article.toLine(article);
  const addresses = (limit: number, after?: TransferRows['articleAddresses']) =>
    rows.articleAddresses(article.id, limit, after);
  for await (const row of readAll(addresses, SHORT_ROWS)) yield CODECS.article_address.toLine(row);
  for await (const row of readRevisions(article, rows.articleRevisions, readAll)) {
    yield CODECS.article_revision.toLine(row);
  }
  for (const translation of article.translations) {
    yield CODECS.translation.toLine(translation);
    for await (const row of readRevisions(translation, rows.translationRevisions, readAll)) {
      yield CODECS.translation_revision.toLine(row);
    }
  }
}

/**
 * Yields the revisions up to the one that was newest when the article was read: revisions are immutable and
 * append-only.
 */
async function* readRevisions<Row extends { revision: number }>(
  { id, revision: newest }: { id: string; revision: number },
  read: (id: string, limit: number, after: number) => Promise<readonly Row[]>,
  readAll: Pager,
): AsyncGenerator<Row> {
  let count = 0;
  const pages = (limit: number, after?: Row) => read(id, limit, after?.revision ?? 0);
  for await (const row of readAll(pages, LONG_ROWS)) {
    if (row.revision > newest) break;
    count += 1;
    yield row;
  }
  // An incomplete article would make the archive invalid; a new export leaves the deleted article out.
  if (count !== newest) throw new Error(`${id} was deleted while it was exported`);
}

type Pager = <Row>(
  pages: (limit: number, after?: Row) => Promise<readonly Row[]>,
  limit: number,
) => AsyncGenerator<Row>;

/**
 * Reads rows page by page. Checks before it yields a page that the workspace still exists, because the rows of a
 * removed workspace disappear step by step.
 */
function createPager(workspaceId: string, workspaces: Pick<Workspaces, 'find'>): Pager {
  return async function* readAll(pages, limit) {
    let page = await pages(limit);
    for (;;) {
      if (!(await workspaces.find(workspaceId)))
        throw new Error(`${workspaceId} was deleted while it was exported`);
      yield* page;
      const after = page.at(-1);
      if (page.length < limit || after === undefined) return;
      await yieldToEventLoop();
      page = await pages(limit, after);
    }
  };
}
