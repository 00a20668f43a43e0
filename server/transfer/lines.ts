import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ArchiveLine } from '../../contract/archive-line.ts';
import type { Conversation } from '../storage/conversations.ts';
import type {
  ExportedArticle,
  ExportedTranslation,
  ExportedTurn,
  WorkspaceExport,
} from '../storage/holdings.ts';
import type { Store } from '../storage/store.ts';
import type { Workspace, Workspaces } from '../storage/workspaces.ts';
import * as lineOf from './line-of.ts';

/** Rows of a page: few where each may be long. */
const SHORT_ROWS = 200;
const LONG_ROWS = 16;

/**
 * Everything that a workspace owns, a JSON text a line. Never holds more than a page, and no transaction: every article and every turn
 * is as it was at one moment, the whole is not. The same rows always give the same bytes.
 */
export async function* archiveLines(
  workspace: Workspace,
  store: Pick<Store, 'in' | 'workspaces'>,
): AsyncGenerator<string> {
  const { workspaceExport } = store.in(workspace.id);
  let lines = 0;
  for await (const line of linesOf(workspace, workspaceExport, pageReader(workspace.id, store.workspaces))) {
    lines += 1;
    yield JSON.stringify(line);
  }
  yield JSON.stringify({ type: 'end', lines } satisfies ArchiveLine);
}

async function* linesOf(
  workspace: Workspace,
  workspaceExport: WorkspaceExport,
  allOf: PageReader,
): AsyncGenerator<ArchiveLine> {
  yield lineOf.workspace(workspace);
  for await (const row of allOf(workspaceExport.members, SHORT_ROWS)) yield lineOf.member(row);
  for await (const row of allOf(workspaceExport.policies, LONG_ROWS)) yield lineOf.policy(row);
  for await (const row of allOf(workspaceExport.subjects, SHORT_ROWS)) yield lineOf.subject(row);
  for await (const row of allOf(workspaceExport.consents, SHORT_ROWS)) yield lineOf.consent(row);
  for await (const row of allOf(workspaceExport.decisions, SHORT_ROWS)) yield lineOf.decision(row);
  for await (const article of allOf(workspaceExport.articles, SHORT_ROWS)) {
    yield* articleLines(article, workspaceExport, allOf);
  }
  for await (const conversation of allOf(workspaceExport.conversations, SHORT_ROWS)) {
    yield* conversationLines(conversation, workspaceExport, allOf);
  }
  for await (const row of allOf(workspaceExport.events, SHORT_ROWS)) yield lineOf.event(row);
  for await (const row of allOf(workspaceExport.audit, SHORT_ROWS)) yield lineOf.audit(row);
}

/** Nothing of a conversation without turns: it was erased just then. */
async function* conversationLines(
  conversation: Conversation,
  workspaceExport: WorkspaceExport,
  allOf: PageReader,
): AsyncGenerator<ArchiveLine> {
  let hasBegun = false;
  const turns = (limit: number, after?: ExportedTurn) => workspaceExport.turns(conversation.id, limit, after);
  for await (const turn of allOf(turns, LONG_ROWS)) {
    if (!hasBegun) yield lineOf.conversation(conversation);
    hasBegun = true;
    yield lineOf.turn(turn);
    if (turn.feedback) yield lineOf.feedback(turn.messageId, turn.feedback);
  }
}

/** Revisions never change and are only appended, so that reading them later gives what they were when the article was read. */
async function* articleLines(
  { translations, ...article }: ExportedArticle & { readonly translations: readonly ExportedTranslation[] },
  workspaceExport: WorkspaceExport,
  allOf: PageReader,
): AsyncGenerator<ArchiveLine> {
  yield lineOf.article(article);
  for await (const row of revisionsOf(article, workspaceExport.articleRevisions, allOf)) {
    yield lineOf.articleRevision(article.id, row);
  }
  for (const translation of translations) {
    yield lineOf.translation(translation);
    for await (const row of revisionsOf(translation, workspaceExport.translationRevisions, allOf)) {
      yield lineOf.translationRevision(translation.id, row);
    }
  }
}

type Numbered = { readonly revision: number };

async function* revisionsOf<Row extends Numbered>(
  { id, revision: upTo }: Numbered & { readonly id: string },
  read: (id: string, upTo: number, limit: number, after: number) => Promise<readonly Row[]>,
  allOf: PageReader,
): AsyncGenerator<Row> {
  let count = 0;
  const pages = (limit: number, after?: Row) => read(id, upTo, limit, after?.revision ?? 0);
  for await (const row of allOf(pages, LONG_ROWS)) {
    count += 1;
    yield row;
  }
  // Half an article would be no archive; whoever asks again gets one without it.
  if (count !== upTo) throw new Error(`${id} was deleted while it was exported`);
}

type PageReader = <Row>(
  pages: (limit: number, after?: Row) => Promise<readonly Row[]>,
  limit: number,
) => AsyncGenerator<Row>;

/** Reads page after page while the workspace stands: afterwards its rows go, and what is left of them would look like all. */
function pageReader(workspaceId: string, workspaces: Pick<Workspaces, 'find'>): PageReader {
  return async function* allOf(pages, limit) {
    let page = await pages(limit);
    for (;;) {
      const stands = await workspaces.find(workspaceId);
      if (!stands) throw new Error(`${workspaceId} was deleted while it was exported`);
      yield* page;
      const after = page.at(-1);
      if (page.length < limit || after === undefined) return;
      await nextTurn();
      page = await pages(limit, after);
    }
  };
}
