import { z } from 'zod';
import {
  actor,
  buildPage,
  locale,
  moment,
  namedObject,
  okReply,
  origin,
  pageQuery,
  pattern,
  place,
  sourceId,
  text,
  visibleText,
  webAddress,
  workspaceId,
} from './fields.ts';
import { SOURCE_LIMITS } from './limits/sources.ts';
import { WORKSPACE_LIMITS } from './limits/workspace.ts';
import { editRoute, readRoute, route, router } from './route.ts';
import { apiToken, zendeskSettings } from './source-connectors.ts';
import { count, skipDetail, skipReason, sourceParams, sourcesPath, textTitle } from './source-fields.ts';
import { run } from './source-runs.ts';

export const sourceName = visibleText(SOURCE_LIMITS.sourceNameCharsMax).meta({
  description: 'Name of the source, on one line. Not empty.',
  example: 'Help center',
});

export const sourceType = z.enum(['website', 'files', 'zendesk', 'notion']).meta({
  id: 'SourceType',
  description:
    'Type of a source. `website`: pages of origins that you own; `files`: files that you upload; `zendesk`: a help center of ' +
    'Zendesk; `notion`: the pages that are shared with an integration of Notion.',
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

const urlRule = text(SOURCE_LIMITS.urlRuleCharsMax)
  .describe(
    'A URLPattern without regular expressions. One that begins with `/` or `*` is compared with the path, and with the query if it ' +
      'has one; others begin with an origin.',
  )
  .meta({ example: '/help/*' });

export const websiteSettings = namedObject('WebsiteSettings', 'Which pages of a website are read.', {
  startUrls: z
    .array(
      webAddress(SOURCE_LIMITS.placeBytesMax)
        .describe('http or https URL of a sitemap, or of a page whose links are followed.')
        .meta({ example: 'https://shop.example.com/sitemap.xml' }),
    )
    .min(1)
    .max(SOURCE_LIMITS.startUrlsMax)
    .describe('Where to start: sitemaps and pages. Each origin must be proved, see `proof`.'),
  include: z
    .array(urlRule)
    .max(SOURCE_LIMITS.urlRulesMax)
    .optional()
    .describe(
      'Only pages that match one of these rules become articles, and only links to such pages are followed. Defaults to all.',
    ),
  exclude: z
    .array(urlRule)
    .max(SOURCE_LIMITS.urlRulesMax)
    .optional()
    .describe('Pages that match one of these rules are not read. Defaults to none.'),
  pagesMax: z
    .int32()
    .min(1)
    .max(SOURCE_LIMITS.sourcePagesMax)
    .optional()
    .describe(`Maximum number of pages of a run. Defaults to ${SOURCE_LIMITS.sourcePagesMax}.`)
    .meta({ example: 2000 }),
});

export const filesSettings = namedObject('FilesSettings', 'Where the files of a source are.', {
  baseUrl: pattern(/^[Hh][Tt][Tt][Pp][Ss]:\/\/[^\s?#]+$/, SOURCE_LIMITS.placeBytesMax)
    .describe(
      'https URL of the folder where visitors can open the files: `guide.pdf` at this URL followed by `guide.pdf`, a file of a ' +
        'zip by its path in it. Articles then have the address of their file, and citations of a PDF lead to its page, unless a ' +
        'document states an address of its own; articles of CSV and JSONL have none. It counts for files that are uploaded ' +
        'afterwards; upload others again to give their articles the new address.',
    )
    .meta({ example: 'https://shop.example.com/manuals/' }),
});

const proof = namedObject(
  'SourceProof',
  'How you prove that an origin is yours: it is an allowed domain of the workspace, or serves the token file when a run starts.',
  {
    token: z.string().min(16).max(64).meta({ example: 'q83vASNFZ4mrze8BI0Vniav' }),
    path: z
      .string()
      .max(128)
      .describe('Path of the token file on an origin that you own.')
      .meta({ example: '/.well-known/guidepost-q83vASNFZ4mrze8BI0Vniav.txt' }),
    origins: z
      .array(
        namedObject('SourceOrigin', 'An origin of the start URLs.', {
          origin,
          allowedDomain: z
            .boolean()
            .describe('Whether it is an allowed domain of the workspace. Others need the token file.'),
        }),
      )
      .max(SOURCE_LIMITS.startUrlsMax),
  },
);

const sourceInput = {
  name: sourceName,
  website: websiteSettings.optional().describe('Only for websites.'),
  files: filesSettings.optional().describe('Only for files. Articles have no address without it.'),
  zendesk: zendeskSettings.optional().describe('Only for help centers of Zendesk.'),
  apiToken: apiToken.optional(),
  mode: sourceMode,
  schedule: sourceSchedule.optional().describe('Defaults to `manual`, the only schedule for files.'),
};

const source = namedObject(
  'Source',
  'Where articles come from: a website, uploaded files, or another service.',
  {
    id: sourceId,
    name: sourceName,
    type: sourceType,
    website: websiteSettings.optional().describe('Only for websites.'),
    files: filesSettings.optional().describe('Only for files, if it is set.'),
    zendesk: zendeskSettings.optional().describe('Only for help centers of Zendesk.'),
    hasApiToken: z.boolean().describe('Whether an `apiToken` is stored.'),
    mode: sourceMode,
    schedule: sourceSchedule,
    state: sourceState,
    articles: count,
    conflicts: count.describe('Number of texts that wait for a choice.'),
    waiting: count.describe('Number of documents of uploaded files that wait for a run.'),
    lastRun: run.optional().describe('Absent before the first.'),
    nextRunAt: moment
      .optional()
      .describe('When the schedule starts the next run. Absent if it does not start one.'),
    proof: proof.optional().describe('Only for websites.'),
    createdAt: moment,
    createdBy: actor,
  },
);

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

const refusal = namedObject('SourceRefusal', 'Something that was not taken, and why.', {
  place: place.describe('Where it is in the upload. Cut at the limit if it is longer.'),
  reason: skipReason,
  detail: skipDetail,
});

const uploadReply = namedObject('SourceUpload', 'Content of a file. It waits for the next run.', {
  file: z
    .string()
    .max(SOURCE_LIMITS.sourceFileNameCharsMax)
    .describe(
      'Name of the file. Places begin with it, unless `packed` is set; uploading the same name again replaces it.',
    )
    .meta({ example: 'manual.zip' }),
  documents: z
    .array(
      namedObject('SourceDocumentHead', 'A text that was found in a file.', {
        place,
        title: textTitle,
        locale,
      }),
    )
    .max(SOURCE_LIMITS.uploadListedMax),
  documentCount: count,
  refusals: z.array(refusal).max(SOURCE_LIMITS.uploadListedMax),
  refusalCount: count,
});

const sourceFile = namedObject('SourceFile', 'A form with exactly one file.', {
  file: z
    .custom<Uint8Array>((value) => value instanceof Uint8Array)
    .meta({
      override: { type: 'string', format: 'binary' },
      description: 'Markdown, HTML, plain text, CSV, JSONL, PDF or DOCX, or a zip of them.',
      example: 'the bytes of a file',
    }),
});

export type SourceRecord = z.infer<typeof source>;
export type SourceType = z.infer<typeof sourceType>;
export type ZendeskSettings = z.infer<typeof zendeskSettings>;
export type WebsiteSettings = z.infer<typeof websiteSettings>;
export type FilesSettings = z.infer<typeof filesSettings>;
export type SourceUploadRecord = z.infer<typeof uploadReply>;

const pathParams = z.strictObject({ tenantId: workspaceId });

export const sources = router('Sources', {
  listSources: route({
    method: 'GET',
    path: sourcesPath,
    summary: 'List sources',
    description: 'Returns the sources of the workspace, newest first.',
    pathParams,
    query: z.strictObject(pageQuery),
    responses: { 200: buildPage('SourcePage', source) },
    meta: readRoute,
  }),

  createSource: route({
    method: 'POST',
    path: sourcesPath,
    summary: 'Create a source',
    description:
      'Creates a source. Nothing is read before its first run, which a schedule starts within a minute.',
    pathParams,
    body: newSource,
    responses: { 201: source },
    errors: ['source/too_many', 'source/publish_not_allowed'],
    meta: { ...editRoute, bodyBytesMax: WORKSPACE_LIMITS.settingsBodyBytesMax },
  }),

  readSource: route({
    method: 'GET',
    path: `${sourcesPath}/:sourceId`,
    summary: 'Retrieve a source',
    description: 'Returns a source with its newest run.',
    pathParams: sourceParams,
    responses: { 200: source },
    errors: ['source/not_found'],
    meta: readRoute,
  }),

  changeSource: route({
    method: 'PUT',
    path: `${sourcesPath}/:sourceId`,
    summary: 'Update a source',
    description: 'Replaces the settings of a source. A run under way goes on with the earlier ones.',
    pathParams: sourceParams,
    body: sourceChange,
    responses: { 200: source },
    errors: ['source/not_found', 'source/publish_not_allowed'],
    meta: { ...editRoute, bodyBytesMax: WORKSPACE_LIMITS.settingsBodyBytesMax },
  }),

  deleteSource: route({
    method: 'DELETE',
    path: `${sourcesPath}/:sourceId`,
    summary: 'Delete a source',
    description:
      'Deletes a source with the log of its runs. Its articles stay, as if they were written here.',
    pathParams: sourceParams,
    responses: { 200: okReply },
    errors: ['source/not_found'],
    meta: editRoute,
  }),

  uploadSourceFile: route({
    method: 'POST',
    path: `${sourcesPath}/:sourceId/files`,
    summary: 'Upload a file to a source',
    description:
      'Reads a file, or a zip of files, and returns the documents that were found. They wait for the next run, which makes ' +
      'articles of them. A run unpublishes articles of an earlier upload of the same name that are not in it any more.',
    pathParams: sourceParams,
    query: z.strictObject({
      name: visibleText(SOURCE_LIMITS.sourceFileNameCharsMax).meta({
        description: 'Name of the file. Its extension determines the type.',
        example: 'manual.zip',
      }),
      packed: z
        .enum(['whole', 'more'])
        .optional()
        .meta({
          id: 'SourcePacking',
          description:
            'For a zip that only carries files and folders: places are their paths, each at the top is an upload of its own. ' +
            '`more` adds to the folders of the zip before.',
          example: 'whole',
        }),
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
      upload: {
        field: 'file',
        bytesMax: SOURCE_LIMITS.sourceFileBytesMax,
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
});
