import { and, desc, getTableColumns, gt, lte, sql } from 'drizzle-orm';
import type { SqlDatabase } from './database.ts';
import type { EventRow } from './event-queries.ts';
import type { EventWrites } from './events.ts';
import { type embeddingMonths, type tokenMonths, voiceMonths, voiceReservations } from './schema/index.ts';
import {
  bound,
  db,
  input,
  insertInto,
  matches,
  putInto,
  type Stored,
  statement,
  withoutNulls,
} from './statements.ts';

/** The uses of voice. A visitor has at most one open reservation of each kind. */
export type VoiceKind = VoiceReservation['kind'];

/** Seconds of a workspace's month, reserved until the actual use is known. */
export type VoiceReservation = Omit<Stored<typeof voiceReservations>, 'workspaceId'>;

const OVERDUE_PAGE = 100;

export function sqlVoiceReservations({ read, write }: SqlDatabase, { insertEvents }: EventWrites) {
  return (workspaceId: string) => ({
    /**
     * Reserves seconds and closes an open reservation of the same visitor and kind. `grant` must be
     * pure and runs inside the transaction; it gets the month's total including unsettled reservations.
     * When it returns undefined, nothing changes.
     */
    reserve: (
      input: Omit<
        VoiceReservation,
        'seconds' | 'defaultChargeSeconds' | 'closesAt' | 'purgeAt' | 'tokenHash'
      >,
      grant: (
        countedSeconds: number,
      ) => Pick<VoiceReservation, 'seconds' | 'defaultChargeSeconds' | 'closesAt' | 'purgeAt'> | undefined,
    ) =>
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
    /** Returns the month's total in seconds, including unsettled reservations. */
    totalSeconds: (period: string) =>
      read(workspaceId, async (tx) => (await tx.get(month, { workspaceId, period }))?.seconds ?? 0),
    /** Returns the same total, and how much of it is in unsettled reservations, read from one snapshot. */
    inMonth: (period: string) =>
      read(
        workspaceId,
        async (tx) =>
          (await tx.get(monthWithReservations, { workspaceId, period })) ?? {
            countedSeconds: 0,
            reservedSeconds: 0,
          },
      ),
    /** Sets the reservation's token, provider and times. False when the reservation is gone. */
    update: (
      id: string,
      change: Pick<VoiceReservation, 'defaultChargeSeconds' | 'closesAt' | 'purgeAt' | 'provider'> & {
        tokenHash: string;
      },
    ) =>
      write(workspaceId, async (tx) => (await tx.run(updateReservation, { workspaceId, id, ...change })) > 0),
    /** Returns the newest one. Providers may hand out a token several times. */
    findByToken: (visitorId: string, tokenHash: string) =>
      read(workspaceId, async (tx) => {
        const row = await tx.get(byToken, { workspaceId, visitorId, tokenHash });
        return row && withoutNulls(row);
      }),
    /**
     * Ends a reservation with the seconds that `charge` returns and stores the event rows. `charge`
     * must be pure and runs inside the transaction; it gets the reservation and the rest of the
     * month's total. Returns undefined when the reservation has already ended.
     */
    settle: (
      id: string,
      charge: (reservation: VoiceReservation, othersSeconds: number) => number,
      rows: (chargedSeconds: number) => readonly EventRow[],
    ) =>
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

export function sqlExpiredReservations({ read }: SqlDatabase) {
  return {
    /** Returns a bounded number of expired reservations, with their workspaces. */
    overdue: (nowMillis: number) =>
      read(undefined, async (tx) => (await tx.all(overdue, { nowMillis })).map(withoutNulls)),
  };
}

const inMonth = matches(voiceMonths.workspaceId, voiceMonths.period);
const month = statement(() => db.select({ seconds: voiceMonths.seconds }).from(voiceMonths).where(inMonth));
const reserved = sql<number>`(select coalesce(sum(${voiceReservations.seconds}), 0) from ${voiceReservations} where ${and(matches(voiceReservations.workspaceId, voiceReservations.period))})`;
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
    .set({ closesAt: sql`${input('nowMillis')}` })
    .where(
      and(
        matches(voiceReservations.workspaceId, voiceReservations.visitorId, voiceReservations.kind),
        gt(voiceReservations.closesAt, input('nowMillis')),
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
    .where(lte(voiceReservations.purgeAt, input('nowMillis')))
    .limit(OVERDUE_PAGE),
);

export function sqlTokenMonths(
  { read, write }: SqlDatabase,
  months: typeof tokenMonths | typeof embeddingMonths,
) {
  const month = statement(() =>
    db.select({ tokens: months.tokens }).from(months).where(matches(months.workspaceId, months.period)),
  );
  const set = putInto(months, months.workspaceId, months.period);

  return (workspaceId: string) => ({
    /** Returns the month's total so far. */
    used: (period: string) =>
      read(workspaceId, async (tx) => (await tx.get(month, { workspaceId, period }))?.tokens ?? 0),
    /**
     * Adds the number of tokens that `grant` returns for the month's total so far, and returns that
     * number. `grant` must be pure and runs inside the transaction; when it returns undefined, nothing
     * changes.
     */
    reserve: (period: string, grant: (usedTokens: number) => number | undefined) =>
      write(workspaceId, async (tx) => {
        const used = (await tx.get(month, { workspaceId, period }))?.tokens ?? 0;
        const granted = grant(used);
        if (granted) await tx.run(set, { workspaceId, period, tokens: Math.max(0, used + granted) });
        return granted;
      }),
  });
}

export type VoiceReservations = ReturnType<ReturnType<typeof sqlVoiceReservations>>;

/** Tokens that a workspace has used in a month of its time zone, such as 2026-11. */
export type TokenMonths = ReturnType<ReturnType<typeof sqlTokenMonths>>;
