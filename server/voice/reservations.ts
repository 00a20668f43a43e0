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
import { chargeOf, type Grant, refuseAtCap } from './cap.ts';

/** How a use of voice ended. `unreported`: nobody said how long it was, so that all that was set aside counts. */
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
  /** Tells the figures of the process what was used. */
  readonly onUse: (use: VoiceUse) => void;
  /** Tells that somebody was refused because the cap is used up. */
  readonly onCap: (who: { readonly workspaceId: string; readonly visitorId: string }) => void;
};

/** Who uses voice, in which request. */
export type VoiceUser = { readonly caller: VisitorCaller; readonly ctx: RequestContext };

/** Sets seconds of the month aside; refuses where the cap leaves no room. */
export async function holdSeconds(
  { store, clock, onCap }: VoiceDeps,
  user: VoiceUser,
  { kind, provider }: Pick<VoiceReservation, 'kind' | 'provider'>,
  grant: (countedSeconds: number, nowMillis: number) => Grant | undefined,
): Promise<VoiceReservation> {
  const { id: workspaceId, settings } = user.caller.workspace;
  const { visitorId } = user.caller;
  const counting = await countingOf(user, store, clock);
  const now = clock.now();
  const month = getCalendarMonth(now, settings.voice.timeZone);
  const hold = await store.in(workspaceId).voiceReservations.reserve(
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
  if (hold) return hold;
  onCap({ workspaceId, visitorId });
  return refuseAtCap(now, month);
}

/** Says how many seconds were used; undefined when the hold has ended before. Answers with what is charged. */
export async function settleHold(
  { store, clock, onUse }: VoiceDeps,
  user: VoiceUser,
  hold: VoiceReservation,
  use: Omit<VoiceUse, 'kind'>,
): Promise<number | undefined> {
  const { id: workspaceId, settings } = user.caller.workspace;
  const counting = await countingOf(user, store, clock);
  const now = clock.now();
  const rowId = newId('evt');
  const who = counting === 'named' ? { visitorId: user.caller.visitorId } : {};
  const charged = await store.in(workspaceId).voiceReservations.settle(
    hold.id,
    (held, others) => chargeOf(use.seconds, held, others, settings.voice, now),
    (seconds) =>
      counting === 'none' ? [] : [{ ...rowOf(rowId, now, { ...use, kind: hold.kind, seconds }), ...who }],
  );
  if (charged !== undefined) onUse({ ...use, kind: hold.kind, seconds: charged });
  return charged;
}

/** What a session that failed before it began had set aside is given back, whatever becomes of the request. */
export async function release(
  deps: VoiceDeps,
  user: VoiceUser,
  hold: VoiceReservation,
  outcome: VoiceOutcome = 'failed',
): Promise<void> {
  const { provider } = hold;
  await settleHold(deps, user, hold, { provider, outcome, seconds: 0 }).catch((error) =>
    deps.log.warn({ err: error }, 'seconds of voice were not given back; they are when they expire'),
  );
}

/** Ends what nobody has settled in time: crashed requests, and sessions that nobody has reported. */
export async function settleOverdue({
  store,
  clock,
  onUse,
}: Pick<VoiceDeps, 'store' | 'clock' | 'onUse'>): Promise<void> {
  for (;;) {
    const now = clock.now();
    const holds = await store.expiredReservations.overdue(now);
    if (holds.length === 0) return;
    for (const { workspaceId, ...hold } of holds) {
      const { kind, provider, counted } = hold;
      const outcome = hold.defaultChargeSeconds === 0 ? 'failed' : 'unreported';
      const id = newId('evt');
      const seconds = await store.in(workspaceId).voiceReservations.settle(
        hold.id,
        (held) => held.defaultChargeSeconds,
        (charged) => (counted ? [rowOf(id, now, { kind, provider, outcome, seconds: charged })] : []),
      );
      if (seconds !== undefined) onUse({ kind, provider, outcome, seconds });
    }
  }
}

function rowOf(id: string, atMillis: number, { kind, provider, outcome, seconds }: VoiceUse): EventRow {
  return { id, atMillis, type: 'voice', data: { kind, provider, seconds, outcome } };
}

async function countingOf(
  { caller, ctx }: VoiceUser,
  store: Store,
  clock: Clock,
): Promise<VisitorConsent['counting']> {
  const gpc = hasGpcSignal({ secGpc: ctx.headers['sec-gpc'], bodyGpc: undefined });
  const { consents } = store.in(caller.workspace.id);
  return (await readCallerConsent(caller, consents, gpc, clock.now())).counting;
}
