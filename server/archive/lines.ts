import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ArchiveLine } from '../../contract/archive-line.ts';
import type { HeldArticle, HeldTranslation, HeldTurn, Holdings } from '../storage/holdings.ts';
import type { Workspace } from '../storage/workspaces.ts';
import * as lineOf from './line-of.ts';

/** Rows of a page: few where each may be long. */
const SHORT_ROWS = 200;
const LONG_ROWS = 16;

/**
 * Everything that a workspace owns, a JSON text a line. Never holds more than a page, and no transaction: every article and every turn
 * is as it was at one moment, the whole is not. The same rows always give the same bytes.
 */
export async function* archiveLines(workspace: Workspace, holdings: Holdings): AsyncGenerator<string> {
  let lines = 0;
  for await (const line of linesOf(workspace, holdings)) {
    lines += 1;
    yield JSON.stringify(line);
  }
  yield JSON.stringify({ type: 'end', lines } satisfies ArchiveLine);
}

async function* linesOf(workspace: Workspace, holdings: Holdings): AsyncGenerator<ArchiveLine> {
  yield lineOf.workspace(workspace);
  for await (const row of allOf(holdings.members, SHORT_ROWS)) yield lineOf.member(row);
  for await (const row of allOf(holdings.policies, LONG_ROWS)) yield lineOf.policy(row);
  for await (const row of allOf(holdings.subjects, SHORT_ROWS)) yield lineOf.subject(row);
  for await (const row of allOf(holdings.consents, SHORT_ROWS)) yield lineOf.consent(row);
  for await (const row of allOf(holdings.decisions, SHORT_ROWS)) yield lineOf.decision(row);
  for await (const article of allOf(holdings.articles, SHORT_ROWS)) yield* articleLines(article, holdings);
  for await (const conversation of allOf(holdings.conversations, SHORT_ROWS)) {
    yield lineOf.conversation(conversation);
    const turns = (limit: number, after?: HeldTurn) => holdings.turns(conversation.id, limit, after);
    for await (const turn of allOf(turns, LONG_ROWS)) {
      yield lineOf.turn(turn);
      if (turn.feedback) yield lineOf.feedback(turn.messageId, turn.feedback);
    }
  }
  for await (const row of allOf(holdings.events, SHORT_ROWS)) yield lineOf.event(row);
  for await (const row of allOf(holdings.audit, SHORT_ROWS)) yield lineOf.audit(row);
}

/** Revisions never change and are only appended, so that reading them later gives what they were when the article was read. */
async function* articleLines(
  { translations, ...article }: HeldArticle & { readonly translations: readonly HeldTranslation[] },
  holdings: Holdings,
): AsyncGenerator<ArchiveLine> {
  yield lineOf.article(article);
  for await (const row of revisionsOf(article, holdings.articleRevisions)) {
    yield lineOf.articleRevision(article.id, row);
  }
  for (const translation of translations) {
    yield lineOf.translation(translation);
    for await (const row of revisionsOf(translation, holdings.translationRevisions)) {
      yield lineOf.translationRevision(translation.id, row);
    }
  }
}

type Numbered = { readonly revision: number };

async function* revisionsOf<Row extends Numbered>(
  { id, revision: upTo }: Numbered & { readonly id: string },
  read: (id: string, upTo: number, limit: number, after: number) => Promise<readonly Row[]>,
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

async function* allOf<Row>(
  pages: (limit: number, after?: Row) => Promise<readonly Row[]>,
  limit: number,
): AsyncGenerator<Row> {
  let after: Row | undefined;
  for (;;) {
    const page = await (after === undefined ? pages(limit) : pages(limit, after));
    yield* page;
    if (page.length < limit) return;
    after = page.at(-1);
    await nextTurn();
  }
}
