/** The search index: its rows, and its part in the transactions that change what is published. */

import { sql } from 'drizzle-orm';
import type { WebhookData } from '../../contract/webhook-events.ts';
import type { Tx, WriteTx } from './database.ts';
import type { IndexedPassage, IndexedText, Passage, PublishedPassage } from './passages.ts';
import { input, rawStatement } from './statements.ts';
import { listSubscribers, type PublicUrls, recordWebhookEvent } from './webhook-events.ts';

/** A live translation with its search index entry. */
export type RepublishedTranslation = {
  translationId: string;
  revision: number;
  indexed: IndexedText;
};

/** Each engine has its own index; the calls belong to the transaction `tx`. */
export type PassageWrites = {
  /**
   * Replaces the published variant of (workspace, article, locale). The new passage id lets a running
   * search notice that the text it ranked is gone.
   */
  writePassage(tx: WriteTx, workspaceId: string, passage: IndexedPassage): Promise<void>;
  /** Removes the article's published variant in `locale`, or all its variants if `locale` is omitted. */
  removePassages(tx: WriteTx, workspaceId: string, articleId: string, locale?: string): Promise<unknown>;
};

/** The writes of what is published: the search index, and the addresses in the help centre. */
export type PublicationWrites = PassageWrites & PublicUrls;

export type PassageRow = Omit<Passage, 'chunks' | 'aliases' | 'stale' | 'translationId' | 'url'> & {
  translationId: string | null;
  url: string | null;
  aliases: string;
  stale: number;
};

export function toPassage(row: PassageRow, chunks: readonly Uint8Array[]): Passage {
  const { translationId, url, aliases, stale, ...rest } = row;
  return {
    ...rest,
    aliases: JSON.parse(aliases),
    stale: stale === 1,
    chunks,
    ...(translationId === null ? {} : { translationId }),
    ...(url === null ? {} : { url }),
  };
}

export function toPublished({ workspaceId, ...row }: PassageRow & { workspaceId: string }): PublishedPassage {
  const { passageId, chunks: _, ...variant } = toPassage(row, []);
  return { passageId, workspaceId, variant };
}

/** Returns whether `variants` are exactly the live translations, ignoring translations into `otherLocales`. */
export async function areAllLive(
  tx: Tx,
  articleId: string,
  variants: readonly RepublishedTranslation[],
  otherLocales: readonly string[] = [],
): Promise<boolean> {
  const rows = (await tx.all(live, { articleId })).filter(({ locale }) => !otherLocales.includes(locale));
  const expected = new Map(variants.map(({ translationId, revision }) => [translationId, revision]));
  return (
    rows.length === expected.size && rows.every((row) => expected.get(row.translationId) === row.revision)
  );
}

/** Writes the passages of translations. Call `refreshTranslations` afterwards to set the stale flags and URLs. */
export async function republishTranslations(
  tx: WriteTx,
  { writePassage }: PassageWrites,
  workspaceId: string,
  articleId: string,
  variants: readonly RepublishedTranslation[],
): Promise<void> {
  if (variants.length === 0) return;
  const rows = new Map((await tx.all(live, { articleId })).map((row) => [row.translationId, row]));
  for (const { translationId, revision, indexed } of variants) {
    const { sourceRevision } = rows.get(translationId)!;
    const passage = { ...indexed, articleId, translationId, revision, sourceRevision, stale: false };
    await writePassage(tx, workspaceId, passage);
  }
}

/**
 * After the published source changes, updates stale flags and the URLs of translations without
 * their own, and tells webhooks which have become stale.
 */
export async function refreshTranslations(
  tx: WriteTx,
  workspaceId: string,
  articleId: string,
  source: { contentHash: string; url?: string },
  atMillis: number,
): Promise<void> {
  const type = 'translation.stale';
  if ((await listSubscribers(tx, workspaceId, type)).length > 0) {
    const { contentHash } = source;
    for (const payload of await tx.all(becomingStale, { workspaceId, articleId, contentHash }))
      await recordWebhookEvent(tx, { workspaceId, type, subject: articleId, payload, at: atMillis });
  }
  await tx.run(refresh, { workspaceId, articleId, contentHash: source.contentHash, url: source.url });
}

type LiveRow = {
  translationId: string;
  locale: string;
  revision: number;
  sourceRevision: number;
};

const live = rawStatement<LiveRow>(
  sql`SELECT id, locale, live_revision, live_source_revision FROM translations
   WHERE article_id = ${input('articleId')} AND live_revision IS NOT NULL`,
  ...(['translationId', 'locale', 'revision', 'sourceRevision'] as const),
);
const becomingStale = rawStatement<WebhookData<'translation.stale'>>(
  sql`SELECT live.id, articles.id, articles.slug, live.locale, live.live_revision
   FROM passages JOIN translations AS live ON live.id = passages.translation_id
   JOIN articles ON articles.id = passages.article_id
   WHERE passages.workspace_id = ${input('workspaceId')} AND passages.article_id = ${input('articleId')}
     AND passages.stale = 0 AND live.live_source_hash <> ${input('contentHash')} ORDER BY live.locale`,
  ...(['translation_id', 'article_id', 'slug', 'locale', 'revision'] as const),
);
// Updates in place: the text is the same, so a running search can continue with it.
const refresh = rawStatement(
  sql`UPDATE passages SET (stale, url) = (
     SELECT CASE WHEN live.live_source_hash <> ${input('contentHash')} THEN 1 ELSE 0 END, coalesce(content.url,
     ${input('url')})
     FROM translations AS live
     JOIN translation_revisions AS content
       ON content.translation_id = live.id AND content.revision = live.live_revision
     WHERE live.id = passages.translation_id)
   WHERE workspace_id = ${input('workspaceId')} AND article_id = ${input('articleId')}
   AND translation_id IS NOT NULL`,
);
