import { and, desc, getTableColumns, gt, lte, sql } from 'drizzle-orm';
import type { ExpiredReservations, TokenMonths, VoiceReservation, VoiceReservations } from '../caps.ts';
import type { SqlDatabase } from './database.ts';
import type { EventWrites } from './events.ts';
import { type embeddingMonths, type tokenMonths, voiceMonths, voiceReservations } from './schema.ts';
import {
  bound,
  db,
  equals,
  insertInto,
  matches,
  placeholder,
  putInto,
  statement,
  withoutNulls,
} from './statements.ts';

const OVERDUE_PAGE = 100;

export function sqlVoiceReservations(
  { read, write }: SqlDatabase,
  { insertEvents }: EventWrites,
): (workspaceId: string) => VoiceReservations {
  return (workspaceId) => ({
    reserve: (input, grant) =>
      write(workspaceId, async (tx) => {
        const { period, visitorId, kind, openedAt: nowMillis } = input;
        const total = (await tx.get(month, { workspaceId, period }))?.seconds ?? 0;
        const granted = grant(total);
        if (!granted) return undefined;
        const reservation: VoiceReservation = { ...input, ...granted };
        await tx.run(closeOthers, { workspaceId, nowMillis, visitorId, kind });
        await Promise.all([
          tx.run(insert, { workspaceId, ...reservation, tokenHash: null }),
          tx.run(putMonth, { workspaceId, period, seconds: total + reservation.seconds }),
        ]);
        return reservation;
      }),
    totalSeconds: (period) =>
      read(workspaceId, async (tx) => (await tx.get(month, { workspaceId, period }))?.seconds ?? 0),
    inMonth: (period) =>
      read(
        workspaceId,
        async (tx) =>
          (await tx.get(monthWithReservations, { workspaceId, period })) ?? {
            countedSeconds: 0,
            reservedSeconds: 0,
          },
      ),
    update: (id, change) =>
      write(workspaceId, async (tx) => (await tx.run(updateReservation, { workspaceId, id, ...change })) > 0),
    findByToken: (visitorId, tokenHash) =>
      read(workspaceId, async (tx) => {
        const row = await tx.get(byToken, { workspaceId, visitorId, tokenHash });
        return row && withoutNulls(row);
      }),
    settle: (id, charge, rows) =>
      write(workspaceId, async (tx) => {
        const row = await tx.get(byId, { workspaceId, id });
        if (!row) return undefined;
        const reservation = withoutNulls(row);
        const { period } = reservation;
        const total = (await tx.get(month, { workspaceId, period }))?.seconds ?? reservation.seconds;
        const othersSeconds = total - reservation.seconds;
        const charged = charge(reservation, othersSeconds);
        await Promise.all([
          tx.run(setMonth, { workspaceId, period, seconds: othersSeconds + charged }),
          tx.run(remove, { workspaceId, id }),
        ]);
        await insertEvents(tx, workspaceId, rows(charged));
        return charged;
      }),
  });
}

export function sqlExpiredReservations({ read }: SqlDatabase): ExpiredReservations {
  return {
    overdue: (nowMillis) =>
      read(undefined, async (tx) => (await tx.all(overdue, { nowMillis })).map(withoutNulls)),
  };
}

const inMonth = matches(voiceMonths.workspaceId, voiceMonths.period);
const month = statement(() => db.select({ seconds: voiceMonths.seconds }).from(voiceMonths).where(inMonth));
const reserved = sql<number>`(select coalesce(sum(${voiceReservations.seconds}), 0) from ${voiceReservations} where ${and(equals(voiceReservations.workspaceId, 'workspaceId'), equals(voiceReservations.period, 'period'))})`;
// The month's total includes reservations, so every reservation has a month row.
const monthWithReservations = statement(() =>
  db
    .select({ countedSeconds: voiceMonths.seconds, reservedSeconds: reserved })
    .from(voiceMonths)
    .where(inMonth),
);
const putMonth = putInto(voiceMonths, voiceMonths.workspaceId, voiceMonths.period);
const setMonth = statement(() => db.update(voiceMonths).set(bound('seconds')).where(inMonth));

const { workspaceId: _, ...columns } = getTableColumns(voiceReservations);
const isThisReservation = matches(voiceReservations.workspaceId, voiceReservations.id);
const insert = insertInto(voiceReservations);
const byId = statement(() => db.select(columns).from(voiceReservations).where(isThisReservation));
const byToken = statement(() =>
  db
    .select(columns)
    .from(voiceReservations)
    .where(matches(voiceReservations.workspaceId, voiceReservations.visitorId, voiceReservations.tokenHash))
    .orderBy(desc(voiceReservations.openedAt), desc(voiceReservations.id))
    .limit(1),
);
const closeOthers = statement(() =>
  db
    .update(voiceReservations)
    .set({ closesAt: sql`${placeholder('nowMillis')}` })
    .where(
      and(
        matches(voiceReservations.workspaceId, voiceReservations.visitorId, voiceReservations.kind),
        gt(voiceReservations.closesAt, placeholder('nowMillis')),
      ),
    ),
);
const updateReservation = statement(() =>
  db
    .update(voiceReservations)
    .set(bound('tokenHash', 'provider', 'defaultChargeSeconds', 'closesAt', 'purgeAt'))
    .where(isThisReservation),
);
const remove = statement(() => db.delete(voiceReservations).where(isThisReservation));
const overdue = statement(() =>
  db
    .select()
    .from(voiceReservations)
    .where(lte(voiceReservations.purgeAt, placeholder('nowMillis')))
    .limit(OVERDUE_PAGE),
);

export function sqlTokenMonths(
  { read, write }: SqlDatabase,
  months: typeof tokenMonths | typeof embeddingMonths,
): (workspaceId: string) => TokenMonths {
  const month = statement(() =>
    db.select({ tokens: months.tokens }).from(months).where(matches(months.workspaceId, months.period)),
  );
  const set = putInto(months, months.workspaceId, months.period);

  return (workspaceId) => ({
    used: (period) =>
      read(workspaceId, async (tx) => (await tx.get(month, { workspaceId, period }))?.tokens ?? 0),
    reserve: (period, grant) =>
      write(workspaceId, async (tx) => {
        const used = (await tx.get(month, { workspaceId, period }))?.tokens ?? 0;
        const granted = grant(used);
        if (granted) await tx.run(set, { workspaceId, period, tokens: Math.max(0, used + granted) });
        return granted;
      }),
  });
}
