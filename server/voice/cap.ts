import { LIMITS } from '../../contract/limits.ts';
import { type ApiError, throwApiError } from '../http/errors.ts';
import type { Month } from '../month.ts';
import type { VoiceReservation } from '../storage/voice-reservations.ts';
import type { WorkspaceVoice } from '../storage/workspaces.ts';

/** The rules of the monthly cap: how many seconds may be reserved, and how many are charged. */

const RETRY_SECONDS_MAX = 2_678_400;

/** Retry-After runs until the month ends. */
export function throwCapExceeded(nowMillis: number, { endsAt }: Month): never {
  const rest = Math.ceil((endsAt - nowMillis) / 1000);
  const retryAfterSec = Math.min(Math.max(rest, 1), RETRY_SECONDS_MAX);
  return throwApiError('rate_limit/exceeded', undefined, { bucket: 'voice/cap', retryAfterSec });
}

export function isCapExceeded({ details }: ApiError): boolean {
  return details.bucket === 'voice/cap';
}

export type Grant = Pick<VoiceReservation, 'seconds' | 'defaultChargeSeconds' | 'closesAt' | 'purgeAt'>;

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
  if (room < LIMITS.voiceReservedSecondsMin) return undefined;
  // Until its token exists, an expired reservation costs nothing.
  const over = nowMillis + MINTING_MILLIS_MAX;
  const seconds = Math.min(LIMITS.voiceReservedSeconds, room);
  return { seconds, defaultChargeSeconds: 0, closesAt: over, purgeAt: over };
}

/**
 * Once its token exists, an unreported session is charged in full, so reporting is never the more
 * expensive choice.
 */
export function activateSession(reservation: VoiceReservation, tokenExpiresAt: number) {
  const closesAt = tokenExpiresAt + (reservation.seconds + LIMITS.voiceGraceSeconds) * 1000;
  const purgeAt = closesAt + LIMITS.voiceLateReportSeconds * 1000;
  return { defaultChargeSeconds: reservation.seconds, closesAt, purgeAt };
}

/** Grants a call by this service its whole estimate, or nothing. */
export function grantExpected(
  seconds: number,
  countedSeconds: number,
  { monthlySecondsMax }: WorkspaceVoice,
  nowMillis: number,
): Grant | undefined {
  if (seconds > monthlySecondsMax - countedSeconds) return undefined;
  const over = nowMillis + RUNNING_MILLIS_MAX;
  return { seconds, defaultChargeSeconds: seconds, closesAt: over, purgeAt: over };
}

/** The charge never exceeds the cap, nor the reservation once that is closed. */
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

/** At least one second, at most the time since the token was requested. */
export function clampSessionSeconds(
  reportedSeconds: number,
  { openedAt }: VoiceReservation,
  nowMillis: number,
): number {
  const sinceOpened = Math.max(1, Math.ceil((nowMillis - openedAt) / 1000));
  return Math.min(Math.max(1, Math.ceil(reportedSeconds)), sinceOpened);
}

/**
 * No browser records at a lower bit rate, so a recording without a duration is charged the longest
 * possible one.
 */
const RECORDED_BYTES_A_SECOND = 2000;

export function estimateRecordedSeconds(bytes: number, declaredSeconds: number | undefined): number {
  return Math.max(1, Math.ceil(declaredSeconds ?? bytes / RECORDED_BYTES_A_SECOND));
}
