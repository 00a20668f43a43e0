import { eq, sql } from 'drizzle-orm';
import type { Switches } from '../switches.ts';
import type { Connections } from './connections.ts';
import { switches } from './schema.ts';
import { given } from './statements.ts';

export function sqliteSwitches({ reader, writer, read, write }: Connections): Switches {
  const byName = reader
    .select()
    .from(switches)
    .where(eq(switches.name, given('name')))
    .prepare();
  const put = writer
    .insert(switches)
    .values({ name: given('name'), isOn: given('on'), changedAt: given('atMillis') })
    .onConflictDoUpdate({
      target: switches.name,
      set: { isOn: sql`excluded.is_on`, changedAt: sql`excluded.changed_at` },
    })
    .prepare();

  return {
    isOn: (name) => read(() => byName.get({ name })?.isOn ?? false),
    set: (name, on, atMillis) =>
      write(() => {
        put.run({ name, on, atMillis });
      }),
  };
}
