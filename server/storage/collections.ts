import { sql } from 'drizzle-orm';
import type { Grants } from '../base/audience.ts';
import { chooseSlug, listCandidates } from './article-addresses.ts';
import { bindGrants, isVisible } from './audiences.ts';
import { type AuditEntry, insertAudit } from './audit.ts';
import type { SqlDatabase, WriteTx } from './database.ts';
import { collections } from './schema/index.ts';
import { bound, db, input, insertInto, matches, rawStatement, statement } from './statements.ts';

/** A group of articles; an article is in one at most. */
export type Collection = { id: string; name: string; articles: number };

type NewCollection = Omit<typeof collections.$inferSelect, 'workspaceId' | 'slug' | 'earlierSlugs'>;

/** A collection with the number of its articles that a reader sees. */
export type PublishedCollection = { id: string; name: string; slug: string; articles: number };

export function sqlCollections({ read, write }: SqlDatabase) {
  return (workspaceId: string) => ({
    /** Lists all collections by name, with the number of their articles. */
    list: () => read(workspaceId, (tx) => tx.all(listCounted, { workspaceId })),
    /** Lists the collections that have published articles for a reader by name, with the number of these. */
    listPublished: (reader: Grants) =>
      read(workspaceId, (tx) => tx.all(listPublished, { workspaceId, grants: bindGrants(reader) })),
    has: (id: string) =>
      read(workspaceId, async (tx) => (await tx.get(byId, { workspaceId, id })) !== undefined),

    /** Finds the collection that has or had a slug, with its current one. */
    findBySlug: (slug: string) =>
      read(workspaceId, async (tx) => {
        const rows = await tx.all(slugsOfAll, { workspaceId });
        const found = rows.find((row) => listSlugs(row).includes(slug));
        return found && { id: found.id, slug: found.slug };
      }),

    create: (collection: NewCollection, collectionsMax: number, audit: AuditEntry) =>
      write(workspaceId, async (tx) => {
        if (await tx.get(collectionByName, { workspaceId, name: collection.name })) return 'name_taken';
        if ((await tx.get(count, { workspaceId }))!.count >= collectionsMax) return 'too_many';
        await addCollection(tx, workspaceId, collection);
        await insertAudit(tx, workspaceId, audit);
        return 'created';
      }),

    /** The slugs that it had lead to it as well; the newest `earlierSlugsMax` are kept. */
    rename: (id: string, name: string, earlierSlugsMax: number, audit: AuditEntry) =>
      write(workspaceId, async (tx) => {
        const existing = await tx.get(collectionByName, { workspaceId, name });
        if (existing && existing.id !== id) return 'name_taken';
        const slugs = await renameSlug(tx, workspaceId, { id, name, earlierSlugsMax });
        if ((await tx.run(rename, { workspaceId, id, name, ...slugs })) === 0) return 'gone';
        await insertAudit(tx, workspaceId, audit);
        return 'renamed';
      }),

    /** Deletes the collection; its articles stay, without a collection. */
    remove: (id: string, audit: AuditEntry) =>
      write(workspaceId, async (tx) => {
        if ((await tx.run(remove, { workspaceId, id })) === 0) return 'gone';
        await insertAudit(tx, workspaceId, audit);
        return 'removed';
      }),

    /** Lists all tags with the number of articles that have them, most frequent first. */
    async listTags() {
      const groups = await read(workspaceId, (tx) => tx.all(tagGroups, { workspaceId }));
      const counts = new Map<string, number>();
      for (const { tags, articles } of groups) {
        for (const tag of JSON.parse(tags) as string[]) counts.set(tag, (counts.get(tag) ?? 0) + articles);
      }
      return [...counts]
        .map(([tag, articles]) => ({ tag, articles }))
        .sort((a, b) => b.articles - a.articles || (a.tag < b.tag ? -1 : 1));
    },
  });
}

