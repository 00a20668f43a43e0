import type { voice } from '../../contract/voice.ts';
import type { HandlerInput, ResponseOf } from '../http/handler.ts';
import { sessionSeconds } from './cap.ts';
import { settleHold, type VoiceDeps } from './reservations.ts';
import { hashOfToken } from './token.ts';

/** Only whoever got the token can report its session, once; what is not reported is charged in full. */
export async function reportUsage(
  deps: VoiceDeps,
  input: HandlerInput<typeof voice.reportVoiceUsage>,
): Promise<ResponseOf<typeof voice.reportVoiceUsage>> {
  const { body, caller } = input;
  const hold = await deps.store
    .in(caller.workspace.id)
    .voiceReservations.findByToken(hashOfToken(body.token));
  if (hold?.visitorId !== caller.visitorId) return replyOf(undefined);
  const { provider } = hold;
  const seconds = sessionSeconds(body.elapsed_seconds, hold, deps.clock.now());
  return replyOf(await settleHold(deps, input, hold, { provider, outcome: 'finished', seconds }));
}

function replyOf(charged: number | undefined): ResponseOf<typeof voice.reportVoiceUsage> {
  return { status: 200, body: { recorded: charged !== undefined, charged_seconds: charged ?? 0 } };
}
