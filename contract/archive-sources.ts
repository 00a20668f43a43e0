import { z } from 'zod';
import { contentHash, url } from './archive-articles.ts';
import { canonicalLocale, lineType, shortText, storedTime } from './archive-fields.ts';
import { aliases, answer, collectionName, slug, tags, title } from './article-fields.ts';
import { actor, articleId, locale, namedObject, place, sourceId, translationId } from './fields.ts';
import { SOURCE_LIMITS } from './limits/sources.ts';
import { zendeskSettings } from './source-connectors.ts';
import { skipReason } from './source-fields.ts';
import { itemOutcome, runFailure, runId, runState } from './source-runs.ts';
import {
  filesSettings,
  sourceMode,
  sourceName,
  sourceSchedule,
  sourceType,
  websiteSettings,
} from './sources.ts';

/** The lines of an archive about sources and their runs. */

export const source = namedObject('ArchivedSource', 'Where articles come from, before the articles.', {
  type: lineType('source'),
  id: sourceId,
  name: sourceName,
  kind: sourceType,
  website: websiteSettings.optional().describe('Only for websites.'),
  files: filesSettings.optional().describe('Only for files, if it is set.'),
  zendesk: zendeskSettings
    .optional()
    .describe('Only for help centers of Zendesk. API tokens are not archived.'),
  mode: sourceMode,
  schedule: sourceSchedule,
  paused: z.boolean().describe('Whether scheduled runs are paused.'),
  token: shortText('The content of the file that proves an origin.', 'q83vASNFZ4mrze8BI0Vniav'),
  nextRunAt: storedTime.optional().describe('When the schedule starts the next run. Absent if it does not.'),
  createdAt: storedTime.describe('When the source was created.'),
  createdBy: actor,
});

const readUrl = z
  .string()
  .max(SOURCE_LIMITS.placeBytesMax)
  .optional()
  .describe('Address that the text was read from. Absent for files.')
  .meta({ example: 'https://shop.example.com/help/returns' });
const validator = (description: string, example: string) =>
  z.string().max(1000).optional().describe(description).meta({ example });
const readingFields = {
  locale: canonicalLocale,
  translationOf: place.optional().describe('Place of the text that it translates. Absent for articles.'),
  url,
  upload: z
    .string()
    .max(SOURCE_LIMITS.sourceFileNameCharsMax)
    .meta({ description: 'Name of the uploaded file. Empty for websites.', example: 'manual.zip' }),
  readUrl,
  etag: validator('ETag of the page.', '"33a64df5"'),
  lastModified: validator('Last-Modified of the page.', 'Sat, 21 Nov 2026 09:30:00 GMT'),
};

const waitingText = namedObject('ArchivedConflict', 'A text that waits for a choice.', {
  place,
  kind: z.literal('document').describe('Always `document`.'),
  ...readingFields,
  title,
  contentHash,
  slug: slug.optional(),
  text: namedObject('ArchivedSourceText', 'The text itself.', {
    title,
    answer,
    aliases,
    url,
    slug: slug.optional(),
    collection: collectionName.optional(),
    tags: tags.optional(),
  }),
});

export const sourceDocument = namedObject(
  'ArchivedSourceDocument',
  'Last delivery of a source, as it was applied.',
  {
    type: lineType('source_document'),
    sourceId,
    place,
    ...readingFields,
    contentHash: z
      .string()
      .regex(/^([0-9a-f]{64})?$/)
      .max(64)
      .describe('SHA-256 of title, answer and aliases as applied, in hex. Empty if nothing was.')
      .meta({ example: '0'.repeat(64) }),
    removed: z.boolean().optional().describe('Whether the source has it no more.'),
    conflict: waitingText.optional().describe('A changed text that waits for a choice. Absent if none does.'),
    conflictAt: storedTime.optional().describe('When the conflict was found.'),
  },
);

const runCount = z.int32().min(0).max(2_000_000_000).meta({ example: 12 });
const runDetail = z
  .string()
  .max(SOURCE_LIMITS.skipDetailCharsMax)
  .optional()
  .meta({ description: 'More about the reason.', example: '503' });

export const sourceRun = namedObject('ArchivedSourceRun', 'A finished run of a source.', {
  type: lineType('source_run'),
  id: runId,
  sourceId,
  state: runState,
  preview: z.boolean().describe('Whether it stopped before anything changed.'),
  scheduled: z.boolean(),
  done: runCount.describe('Texts done in its last state.'),
  total: runCount.describe('Of how many.'),
  added: runCount.describe('New texts.'),
  changed: runCount.describe('Changed texts.'),
  unchanged: runCount.describe('Unchanged texts.'),
  removed: runCount.describe('Texts that are no longer in the source.'),
  refused: runCount.describe('Texts that were not taken.'),
  conflicts: runCount.describe('Texts that were changed in both places.'),
  failure: runFailure.optional().describe('Why it failed. Absent if it did not.'),
  detail: runDetail,
  createdAt: storedTime.describe('When it was started.'),
  createdBy: actor,
  startedAt: storedTime.optional().describe('When reading began.'),
  finishedAt: storedTime.describe('When it ended.'),
});

export const sourceRunItem = namedObject('ArchivedSourceRunItem', 'A line in the log of a run.', {
  type: lineType('source_run_item'),
  runId,
  place,
  root: place.describe('Place of the article that a translation belongs to; else the place itself.'),
  outcome: itemOutcome,
  locale: locale.optional(),
  title: title.optional(),
  reason: skipReason.optional().describe('With `refused`.'),
  detail: runDetail,
  articleId: articleId.optional().describe('The article, if there is one.'),
  translationId: translationId.optional(),
  applied: z.boolean().optional().describe('Whether the run did it.'),
});
