import type { SourceRunTextRecord } from '../../contract/source-runs.ts';
import type { ArticleContent } from '../storage/passages.ts';
import type { RunItem, SourceRun } from '../storage/source-rows.ts';
import type { WorkspaceStore } from '../storage/store.ts';

/** A text of a run, before and after it. */

type Texts = Pick<WorkspaceStore, 'sources' | 'articles' | 'translations'>;
type Revision = { createdAt: number; content: ArticleContent };

/** Runs change a text by a few revisions; older ones are not needed. */
const REVISIONS_MAX = 100;

/** Returns undefined for a place without text, or one whose text is no longer kept. */
export async function readRunText(
  run: SourceRun,
  place: string,
  store: Texts,
): Promise<SourceRunTextRecord | undefined> {
  const item = await store.sources.findItem(run.id, place);
  if (!item || item.outcome === 'refused') return undefined;
  const revisions = await listRevisions(item, store);
  const { articleId, translationId, locale, outcome } = item;
  const isWritten = item.applied && (outcome === 'added' || outcome === 'changed');
  const beganAt = isWritten ? (run.startedAt ?? run.createdAt) : Number.POSITIVE_INFINITY;
  const before = revisions.find(({ createdAt }) => createdAt < beganAt);
  const after = isWritten
    ? revisions.find(({ createdAt }) => createdAt <= (run.finishedAt ?? Number.POSITIVE_INFINITY))?.content
    : await findWaiting(run, item, store);
  if (!after && outcome !== 'removed') return undefined;
  return {
    ...{ place, locale, articleId, translationId },
    before: before && toText(before.content),
    after: after && toText(after),
  };
}

/** Lists the revisions of the text, newest first. */
async function listRevisions(
  { articleId, translationId }: RunItem,
  { articles, translations }: Texts,
): Promise<readonly Revision[]> {
  if (translationId !== undefined) return await translations.revisions(translationId, REVISIONS_MAX);
  return articleId === undefined ? [] : await articles.revisions(articleId, REVISIONS_MAX);
}

/** Finds the text that the source delivers, and that is not applied. */
async function findWaiting({ sourceId }: SourceRun, { place, outcome }: RunItem, { sources }: Texts) {
  const snapshot = await sources.findSnapshot(sourceId, place);
  if (snapshot?.text || outcome !== 'conflict') return snapshot?.text;
  return (await sources.findConflicts(sourceId, [place]))[0]?.snapshot.text;
}

const toText = ({ title, answer, aliases }: Pick<ArticleContent, 'title' | 'answer' | 'aliases'>) => ({
  title,
  answer,
  aliases: [...aliases],
});
