import type { voice } from '../../contract/voice.ts';
import { parseAcceptLanguage } from '../base/locale.ts';
import { throwApiError } from '../http/errors.ts';
import type { HandlerInput, ResponseOf } from '../http/handler.ts';
import { estimateSpokenSeconds, type Speaker, type SpokenAudio } from '../speech/speech.ts';
import type { VoiceReservation } from '../storage/caps.ts';
import { callFirstAvailable, isMockOnly, selectProviders } from './provider-order.ts';
import {
  grantExpected,
  releaseReservation,
  reserveSeconds,
  settleReservation,
  type VoiceDeps,
  type VoiceOutcome,
} from './reservations.ts';

type SpeechInput = HandlerInput<typeof voice.speakText>;
type SpeechResponse = ResponseOf<typeof voice.speakText>;

export async function speak(deps: VoiceDeps, input: SpeechInput): Promise<SpeechResponse> {
  const { body, caller, ctx } = input;
  const { voice: settings } = caller.workspace.settings;
  const requested = body.provider ?? 'auto';
  const order = selectProviders(deps.speech.speakers, requested, settings.speechProvider);
  assertVoiceMatches(order, requested, body.voice_id);
  const [locale] = parseAcceptLanguage(ctx.headers['accept-language']).wanted;
  const startSpeech = () =>
    callFirstAvailable(order, (provider) =>
      provider.speak(
        {
          text: body.text,
          ...selectVoice(provider, body.voice_id, settings.voiceId),
          ...(locale === undefined ? {} : { locale }),
        },
        ctx.signal,
      ),
    );

  if (isMockOnly(order)) {
    const { by, result } = await startSpeech();
    return toSpeechResponse(by, result, result.body);
  }
  const expectedSeconds = estimateSpokenSeconds(body.text);
  const reservation = await reserveSeconds(
    deps,
    input,
    { kind: 'speech', provider: order[0]!.name },
    (counted, now) => grantExpected(expectedSeconds, counted, settings, now),
  );
  try {
    const { by, result } = await startSpeech();
    return toSpeechResponse(
      by,
      result,
      chargeWhenSent(deps, input, { ...reservation, provider: by.name }, result),
    );
  } catch (error) {
    await releaseReservation(deps, input, reservation);
    throw error;
  }
}

/**
 * Passes the audio through, and charges what was sent once the reader finishes or leaves. When the provider fails,
 * charges at most the seconds that the text was expected to take.
 */
async function* chargeWhenSent(
  deps: VoiceDeps,
  input: SpeechInput,
  reservation: VoiceReservation,
  { body, bytesPerSecond }: SpokenAudio,
): AsyncGenerator<Uint8Array> {
  let sentBytes = 0;
  let outcome: VoiceOutcome = 'interrupted';
  try {
    for await (const bytes of body) {
      sentBytes += bytes.length;
      yield bytes;
    }
    outcome = 'finished';
  } catch (error) {
    if (!input.ctx.signal.aborted) outcome = 'failed';
    throw error;
  } finally {
    const spoken = bytesPerSecond === undefined ? reservation.seconds : sentBytes / bytesPerSecond;
    const seconds = outcome === 'failed' ? Math.min(spoken, reservation.seconds) : spoken;
    await settleReservation(deps, input, reservation, {
      provider: reservation.provider,
      outcome,
      seconds,
    }).catch((error) =>
      deps.log.warn({ err: error }, 'failed to settle speech; it is charged in full when it expires'),
    );
  }
}

/** Rejects a voice that the named provider does not have. */
function assertVoiceMatches(order: readonly Speaker[], requested: string, voiceId: string | undefined): void {
  const [speaker] = order;
  if (voiceId === undefined || speaker?.name !== requested || speaker.supportsVoice(voiceId)) return;
  throwApiError('request/invalid', 'voice_id', {
    issues: [
      { path: 'body.voice_id', code: 'unknown_voice', message: `${requested} has no voice with this name.` },
    ],
  });
}

