import { LIMITS } from '../../contract/limits.ts';
import type { voice } from '../../contract/voice.ts';
import { throwApiError } from '../http/errors.ts';
import type { HandlerInput, ResponseOf } from '../http/handler.ts';
import type { RecordedAudio } from '../speech/speech.ts';
import { truncate } from '../text.ts';
import { estimateRecordedSeconds, grantExpected } from './cap.ts';
import { callFirstAvailable, selectProviders } from './provider-order.ts';
import { releaseReservation, reserveSeconds, settleReservation, type VoiceDeps } from './reservations.ts';

type TranscribeInput = HandlerInput<typeof voice.transcribeAudio>;

const RETRY_UNCONFIGURED_SECONDS = 60;

export async function transcribe(
  deps: VoiceDeps,
  input: TranscribeInput,
): Promise<ResponseOf<typeof voice.transcribeAudio>> {
  const { voice: settings } = input.caller.workspace.settings;
  const order = selectProviders(deps.speech.transcribers, 'auto', settings.transcribeProvider);
  const first = order[0];
  if (!first) {
    return throwApiError('voice/not_configured', undefined, { retryAfterSec: RETRY_UNCONFIGURED_SECONDS });
  }
  const { audio: bytes } = input.body;
  const found = await detectAudio(bytes);
  if (!found) return throwApiError('voice/unsupported_audio', `${bytes.length} bytes`);
  const { seconds: duration, ...kind } = found;
  const expected = estimateRecordedSeconds(bytes.length, duration);
  const reservation = await reserveSeconds(
    deps,
    input,
    { kind: 'transcribe', provider: first.name },
    (counted, now) => grantExpected(expected, counted, settings, now),
  );
  const { signal } = input.ctx;
  try {
    const { by, answer } = await callFirstAvailable(order, (one) =>
      one.transcribe({ bytes, ...kind }, signal),
    );
    const { text, model, seconds = duration ?? expected } = answer;
    await settleReservation(deps, input, reservation, { provider: by.name, outcome: 'finished', seconds });
    return { status: 200, body: { text: truncate(text, LIMITS.transcriptCharsMax), model } };
  } catch (error) {
    // The provider bills a transcription even if the caller has left.
    if (signal.aborted) await chargeInFull();
    else await releaseReservation(deps, input, reservation);
    throw error;
  }

  async function chargeInFull(): Promise<void> {
    const use = { provider: first!.name, outcome: 'interrupted', seconds: expected } as const;
    await settleReservation(deps, input, reservation, use).catch((error) =>
      deps.log.warn({ err: error }, 'failed to settle a recording; it is charged in full when it expires'),
    );
  }
}

type DetectedAudio = Pick<RecordedAudio, 'mime' | 'extension'> & {
  /** Absent when the recording does not contain it, as in WebM that a browser streams. */
  readonly seconds?: number;
};

/**
 * Supported containers by the start of their name; the order matters where one name is a prefix of
 * another.
 */
const CONTAINERS: readonly (readonly [container: RegExp, kind: DetectedAudio])[] = [
  [/^EBML\/webm|^WebM|^EBML\/matroska|^Matroska/i, { mime: 'audio/webm', extension: 'webm' }],
  [/^Ogg/i, { mime: 'audio/ogg', extension: 'ogg' }],
  [/^WAVE/i, { mime: 'audio/wav', extension: 'wav' }],
  [/^FLAC/i, { mime: 'audio/flac', extension: 'flac' }],
  [/^ADTS/i, { mime: 'audio/aac', extension: 'aac' }],
  [/^MPEG/i, { mime: 'audio/mpeg', extension: 'mp3' }],
  [/^(M4A|mp4|isom|iso[0-9]|dash|qt)|MPEG-?4/i, { mime: 'audio/mp4', extension: 'm4a' }],
];

/**
 * Detects a recording by its bytes, never by the claimed media type or file name. Undefined unless
 * it is audio that providers accept.
 */
async function detectAudio(bytes: Uint8Array): Promise<DetectedAudio | undefined> {
  if (bytes.length < LIMITS.audioBytesMin) return undefined;
  // Loaded on demand: most installations never receive a recording.
  const { parseBuffer } = await import('music-metadata');
  const parseFormat = (part: Uint8Array) =>
    parseBuffer(part, undefined, { duration: true, skipCovers: true }).then(
      (found) => found.format,
      () => undefined,
    );
  const format = (await parseFormat(bytes)) ?? (await parseFormat(sliceHeader(bytes)));
  // Containers label audio as video and vice versa, so the tracks decide.
  if (!format?.hasAudio || format.hasVideo || !format.codec) return undefined;
  const known = CONTAINERS.find(([container]) => container.test(format.container ?? ''));
  if (!known) return undefined;
  const duration = format.duration;
  const isMeasured = duration !== undefined && Number.isFinite(duration) && duration > 0;
  const seconds = isMeasured
    ? Math.max(duration, computeMinSeconds(bytes.length, known[1].mime, format.bitrate))
    : 0;
  return { ...known[1], ...(isMeasured ? { seconds } : {}) };
}

/** The bit rates of two channels at 48 kHz with 32 bits, and of the highest lossy encoding. */
const PLAIN_BITS_MAX = 3_072_000;
const CODED_BITS_MAX = 512_000;

/** The client writes the duration, so it is bounded below by the size. */
function computeMinSeconds(bytes: number, mime: string, declaredBits = PLAIN_BITS_MAX): number {
  if (mime === 'audio/wav') return Math.floor((bytes * 8) / Math.min(declaredBits, PLAIN_BITS_MAX));
  return Math.floor((bytes * 8) / (mime === 'audio/flac' ? PLAIN_BITS_MAX : CODED_BITS_MAX));
}

const CLUSTER = [0x1f, 0x43, 0xb6, 0x75];
const HEAD_BYTES_MAX = 4096;

/**
 * The WebM header before the audio data: browsers omit its length, which the parser cannot skip.
 */
function sliceHeader(bytes: Uint8Array): Uint8Array {
  const head = bytes.subarray(0, HEAD_BYTES_MAX);
  const end = head.findIndex((_, at) => CLUSTER.every((byte, offset) => head[at + offset] === byte));
  return head.subarray(0, Math.max(end, 0));
}
