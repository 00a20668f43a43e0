/** The caps of a workspace: what it may use in a month, reserved before use and settled after. */
import type { EventRow } from './events.ts';

/** The uses of voice. A visitor has at most one open reservation of each kind. */
export type VoiceKind = 'realtime' | 'transcribe' | 'speech';

/** Seconds of a workspace's month, reserved until the actual use is known. */
export type VoiceReservation = {
  id: string;
  visitorId: string;
  kind: VoiceKind;
  provider: string;
  /** The month that it counts towards, such as 2026-11. */
  period: string;
  seconds: number;
  /** The charge if the actual use is never reported; the rest is refunded. */
  defaultChargeSeconds: number;
  openedAt: number;
  /**
   * When it closes. A closed reservation can still be settled, for at most the reserved seconds.
   */
  closesAt: number;
  /** When it expires: if it is not settled by then, the default charge applies. */
  purgeAt: number;
  /** Whether an event row may record the use. */
  isRecordable: boolean;
  /** SHA-256 of the token by which a usage report of the visitor identifies it. */
  tokenHash?: string;
};

export type VoiceReservations = {
  /**
   * Reserves seconds and closes an open reservation of the same visitor and kind. `grant` must be
   * pure and runs inside the transaction; it gets the month's total including unsettled reservations.
   * When it returns undefined, nothing changes.
   */
  reserve(
    reservation: Omit<
      VoiceReservation,
      'seconds' | 'defaultChargeSeconds' | 'closesAt' | 'purgeAt' | 'tokenHash'
    >,
    grant: (
      countedSeconds: number,
    ) => Pick<VoiceReservation, 'seconds' | 'defaultChargeSeconds' | 'closesAt' | 'purgeAt'> | undefined,
  ): Promise<VoiceReservation | undefined>;
  /** Returns the month's total in seconds, including unsettled reservations. */
  totalSeconds(period: string): Promise<number>;
  /** Returns the same total, and how much of it is in unsettled reservations, read from one snapshot. */
  inMonth(period: string): Promise<{ countedSeconds: number; reservedSeconds: number }>;
  /** Sets the reservation's token, provider and times. False when the reservation is gone. */
  update(
    id: string,
    change: Pick<VoiceReservation, 'defaultChargeSeconds' | 'closesAt' | 'purgeAt' | 'provider'> & {
      tokenHash: string;
    },
  ): Promise<boolean>;
  /** Returns the newest one. Providers may hand out a token several times. */
  findByToken(visitorId: string, tokenHash: string): Promise<VoiceReservation | undefined>;
  /**
   * Ends a reservation with the seconds that `charge` returns and stores the event rows. `charge`
   * must be pure and runs inside the transaction; it gets the reservation and the rest of the
   * month's total. Returns undefined when the reservation has already ended.
   */
  settle(
    id: string,
    charge: (reservation: VoiceReservation, othersSeconds: number) => number,
    rows: (chargedSeconds: number) => readonly EventRow[],
  ): Promise<number | undefined>;
};

/** Reservations of all workspaces. */
export type ExpiredReservations = {
  /** Returns a bounded number of expired reservations, with their workspaces. */
  overdue(nowMillis: number): Promise<readonly (VoiceReservation & { workspaceId: string })[]>;
};

/** Tokens that a workspace has used in a month of its time zone, such as 2026-11. */
export type TokenMonths = {
  /** Returns the month's total so far. */
  used(period: string): Promise<number>;
  /**
   * Adds the number of tokens that `grant` returns for the month's total so far, and returns that
   * number. `grant` must be pure and runs inside the transaction; when it returns undefined, nothing
   * changes.
   */
  reserve(period: string, grant: (usedTokens: number) => number | undefined): Promise<number | undefined>;
};
