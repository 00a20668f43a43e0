import { eq, sql } from 'drizzle-orm';
import type { FeatureFlags } from '../feature-flags.ts';
import type { Connections } from './connections.ts';
import { featureFlags } from './schema.ts';
import { given } from './statements.ts';

export function sqliteFeatureFlags({ reader, writer, read, write }: Connections): FeatureFlags {
  const byName = reader
    .select()
    .from(featureFlags)
    .where(eq(featureFlags.name, given('name')))
    .prepare();
  const put = writer
    .insert(featureFlags)
    .values({ name: given('name'), isOn: given('on'), changedAt: given('atMillis') })
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
