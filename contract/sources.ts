import { z } from 'zod';
import { aliases, answer, title } from './articles.ts';
import {
  actor,
  articleId,
  buildPage,
  cursor,
  locale,
  moment,
  okReply,
  origin,
  pageQuery,
  place,
  sourceId,
  translationId,
  typeId,
  wholeNumber,
  workspaceId,
} from './fields.ts';
import { LIMITS } from './limits.ts';
import { editRoute, readRoute, route, router } from './route.ts';

export const runId = z
  .string()
  .regex(typeId('run'))
  .max(30)
  .describe('A run of a source: a TypeID with the prefix run.')
  .meta({ example: 'run_01kakv2fxse7wtg6x5r0h8rjbm' });

export const sourceName = z
  .string()
  .min(1)
  .max(LIMITS.sourceNameCharsMax)
  .regex(/\S/)
  .describe('Name of the source, on one line. Not empty.')
  .meta({ example: 'Help center' });

export const sourceType = z.enum(['website', 'files']).meta({
  id: 'SourceType',
  description: 'Type of a source. `website`: pages of origins that you own; `files`: files that you upload.',
});

export const sourceMode = z.enum(['review', 'publish']).meta({
  id: 'SourceMode',
  description:
    'Handling of new and changed texts. `review`: drafts, and changed working copies; translations go to review. ' +
    '`publish`: visitors get them at once.',
});

export const sourceSchedule = z.enum(['manual', 'hourly', 'daily', 'weekly']).meta({
  id: 'SourceSchedule',
  description: 'When runs start by themselves. Sources of files are read when you start a run.',
});

const sourceState = z.enum(['idle', 'running', 'paused']).meta({
  id: 'SourceState',
  description:
    'State of a source. `running`: a run is under way, or waits to be applied; `paused`: no run starts by schedule.',
});

const urlRule = z
  .string()
  .min(1)
  .max(LIMITS.urlRuleCharsMax)
  .describe(
    'A URLPattern without regular expressions. One that begins with `/` or `*` is compared with the path, and with the query if it ' +
      'has one; others begin with an origin.',
  )
  .meta({ example: '/help/*' });

export const websiteSettings = z
  .strictObject({
    startUrls: z
      .array(
        z
          .string()
          .max(LIMITS.placeBytesMax)
          .regex(/^[Hh][Tt][Tt][Pp][Ss]?:\/\/[^\s]+$/)
          .describe('http or https URL of a sitemap, or of a page whose links are followed.')
          .meta({ example: 'https://shop.example.com/sitemap.xml' }),
      )
      .min(1)
      .max(LIMITS.startUrlsMax)
      .describe('Where to start: sitemaps and pages. Each origin must be proved, see `proof`.'),
    include: z
      .array(urlRule)
      .max(LIMITS.urlRulesMax)
      .optional()
      .describe(
        'Only pages that match one of these rules become articles, and only links to such pages are followed. Defaults to all.',
      ),
    exclude: z
      .array(urlRule)
      .max(LIMITS.urlRulesMax)
      .optional()
      .describe('Pages that match one of these rules are not read. Defaults to none.'),
    pagesMax: z
      .int32()
      .min(1)
      .max(LIMITS.sourcePagesMax)
      .optional()
      .describe(`Maximum number of pages of a run. Defaults to ${LIMITS.sourcePagesMax}.`)
      .meta({ example: 2000 }),
  })
  .meta({ id: 'WebsiteSettings', description: 'Which pages of a website are read.' });

