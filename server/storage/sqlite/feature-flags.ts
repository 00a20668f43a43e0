import { eq, sql } from 'drizzle-orm';
import type { FeatureFlags } from '../feature-flags.ts';
import { featureFlags } from '../schema.ts';
import type { Connections } from './connections.ts';
import { placeholder } from './statements.ts';

export function sqliteFeatureFlags({ reader, writer, read, write }: Connections): FeatureFlags {
  const byName = reader
    .select()
    .from(featureFlags)
    .where(eq(featureFlags.name, placeholder('name')))
    .prepare();
  const put = writer
    .insert(featureFlags)
    .values({ name: placeholder('name'), isOn: placeholder('on'), changedAt: placeholder('atMillis') })
    .onConflictDoUpdate({
      target: featureFlags.name,
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
