import { eq, sql } from 'drizzle-orm';
import type { Installation, Installations } from '../installations.ts';
import { installations, workspaceOrigins } from '../schema.ts';
import type { Connections } from './connections.ts';
import { placeholder } from './statements.ts';

export function sqliteInstallations({ writer, write }: Connections): Installations {
  const put = writer
    .insert(installations)
    .select(
      sql`SELECT ${workspaceOrigins.workspaceId}, ${workspaceOrigins.origin}, ${placeholder('origin')}, ${placeholder('atMillis')}
        FROM ${workspaceOrigins}
        WHERE ${workspaceOrigins.workspaceId} = ${placeholder('workspaceId')} AND ${workspaceOrigins.origin} = ${placeholder('domain')}`,
    )
    .onConflictDoUpdate({
      target: [installations.workspaceId, installations.domain],
      set: { origin: sql`excluded.origin`, atMillis: sql`excluded.at_millis` },
      setWhere: sql`excluded.at_millis > ${installations.atMillis}`,
    })
    .prepare();
  const forget = writer
    .delete(installations)
    .where(
      sql`${installations.workspaceId} = ${placeholder('workspaceId')} AND ${installations.domain} NOT IN
        (SELECT ${workspaceOrigins.origin} FROM ${workspaceOrigins} WHERE ${workspaceOrigins.workspaceId} = ${placeholder('workspaceId')})`,
    )
    .prepare();
  return {
    keep: (seen) =>
      write(() => {
        for (const one of seen) put.run(one);
        for (const workspaceId of new Set(seen.map((one) => one.workspaceId))) forget.run({ workspaceId });
      }),
  };
}

export function sqliteWorkspaceInstallations({
  reader,
  read,
}: Connections): (workspaceId: string) => () => Promise<readonly Installation[]> {
  const all = reader
    .select({ domain: installations.domain, origin: installations.origin, atMillis: installations.atMillis })
    .from(installations)
    .where(eq(installations.workspaceId, placeholder('workspaceId')))
    .prepare();
  return (workspaceId) => () => read(() => all.all({ workspaceId }));
}
