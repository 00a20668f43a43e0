import { z } from 'zod';
import { aliases, answer, title } from './article-fields.ts';
import { namedObject, sourceId, workspaceId } from './fields.ts';
import { ARTICLE_LIMITS } from './limits/articles.ts';
import { SOURCE_LIMITS } from './limits/sources.ts';

/** Fields that sources, their runs and their conflicts share. */

export const sourcesPath = '/api/tenants/:tenantId/knowledge/sources';
export const sourceParams = z.strictObject({ tenantId: workspaceId, sourceId });

export const count = z.int32().min(0).max(2_000_000_000).meta({ example: 12 });

export const textTitle = z.string().max(ARTICLE_LIMITS.titleCharsMax).meta({ example: 'Returning an order' });

export const comparedText = namedObject('SourceConflictText', 'A text, to compare it with another one.', {
  title,
  answer,
  aliases,
});

export const skipDetail = z.string().max(SOURCE_LIMITS.skipDetailCharsMax).optional().meta({
  description:
    'More about the reason, such as the status of the website, or what to check in a text that was read.',
  example: '503',
});

export const SKIP_REASONS = [
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
  'draft',
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

export const skipReason = z.enum(SKIP_REASONS).meta({
  id: 'SourceRefusalReason',
  description: [
    'Why something was not taken. An article that an earlier run made of it stays as it is.',
    '`not_proved`: a page of an origin that is not proved; `private_address`: an address that is not public, see `detail` for the setting that allows it;',
    '`robots`: robots.txt forbids it; `too_large`, `timeout`, `memory`, `too_many_files`, `too_many_pages`: beyond a limit;',
    '`http_status`: an error of the website, see `detail`; `off_site`: a redirect or canonical link to another site;',
    '`no_index`: the page asks not to be indexed; `draft`: marked as not public, or a part of other pages;',
    '`excluded`: the rules of the source leave it out;',
    '`duplicate`: the same content as another place; `place_too_long`, `invalid_url`: an address that cannot be stored;',
    '`invalid_path`: a name that leads out of its zip; `unreadable`: damaged; `zip_bomb`: unpacks to too much;',
    '`unsupported_language`: not a registered language; `invalid_encoding`: not valid text;',
    '`invalid_article`: not in the format of an article, see `detail`; `no_source_article`: a translation without its article;',
    '`too_many_locales`: more translations than an article may have.',
  ].join(' '),
});

export type SkipReason = z.infer<typeof skipReason>;
