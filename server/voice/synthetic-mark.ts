import type { SpokenAudio } from '../speech/speech.ts';

/** Speech says of itself that nobody has spoken it, in words that programs know, and goes on saying so when it has been saved. */

/** The term of the IPTC for what a trained algorithm has made. */
export const SYNTHETIC = 'trainedAlgorithmicMedia';
const SOURCE = `http://cv.iptc.org/newscodes/digitalsourcetype/${SYNTHETIC}`;

export async function* marked(
  mime: SpokenAudio['mime'],
  audio: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const mark = mime === 'audio/mpeg' ? withTag : withInfo;
  let isFirst = true;
  for await (const bytes of audio) {
    yield isFirst ? mark(Buffer.from(bytes)) : bytes;
    isFirst = false;
  }
}

/** A frame of text that anybody may define, in an ID3 tag; players read past as many tags as there are. */
const ID3_TAG = id3Tag(Buffer.from(`\u0003DigitalSourceType\0${SOURCE}`));

function withTag(beginning: Buffer): Buffer {
  return Buffer.concat([ID3_TAG, beginning]);
}

function id3Tag(text: Buffer): Buffer {
  const frame = Buffer.concat([Buffer.from('TXXX'), sevenBits(text.length), Buffer.alloc(2), text]);
  return Buffer.concat([Buffer.from('ID3\u0004\0\0'), sevenBits(frame.length), frame]);
}

/** Lengths in ID3 are four bytes of seven bits each. */
function sevenBits(length: number): Buffer {
  return Buffer.from([21, 14, 7, 0].map((shift) => (length >> shift) & 127));
}

const RIFF_HEAD_BYTES = 12;
const CHUNK_HEAD_BYTES = 8;
/** Says that nobody knows yet how long the file will be. */
const ENDLESS = 0xffffffff;
const INFO = infoChunk(`${SOURCE}\0`);

function infoChunk(comment: string): Buffer {
  const text = Buffer.from(comment.padEnd(comment.length + (comment.length % 2), '\0'));
  const head = Buffer.from('LIST\0\0\0\0INFOICMT\0\0\0\0');
  head.writeUInt32LE(head.length - CHUNK_HEAD_BYTES + text.length, 4);
  head.writeUInt32LE(text.length, 16);
  return Buffer.concat([head, text]);
}

/** Puts the comment behind the format, before the sound. */
function withInfo(beginning: Buffer): Buffer {
  const hasFormat =
    beginning.length >= RIFF_HEAD_BYTES + CHUNK_HEAD_BYTES &&
    beginning.toString('latin1', 0, 4) === 'RIFF' &&
    beginning.toString('latin1', 8, 16) === 'WAVEfmt ';
  if (!hasFormat) return beginning;
  const at = RIFF_HEAD_BYTES + CHUNK_HEAD_BYTES + beginning.readUInt32LE(16);
  if (at > beginning.length) return beginning;
  const whole = Buffer.concat([beginning.subarray(0, at), INFO, beginning.subarray(at)]);
  const length = beginning.readUInt32LE(4);
  if (length !== ENDLESS) whole.writeUInt32LE(length + INFO.length, 4);
  return whole;
}
