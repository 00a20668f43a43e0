/**
 * The names under which articles and collections are published in the help centre. Articles that are not for everyone have names,
 * too, but nobody finds them.
 */

import { and, eq, isNull, sql } from 'drizzle-orm';
import { toArticlePath } from '../base/help-paths.ts';
import { getSlugCandidates, toSlug } from '../base/slug.ts';
import type { SqlDatabase, WriteTx } from './database.ts';
import type { PassageWrites, PublicationWrites } from './passage-writes.ts';
import type { IndexedPassage } from './passages.ts';
import { articleAddresses, articles } from './schema/index.ts';
import { db, input, matches, putInto, rawStatement, statement } from './statements.ts';
import type { WorkspaceSettings } from './workspace-settings.ts';

/** A published text of an article with its current slug. */
export type AddressedVariant = {
  articleId: string;
  locale: string;
  slug: string;
  isSource: boolean;
  /** Names this publication of the text; publishing it anew assigns another one. */
  passageId: number;
  stale: boolean;
  /** Where the owner keeps it instead. */
  url: string | null;
};

/** Where the help centres are; absent on the command line. */
export type HelpUrls = { findBaseUrl?: (appId: string, provedDomain: string | undefined) => string };

/** Pages of the help centre that have these names. */
const RESERVED = ['search', 'collections'];

export function sqlArticleAddresses({ read }: SqlDatabase) {
  return (workspaceId: string) => ({
    /** Finds the article that has or had the slug in any locale, with all its published texts. */
    find: (slug: string) =>
      read(
        workspaceId,
        async (tx) => {
          const rows = await tx.all(bySlug, { workspaceId, slug });
          const articleIds = JSON.stringify(rows.slice(0, 1).map(({ articleId }) => articleId));
          const variants = rows.length === 0 ? [] : await tx.all(published, { workspaceId, articleIds });
          return { rows, variants: variants.map(toVariant) };
        },
        'atOnce',
      ),

    /** Lists the published texts of these articles. */
    list: (articleIds: readonly string[]) =>
      read(workspaceId, async (tx) =>
        (await tx.all(published, { workspaceId, articleIds: JSON.stringify(articleIds) })).map(toVariant),
      ),
  });
}

/** Returns the writes of the search index with an address for each text that goes live. */
export function withAddresses(passages: PassageWrites, help: HelpUrls): PublicationWrites {
  return {
    ...passages,
    async findPublicUrl(tx, workspaceId, articleId, locale) {
      const { findBaseUrl } = help;
      const found = findBaseUrl && (await tx.get(publicPlace, { workspaceId, articleId, locale }));
      const settings = found && (JSON.parse(found.settings) as WorkspaceSettings);
      return settings?.helpCentre?.enabled
        ? `${findBaseUrl!(found!.appId, found!.domain ?? undefined)}${toArticlePath({ locale, slug: found!.slug })}`
        : undefined;
    },
    async writePassage(tx, workspaceId, passage) {
      await Promise.all([
        passages.writePassage(tx, workspaceId, passage),
        putAddress(tx, workspaceId, passage),
      ]);
    },
  };
}

/** Gives a text the slug of its title, unless it has it. The slugs that it had lead to it as well. */
async function putAddress(
  tx: WriteTx,
  workspaceId: string,
  { articleId, locale, title }: Pick<IndexedPassage, 'articleId' | 'locale' | 'title'>,
): Promise<void> {
  const candidates = listCandidates(title, articleId);
  const current = await tx.get(currentSlug, { articleId, locale });
  if (current && candidates.includes(current.slug)) return;
  const taken = await tx.all(takenByOthers, {
    workspaceId,
    articleId,
    candidates: JSON.stringify(candidates),
  });
  const slug = chooseSlug(
    candidates,
    taken.map((row) => row.slug),
  );
  if (current) await tx.run(retireSlugs, { articleId, locale });
  await tx.run(putSlug, { workspaceId, slug, locale, articleId, isCurrent: true });
}

/** Returns the slugs that a title may get, in their order. */
export const listCandidates = (title: string, id: string) => [
  ...getSlugCandidates(toSlug(title), id.slice(-8)),
];

/** Returns the first free candidate; the last one is unique. */
export const chooseSlug = (candidates: readonly string[], taken: readonly string[]): string =>
  candidates.find((slug) => !taken.includes(slug) && !RESERVED.includes(slug)) ?? candidates.at(-1)!;

type VariantRow = Omit<AddressedVariant, 'isSource' | 'stale'> & { isSource: number; stale: number };

const toVariant = ({ isSource, stale, ...variant }: VariantRow): AddressedVariant => ({
  ...variant,
  isSource: isSource === 1,
  stale: stale === 1,
});

const bySlug = statement(() =>
  db
    .select({ articleId: articleAddresses.articleId, locale: articleAddresses.locale })
    .from(articleAddresses)
    .innerJoin(articles, eq(articles.id, articleAddresses.articleId))
    .where(and(matches(articleAddresses.workspaceId, articleAddresses.slug), isNull(articles.audience))),
);
const currentSlug = rawStatement<{ slug: string }>(
  sql`SELECT slug FROM article_addresses
   WHERE article_id = ${input('articleId')} AND locale = ${input('locale')} AND is_current = 1`,
  'slug',
);
const publicPlace = rawStatement<{ slug: string; appId: string; settings: string; domain: string | null }>(
  sql`SELECT own.slug, app_id, settings, help_domains.domain FROM article_addresses AS own JOIN workspaces ON workspaces.id = own.workspace_id
   JOIN articles ON articles.id = own.article_id AND articles.audience IS NULL
   LEFT JOIN help_domains ON help_domains.workspace_id = own.workspace_id AND proved_at IS NOT NULL
   WHERE own.workspace_id = ${input('workspaceId')} AND own.article_id = ${input('articleId')}
     AND own.locale = ${input('locale')} AND is_current = 1`,
  ...(['slug', 'appId', 'settings', 'domain'] as const),
);
const takenByOthers = rawStatement<{ slug: string }>(
  sql`SELECT slug FROM article_addresses WHERE workspace_id = ${input('workspaceId')}
   AND slug IN (SELECT value FROM json_each(${input('candidates')})) AND article_id <> ${input('articleId')}`,
  'slug',
);
const retireSlugs = statement(() =>
  db
    .update(articleAddresses)
    .set({ isCurrent: false })
    .where(matches(articleAddresses.articleId, articleAddresses.locale)),
);
const putSlug = putInto(
  articleAddresses,
  articleAddresses.workspaceId,
  articleAddresses.slug,
  articleAddresses.locale,
);
const published = rawStatement<VariantRow>(
  sql`SELECT passages.article_id, passages.locale, own.slug, CASE WHEN translation_id IS NULL THEN 1 ELSE 0 END,
     passages.id, stale, url
   FROM passages JOIN articles ON articles.id = passages.article_id AND articles.audience IS NULL
   JOIN article_addresses AS own
     ON own.article_id = passages.article_id AND own.locale = passages.locale AND own.is_current = 1
   WHERE passages.workspace_id = ${input('workspaceId')}
     AND passages.article_id IN (SELECT value FROM json_each(${input('articleIds')}))
   ORDER BY passages.article_id, passages.locale`,
  ...(['articleId', 'locale', 'slug', 'isSource', 'passageId', 'stale', 'url'] as const),
);
