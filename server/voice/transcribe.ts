import { LIMITS } from '../../contract/limits.ts';
import type { voice } from '../../contract/voice.ts';
import { truncate } from '../characters.ts';
import { throwApiError } from '../http/errors.ts';
import type { HandlerInput, ResponseOf } from '../http/handler.ts';
import { audioKind } from './audio-kind.ts';
import { grantWhole, recordedSeconds } from './cap.ts';
import { askedOf, firstAnswer } from './provider-order.ts';
import { holdSeconds, release, settleHold, type VoiceDeps } from './reservations.ts';

type Recorded = HandlerInput<typeof voice.transcribeAudio>;

const RETRY_UNCONFIGURED_SECONDS = 60;

export async function transcribe(
  deps: VoiceDeps,
  input: Recorded,
): Promise<ResponseOf<typeof voice.transcribeAudio>> {
  const { voice: settings } = input.caller.workspace.settings;
  const order = askedOf(deps.speech.transcribers, 'auto', settings.transcribeProvider);
  const first = order[0];
  if (!first) {
    return throwApiError('voice/not_configured', undefined, { retryAfterSec: RETRY_UNCONFIGURED_SECONDS });
  }
  const { audio: bytes } = input.body;
  const found = await audioKind(bytes);
  if (!found) return throwApiError('voice/unsupported_audio', `${bytes.length} bytes`);
  const { seconds: said, ...kind } = found;
  const expected = recordedSeconds(bytes.length, said);
  const hold = await holdSeconds(deps, input, { kind: 'transcribe', provider: first.name }, (counted, now) =>
    grantWhole(expected, counted, settings, now),
  );
  const { signal } = input.ctx;
  try {
    const { by, answer } = await firstAnswer(order, (one) => one.transcribe({ bytes, ...kind }, signal));
    const { text, model, seconds = said ?? expected } = answer;
    await settleHold(deps, input, hold, { provider: by.name, outcome: 'finished', seconds });
    return { status: 200, body: { text: truncate(text, LIMITS.transcriptCharsMax), model } };
  } catch (error) {
    // A provider that was at work when the caller left has done its work.
    if (signal.aborted) await chargeInFull();
    else await release(deps, input, hold);
    throw error;
  }

  async function chargeInFull(): Promise<void> {
    const use = { provider: first!.name, outcome: 'interrupted', seconds: expected } as const;
    await settleHold(deps, input, hold, use).catch((error) =>
      deps.log.warn({ err: error }, 'a recording was not settled; it is charged in full when it expires'),
    );
  }
}
