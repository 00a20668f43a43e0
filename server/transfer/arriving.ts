import type { ArchiveLine, ArchiveLineOf } from '../../contract/archive-line.ts';
import { GENESIS_HASH, verifyChain } from '../consent/consent-log.ts';
import { newId } from '../ids.ts';
import type { Indexing } from '../knowledge/search/indexing.ts';
import type { ImportRow } from '../storage/holdings.ts';
import { ArchiveRefused, expected } from './archive-refused.ts';
import { arrivingArticles } from './arriving-articles.ts';
import { arrivingTalks } from './arriving-talks.ts';
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
  take(line: ArchiveLine, number: number): Promise<readonly ImportRow[]>;
  /** Refuses an archive whose last line has not come. */
  finish(): void;
};

/** Turns the lines after the first one into rows, in order; throws ArchiveRefused at the first that does not belong there. */
export function arriving(workspaceId: string, indexing: Indexing): Arriving {
  const articles = arrivingArticles(indexing);
  const talks = arrivingTalks();
  const chain = { position: 0, head: GENESIS_HASH };
  let place = PLACES.workspace;
  let hasEnded = false;

  function requireOrder(line: ArchiveLine, number: number): void {
    if (hasEnded) throw expected('nothing after the last line', number);
    if (line.type === 'workspace') throw expected('one workspace', number, 'type');
    if (PLACES[line.type] < place) throw expected(`no ${line.type} here any more`, number, 'type');
    place = PLACES[line.type];
  }

  async function takeConsent(line: ArchiveLineOf<'consent_record'>, number: number): Promise<ImportRow> {
    const { type: _, ...row } = line;
    if (row.position !== chain.position + 1) throw expected(`${chain.position + 1}`, number, 'position');
    const verdict = await verifyChain([row], { workspaceId, after: chain.head });
    if (!verdict.ok) throw expected(`an unbroken chain of evidence (${verdict.why})`, number);
    const { visitorId } = JSON.parse(row.content) as { readonly visitorId?: unknown };
    if (visitorId !== row.subjectId) throw expected('the one that the content is about', number, 'subjectId');
    Object.assign(chain, { position: row.position, head: row.hash });
    return { kind: 'consent', row };
  }

  function takeEnd({ lines }: ArchiveLineOf<'end'>, number: number): readonly ImportRow[] {
    if (lines !== number - 1) throw expected(`${number - 1}, the lines before`, number, 'lines');
    hasEnded = true;
    return [];
  }

  async function rowsOf(
    line: Exclude<ArchiveLine, ArchiveLineOf<'workspace'>>,
    number: number,
  ): Promise<readonly ImportRow[]> {
    switch (line.type) {
      case 'member': {
        const { type: _, ...row } = line;
        return [
          { kind: 'member', row: { ...row, createdAt: millisOf(row.createdAt) }, newUserId: newId('usr') },
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
      case 'consent_decision':
        return [{ kind: 'decision', row: rowOf.decision(line) }];
      case 'conversation':
      case 'turn':
      case 'feedback':
        return [talks.take(line, number)];
      case 'event':
        return [eventRow(line)];
      case 'audit':
        return [auditRow(line)];
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
      if (PLACES[line.type] !== PLACES.conversation) talks.close(number);
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

function eventRow(line: ArchiveLineOf<'event'>): ImportRow {
  const { type: _, at, kind, visitorId, conversationId, ...rest } = line;
  const about = visitorId === undefined ? {} : { visitorId };
  const where = conversationId === undefined ? {} : { conversationId };
  return { kind: 'event', row: { ...rest, atMillis: millisOf(at), type: kind, ...about, ...where } };
}

function auditRow({ type: _, at, ...rest }: ArchiveLineOf<'audit'>): ImportRow {
  return { kind: 'audit', row: { ...rest, atMillis: millisOf(at) } };
}
