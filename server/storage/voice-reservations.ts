import type { EventRow } from './events.ts';

/** What voice is used for; a visitor has one open hold of each. */
export type VoiceKind = 'realtime' | 'transcribe' | 'speech';

/** Seconds of a workspace's month that are set aside until it is known how many were used. */
export type VoiceReservation = {
  readonly id: string;
  readonly visitorId: string;
  readonly kind: VoiceKind;
  readonly provider: string;
  /** The month that it is counted in, as in 2026-11. */
  readonly period: string;
  readonly seconds: number;
  /** What stays counted when nobody ever says how many were used; the rest is given back. */
  readonly defaultChargeSeconds: number;
  readonly openedAt: number;
  /** From then on it is closed: it may still be settled, but for no more than was set aside. */
  readonly closesAt: number;
  /** From then on it may be swept. */
  readonly purgeAt: number;
  /** Whether an event row may tell of it. */
  readonly counted: boolean;
  /** SHA-256 of the token that a report names it by. */
  readonly tokenHash?: string;
};

export type VoiceReservations = {
  /**
   * Sets seconds aside. `grant` is pure and runs within the step, told what the month has counted so far, open holds included; where it
   * answers undefined nothing changes. An open hold of the same visitor and kind is closed.
   */
  reserve(
    hold: Omit<VoiceReservation, 'seconds' | 'defaultChargeSeconds' | 'closesAt' | 'purgeAt' | 'tokenHash'>,
    grant: (
      countedSeconds: number,
    ) => Pick<VoiceReservation, 'seconds' | 'defaultChargeSeconds' | 'closesAt' | 'purgeAt'> | undefined,
  ): Promise<VoiceReservation | undefined>;
  /** What the month has counted so far, open holds included. */
  counted(period: string): Promise<number>;
  /** The same, and how much of it open holds have set aside, as of one moment. */
  inMonth(period: string): Promise<{ readonly countedSeconds: number; readonly heldSeconds: number }>;
  /** Gives the hold its token; from then on these count. False when the hold is gone. */
  mark(
    id: string,
    change: Pick<VoiceReservation, 'defaultChargeSeconds' | 'closesAt' | 'purgeAt' | 'provider'> & {
      readonly tokenHash: string;
    },
  ): Promise<boolean>;
  findByToken(tokenHash: string): Promise<VoiceReservation | undefined>;
  /**
   * Ends a hold: `charge` is pure, runs within the step and says what was used, told the hold and what else the month has counted. The
   * rows say what happened. Undefined when it has ended before.
   */
  settle(
    id: string,
    charge: (hold: VoiceReservation, othersSeconds: number) => number,
    rows: (chargedSeconds: number) => readonly EventRow[],
  ): Promise<number | undefined>;
};

/** Holds of all workspaces. */
export type ExpiredReservations = {
  /** Some of those that may be swept by now, with their workspaces. */
  overdue(nowMillis: number): Promise<readonly (VoiceReservation & { readonly workspaceId: string })[]>;
};
