import { z } from 'zod';
import { aliases, answer, title } from './article-fields.ts';
import { articleId, cursor, locale, moment, pageQuery, place, translationId, wholeNumber } from './fields.ts';
import { LIMITS } from './limits.ts';
import { editRoute, readRoute, route, router } from './route.ts';
import { count, sourceParams, sourcesPath } from './source-fields.ts';

const conflictText = z.strictObject({ title, answer, aliases }).meta({
  id: 'SourceConflictText',
  description: 'A text, to compare it with another one.',
});

const conflict = z
  .strictObject({
    place,
    locale: locale,
    articleId: articleId.optional().describe('Absent if the article was deleted.'),
    translationId: translationId.optional(),
    current: conflictText.optional().describe('The text here. Absent if it was deleted.'),
    incoming: conflictText,
    foundAt: moment,
  })
  .meta({
    id: 'SourceConflict',
    description: 'A text that was changed both here and at the source. The text here stays until you choose.',
  });

const conflictPage = z
  .strictObject({
    data: z.array(conflict).max(LIMITS.conflictsPerPageMax),
    nextCursor: cursor.optional().describe('Cursor for the next page. Absent on the last page.'),
  })
  .meta({ id: 'SourceConflictPage', description: 'A page of conflicts, by place.' });

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
  .strictObject({ resolved: count })
  .meta({ id: 'SourceConflictsResolved', description: 'How many conflicts were resolved.' });

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
      limit: wholeNumber(1, LIMITS.conflictsPerPageMax, LIMITS.conflictsPerPageMax)
        .describe('Maximum number of rows.')
        .meta({ example: 10 }),
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
    meta: { ...editRoute, bodyBytesMax: LIMITS.settingsBodyBytesMax },
  }),
});
