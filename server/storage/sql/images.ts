import { desc, getTableColumns } from 'drizzle-orm';
import type { Images, PublicImages } from '../images.ts';
import { insertAudit } from './audit.ts';
import type { SqlDatabase } from './database.ts';
import { images } from './schema.ts';
import { db, equals, insertInto, matches, statement, textStatement } from './statements.ts';

export function sqlImages({ read, write }: SqlDatabase): (workspaceId: string) => Images {
  return (workspaceId) => ({
    put: ({ content, ...image }, { countMax, bytesMax }, audit) =>
      write(workspaceId, async (tx) => {
        const known = await tx.get(byContent, { workspaceId, contentHash: image.contentHash });
        if (known) return known;
        const { count, bytes } = (await tx.get(total, { workspaceId }))!;
        if (count >= countMax || bytes + image.contentBytes > bytesMax) return 'full';
        await tx.run(insert, { ...image, workspaceId, content });
        await insertAudit(tx, workspaceId, audit);
        const { contentHash: _, ...head } = image;
        return head;
      }),

    list: () => read(workspaceId, (tx) => tx.all(ofWorkspace, { workspaceId })),

    remove: (id, audit) =>
      write(workspaceId, async (tx) => {
        if ((await tx.run(remove, { workspaceId, id })) === 0) return 'gone';
        await insertAudit(tx, workspaceId, audit);
        return 'removed';
      }),
  });
}

export function sqlPublicImages({ read }: SqlDatabase): PublicImages {
  return { find: (id) => read(undefined, (tx) => tx.get(published, { id })) };
}

const { workspaceId: _w, contentHash: _h, content: _c, ...head } = getTableColumns(images);
const byContent = statement(() =>
  db.select(head).from(images).where(matches(images.workspaceId, images.contentHash)),
);
const ofWorkspace = statement(() =>
  db
    .select(head)
    .from(images)
    .where(equals(images.workspaceId, 'workspaceId'))
    .orderBy(desc(images.createdAt), desc(images.id)),
);
const insert = insertInto(images);
const remove = statement(() => db.delete(images).where(matches(images.workspaceId, images.id)));
const total = textStatement<{ count: number; bytes: number }>(
  'SELECT count(*), coalesce(sum(content_bytes), 0) FROM images WHERE workspace_id = @workspaceId',
  'count',
  'bytes',
);
type Published = NonNullable<Awaited<ReturnType<PublicImages['find']>>>;
const published = textStatement<Published>(
  `SELECT media_type, content FROM images JOIN workspaces ON workspaces.id = workspace_id AND removed_at IS NULL
   WHERE images.id = @id`,
  'mediaType',
  'content',
);
