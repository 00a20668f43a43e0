import { and, getTableColumns, gt, lte, sql } from 'drizzle-orm';
import { voiceMonths, voiceReservations } from '../schema.ts';
import type { ExpiredReservations, VoiceReservation, VoiceReservations } from '../voice-reservations.ts';
import type { Connections } from './connections.ts';
import type { EventWrites } from './events.ts';
import { bound, equals, insertInto, matches, placeholder, withoutNulls } from './statements.ts';

const OVERDUE_AT_ONCE = 100;

const { workspaceId: _, ...columns } = getTableColumns(voiceReservations);

export function sqliteVoiceReservations(
  { reader, writer, read, write }: Connections,
  { insertEvents }: EventWrites,
): (workspaceId: string) => VoiceReservations {
  const inMonth = matches(voiceMonths.workspaceId, voiceMonths.period);
  const month = (db: typeof reader) =>
    db.select({ seconds: voiceMonths.seconds }).from(voiceMonths).where(inMonth).prepare();
  const [monthToRead, monthToWrite] = [month(reader), month(writer)];
  const held = sql<number>`(select coalesce(sum(${voiceReservations.seconds}), 0) from ${voiceReservations} where ${and(equals(voiceReservations.workspaceId, 'workspaceId'), equals(voiceReservations.period, 'period'))})`;
  // The month's total includes reservations, so every reservation has a month row.
  const monthWithHolds = reader
    .select({ countedSeconds: voiceMonths.seconds, heldSeconds: held })
    .from(voiceMonths)
    .where(inMonth)
    .prepare();
  const addToMonth = writer
    .insert(voiceMonths)
    .values({
      workspaceId: placeholder('workspaceId'),
      period: placeholder('period'),
      seconds: placeholder('seconds'),
    })
    .onConflictDoUpdate({
      target: [voiceMonths.workspaceId, voiceMonths.period],
      set: { seconds: sql`${voiceMonths.seconds} + excluded.seconds` },
    })
    .prepare();
  const setMonth = writer.update(voiceMonths).set(bound('seconds')).where(inMonth).prepare();
  const insert = insertInto(writer, voiceReservations);
  const own = matches(voiceReservations.workspaceId, voiceReservations.id);
  const byId = writer.select(columns).from(voiceReservations).where(own).prepare();
  const byToken = reader
    .select(columns)
    .from(voiceReservations)
    .where(matches(voiceReservations.workspaceId, voiceReservations.tokenHash))
    .prepare();
  const closeOthers = writer
    .update(voiceReservations)
    .set({ closesAt: sql`${placeholder('nowMillis')}` })
    .where(
      and(
        matches(voiceReservations.workspaceId),
        matches(voiceReservations.visitorId),
        matches(voiceReservations.kind),
        gt(voiceReservations.closesAt, placeholder('nowMillis')),
      ),
    )
    .prepare();
  const mark = writer
    .update(voiceReservations)
    .set(bound('tokenHash', 'provider', 'defaultChargeSeconds', 'closesAt', 'purgeAt'))
    .where(own)
    .prepare();
  const remove = writer.delete(voiceReservations).where(own).prepare();

  return (workspaceId) => ({
    reserve: (asked, grant) =>
      write(() => {
        const { period, openedAt: nowMillis } = asked;
        const granted = grant(monthToWrite.get({ workspaceId, period })?.seconds ?? 0);
        if (!granted) return undefined;
        const hold: VoiceReservation = { ...asked, ...granted };
        closeOthers.run({ workspaceId, nowMillis, visitorId: hold.visitorId, kind: hold.kind });
        insert({ workspaceId, ...hold, tokenHash: null });
        addToMonth.run({ workspaceId, period, seconds: hold.seconds });
        return hold;
      }),
    counted: (period) => read(() => monthToRead.get({ workspaceId, period })?.seconds ?? 0),
    inMonth: (period) =>
      read(() => monthWithHolds.get({ workspaceId, period }) ?? { countedSeconds: 0, heldSeconds: 0 }),
    mark: (id, change) => write(() => mark.run({ workspaceId, id, ...change }).changes > 0),
    findByToken: (tokenHash) =>
      read(() => {
        const row = byToken.get({ workspaceId, tokenHash });
        return row && withoutNulls(row);
      }),
    settle: (id, charge, rows) =>
      write(() => {
        const row = byId.get({ workspaceId, id });
        if (!row) return undefined;
        const hold = withoutNulls(row);
        const { period } = hold;
        const others = (monthToWrite.get({ workspaceId, period })?.seconds ?? hold.seconds) - hold.seconds;
        const charged = charge(hold, others);
        setMonth.run({ workspaceId, period, seconds: others + charged });
        remove.run({ workspaceId, id });
        insertEvents(workspaceId, rows(charged));
        return charged;
      }),
  });
}

export function sqliteExpiredReservations({ reader, read }: Connections): ExpiredReservations {
  const overdue = reader
    .select()
    .from(voiceReservations)
    .where(lte(voiceReservations.purgeAt, placeholder('nowMillis')))
    .limit(OVERDUE_AT_ONCE)
    .prepare();
  return { overdue: (nowMillis) => read(() => overdue.all({ nowMillis }).map(withoutNulls)) };
}
