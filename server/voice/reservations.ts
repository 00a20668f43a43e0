import type { Clock } from '../clock.ts';
import { hasGpcSignal } from '../consent/gpc.ts';
import { readCallerConsent, type VisitorConsent } from '../consent/visitor-consent.ts';
import type { RequestContext, VisitorCaller } from '../http/handler.ts';
import { newId } from '../ids.ts';
import type { Log } from '../log.ts';
import { getCalendarMonth } from '../month.ts';
import type { Speech } from '../speech/speech.ts';
import type { EventRow } from '../storage/events.ts';
import type { Store } from '../storage/store.ts';
import type { VoiceKind, VoiceReservation } from '../storage/voice-reservations.ts';
import { computeCharge, type Grant, throwCapExceeded } from './cap.ts';

/** How a use of voice ended. `unreported` sessions are charged their whole reservation. */
export type VoiceOutcome = 'finished' | 'interrupted' | 'failed' | 'unreported';

export type VoiceUse = {
  readonly kind: VoiceKind;
  readonly provider: string;
  readonly outcome: VoiceOutcome;
  readonly seconds: number;
};

export type VoiceDeps = {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly speech: Speech;
  /** Called for each charged use. */
  readonly onUse: (use: VoiceUse) => void;
  /** Reports a rejection because the cap is used up. */
  readonly onCap: (who: { readonly workspaceId: string; readonly visitorId: string }) => void;
};

export type VoiceRequest = { readonly caller: VisitorCaller; readonly ctx: RequestContext };

/** Reserves seconds of the month; throws when the cap is reached. */
export async function reserveSeconds(
  { store, clock, onCap }: VoiceDeps,
  request: VoiceRequest,
  { kind, provider }: Pick<VoiceReservation, 'kind' | 'provider'>,
  grant: (countedSeconds: number, nowMillis: number) => Grant | undefined,
): Promise<VoiceReservation> {
  const { id: workspaceId, settings } = request.caller.workspace;
  const { visitorId } = request.caller;
  const counting = await readCounting(request, store, clock);
  const now = clock.now();
  const month = getCalendarMonth(now, settings.voice.timeZone);
  const reservation = await store.in(workspaceId).voiceReservations.reserve(
    {
      id: newId('hold'),
      visitorId,
      kind,
      provider,
      period: month.period,
      openedAt: now,
      counted: counting !== 'none',
    },
    (countedSeconds) => grant(countedSeconds, now),
  );
  if (reservation) return reservation;
  onCap({ workspaceId, visitorId });
  return throwCapExceeded(now, month);
}

/**
 * Charges the used seconds and returns the charge; undefined when the reservation has already
 * ended.
 */
export async function settleReservation(
  { store, clock, onUse }: VoiceDeps,
  request: VoiceRequest,
  reservation: VoiceReservation,
  use: Omit<VoiceUse, 'kind'>,
): Promise<number | undefined> {
  const { id: workspaceId, settings } = request.caller.workspace;
  const counting = await readCounting(request, store, clock);
  const now = clock.now();
  const rowId = newId('evt');
  const who = counting === 'named' ? { visitorId: request.caller.visitorId } : {};
  const charged = await store.in(workspaceId).voiceReservations.settle(
    reservation.id,
    (reservation, others) => computeCharge(use.seconds, reservation, others, settings.voice, now),
    (seconds) =>
      counting === 'none'
        ? []
        : [{ ...toEventRow(rowId, now, { ...use, kind: reservation.kind, seconds }), ...who }],
  );
  if (charged !== undefined) onUse({ ...use, kind: reservation.kind, seconds: charged });
  return charged;
}

/** Releases the reservation of a failed use. Never throws. */
export async function releaseReservation(
  deps: VoiceDeps,
  request: VoiceRequest,
  reservation: VoiceReservation,
  outcome: VoiceOutcome = 'failed',
): Promise<void> {
  const { provider } = reservation;
  await settleReservation(deps, request, reservation, { provider, outcome, seconds: 0 }).catch((error) =>
    deps.log.warn({ err: error }, 'failed to release a voice reservation; it is released when it expires'),
  );
}

/** Settles the reservations of crashed requests and unreported sessions. */
export async function settleExpiredReservations({
  store,
  clock,
  onUse,
}: Pick<VoiceDeps, 'store' | 'clock' | 'onUse'>): Promise<void> {
  for (;;) {
    const now = clock.now();
    const reservations = await store.expiredReservations.overdue(now);
    if (reservations.length === 0) return;
    for (const { workspaceId, ...reservation } of reservations) {
      const { kind, provider, counted } = reservation;
      const outcome = reservation.defaultChargeSeconds === 0 ? 'failed' : 'unreported';
      const id = newId('evt');
      const seconds = await store.in(workspaceId).voiceReservations.settle(
        reservation.id,
        (reservation) => reservation.defaultChargeSeconds,
        (charged) => (counted ? [toEventRow(id, now, { kind, provider, outcome, seconds: charged })] : []),
      );
      if (seconds !== undefined) onUse({ kind, provider, outcome, seconds });
    }
  }
}

function toEventRow(id: string, atMillis: number, { kind, provider, outcome, seconds }: VoiceUse): EventRow {
  return { id, atMillis, type: 'voice', data: { kind, provider, seconds, outcome } };
}

async function readCounting(
  { caller, ctx }: VoiceRequest,
  store: Store,
  clock: Clock,
): Promise<VisitorConsent['counting']> {
  const gpc = hasGpcSignal({ secGpc: ctx.headers['sec-gpc'], bodyGpc: undefined });
  const { consents } = store.in(caller.workspace.id);
  return (await readCallerConsent(caller, consents, gpc, clock.now())).counting;
}
