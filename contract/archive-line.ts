import { z } from 'zod';
import {
  answerTest,
  article,
  articleAddress,
  articleRevision,
  collection,
  image,
  translation,
  translationRevision,
} from './archive-articles.ts';
import {
  conversation,
  event,
  feedback,
  handover,
  handoverNote,
  handoverReply,
  inboxGroup,
  inboxQuestion,
  note,
  turn,
} from './archive-conversations.ts';
import { lineType } from './archive-fields.ts';
import { source, sourceDocument, sourceRun, sourceRunItem } from './archive-sources.ts';
import {
  audit,
  consentDecision,
  consentPolicy,
  consentRecord,
  consentSubject,
  member,
  workspace,
} from './archive-workspace.ts';
import { namedObject } from './fields.ts';

/**
 * Schemas of the lines of a workspace's archive. The lines contain everything that is stored, so that an import loses
 * nothing. An import stores what the schemas accept, so they accept only what the service could have stored itself.
 * `server/transfer/codec.ts` derives rows from the lines.
 */

const end = namedObject('ArchiveEnd', 'The last line. An archive without it is incomplete.', {
  type: lineType('end'),
  lines: z
    .int()
    .min(1)
    .max(9_007_199_254_740_991)
    .meta({ description: 'Number of lines before this one.', example: 1 }),
});

export const archiveLine = z
  .discriminatedUnion('type', [
    workspace,
    member,
    consentPolicy,
    consentSubject,
    consentRecord,
    consentDecision,
    image,
    collection,
    source,
    sourceDocument,
    sourceRun,
    sourceRunItem,
    article,
    articleAddress,
    articleRevision,
    translation,
    translationRevision,
    answerTest,
    conversation,
    turn,
    feedback,
    note,
    inboxGroup,
    inboxQuestion,
    handover,
    handoverReply,
    handoverNote,
    event,
    audit,
    end,
  ])
  .meta({ id: 'ArchiveLine', description: 'A line of the archive of a workspace.' });

export type ArchiveLine = z.infer<typeof archiveLine>;
export type ArchiveLineOf<T extends ArchiveLine['type']> = Extract<ArchiveLine, { type: T }>;
