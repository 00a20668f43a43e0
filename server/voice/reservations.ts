import { VOICE_LIMITS } from '../../contract/limits/voice.ts';
import type { Clock } from '../base/clock.ts';
import { newId } from '../base/ids.ts';
import type { Log } from '../base/log.ts';
import { getCalendarMonth, type Month } from '../base/month.ts';
import { throwApiError } from '../http/errors.ts';
import type { RequestContext, VisitorCaller } from '../http/handler.ts';
import type { Speech } from '../speech/speech.ts';
import type { VoiceKind, VoiceReservation } from '../storage/caps.ts';
import type { EventRow } from '../storage/event-queries.ts';
import type { Store } from '../storage/store.ts';
import type { WorkspaceVoice } from '../storage/workspace-settings.ts';
import { type EventSubject, getEventSubject, toEventRow } from '../visitors/consent/event-subject.ts';
import { hasGpcSignal, readCallerConsent } from '../visitors/consent/visitor-consent.ts';

/** How a use of voice ended. `unreported` sessions are charged their whole reservation. */
export type VoiceOutcome = 'finished' | 'interrupted' | 'failed' | 'unreported';

type VoiceUse = {
  kind: VoiceKind;
  provider: string;
  outcome: VoiceOutcome;
  seconds: number;
};

export type VoiceDeps = {
  store: Store;
  clock: Clock;
  log: Log;
  speech: Speech;
  /** Called for each charged use. */
  onUse: (use: VoiceUse) => void;
  /** Reports a rejection because the cap is used up. */
  onCap: (visitor: { workspaceId: string; visitorId: string }) => void;
};

type VoiceRequest = { caller: VisitorCaller; ctx: RequestContext };

/** Reserves seconds of the month; throws when the cap is reached. */
export async function reserveSeconds(
  { store, clock, onCap }: VoiceDeps,
  request: VoiceRequest,
  { kind, provider }: Pick<VoiceReservation, 'kind' | 'provider'>,
  grant: (countedSeconds: number, nowMillis: number) => Grant | undefined,
): Promise<VoiceReservation> {
  const { id: workspaceId, settings } = request.caller.workspace;
  const { visitorId } = request.caller;
  const subject = await readSubject(request, store, clock);
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
      isRecordable: subject !== undefined,
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
  const subject = await readSubject(request, store, clock);
  const now = clock.now();
  const charged = await store.in(workspaceId).voiceReservations.settle(
    reservation.id,
    (reservation, others) => computeCharge(use.seconds, reservation, others, settings.voice, now),
    (seconds) => (subject ? [toVoiceRow(subject, now, { ...use, kind: reservation.kind, seconds })] : []),
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
      const { kind, provider, isRecordable } = reservation;
      const outcome = reservation.defaultChargeSeconds === 0 ? 'failed' : 'unreported';
      const seconds = await store.in(workspaceId).voiceReservations.settle(
        reservation.id,
        (reservation) => reservation.defaultChargeSeconds,
        (charged) =>
          isRecordable ? [toVoiceRow({}, now, { kind, provider, outcome, seconds: charged })] : [],
      );
      if (seconds !== undefined) onUse({ kind, provider, outcome, seconds });
    }
  }
}

function toVoiceRow(subject: EventSubject, atMillis: number, use: VoiceUse): EventRow {
  const { kind, provider, outcome, seconds } = use;
  return toEventRow('voice', subject, atMillis, { kind, provider, seconds, outcome });
}

async function readSubject(
  { caller, ctx }: VoiceRequest,
  store: Store,
  clock: Clock,
): Promise<EventSubject | undefined> {
  const gpc = hasGpcSignal({ secGpc: ctx.headers['sec-gpc'], bodyGpc: undefined });
  const { consents } = store.in(caller.workspace.id);
  return getEventSubject(await readCallerConsent(caller, consents, gpc, clock.now()), caller);
}

/** The rules of the monthly cap: how many seconds may be reserved, and how many are charged. */

const RETRY_SECONDS_MAX = 2_678_400;

