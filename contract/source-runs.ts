import { z } from 'zod';
import {
  actor,
  articleId,
  buildPage,
  locale,
  moment,
  namedObject,
  pageQuery,
  place,
  sourceId,
  translationId,
  typeId,
  workspaceId,
} from './fields.ts';
import { SOURCE_LIMITS } from './limits/sources.ts';
import { editRoute, readRoute, route, router } from './route.ts';
import {
  comparedText,
  count,
  SKIP_REASONS,
  skipDetail,
  skipReason,
  sourceParams,
  sourcesPath,
  textTitle,
} from './source-fields.ts';

export const runId = typeId('run', 'A run of a source');

const RUN_STATES = ['queued', 'reading', 'ready', 'applying', 'done', 'failed', 'cancelled'] as const;

export const runState = z.enum(RUN_STATES).meta({
  id: 'SourceRunState',
  description:
    'State of a run: `queued`, then `reading` the source, then `applying` what has changed, then `done`. A preview waits as ' +
    '`ready` until it is applied or cancelled. `failed` runs have changed nothing; `cancelled` ones only what they had applied.',
});

const RUN_FAILURES = [
  'origin_not_proved',
  'private_address',
  'not_authorized',
  'start_unreachable',
  'robots_unreachable',
  'moved',
  'no_pages',
  'time_limit',
  'storage_full',
  'internal',
] as const;

export const runFailure = z.enum(RUN_FAILURES).meta({
  id: 'SourceRunFailure',
  description:
    'Why a run failed. `origin_not_proved`: an origin of the start URLs is neither an allowed domain nor serves the token file; ' +
    '`private_address`: an address is not public, and the setting in `detail` would allow it; `not_authorized`: the service did not ' +
    'accept the API token, or there is none; `start_unreachable`: no start URL could be read; `robots_unreachable`: robots.txt could not be read, so crawling is not allowed; ' +
    '`moved`: the website redirects to the origin in `detail`, which is not proved; ' +
    '`no_pages`: nothing was found; `time_limit`: it took too long; `storage_full`: the workspace may not store more; ' +
    '`internal`: an error of the service.',
});

const runCounts = namedObject(
  'SourceRunCounts',
  'Result or forecast of a run. Articles and translations count one by one.',
  {
    added: count,
    changed: count.describe('Texts that differ from what the source delivered last.'),
    unchanged: count,
    removed: count.describe('Texts that are no longer in the source. They are unpublished, not deleted.'),
    refused: count,
    conflicts: count.describe('Changed texts that were also edited here. They wait for a choice.'),
  },
);

export const run = namedObject('SourceRun', 'One reading of a source, and what it changed.', {
  id: runId,
  state: runState,
  preview: z.boolean().describe('Whether it stops before anything changes, to be applied or cancelled.'),
  scheduled: z.boolean(),
  progress: namedObject('SourceRunProgress', 'Progress of the run in its current state.', {
    done: count,
    total: count.describe('Total known so far. Grows while links are followed.'),
  }),
  counts: runCounts.describe('Zeros until everything has been read.'),
  failure: namedObject('SourceRunFailed', 'Why a run failed, and the cause in detail.', {
    reason: runFailure,
    detail: z
      .string()
      .max(SOURCE_LIMITS.skipDetailCharsMax)
      .optional()
      .describe(
        'For example the origin that is not proved; for `private_address`, also the setting that allows it.',
      )
      .meta({ example: 'https://shop.example.com' }),
  })
    .optional()
    .describe('Absent unless the run failed.'),
  createdAt: moment.describe('When it was started or became due.'),
  createdBy: actor.describe(
    'The member or session that started the run; for a scheduled run, the one that created the source.',
  ),
  startedAt: moment.optional().describe('When reading began. Absent before.'),
  finishedAt: moment.optional().describe('When it was done, failed or cancelled. Absent before.'),
});

const reasonCounts = namedObject('SourceReasonCounts', 'What a run left out, by reason.', {
  data: z
    .array(
      namedObject('SourceReasonCount', 'A reason, and how often it applied.', { reason: skipReason, count }),
    )
    .max(SKIP_REASONS.length)
    .describe('The most frequent first.'),
});

const runText = namedObject('SourceRunText', 'A text of a run, before and after it.', {
  place,
  locale: locale.optional().describe('Language of the text.'),
  before: comparedText.optional().describe('The text here before the run. Absent if there was none.'),
  after: comparedText.optional().describe('The text that the run delivers. Absent if it removes the text.'),
  articleId: articleId.optional(),
  translationId: translationId.optional(),
});

const newRun = namedObject('NewSourceRun', 'How to run a source.', {
  preview: z
    .boolean()
    .optional()
    .meta({ description: 'Stop before anything changes, as `ready`. Defaults to false.', example: true }),
});

export const itemOutcome = z.enum(['added', 'changed', 'removed', 'refused', 'conflict']).meta({
  id: 'SourceItemOutcome',
  description: 'Outcome, done or planned, for a place of the source.',
});

