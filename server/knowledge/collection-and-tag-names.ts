import { TAG } from '../../contract/article-fields.ts';
import { ARTICLE_LIMITS } from '../../contract/limits/articles.ts';
import { hasAtMostCharacters } from '../base/text.ts';
import { throwInvalidRequest } from '../http/errors.ts';
import { normalizeLine } from './article-content.ts';

/** Converts tags and names of collections to their stored form. */

/** Returns undefined for an invalid tag. */
export function toTag(text: string): string | undefined {
  const normalized = normalizeLine(text).toLowerCase().normalize('NFC');
  return TAG.test(normalized) && hasAtMostCharacters(ARTICLE_LIMITS.tagCharsMax, normalized)
    ? normalized
    : undefined;
}

/** Throws 400 for an invalid tag. */
export function normalizeTag(text: string, path: string): string {
  return (
    toTag(text) ??
    throwInvalidRequest({
      path,
      code: 'invalid_tag',
      message: 'Expected letters, digits, spaces and . _ -, starting with a letter or digit.',
    })
  );
}

/** Throws 400 when the name is empty after normalization. */
export function normalizeCollectionName(text: string): string {
  const name = normalizeLine(text);
  if (name !== '' && hasAtMostCharacters(ARTICLE_LIMITS.collectionNameCharsMax, name)) return name;
  return throwInvalidRequest({ path: 'body.name', code: 'blank', message: 'Expected a name on one line.' });
}
