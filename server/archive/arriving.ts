import type { ArchiveLine, ArchiveLineOf } from '../../contract/archive-line.ts';
import { GENESIS_HASH, verifyChain } from '../consent/evidence.ts';
import { newId } from '../ids.ts';
import type { Indexing } from '../knowledge/indexing.ts';
import type { ArrivingRow } from '../storage/holdings.ts';
import { ArchiveRefused, expected } from './archive-refused.ts';
import { arrivingArticles } from './arriving-articles.ts';
import * as rowOf from './row-of.ts';
import { millisOf } from './row-of.ts';

/** The order of an archive. Lines of one place follow each other as they belong together. */
const PLACES: Readonly<Record<ArchiveLine['type'], number>> = {
  workspace: 0,
  member: 1,
  consent_policy: 2,
  consent_subject: 3,
  consent_record: 4,
  consent_decision: 5,
  article: 6,
  article_revision: 6,
  translation: 6,
  translation_revision: 6,
  conversation: 7,
  turn: 7,
  feedback: 7,
  event: 8,
  audit: 9,
  end: 10,
};

export type Arriving = {
  /** The rows that a line brings, once it is certain that it belongs where it stands. */
  take(line: ArchiveLine, number: number): Promise<readonly ArrivingRow[]>;
  /** Refuses an archive whose last line has not come. */
  finish(): void;
};

/** Turns the lines after the first one into rows, in order; throws ArchiveRefused at the first that does not belong there. */
export function arriving(workspaceId: string, indexing: Indexing): Arriving {
  const articles = arrivingArticles(indexing);
  const chain = { position: 0, head: GENESIS_HASH };
  let conversation: { readonly id: string; readonly visitorId: string } | undefined;
  let messageId: string | undefined;
  let place = PLACES.workspace;
  let hasEnded = false;

  function requireOrder(line: ArchiveLine, number: number): void {
    if (hasEnded) throw expected('nothing after the last line', number);
    if (line.type === 'workspace') throw expected('one workspace', number, 'type');
    if (PLACES[line.type] < place) throw expected(`no ${line.type} here any more`, number, 'type');
    place = PLACES[line.type];
  }

  async function takeConsent(line: ArchiveLineOf<'consent_record'>, number: number): Promise<ArrivingRow> {
    const { type: _, ...row } = line;
    if (row.position !== chain.position + 1) throw expected(`${chain.position + 1}`, number, 'position');
    const verdict = await verifyChain([row], { workspaceId, after: chain.head });
    if (!verdict.ok) throw expected(`an unbroken chain of evidence (${verdict.why})`, number);
    const { visitorId } = JSON.parse(row.content) as { readonly visitorId?: unknown };
    if (visitorId !== row.subjectId) throw expected('the one that the content is about', number, 'subjectId');
    Object.assign(chain, { position: row.position, head: row.hash });
    return { kind: 'consent', row };
  }

  function takeTurn(line: ArchiveLineOf<'turn'>, number: number): ArrivingRow {
    if (line.conversationId !== conversation?.id) {
      throw expected('the id of the conversation above', number, 'conversationId');
    }
    messageId = line.messageId;
    return { kind: 'turn', visitorId: conversation.visitorId, row: rowOf.turn(line) };
  }

  function takeFeedback(line: ArchiveLineOf<'feedback'>, number: number): ArrivingRow {
    const { id, rating, comment, at } = line;
    if (line.messageId !== messageId || !conversation) {
      throw expected('the id of the turn above', number, 'messageId');
    }
    const said = comment === undefined ? {} : { comment };
    const row = { id, rating, ...said, atMillis: millisOf(at) };
    return { kind: 'feedback', visitorId: conversation.visitorId, messageId: line.messageId, row };
  }

  function takeConversation({ type: _, ...line }: ArchiveLineOf<'conversation'>): ArrivingRow {
    conversation = line;
    messageId = undefined;
    return { kind: 'conversation', row: { ...line, startedAt: millisOf(line.startedAt) } };
  }

  function takeEnd({ lines }: ArchiveLineOf<'end'>, number: number): readonly ArrivingRow[] {
    if (lines !== number - 1) throw expected(`${number - 1}, the lines before`, number, 'lines');
    hasEnded = true;
    return [];
  }

  async function rowsOf(
    line: Exclude<ArchiveLine, ArchiveLineOf<'workspace'>>,
    number: number,
  ): Promise<readonly ArrivingRow[]> {
    switch (line.type) {
      case 'member': {
        const { type: _, ...row } = line;
        return [
          { kind: 'member', row: { ...row, createdAt: millisOf(row.createdAt) }, freshUserId: newId('usr') },
        ];
      }
      case 'consent_policy': {
        const { type: _, ...row } = line;
        return [{ kind: 'policy', row: { ...row, createdAt: millisOf(row.createdAt) } }];
      }
      case 'consent_subject':
        return [{ kind: 'subject', row: { visitorId: line.visitorId, subjectId: line.subjectId } }];
      case 'consent_record':
        return [await takeConsent(line, number)];
      case 'consent_decision': {
        const { type: _, ...row } = line;
        return [{ kind: 'decision', row: { ...row, decidedAt: millisOf(row.decidedAt) } }];
      }
      case 'conversation':
        return [takeConversation(line)];
      case 'turn':
        return [takeTurn(line, number)];
      case 'feedback':
        return [takeFeedback(line, number)];
      case 'event':
        return [eventRow(line, number)];
      case 'audit':
        return [auditRow(line, number)];
      case 'end':
        return takeEnd(line, number);
      default:
        return articles.take(line, number);
    }
  }

  return {
    async take(line, number) {
      requireOrder(line, number);
      const goesOn = line.type !== 'article' && PLACES[line.type] === PLACES.article;
      const closing = goesOn ? [] : await articles.close(number);
      return [
        ...closing,
        ...(await rowsOf(line as Exclude<ArchiveLine, ArchiveLineOf<'workspace'>>, number)),
      ];
    },
    finish() {
      if (!hasEnded) throw new ArchiveRefused('The archive is not whole: its last line is missing.');
    },
  };
}

function eventRow(
  { type: _, at, kind, visitorId, conversationId, ...rest }: ArchiveLineOf<'event'>,
  number: number,
): ArrivingRow {
  requireObject(rest.data, number, 'data');
  const about = visitorId === undefined ? {} : { visitorId };
  const where = conversationId === undefined ? {} : { conversationId };
  return { kind: 'event', row: { ...rest, atMillis: millisOf(at), type: kind, ...about, ...where } };
}

function auditRow({ type: _, at, ...rest }: ArchiveLineOf<'audit'>, number: number): ArrivingRow {
  requireObject(rest.details, number, 'details');
  return { kind: 'audit', row: { ...rest, atMillis: millisOf(at) } };
}

function requireObject(text: string, number: number, field: string): void {
  const value = parsed(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw expected('a JSON object as text', number, field);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
