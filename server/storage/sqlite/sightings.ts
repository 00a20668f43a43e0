import { eq, sql } from 'drizzle-orm';
import type { Sighting, Sightings } from '../sightings.ts';
import type { Connections } from './connections.ts';
import { sightings, workspaceOrigins } from './schema.ts';
import { given } from './statements.ts';

export function sqliteSightings({ writer, write }: Connections): Sightings {
  const put = writer
    .insert(sightings)
    .select(
      sql`SELECT ${workspaceOrigins.workspaceId}, ${workspaceOrigins.origin}, ${given('origin')}, ${given('atMillis')}
        FROM ${workspaceOrigins}
        WHERE ${workspaceOrigins.workspaceId} = ${given('workspaceId')} AND ${workspaceOrigins.origin} = ${given('domain')}`,
    )
    .onConflictDoUpdate({
      target: [sightings.workspaceId, sightings.domain],
      set: { origin: sql`excluded.origin`, atMillis: sql`excluded.at_millis` },
      setWhere: sql`excluded.at_millis > ${sightings.atMillis}`,
    })
    .prepare();
  const forget = writer
    .delete(sightings)
    .where(
      sql`${sightings.workspaceId} = ${given('workspaceId')} AND ${sightings.domain} NOT IN
        (SELECT ${workspaceOrigins.origin} FROM ${workspaceOrigins} WHERE ${workspaceOrigins.workspaceId} = ${given('workspaceId')})`,
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

export function sqliteSightingsOf({
  reader,
  read,
}: Connections): (workspaceId: string) => () => Promise<readonly Sighting[]> {
  const all = reader
    .select({ domain: sightings.domain, origin: sightings.origin, atMillis: sightings.atMillis })
    .from(sightings)
    .where(eq(sightings.workspaceId, given('workspaceId')))
    .prepare();
  return (workspaceId) => () => read(() => all.all({ workspaceId }));
}