/** Returns the id of the collection with this name, which is created if there is none. */
export async function putCollection(
  tx: WriteTx,
  workspaceId: string,
  { idIfNew, name }: { idIfNew: string; name: string },
  { actor, atMillis }: { actor: string; atMillis: number },
): Promise<string> {
  const existing = await tx.get(collectionByName, { workspaceId, name });
  if (existing) return existing.id;
  await addCollection(tx, workspaceId, { id: idIfNew, name, createdAt: atMillis, createdBy: actor });
  return idIfNew;
}

async function addCollection(tx: WriteTx, workspaceId: string, collection: NewCollection): Promise<void> {
  const slugs = await tx.all(slugsOfAll, { workspaceId });
  const slug = chooseSlug(listCandidates(collection.name, collection.id), slugs.flatMap(listSlugs));
  await tx.run(insertCollection, { ...collection, workspaceId, slug, earlierSlugs: null });
}

/** Returns the slug for a new name of a collection, and the earlier ones. */
async function renameSlug(
  tx: WriteTx,
  workspaceId: string,
  { id, name, earlierSlugsMax }: { id: string; name: string; earlierSlugsMax: number },
) {
  const rows = await tx.all(slugsOfAll, { workspaceId });
  const own = rows.filter((row) => row.id === id).flatMap(listSlugs);
  const others = rows.filter((row) => row.id !== id).flatMap(listSlugs);
  const candidates = listCandidates(name, id);
  const slug = candidates.includes(own[0]!) ? own[0]! : chooseSlug(candidates, others);
  const earlier = own.filter((each) => each !== slug).slice(0, earlierSlugsMax);
  return { slug, earlierSlugs: earlier.length === 0 ? null : JSON.stringify(earlier) };
}

type SlugRow = { id: string; slug: string; earlierSlugs: string | null };

/** Lists the slugs of a collection, newest first. */
const listSlugs = ({ slug, earlierSlugs }: SlugRow): string[] => [
  slug,
  ...(earlierSlugs === null ? [] : JSON.parse(earlierSlugs)),
];

const insertCollection = insertInto(collections);
const slugsOfAll = statement(() =>
  db
    .select({ id: collections.id, slug: collections.slug, earlierSlugs: collections.earlierSlugs })
    .from(collections)
    .where(matches(collections.workspaceId)),
);
const isThisCollection = matches(collections.workspaceId, collections.id);
const selectId = () => db.select({ id: collections.id }).from(collections);
const byId = statement(() => selectId().where(isThisCollection));
const collectionByName = statement(() =>
  selectId().where(matches(collections.workspaceId, collections.name)),
);
const count = rawStatement<{ count: number }>(
  sql`SELECT count(*) FROM collections WHERE workspace_id = ${input('workspaceId')}`,
  'count',
);
const listCounted = rawStatement<{ id: string; name: string; articles: number }>(
  sql`SELECT id, name, (SELECT count(*) FROM articles WHERE collection_id = collections.id)
   FROM collections WHERE workspace_id = ${input('workspaceId')} ORDER BY name`,
  'id',
  'name',
  'articles',
);
const listPublished = rawStatement<PublishedCollection>(
  sql`SELECT collections.id, name, collections.slug, count(*) FROM collections
   JOIN articles ON collection_id = collections.id AND status = 'published'
   WHERE collections.workspace_id = ${input('workspaceId')} AND ${isVisible('articles.id')}
   GROUP BY collections.id, name, collections.slug ORDER BY name`,
  'id',
  'name',
  'slug',
  'articles',
);
const tagGroups = rawStatement<{ tags: string; articles: number }>(
  sql`SELECT tags, count(*) FROM articles WHERE workspace_id = ${input('workspaceId')}
    AND tags IS NOT NULL GROUP BY tags`,
  'tags',
  'articles',
);
const rename = statement(() =>
  db
    .update(collections)
    .set(bound('name', 'slug', 'earlierSlugs'))
    .where(isThisCollection),
);
const remove = statement(() => db.delete(collections).where(isThisCollection));
