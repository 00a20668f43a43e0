import { LIMITS } from '../../contract/limits.ts';
import { remembered } from '../cache.ts';
import { type Refusal, refuse } from '../refuse.ts';
import type { VoiceHold } from '../storage/voice-holds.ts';
import type { WorkspaceVoice } from '../storage/workspaces.ts';

/** The rules of the cap: which month it is, how much of it may be set aside, and what is charged in the end. */

export type Month = {
  /** As in 2026-11. */
  readonly period: string;
  readonly endsAt: number;
};

/** The calendar month that the clocks of the zone show. */
export function monthOf(nowMillis: number, timeZone: string): Month {
  const [year, month] = clockIn(timeZone, nowMillis);
  const next = Date.UTC(year, month);
  // Twice, because the offset at the end of the month may be another one than around it.
  let endsAt = next - offsetAt(timeZone, next);
  endsAt = next - offsetAt(timeZone, endsAt);
  return { period: `${year}-${String(month).padStart(2, '0')}`, endsAt };
}

/** What the clocks of the zone show: year, month from 1, day, hour, minute, second. */
function clockIn(timeZone: string, millis: number): [number, number, number, number, number, number] {
  const shown = Object.fromEntries(
    formatIn(timeZone)
      .formatToParts(millis)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const { year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0 } = shown;
  return [year, month, day, hour, minute, second];
}

function offsetAt(timeZone: string, millis: number): number {
  const [year, month, ...rest] = clockIn(timeZone, millis);
  return Date.UTC(year, month - 1, ...rest) - Math.floor(millis / 1000) * 1000;
}

const formatIn = remembered(
  (timeZone: string) =>
    new Intl.DateTimeFormat('en-US', {
      timeZone,
      calendar: 'gregory',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    }),
  (timeZone) => timeZone,
);

const RETRY_SECONDS_MAX = 2_678_400;

/** The cap is used up until the month ends. */
export function refuseAtCap(nowMillis: number, { endsAt }: Month): never {
  const rest = Math.ceil((endsAt - nowMillis) / 1000);
  const retryAfterSec = Math.min(Math.max(rest, 1), RETRY_SECONDS_MAX);
  return refuse('rate_limit/exceeded', undefined, { bucket: 'voice/cap', retryAfterSec });
}

export function isAtCap({ details }: Refusal): boolean {
  return details.bucket === 'voice/cap';
}

export type Grant = Pick<VoiceHold, 'seconds' | 'silentSeconds' | 'closesAt' | 'forgottenAt'>;

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
  return { seconds, silentSeconds: 0, closesAt: over, forgottenAt: over };
}

/** Once somebody holds a token for it, silence is charged in full: saying nothing must not be cheaper than the truth. */
export function sessionOnceMinted(hold: VoiceHold, tokenExpiresAt: number) {
  const closesAt = tokenExpiresAt + (hold.seconds + LIMITS.voiceGraceSeconds) * 1000;
  const forgottenAt = closesAt + LIMITS.voiceLateReportSeconds * 1000;
  return { silentSeconds: hold.seconds, closesAt, forgottenAt };
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
  return { seconds, silentSeconds: seconds, closesAt: over, forgottenAt: over };
}

/** What is charged for so many seconds of use: never past the cap, and once the hold is closed never more than was set aside. */
export function chargeOf(
  usedSeconds: number,
  hold: VoiceHold,
  othersSeconds: number,
  { monthlySecondsMax }: WorkspaceVoice,
  nowMillis: number,
): number {
  const used = Math.max(0, Math.ceil(usedSeconds));
  if (nowMillis >= hold.closesAt) return Math.min(used, hold.seconds);
  return Math.min(used, Math.max(hold.seconds, monthlySecondsMax - othersSeconds));
}

/** No session is shorter than a second, and none is longer than since its token was asked for. */
export function sessionSeconds(reportedSeconds: number, { openedAt }: VoiceHold, nowMillis: number): number {
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