/** Throws `rate_limit/exceeded`, whose Retry-After runs until the month ends. */
export function throwCapExceeded(nowMillis: number, { endsAt }: Month): never {
  const secondsLeft = Math.ceil((endsAt - nowMillis) / 1000);
  const retryAfterSec = Math.min(Math.max(secondsLeft, 1), RETRY_SECONDS_MAX);
  return throwApiError('rate_limit/exceeded', undefined, { bucket: 'voice/cap', retryAfterSec });
}

type Grant = Pick<VoiceReservation, 'seconds' | 'defaultChargeSeconds' | 'closesAt' | 'purgeAt'>;

/** After this time the process that called the provider must have crashed. */
const RUNNING_MILLIS_MAX = 600_000;
/** After this time the process that requested a token must have crashed. */
const MINTING_MILLIS_MAX = 60_000;

/**
 * Grants a live session the default reservation, or what is left of the month: only the browser knows its
 * duration.
 */
export function grantSession(
  countedSeconds: number,
  { monthlySecondsMax }: WorkspaceVoice,
  nowMillis: number,
): Grant | undefined {
  const room = monthlySecondsMax - countedSeconds;
  if (room < VOICE_LIMITS.voiceReservedSecondsMin) return undefined;
  // Until its token exists, an expired reservation costs nothing.
  const expiresAt = nowMillis + MINTING_MILLIS_MAX;
  const seconds = Math.min(VOICE_LIMITS.voiceReservedSeconds, room);
  return { seconds, defaultChargeSeconds: 0, closesAt: expiresAt, purgeAt: expiresAt };
}

/**
 * Returns the values of a reservation whose token exists. From then on, an unreported session is charged in full, so
 * that reporting is never the more expensive choice.
 */
export function activateSession(reservation: VoiceReservation, tokenExpiresAt: number) {
  const closesAt = tokenExpiresAt + (reservation.seconds + VOICE_LIMITS.voiceGraceSeconds) * 1000;
  const purgeAt = closesAt + VOICE_LIMITS.voiceLateReportSeconds * 1000;
  return { defaultChargeSeconds: reservation.seconds, closesAt, purgeAt };
}

/** Grants the whole estimate of a call by this service, or nothing. */
export function grantExpected(
  seconds: number,
  countedSeconds: number,
  { monthlySecondsMax }: WorkspaceVoice,
  nowMillis: number,
): Grant | undefined {
  if (seconds > monthlySecondsMax - countedSeconds) return undefined;
  const expiresAt = nowMillis + RUNNING_MILLIS_MAX;
  return { seconds, defaultChargeSeconds: seconds, closesAt: expiresAt, purgeAt: expiresAt };
}

/**
 * Computes the charge: at most the reservation or what the cap has left, whichever is more. Once the reservation is
 * closed, at most the reservation.
 */
export function computeCharge(
  usedSeconds: number,
  reservation: VoiceReservation,
  othersSeconds: number,
  { monthlySecondsMax }: WorkspaceVoice,
  nowMillis: number,
): number {
  const used = Math.max(0, Math.ceil(usedSeconds));
  if (nowMillis >= reservation.closesAt) return Math.min(used, reservation.seconds);
  return Math.min(used, Math.max(reservation.seconds, monthlySecondsMax - othersSeconds));
}

/** Clamps reported seconds to at least one, and at most the time since the token was requested. */
export function clampSessionSeconds(
  reportedSeconds: number,
  { openedAt }: VoiceReservation,
  nowMillis: number,
): number {
  const sinceOpened = Math.max(1, Math.ceil((nowMillis - openedAt) / 1000));
  return Math.min(Math.max(1, Math.ceil(reportedSeconds)), sinceOpened);
}

/**
 * No browser records at a lower rate, so a recording without a duration is charged the longest possible duration.
 */
const RECORDED_BYTES_PER_SECOND = 2000;

export function estimateRecordedSeconds(bytes: number, declaredSeconds: number | undefined): number {
  return Math.max(1, Math.ceil(declaredSeconds ?? bytes / RECORDED_BYTES_PER_SECOND));
}