const item = namedObject('SourceRunItem', 'A line in the log of a run. Unchanged texts have none.', {
  place: place.describe('Where it is in the source. Cut at the limit if it is longer.'),
  outcome: itemOutcome,
  locale: locale.optional().describe('Language of the text. Absent where nothing was read.'),
  title: textTitle.optional().describe('Title of the text. Absent where nothing was read.'),
  reason: skipReason.optional().describe('With `refused`.'),
  detail: skipDetail,
  articleId: articleId.optional().describe('The article. Absent until the run has applied it.'),
  translationId: translationId.optional(),
  applied: z.boolean(),
});

export type SourceRunRecord = z.infer<typeof run>;
export type SourceReasonCountsRecord = z.infer<typeof reasonCounts>;
export type SourceRunTextRecord = z.infer<typeof runText>;
export type SourceRunItemRecord = z.infer<typeof item>;
export type RunFailure = z.infer<typeof runFailure>;

const runParams = z.strictObject({ tenantId: workspaceId, sourceId, runId });

export const sourceRuns = router('Sources', {
  listSourceRuns: route({
    method: 'GET',
    path: `${sourcesPath}/:sourceId/runs`,
    summary: 'List the runs of a source',
    description: `Returns the newest ${SOURCE_LIMITS.sourceRunsKept} runs, newest first.`,
    pathParams: sourceParams,
    query: z.strictObject(pageQuery),
    responses: { 200: buildPage('SourceRunPage', run) },
    errors: ['source/not_found'],
    meta: readRoute,
  }),

  startSourceRun: route({
    method: 'POST',
    path: `${sourcesPath}/:sourceId/runs`,
    summary: 'Start a run of a source',
    description:
      'Reads the source and applies what has changed, in the background. Runs of one workspace follow one another.',
    pathParams: sourceParams,
    body: newRun,
    responses: { 201: run },
    errors: ['source/not_found', 'source/busy', 'source/nothing_uploaded', 'tenant/storage_full'],
    meta: editRoute,
  }),

  readSourceRun: route({
    method: 'GET',
    path: `${sourcesPath}/:sourceId/runs/:runId`,
    summary: 'Retrieve a run of a source',
    description: 'Returns the state, progress and outcome of a run.',
    pathParams: runParams,
    responses: { 200: run },
    errors: ['source/run_not_found'],
    meta: readRoute,
  }),

  cancelSourceRun: route({
    method: 'POST',
    path: `${sourcesPath}/:sourceId/runs/:runId/cancel`,
    summary: 'Cancel a run of a source',
    description: 'Ends a run. Its applied changes stay. Uploads that waited for it are discarded.',
    pathParams: runParams,
    body: null,
    responses: { 200: run },
    errors: ['source/run_not_found', 'source/not_allowed'],
    meta: editRoute,
  }),

  applySourceRun: route({
    method: 'POST',
    path: `${sourcesPath}/:sourceId/runs/:runId/apply`,
    summary: 'Apply a previewed run',
    description:
      'Applies what a preview found, in the background. Texts that were edited since become conflicts.',
    pathParams: runParams,
    body: null,
    responses: { 200: run },
    errors: ['source/run_not_found', 'source/not_allowed', 'tenant/storage_full'],
    meta: editRoute,
  }),

  listSourceRunItems: route({
    method: 'GET',
    path: `${sourcesPath}/:sourceId/runs/:runId/items`,
    summary: 'List the log of a run',
    description:
      'Returns what a run did with each place of its source, by place. Unchanged places have no row.',
    pathParams: runParams,
    query: z.strictObject({
      ...pageQuery,
      outcome: itemOutcome.optional().describe('Only rows with this outcome.'),
      reason: skipReason.optional().describe('Only rows with this reason.'),
    }),
    responses: { 200: buildPage('SourceRunItemPage', item) },
    errors: ['source/run_not_found'],
    meta: readRoute,
  }),

  listSourceRunReasons: route({
    method: 'GET',
    path: `${sourcesPath}/:sourceId/runs/:runId/refusals`,
    summary: 'Count what a run left out, by reason',
    description: 'Returns why places of the source were not taken, and how many for each reason.',
    pathParams: runParams,
    responses: { 200: reasonCounts },
    errors: ['source/run_not_found'],
    meta: readRoute,
  }),

  readSourceRunText: route({
    method: 'GET',
    path: `${sourcesPath}/:sourceId/runs/:runId/text`,
    summary: 'Retrieve a text of a run',
    description:
      'Returns the text at a place of the log, as it was before the run and as the run delivers it. Before a preview is applied, ' +
      'these are the text here now and the one that waits.',
    pathParams: runParams,
    query: z.strictObject({ place }),
    responses: { 200: runText },
    errors: ['source/run_not_found', 'source/text_not_found'],
    meta: readRoute,
  }),
});