export const filesSettings = z
  .strictObject({
    baseUrl: z
      .string()
      .max(LIMITS.placeBytesMax)
      .regex(/^[Hh][Tt][Tt][Pp][Ss]:\/\/[^\s?#]+$/)
      .describe(
        'https URL of the folder where visitors can open the files: `guide.pdf` at this URL followed by `guide.pdf`, a file of a ' +
          'zip by its path in it. Articles then have the address of their file, and citations of a PDF lead to its page, unless a ' +
          'document states an address of its own; articles of CSV and JSONL have none. It counts for files that are uploaded ' +
          'afterwards; upload others again to give their articles the new address.',
      )
      .meta({ example: 'https://shop.example.com/manuals/' }),
  })
  .meta({ id: 'FilesSettings', description: 'Where the files of a source are.' });

const proof = z
  .strictObject({
    token: z
      .string()
      .min(16)
      .max(64)
      .describe('The content of the token file.')
      .meta({ example: 'q83vASNFZ4mrze8BI0Vniav' }),
    path: z
      .string()
      .max(128)
      .describe('Path of the token file on an origin that you own.')
      .meta({ example: '/.well-known/guidepost-q83vASNFZ4mrze8BI0Vniav.txt' }),
    origins: z
      .array(
        z
          .strictObject({
            origin,
            allowedDomain: z
              .boolean()
              .describe('Whether it is an allowed domain of the workspace. Others need the token file.'),
          })
          .meta({ id: 'SourceOrigin', description: 'An origin of the start URLs.' }),
      )
      .max(LIMITS.startUrlsMax)
      .describe('The origins of the start URLs.'),
  })
  .meta({
    id: 'SourceProof',
    description:
      'How you prove that an origin is yours: it is an allowed domain of the workspace, or serves the token file when a run starts.',
  });

const RUN_STATES = ['queued', 'reading', 'ready', 'applying', 'done', 'failed', 'cancelled'] as const;

export const runState = z.enum(RUN_STATES).meta({
  id: 'SourceRunState',
  description:
    'State of a run: `queued`, then `reading` the source, then `applying` what has changed, then `done`. A preview waits as ' +
    '`ready` until it is applied or cancelled. `failed` runs have changed nothing; `cancelled` ones only what they had applied.',
});

export const RUN_FAILURES = [
  'origin_not_proved',
  'start_unreachable',
  'robots_unreachable',
  'no_pages',
  'time_limit',
  'storage_full',
  'internal',
] as const;

export const runFailure = z.enum(RUN_FAILURES).meta({
  id: 'SourceRunFailure',
  description:
    'Why a run failed. `origin_not_proved`: an origin of the start URLs is neither an allowed domain nor serves the token file; ' +
    '`start_unreachable`: no start URL could be read; `robots_unreachable`: robots.txt could not be read, so crawling is not allowed; ' +
    '`no_pages`: nothing was found; `time_limit`: it took too long; `storage_full`: the workspace may not store more; ' +
    '`internal`: an error of the service.',
});

export const REFUSAL_REASONS = [
  'not_proved',
  'private_address',
  'robots',
  'too_large',
  'timeout',
  'unreachable',
  'http_status',
  'not_html',
  'redirect_loop',
  'off_site',
  'no_index',
  'excluded',
  'no_content',
  'duplicate',
  'place_too_long',
  'invalid_url',
  'invalid_path',
  'unreadable',
  'encrypted',
  'too_deep',
  'zip_bomb',
  'too_many_files',
  'too_many_pages',
  'unsupported_type',
  'unsupported_language',
  'invalid_encoding',
  'invalid_article',
  'no_source_article',
  'too_many_locales',
  'memory',
] as const;

export const refusalReason = z.enum(REFUSAL_REASONS).meta({
  id: 'SourceRefusalReason',
  description: [
    'Why something was not taken. An article that an earlier run made of it stays as it is.',
    '`not_proved`: a page of an origin that is not proved; `private_address`: an address that is not public;',
    '`robots`: robots.txt forbids it; `too_large`, `timeout`, `memory`: beyond a limit; `unreachable`: no connection;',
    '`http_status`: an error of the website, see `detail`; `not_html`: another type of content;',
    '`redirect_loop`: too many redirects; `off_site`: a redirect or canonical link to another site;',
    '`no_index`: the page asks not to be indexed; `excluded`: the rules of the source leave it out; `no_content`: no text;',
    '`duplicate`: the same content as another place; `place_too_long`, `invalid_url`: an address that cannot be stored;',
    '`invalid_path`: a name that leads out of its zip; `unreadable`: damaged; `encrypted`: with a password;',
    '`too_deep`: nested too deeply; `zip_bomb`: unpacks to too much; `too_many_files`, `too_many_pages`: beyond a limit;',
    '`unsupported_type`: not a supported type; `unsupported_language`: not a registered language; `invalid_encoding`: not valid text;',
    '`invalid_article`: not in the format of an article, see `detail`; `no_source_article`: a translation without its article;',
    '`too_many_locales`: more translations than an article may have.',
  ].join(' '),
});

const count = z.int32().min(0).max(2_000_000_000).meta({ example: 12 });

const runCounts = z
  .strictObject({
    added: count.describe('Texts that are new here.'),
    changed: count.describe('Texts that differ from what the source delivered last.'),
    unchanged: count.describe('Texts that equal what the source delivered last.'),
    removed: count.describe('Texts that are no longer in the source. They are unpublished, not deleted.'),
    refused: count.describe('Pages, files and texts that were not taken.'),
    conflicts: count.describe('Changed texts that were also edited here. They wait for a choice.'),
  })
  .meta({
    id: 'SourceRunCounts',
    description: 'Result or forecast of a run. Articles and translations count one by one.',
  });

export const run = z
  .strictObject({
    id: runId,
    state: runState,
    preview: z.boolean().describe('Whether it stops before anything changes, to be applied or cancelled.'),
    scheduled: z.boolean().describe('Whether the schedule started it.'),
    progress: z
      .strictObject({
        done: count.describe('Pages read, or texts applied.'),
        total: count.describe('Total known so far. Grows while links are followed.'),
      })
      .meta({ id: 'SourceRunProgress', description: 'Progress of the run in its current state.' }),
    counts: runCounts.describe('Zeros until everything has been read.'),
    failure: z
      .strictObject({
        reason: runFailure,
        detail: z
          .string()
          .max(LIMITS.refusalDetailCharsMax)
          .optional()
          .describe('For example the origin that is not proved.')
          .meta({ example: 'https://shop.example.com' }),
      })
      .meta({ id: 'SourceRunFailed', description: 'Why a run failed, and the cause in detail.' })
      .optional()
      .describe('Absent unless the run failed.'),
    createdAt: moment.describe('When it was started or became due.'),
    createdBy: actor.describe(
      'The member or session that started the run; for a scheduled run, the one that created the source.',
    ),
    startedAt: moment.optional().describe('When reading began. Absent before.'),
    finishedAt: moment.optional().describe('When it was done, failed or cancelled. Absent before.'),
  })
  .meta({ id: 'SourceRun', description: 'One reading of a source, and what it changed.' });

const sourceInput = {
  name: sourceName,
  website: websiteSettings.optional().describe('Only for websites.'),
  files: filesSettings.optional().describe('Only for files. Articles have no address without it.'),
  mode: sourceMode,
  schedule: sourceSchedule.optional().describe('Defaults to `manual`, the only schedule for files.'),
};

const source = z
  .strictObject({
    id: sourceId,
    name: sourceName,
    type: sourceType,
    website: websiteSettings.optional().describe('Absent for files.'),
    files: filesSettings.optional().describe('Absent for websites, and if it is not set.'),
    mode: sourceMode,
    schedule: sourceSchedule,
    state: sourceState,
    articles: count.describe('Number of articles that come from it.'),
    conflicts: count.describe('Number of texts that wait for a choice.'),
    waiting: count.describe('Number of documents of uploaded files that wait for a run.'),
    lastRun: run.optional().describe('The newest run. Absent before the first.'),
    nextRunAt: moment
      .optional()
      .describe('When the schedule starts the next run. Absent if it does not start one.'),
    proof: proof.optional().describe('Absent for files.'),
    createdAt: moment.describe('When it was created.'),
    createdBy: actor,
  })
  .meta({ id: 'Source', description: 'Where articles come from: a website, or uploaded files.' });

const newSource = z.strictObject({ type: sourceType, ...sourceInput }).meta({
  id: 'NewSource',
  description: 'A source to create. Nothing is read before its first run.',
  example: {
    type: 'website',
    name: 'Help center',
    website: { startUrls: ['https://shop.example.com/sitemap.xml'] },
    mode: 'review',
  },
});

const sourceChange = z
  .strictObject({
    ...sourceInput,
    paused: z.boolean().optional().describe('Whether scheduled runs are paused. Defaults to false.'),
  })
  .meta({
    id: 'SourceChange',
    description: 'The complete settings of a source. They replace the existing ones.',
    example: {
      name: 'Help center',
      website: { startUrls: ['https://shop.example.com/sitemap.xml'] },
      mode: 'publish',
    },
  });

const newRun = z
  .strictObject({
    preview: z
      .boolean()
      .optional()
      .describe('Stop before anything changes, as `ready`. Defaults to false.')
      .meta({ example: true }),
  })
  .meta({ id: 'NewSourceRun', description: 'How to run a source.' });

export const itemOutcome = z.enum(['added', 'changed', 'removed', 'refused', 'conflict']).meta({
  id: 'SourceItemOutcome',
  description: 'Outcome, done or planned, for a place of the source.',
});

const textTitle = z
  .string()
  .max(LIMITS.titleCharsMax)
  .describe('Title of the text.')
  .meta({ example: 'Returning an order' });

const detail = z
  .string()
  .max(LIMITS.refusalDetailCharsMax)
  .optional()
  .describe('More about the reason, such as the status of the website. Absent if there is none.')
  .meta({ example: '503' });

const item = z
  .strictObject({
    place: place.describe('Where it is in the source. Cut at the limit if it is longer.'),
    outcome: itemOutcome,
    locale: locale.optional().describe('Language of the text. Absent where nothing was read.'),
    title: textTitle.optional().describe('Title of the text. Absent where nothing was read.'),
    reason: refusalReason.optional().describe('With `refused`.'),
    detail,
    articleId: articleId.optional().describe('The article. Absent until the run has applied it.'),
    translationId: translationId.optional().describe('The translation, if the text is one.'),
    applied: z.boolean().describe('Whether the run has applied it.'),
  })
  .meta({ id: 'SourceRunItem', description: 'A line in the log of a run. Unchanged texts have none.' });

const refusal = z
  .strictObject({
    place: place.describe('Where it is in the upload. Cut at the limit if it is longer.'),
    reason: refusalReason,
    detail,
  })
  .meta({ id: 'SourceRefusal', description: 'Something that was not taken, and why.' });

const uploadReply = z
  .strictObject({
    file: z
      .string()
      .max(LIMITS.sourceFileNameCharsMax)
      .describe('Name of the file. Places begin with it; uploading the same name again replaces it.')
      .meta({ example: 'manual.zip' }),
    documents: z
      .array(
        z
          .strictObject({ place, title: textTitle, locale })
          .meta({ id: 'SourceDocumentHead', description: 'A text that was found in a file.' }),
      )
      .max(LIMITS.uploadListedMax)
      .describe('The first documents that were found.'),
    documentCount: count.describe('Number of documents that were found.'),
    refusals: z
      .array(refusal)
      .max(LIMITS.uploadListedMax)
      .describe('The first files and texts that were not taken.'),
    refusalCount: count.describe('Number of files and texts that were not taken.'),
  })
  .meta({ id: 'SourceUpload', description: 'Content of a file. It waits for the next run.' });

const sourceFile = z
  .strictObject({
    file: z
      .custom<Uint8Array>((value) => value instanceof Uint8Array)
      .meta({
        override: { type: 'string', format: 'binary' },
        description: 'Markdown, HTML, plain text, CSV, JSONL, PDF or DOCX, or a zip of them.',
        example: 'the bytes of a file',
      }),
  })
  .meta({ id: 'SourceFile', description: 'A form with exactly one file.' });

const conflictText = z.strictObject({ title, answer, aliases }).meta({
  id: 'SourceConflictText',
  description: 'A text, to compare it with another one.',
});

const conflict = z
  .strictObject({
    place,
    locale: locale.describe('Language of the text.'),
    articleId: articleId.optional().describe('Absent if the article was deleted.'),
    translationId: translationId.optional().describe('The translation, if the text is one.'),
    current: conflictText.optional().describe('The text here. Absent if it was deleted.'),
    incoming: conflictText.describe('The text of the source.'),
    foundAt: moment.describe('When a run found the conflict.'),
  })
  .meta({
    id: 'SourceConflict',
    description: 'A text that was changed both here and at the source. The text here stays until you choose.',
  });

const conflictPage = z
  .strictObject({
    data: z.array(conflict).max(LIMITS.conflictsPerPageMax).describe('The rows of this page, by place.'),
    nextCursor: cursor.optional().describe('Cursor for the next page. Absent on the last page.'),
  })
  .meta({ id: 'SourceConflictPage', description: 'A page of a list: conflicts, by place.' });

const resolution = z
  .strictObject({
    places: z
      .array(place)
      .min(1)
      .max(LIMITS.conflictsResolvedMax)
      .describe('Places of conflicts. Others are ignored.'),
    choice: z.enum(['keep', 'replace']).meta({
      id: 'SourceConflictChoice',
      description:
        'Whether to `keep` the text here, or to `replace` it by the text of the source, as a run does.',
    }),
  })
  .meta({ id: 'SourceConflictResolution', description: 'The choice for several conflicts.' });

const resolved = z
  .strictObject({ resolved: count.describe('Number of conflicts that were resolved.') })
  .meta({ id: 'SourceConflictsResolved', description: 'How many conflicts were resolved.' });

export type SourceRecord = z.infer<typeof source>;
export type WebsiteSettings = z.infer<typeof websiteSettings>;
export type FilesSettings = z.infer<typeof filesSettings>;
export type SourceRunRecord = z.infer<typeof run>;
export type SourceRunItemRecord = z.infer<typeof item>;
export type SourceConflictRecord = z.infer<typeof conflict>;
export type SourceUploadRecord = z.infer<typeof uploadReply>;
export type RunFailure = z.infer<typeof runFailure>;
export type RefusalReason = z.infer<typeof refusalReason>;

const base = '/api/tenants/:tenantId/knowledge/sources';
const pathParams = z.strictObject({ tenantId: workspaceId });
const sourceParams = z.strictObject({ tenantId: workspaceId, sourceId });
const runParams = z.strictObject({ tenantId: workspaceId, sourceId, runId });

export const sources = router({
  listSources: route({
    method: 'GET',
    path: base,
    summary: 'List sources',
    description: 'Returns the sources of the workspace, newest first.',
    pathParams,
    query: z.strictObject(pageQuery),
    responses: { 200: buildPage('SourcePage', source, 'sources, newest first') },
    errors: [],
    meta: { ...readRoute, tag: 'Sources', operationId: 'listSources' },
  }),

  createSource: route({
    method: 'POST',
    path: base,
    summary: 'Create a source',
    description:
      'Creates a source. Nothing is read before its first run, which a schedule starts within a minute.',
    pathParams,
    body: newSource,
    responses: { 201: source },
    errors: ['source/too_many', 'source/publish_not_allowed'],
    meta: {
      ...editRoute,
      tag: 'Sources',
      operationId: 'createSource',
      bodyBytesMax: LIMITS.settingsBodyBytesMax,
    },
  }),

  readSource: route({
    method: 'GET',
    path: `${base}/:sourceId`,
    summary: 'Retrieve a source',
    description: 'Returns a source with its newest run.',
    pathParams: sourceParams,
    responses: { 200: source },
    errors: ['source/not_found'],
    meta: { ...readRoute, tag: 'Sources', operationId: 'readSource' },
  }),

  changeSource: route({
    method: 'PUT',
    path: `${base}/:sourceId`,
    summary: 'Update a source',
    description: 'Replaces the settings of a source. A run under way goes on with the earlier ones.',
    pathParams: sourceParams,
    body: sourceChange,
    responses: { 200: source },
    errors: ['source/not_found', 'source/publish_not_allowed'],
    meta: {
      ...editRoute,
      tag: 'Sources',
      operationId: 'changeSource',
      bodyBytesMax: LIMITS.settingsBodyBytesMax,
    },
  }),

  deleteSource: route({
    method: 'DELETE',
    path: `${base}/:sourceId`,
    summary: 'Delete a source',
    description:
      'Deletes a source with the log of its runs. Its articles stay, as if they were written here.',
    pathParams: sourceParams,
    responses: { 200: okReply },
    errors: ['source/not_found'],
    meta: { ...editRoute, tag: 'Sources', operationId: 'deleteSource' },
  }),

  uploadSourceFile: route({
    method: 'POST',
    path: `${base}/:sourceId/files`,
    summary: 'Upload a file to a source',
    description:
      'Reads a file, or a zip of files, and returns the documents that were found. They wait for the next run, which makes ' +
      'articles of them. A run unpublishes articles of an earlier upload of the same name that are not in it any more.',
    pathParams: sourceParams,
    query: z.strictObject({
      name: z
        .string()
        .min(1)
        .max(LIMITS.sourceFileNameCharsMax)
        .regex(/\S/)
        .describe('Name of the file. Its extension determines the type.')
        .meta({ example: 'manual.zip' }),
    }),
    body: sourceFile,
    responses: { 201: uploadReply },
    errors: [
      'source/not_found',
      'source/wrong_type',
      'source/busy',
      'source/too_much_uploaded',
      'tenant/storage_full',
    ],
    meta: {
      ...editRoute,
      limits: ['tenant/member-uploads'],
      tag: 'Sources',
      operationId: 'uploadSourceFile',
      upload: {
        field: 'file',
        bytesMax: LIMITS.sourceFileBytesMax,
        tooLarge: 'source/file_too_large',
        mediaTypes: [
          'text/markdown',
          'text/html',
          'text/plain',
          'text/csv',
          'application/jsonl',
          'application/pdf',
          'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
          'application/zip',
        ],
      },
    },
  }),

  listSourceRuns: route({
    method: 'GET',
    path: `${base}/:sourceId/runs`,
    summary: 'List the runs of a source',
    description: `Returns the newest ${LIMITS.sourceRunsKept} runs, newest first.`,
    pathParams: sourceParams,
    query: z.strictObject(pageQuery),
    responses: { 200: buildPage('SourceRunPage', run, 'runs of a source, newest first') },
    errors: ['source/not_found'],
    meta: { ...readRoute, tag: 'Sources', operationId: 'listSourceRuns' },
  }),

  startSourceRun: route({
    method: 'POST',
    path: `${base}/:sourceId/runs`,
    summary: 'Start a run of a source',
    description:
      'Reads the source and applies what has changed, in the background. Runs of one workspace follow one another.',
    pathParams: sourceParams,
    body: newRun,
    responses: { 201: run },
    errors: ['source/not_found', 'source/busy', 'source/nothing_uploaded', 'tenant/storage_full'],
    meta: { ...editRoute, tag: 'Sources', operationId: 'startSourceRun' },
  }),

  readSourceRun: route({
    method: 'GET',
    path: `${base}/:sourceId/runs/:runId`,
    summary: 'Retrieve a run of a source',
    description: 'Returns the state, progress and outcome of a run.',
    pathParams: runParams,
    responses: { 200: run },
    errors: ['source/run_not_found'],
    meta: { ...readRoute, tag: 'Sources', operationId: 'readSourceRun' },
  }),

  cancelSourceRun: route({
    method: 'POST',
    path: `${base}/:sourceId/runs/:runId/cancel`,
    summary: 'Cancel a run of a source',
    description: 'Ends a run. Its applied changes stay. Uploads that waited for it are discarded.',
    pathParams: runParams,
    responses: { 200: run },
    errors: ['source/run_not_found', 'source/not_allowed'],
    meta: { ...editRoute, tag: 'Sources', operationId: 'cancelSourceRun' },
  }),

  applySourceRun: route({
    method: 'POST',
    path: `${base}/:sourceId/runs/:runId/apply`,
    summary: 'Apply a previewed run',
    description:
      'Applies what a preview found, in the background. Texts that were edited since become conflicts.',
    pathParams: runParams,
    responses: { 200: run },
    errors: ['source/run_not_found', 'source/not_allowed', 'tenant/storage_full'],
    meta: { ...editRoute, tag: 'Sources', operationId: 'applySourceRun' },
  }),

  listSourceRunItems: route({
    method: 'GET',
    path: `${base}/:sourceId/runs/:runId/items`,
    summary: 'List the log of a run',
    description:
      'Returns what a run did with each place of its source, by place. Unchanged places have no row.',
    pathParams: runParams,
    query: z.strictObject({
      ...pageQuery,
      outcome: itemOutcome.optional().describe('Only rows with this outcome.'),
    }),
    responses: { 200: buildPage('SourceRunItemPage', item, 'places of a run, by place') },
    errors: ['source/run_not_found'],
    meta: { ...readRoute, tag: 'Sources', operationId: 'listSourceRunItems' },
  }),

  listSourceConflicts: route({
    method: 'GET',
    path: `${base}/:sourceId/conflicts`,
    summary: 'List the conflicts of a source',
    description: 'Returns texts that were changed both here and at the source, with both texts, by place.',
    pathParams: sourceParams,
    query: z.strictObject({
      cursor: pageQuery.cursor,
      limit: wholeNumber(1, LIMITS.conflictsPerPageMax, LIMITS.conflictsPerPageMax)
        .describe('Maximum number of rows.')
        .meta({ example: 10 }),
    }),
    responses: { 200: conflictPage },
    errors: ['source/not_found'],
    meta: { ...readRoute, tag: 'Sources', operationId: 'listSourceConflicts' },
  }),

  resolveSourceConflicts: route({
    method: 'POST',
    path: `${base}/:sourceId/conflicts/resolve`,
    summary: 'Resolve conflicts of a source',
    description:
      'Keeps the texts here, or replaces them by those of the source. Revisions stay in either case.',
    pathParams: sourceParams,
    body: resolution,
    responses: { 200: resolved },
    errors: ['source/not_found', 'source/busy', 'tenant/storage_full'],
    meta: {
      ...editRoute,
      tag: 'Sources',
      operationId: 'resolveSourceConflicts',
      bodyBytesMax: LIMITS.settingsBodyBytesMax,
    },
  }),
});
