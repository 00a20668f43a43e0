import type { voice } from '../../contract/voice.ts';
import { throwApiError } from '../http/errors.ts';
import type { HandlerInput, ResponseOf } from '../http/handler.ts';
import { parseAcceptLanguage } from '../knowledge/locale.ts';
import type { Speaker, SpokenAudio } from '../speech/speech.ts';
import type { VoiceReservation } from '../storage/voice-reservations.ts';
import { grantWhole, spokenSeconds } from './cap.ts';
import { askedOf, firstAnswer, isMock } from './provider-order.ts';
import { holdSeconds, release, settleHold, type VoiceDeps, type VoiceOutcome } from './reservations.ts';
import { marked, SYNTHETIC } from './synthetic-mark.ts';

type SpeechAsked = HandlerInput<typeof voice.speakText>;
type SpeechReply = ResponseOf<typeof voice.speakText>;

export async function speak(deps: VoiceDeps, input: SpeechAsked): Promise<SpeechReply> {
  const { body, caller, ctx } = input;
  const { voice: settings } = caller.workspace.settings;
  const wanted = body.provider ?? 'auto';
  const order = askedOf(deps.speech.speakers, wanted, settings.speechProvider);
  requireVoiceOf(order, wanted, body.voice_id);
  const [locale] = parseAcceptLanguage(ctx.headers['accept-language']).wanted;
  const begin = () =>
    firstAnswer(order, (one) =>
      one.speak(
        {
          text: body.text,
          ...voiceFor(one, body.voice_id, settings.voiceId),
          ...(locale === undefined ? {} : { locale }),
        },
        ctx.signal,
      ),
    );

  if (isMock(order)) {
    const { by, answer } = await begin();
    return speechReply(by, answer, answer.body);
  }
  const expected = spokenSeconds(body.text);
  const hold = await holdSeconds(deps, input, { kind: 'speech', provider: order[0]!.name }, (counted, now) =>
    grantWhole(expected, counted, settings, now),
  );
  try {
    const { by, answer } = await begin();
    return speechReply(by, answer, settledBy(deps, input, { ...hold, provider: by.name }, answer));
  } catch (error) {
    await release(deps, input, hold);
    throw error;
  }
}

/** The audio as it is, and once its reader has finished or left, what was sent is charged. */
async function* settledBy(
  deps: VoiceDeps,
  input: SpeechAsked,
  hold: VoiceReservation,
  { body, bytesPerSecond }: SpokenAudio,
): AsyncGenerator<Uint8Array> {
  let sent = 0;
  let outcome: VoiceOutcome = 'interrupted';
  try {
    for await (const bytes of body) {
      sent += bytes.length;
      yield bytes;
    }
    outcome = 'finished';
  } catch (error) {
    if (!input.ctx.signal.aborted) outcome = 'failed';
    throw error;
  } finally {
    const seconds = bytesPerSecond === undefined ? hold.seconds : sent / bytesPerSecond;
    await settleHold(deps, input, hold, { provider: hold.provider, outcome, seconds }).catch((error) =>
      deps.log.warn({ err: error }, 'speech was not settled; it is charged in full when it expires'),
    );
  }
}

/** Whoever names both a provider and a voice is told when they do not belong together. */
function requireVoiceOf(order: readonly Speaker[], wanted: string, voiceId: string | undefined): void {
  const [speaker] = order;
  if (voiceId === undefined || speaker?.name !== wanted || speaker.supportsVoice(voiceId)) return;
  throwApiError('request/invalid', 'voice_id', {
    issues: [
      { path: 'body.voice_id', code: 'unknown_voice', message: `${wanted} has no voice with such a name.` },
    ],
  });
}

/** The voice that was asked for, else the one of the workspace, where it can be one of this provider's. */
function voiceFor(
  speaker: Speaker,
  input: string | undefined,
  usual: string | undefined,
): { voiceId?: string } {
  const voiceId = [input, usual].find((one) => one !== undefined && speaker.supportsVoice(one));
  return voiceId === undefined ? {} : { voiceId };
}

function speechReply(by: Speaker, { mime }: SpokenAudio, audio: AsyncIterable<Uint8Array>): SpeechReply {
  return {
    status: 200,
    audio: marked(mime, audio),
    mime,
    headers: { 'x-service-tts-provider': by.name, 'x-synthetic-media': SYNTHETIC },
  };
}