/** Selects the requested voice, else the workspace's, if this provider supports it. */
function selectVoice(
  speaker: Speaker,
  requested: string | undefined,
  fallback: string | undefined,
): { voiceId?: string } {
  const voiceId = [requested, fallback].find((voice) => voice !== undefined && speaker.supportsVoice(voice));
  return voiceId === undefined ? {} : { voiceId };
}

function toSpeechResponse(
  by: Speaker,
  { mime }: SpokenAudio,
  audio: AsyncIterable<Uint8Array>,
): SpeechResponse {
  return {
    status: 200,
    audio: markSynthetic(mime, audio),
    mime,
    headers: { 'x-service-tts-provider': by.name, 'x-synthetic-media': SYNTHETIC },
  };
}

/** Marks audio as synthetic with IPTC metadata that stays in the file when it is saved. */

/** The IPTC digital source type for media created by a trained algorithm. */
const SYNTHETIC = 'trainedAlgorithmicMedia';
const SOURCE = `http://cv.iptc.org/newscodes/digitalsourcetype/${SYNTHETIC}`;

async function* markSynthetic(
  mime: SpokenAudio['mime'],
  audio: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const mark = mime === 'audio/mpeg' ? prependId3Tag : insertInfoChunk;
  let isFirst = true;
  for await (const bytes of audio) {
    yield isFirst ? mark(Buffer.from(bytes)) : bytes;
    isFirst = false;
  }
}

/** A TXXX frame in an ID3 tag; players skip any number of tags. */
const ID3_TAG = buildId3Tag(Buffer.from(`\u0003DigitalSourceType\0${SOURCE}`));

function prependId3Tag(beginning: Buffer): Buffer {
  return Buffer.concat([ID3_TAG, beginning]);
}

function buildId3Tag(text: Buffer): Buffer {
  const frame = Buffer.concat([Buffer.from('TXXX'), toSyncSafe(text.length), Buffer.alloc(2), text]);
  return Buffer.concat([Buffer.from('ID3\u0004\0\0'), toSyncSafe(frame.length), frame]);
}

/** Encodes an ID3 length, which is four bytes of seven bits each. */
function toSyncSafe(length: number): Buffer {
  return Buffer.from([21, 14, 7, 0].map((shift) => (length >> shift) & 127));
}

const RIFF_HEAD_BYTES = 12;
const CHUNK_HEAD_BYTES = 8;
/** The RIFF length of a stream of unknown size. */
const ENDLESS = 0xffffffff;
const INFO = buildInfoChunk(`${SOURCE}\0`);

function buildInfoChunk(comment: string): Buffer {
  const text = Buffer.from(comment.padEnd(comment.length + (comment.length % 2), '\0'));
  const head = Buffer.from('LIST\0\0\0\0INFOICMT\0\0\0\0');
  head.writeUInt32LE(head.length - CHUNK_HEAD_BYTES + text.length, 4);
  head.writeUInt32LE(text.length, 16);
  return Buffer.concat([head, text]);
}

/** Inserts the comment after the format chunk, before the audio data. */
function insertInfoChunk(beginning: Buffer): Buffer {
  const hasFormat =
    beginning.length >= RIFF_HEAD_BYTES + CHUNK_HEAD_BYTES &&
    beginning.toString('latin1', 0, 4) === 'RIFF' &&
    beginning.toString('latin1', 8, 16) === 'WAVEfmt ';
  if (!hasFormat) return beginning;
  const at = RIFF_HEAD_BYTES + CHUNK_HEAD_BYTES + beginning.readUInt32LE(16);
  if (at > beginning.length) return beginning;
  const marked = Buffer.concat([beginning.subarray(0, at), INFO, beginning.subarray(at)]);
  const length = beginning.readUInt32LE(4);
  if (length !== ENDLESS) marked.writeUInt32LE(length + INFO.length, 4);
  return marked;
}
