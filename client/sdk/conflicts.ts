import { type GuideError, isGuideError } from './errors.ts';

/** Somebody changed what you were changing, after you had read it. Nothing of yours was done. */
export type Conflict = GuideError<'article/conflict' | 'translation/conflict'> & {
  /** The newest revision: read the record again, and base the next attempt on it. */
  readonly currentRevision: number;
  /** The id of the member who made it, or `operator`. */
  readonly changedBy: string;
  /** When it was made, in the form of ISO 8601. */
  readonly changedAt: string;
};

/**
 * True when the revision that a change was based on is no longer the newest; narrows to what is newest now. A new
 * translation of an article that changed meanwhile is another case: `translation/conflict` with
 * `currentSourceRevision`.
 */
export function isConflict(error: unknown): error is Conflict {
  const isCode = isGuideError(error, 'article/conflict') || isGuideError(error, 'translation/conflict');
  return isCode && error.currentRevision !== undefined;
}
