import { LIMITS } from '../../contract/limits.ts';
import { type ApiError, throwApiError } from '../http/errors.ts';
import type { Month } from '../month.ts';
import type { VoiceReservation } from '../storage/voice-reservations.ts';
import type { WorkspaceVoice } from '../storage/workspaces.ts';

/** The rules of the cap: how much of a month may be set aside, and what is charged in the end. */

const RETRY_SECONDS_MAX = 2_678_400;

/** The cap is used up until the month ends. */
export function refuseAtCap(nowMillis: number, { endsAt }: Month): never {
  const rest = Math.ceil((endsAt - nowMillis) / 1000);
  const retryAfterSec = Math.min(Math.max(rest, 1), RETRY_SECONDS_MAX);
  return throwApiError('rate_limit/exceeded', undefined, { bucket: 'voice/cap', retryAfterSec });
}

export function isAtCap({ details }: ApiError): boolean {
  return details.bucket === 'voice/cap';
}

export type Grant = Pick<VoiceReservation, 'seconds' | 'defaultChargeSeconds' | 'closesAt' | 'purgeAt'>;

/** Whoever runs a provider has crashed if it takes longer. */
const RUNNING_MILLIS_MAX = 600_000;
/** The same for a provider that makes a token. */
const MINTING_MILLIS_MAX = 60_000;

/** For a live session, of which only its browser will know how long it was: as much as is left of what is usual. */
export function grantSession(
  countedSeconds: number,
  { monthlySecondsMax }: WorkspaceVoice,
  nowMillis: number,
): Grant | undefined {
  const room = monthlySecondsMax - countedSeconds;
  if (room < LIMITS.voiceReservedSecondsMin) return undefined;
  // Until there is a token that could be used, nothing of it is charged.
  const over = nowMillis + MINTING_MILLIS_MAX;
  const seconds = Math.min(LIMITS.voiceReservedSeconds, room);
  return { seconds, defaultChargeSeconds: 0, closesAt: over, purgeAt: over };
}

/** Once somebody holds a token for it, silence is charged in full: saying nothing must not be cheaper than the truth. */
export function sessionOnceMinted(hold: VoiceReservation, tokenExpiresAt: number) {
  const closesAt = tokenExpiresAt + (hold.seconds + LIMITS.voiceGraceSeconds) * 1000;
  const purgeAt = closesAt + LIMITS.voiceLateReportSeconds * 1000;
  return { defaultChargeSeconds: hold.seconds, closesAt, purgeAt };
}

/** For what this service runs itself: all that it is expected to take, or nothing. */
export function grantWhole(
  seconds: number,
  countedSeconds: number,
  { monthlySecondsMax }: WorkspaceVoice,
  nowMillis: number,
): Grant | undefined {
  if (seconds > monthlySecondsMax - countedSeconds) return undefined;
  const over = nowMillis + RUNNING_MILLIS_MAX;
  return { seconds, defaultChargeSeconds: seconds, closesAt: over, purgeAt: over };
}

/** What is charged for so many seconds of use: never past the cap, and once the hold is closed never more than was set aside. */
export function chargeOf(
  usedSeconds: number,
  hold: VoiceReservation,
  othersSeconds: number,
  { monthlySecondsMax }: WorkspaceVoice,
  nowMillis: number,
): number {
  const used = Math.max(0, Math.ceil(usedSeconds));
  if (nowMillis >= hold.closesAt) return Math.min(used, hold.seconds);
  return Math.min(used, Math.max(hold.seconds, monthlySecondsMax - othersSeconds));
}

/** No session is shorter than a second, and none is longer than since its token was asked for. */
export function sessionSeconds(
  reportedSeconds: number,
  { openedAt }: VoiceReservation,
  nowMillis: number,
): number {
  const sinceOpened = Math.max(1, Math.ceil((nowMillis - openedAt) / 1000));
  return Math.min(Math.max(1, Math.ceil(reportedSeconds)), sinceOpened);
}

const LETTERS_A_SECOND = 15;
/** Of scripts in which a character is a syllable or a word. */
const SYLLABLES_A_SECOND = 4;
const SYLLABLES = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;

/** How long a text takes to be spoken, about. */
export function spokenSeconds(text: string): number {
  const syllables = text.match(SYLLABLES)?.length ?? 0;
  const letters = [...text].length - syllables;
  return Math.ceil(letters / LETTERS_A_SECOND + syllables / SYLLABLES_A_SECOND);
}

/** No browser records speech at less; a recording that does not say how long it is, is taken for the longest it can be. */
const RECORDED_BYTES_A_SECOND = 2000;

export function recordedSeconds(bytes: number, saidSeconds: number | undefined): number {
  return Math.max(1, Math.ceil(saidSeconds ?? bytes / RECORDED_BYTES_A_SECOND));
}
