import { and, getTableColumns, gt, lte, sql } from 'drizzle-orm';
import type { EventWrites } from '../sql/events.ts';
import { voiceMonths, voiceReservations } from '../sql/schema.ts';
import type { ExpiredReservations, VoiceReservation, VoiceReservations } from '../voice-reservations.ts';
import type { Connections } from './connections.ts';
import { bound, equals, insertInto, matches, placeholder, withoutNulls } from './statements.ts';

const OVERDUE_PAGE = 100;

const { workspaceId: _, ...columns } = getTableColumns(voiceReservations);

export function sqliteVoiceReservations(
  connections: Connections,
  { insertEvents }: EventWrites,
): (workspaceId: string) => VoiceReservations {
  const { read, write } = connections;
  const { monthToRead, monthToWrite, monthWithReservations, addToMonth, setMonth } =
    prepareMonthStatements(connections);
  const { insert, byId, byToken, closeOthers, mark, remove } = prepareReservationStatements(connections);

  return (workspaceId) => ({
    reserve: (input, grant) =>
      write(() => {
        const { period, openedAt: nowMillis } = input;
        const granted = grant(monthToWrite.get({ workspaceId, period })?.seconds ?? 0);
        if (!granted) return undefined;
        const reservation: VoiceReservation = { ...input, ...granted };
        closeOthers.run({ workspaceId, nowMillis, visitorId: reservation.visitorId, kind: reservation.kind });
        insert({ workspaceId, ...reservation, tokenHash: null });
        addToMonth.run({ workspaceId, period, seconds: reservation.seconds });
        return reservation;
      }),
    counted: (period) => read(() => monthToRead.get({ workspaceId, period })?.seconds ?? 0),
    inMonth: (period) =>
      read(() => monthWithReservations.get({ workspaceId, period }) ?? { countedSeconds: 0, heldSeconds: 0 }),
    mark: (id, change) => write(() => mark.run({ workspaceId, id, ...change }).changes > 0),
    findByToken: (tokenHash) =>
      read(() => {
        const row = byToken.get({ workspaceId, tokenHash });
        return row && withoutNulls(row);
      }),
    settle: (id, charge, rows) =>
      write(async (tx) => {
        const row = byId.get({ workspaceId, id });
        if (!row) return undefined;
        const reservation = withoutNulls(row);
        const { period } = reservation;
        const others =
          (monthToWrite.get({ workspaceId, period })?.seconds ?? reservation.seconds) - reservation.seconds;
        const charged = charge(reservation, others);
        setMonth.run({ workspaceId, period, seconds: others + charged });
        remove.run({ workspaceId, id });
        await insertEvents(tx, workspaceId, rows(charged));
        return charged;
      }),
  });
}

function prepareMonthStatements({ reader, writer }: Connections) {
  const inMonth = matches(voiceMonths.workspaceId, voiceMonths.period);
  const month = (db: typeof reader) =>
    db.select({ seconds: voiceMonths.seconds }).from(voiceMonths).where(inMonth).prepare();
  const [monthToRead, monthToWrite] = [month(reader), month(writer)];
  const held = sql<number>`(select coalesce(sum(${voiceReservations.seconds}), 0) from ${voiceReservations} where ${and(equals(voiceReservations.workspaceId, 'workspaceId'), equals(voiceReservations.period, 'period'))})`;
  // The month's total includes reservations, so every reservation has a month row.
  const monthWithReservations = reader
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
  return { monthToRead, monthToWrite, monthWithReservations, addToMonth, setMonth };
}

function prepareReservationStatements({ reader, writer }: Connections) {
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
  return { insert, byId, byToken, closeOthers, mark, remove };
}

export function sqliteExpiredReservations({ reader, read }: Connections): ExpiredReservations {
  const overdue = reader
    .select()
    .from(voiceReservations)
    .where(lte(voiceReservations.purgeAt, placeholder('nowMillis')))
    .limit(OVERDUE_PAGE)
    .prepare();
  return { overdue: (nowMillis) => read(() => overdue.all({ nowMillis }).map(withoutNulls)) };
}
