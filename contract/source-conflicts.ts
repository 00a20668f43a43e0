import { z } from 'zod';
import {
  articleId,
  cursor,
  locale,
  moment,
  namedObject,
  pageQuery,
  place,
  translationId,
  wholeNumber,
} from './fields.ts';
import { SOURCE_LIMITS } from './limits/sources.ts';
import { WORKSPACE_LIMITS } from './limits/workspace.ts';
import { editRoute, readRoute, route, router } from './route.ts';
import { comparedText, count, sourceParams, sourcesPath } from './source-fields.ts';

const conflict = namedObject(
  'SourceConflict',
  'A text that was changed both here and at the source. The text here stays until you choose.',
  {
    place,
    locale,
    articleId: articleId.optional().describe('Absent if the article was deleted.'),
    translationId: translationId.optional(),
    current: comparedText.optional().describe('The text here. Absent if it was deleted.'),
    incoming: comparedText,
    foundAt: moment,
  },
);

const conflictPage = namedObject('SourceConflictPage', 'A page of conflicts, by place.', {
  data: z.array(conflict).max(SOURCE_LIMITS.conflictsPerPageMax),
  nextCursor: cursor.optional().describe('Cursor for the next page. Absent on the last page.'),
});

const resolution = namedObject('SourceConflictResolution', 'The choice for several conflicts.', {
  places: z
    .array(place)
    .min(1)
    .max(SOURCE_LIMITS.conflictsResolvedMax)
    .describe('Places of conflicts. Others are ignored.'),
  choice: z.enum(['keep', 'replace']).meta({
    id: 'SourceConflictChoice',
    description:
      'Whether to `keep` the text here, or to `replace` it by the text of the source, as a run does.',
  }),
});

const resolved = namedObject('SourceConflictsResolved', 'How many conflicts were resolved.', {
  resolved: count,
});

export type SourceConflictRecord = z.infer<typeof conflict>;

export const sourceConflicts = router('Sources', {
  listSourceConflicts: route({
    method: 'GET',
    path: `${sourcesPath}/:sourceId/conflicts`,
    summary: 'List the conflicts of a source',
    description: 'Returns texts that were changed both here and at the source, with both texts, by place.',
    pathParams: sourceParams,
    query: z.strictObject({
      cursor: pageQuery.cursor,
      limit: wholeNumber(1, SOURCE_LIMITS.conflictsPerPageMax, SOURCE_LIMITS.conflictsPerPageMax).meta({
        description: 'Maximum number of rows.',
        example: 10,
      }),
    }),
    responses: { 200: conflictPage },
    errors: ['source/not_found'],
    meta: readRoute,
  }),

  resolveSourceConflicts: route({
    method: 'POST',
    path: `${sourcesPath}/:sourceId/conflicts/resolve`,
    summary: 'Resolve conflicts of a source',
    description:
      'Keeps the texts here, or replaces them by those of the source. Revisions stay in either case.',
    pathParams: sourceParams,
    body: resolution,
    responses: { 200: resolved },
    errors: ['source/not_found', 'source/busy', 'tenant/storage_full'],
    meta: { ...editRoute, bodyBytesMax: WORKSPACE_LIMITS.settingsBodyBytesMax },
  }),
});
