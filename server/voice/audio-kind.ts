import { LIMITS } from '../../contract/limits.ts';
import type { RecordedAudio } from '../speech/speech.ts';

export type AudioKind = Pick<RecordedAudio, 'mime' | 'extension'> & {
  /** Absent where the recording does not say: browsers stream WebM that nobody has measured. */
  readonly seconds?: number;
};

/** What may be in a container, by the beginning of its name; the order matters where one name begins another. */
const CONTAINERS: readonly (readonly [container: RegExp, kind: AudioKind])[] = [
  [/^EBML\/webm|^WebM|^EBML\/matroska|^Matroska/i, { mime: 'audio/webm', extension: 'webm' }],
  [/^Ogg/i, { mime: 'audio/ogg', extension: 'ogg' }],
  [/^WAVE/i, { mime: 'audio/wav', extension: 'wav' }],
  [/^FLAC/i, { mime: 'audio/flac', extension: 'flac' }],
  [/^ADTS/i, { mime: 'audio/aac', extension: 'aac' }],
  [/^MPEG/i, { mime: 'audio/mpeg', extension: 'mp3' }],
  [/^(M4A|mp4|isom|iso[0-9]|dash|qt)|MPEG-?4/i, { mime: 'audio/mp4', extension: 'm4a' }],
];

/**
 * What a recording is by its bytes; undefined for what is no audio, or audio that providers do not know. A media type or file name that
 * a client claims is never asked.
 */
export async function audioKind(bytes: Uint8Array): Promise<AudioKind | undefined> {
  if (bytes.length < LIMITS.audioBytesMin) return undefined;
  // Loaded by the first recording: most installations never see one.
  const { parseBuffer } = await import('music-metadata');
  const formatOf = (part: Uint8Array) =>
    parseBuffer(part, undefined, { duration: true, skipCovers: true }).then(
      (found) => found.format,
      () => undefined,
    );
  const format = (await formatOf(bytes)) ?? (await formatOf(headOf(bytes)));
  // Sound alone is often called a video, and a file that ends in its head is still called sound.
  if (!format?.hasAudio || format.hasVideo || !format.codec) return undefined;
  const known = CONTAINERS.find(([container]) => container.test(format.container ?? ''));
  if (!known) return undefined;
  const said = format.duration;
  const isMeasured = said !== undefined && Number.isFinite(said) && said > 0;
  const seconds = isMeasured ? Math.max(said, leastSeconds(bytes.length, known[1].mime, format.bitrate)) : 0;
  return { ...known[1], ...(isMeasured ? { seconds } : {}) };
}

/** Two channels at 48 kHz in 32 bits, and more than any encoder of sound spends. */
const PLAIN_BITS_MAX = 3_072_000;
const CODED_BITS_MAX = 512_000;

/** Whoever sends a recording writes into it how long it is; so many bytes are not less than this, whatever they say. */
function leastSeconds(bytes: number, mime: string, saidBits = PLAIN_BITS_MAX): number {
  if (mime === 'audio/wav') return Math.floor((bytes * 8) / Math.min(saidBits, PLAIN_BITS_MAX));
  return Math.floor((bytes * 8) / (mime === 'audio/flac' ? PLAIN_BITS_MAX : CODED_BITS_MAX));
}

const CLUSTER = [0x1f, 0x43, 0xb6, 0x75];
const HEAD_BYTES_MAX = 4096;

/** WebM up to its sound: browsers write it without saying how long it gets, which the parser cannot skip. */
function headOf(bytes: Uint8Array): Uint8Array {
  const head = bytes.subarray(0, HEAD_BYTES_MAX);
  const end = head.findIndex((_, at) => CLUSTER.every((byte, offset) => head[at + offset] === byte));
  return head.subarray(0, Math.max(end, 0));
}
