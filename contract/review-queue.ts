import { z } from 'zod';
import { title, translationStatus } from './article-record.ts';
import {
  actor,
  articleId,
  cursor,
  locale,
  moment,
  pageQuery,
  revisionNumber,
  translationId,
  workspaceId,
} from './fields.ts';
import { LIMITS } from './limits.ts';
import { route, router } from './route.ts';
import { reading } from './route-presets.ts';
import { reviewNote } from './translation-record.ts';

/** What is to be done about translations, and how far the languages of a workspace are. */

export const waitingKind = z.enum(['review', 'changes', 'publish', 'stale']).meta({
  id: 'WaitingKind',
  description:
    'What is to be done: review what was submitted, make the changes that were requested, publish what is approved, or bring ' +
    'up to date what is live and no longer says what the article says.',
});

const waitingFor = z.enum(['me', 'everybody']).meta({
  id: 'WaitingFor',
  description: 'Only what the caller can and should do, or everything that waits for anybody.',
});

const waiting = z
  .strictObject({
    kind: waitingKind,
    mine: z
      .boolean()
      .describe(
        'True when it waits for the caller: not a text that they wrote or submitted to be reviewed, unless nobody else may.',
      ),
    articleId,
    articleTitle: title.describe('The title of the article, in its own language.'),
    translationId,
    locale,
    title: title.describe('The title of the translation.'),
    status: translationStatus,
    revision: revisionNumber.describe('The newest revision: send it as `baseRevision`.'),
    since: moment.describe(
      'Since when it waits: submitted, reviewed or approved then; of what is stale, when the article changed.',
    ),
    by: actor.describe('Who made it wait: who submitted it, reviewed it, or changed the article.'),
    reviewNote: reviewNote.optional().describe('What the reviewer said, where changes were requested.'),
  })
  .meta({ id: 'WaitingTranslation', description: 'A translation with which something is to be done.' });

const count = z.int32().min(0).max(LIMITS.waitingRowsMax).meta({ example: 4 });

const waitingCounts = z
  .strictObject({
    review: count.describe('How many wait for a reviewer.'),
    changes: count.describe('How many wait for changes.'),
    publish: count.describe('How many wait to be published.'),
    stale: count.describe('How many are live and out of date.'),
  })
  .meta({ id: 'WaitingCounts', description: 'How many of each kind there are, on all pages together.' });

const waitingPage = z
  .strictObject({
    data: z.array(waiting).max(LIMITS.pageRowsMax).describe('What waits, longest waiting first.'),
    counts: waitingCounts.describe('What there is of each kind, whichever kind was asked for.'),
    nextCursor: cursor.optional().describe('Send it as `cursor` for the next page; absent on the last one.'),
  })
  .meta({ id: 'WaitingPage', description: 'A page of what is to be done, with how much there is of it.' });

const rows = z.int32().min(0).max(10_000_000).meta({ example: 12 });

const localeCoverage = z
  .strictObject({
    locale,
    live: rows.describe('Articles that visitors get in this language, up to date.'),
    stale: rows.describe('Articles that visitors get in this language as it was before the article changed.'),
    draft: rows.describe('Working copies that are drafts, whatever is live beside them.'),
    inReview: rows.describe('Working copies that wait for a reviewer.'),
    changesRequested: rows.describe('Working copies that wait for changes.'),
    approved: rows.describe('Working copies that wait to be published.'),
    archived: rows.describe('Translations that were archived.'),
    missing: rows.describe(
      'Published articles without anything in this language, or with something archived.',
    ),
  })
  .meta({ id: 'LocaleCoverage', description: 'How far the articles of a workspace are in one language.' });

const coverage = z
  .strictObject({
    articles: rows.describe('How many articles there are.'),
    published: rows.describe('How many of them are published.'),
    locales: z
      .array(localeCoverage)
      .max(1000)
      .describe('Every language that something is written in: the most frequent first.'),
  })
  .meta({
    id: 'KnowledgeCoverage',
    description: 'Which languages the knowledge of a workspace is there in.',
  });

export type WaitingPage = z.infer<typeof waitingPage>;
export type KnowledgeCoverage = z.infer<typeof coverage>;

const pathParams = z.strictObject({ tenantId: workspaceId });
const base = '/api/tenants/:tenantId/knowledge';

export const queue = router({
  listWaiting: route({
    method: 'GET',
    path: `${base}/queue`,
    summary: 'List what waits to be done',
    description:
      'Translations that wait for somebody, longest waiting first, each of them once: review before changes before publication before ' +
      'what is stale. Members, who read only, see nothing that waits for them. At most 5,000 are looked at.',
    pathParams,
    query: z.strictObject({
      ...pageQuery,
      kind: waitingKind.optional().describe('Only what waits for this.'),
      locale: locale.optional().describe('Only translations in this locale.'),
      for: waitingFor.default('me').describe('Whether only what waits for the caller is asked for.'),
    }),
    answers: { 200: waitingPage },
    errors: [],
    meta: { ...reading, tag: 'Translations', operationId: 'listWaiting' },
  }),

  readCoverage: route({
    method: 'GET',
    path: `${base}/coverage`,
    summary: 'See which languages are covered',
    description:
      'For every language that something is written in, how many articles are live, stale, in the works or missing in it.',
    pathParams,
    answers: { 200: coverage },
    errors: [],
    meta: { ...reading, tag: 'Translations', operationId: 'readCoverage' },
  }),
});
