/**
 * Silent MP3 with the spoken text in bytes that players skip, so a test can check what was said.
 */

const FORMATS = {
  /** MPEG 1, 44.1 kHz, 128 kbit/s. */
  128: { header: [0xff, 0xfb, 0x90, 0xc4], bytes: 417 },
  /** MPEG 2, 24 kHz, 48 kbit/s. */
  48: { header: [0xff, 0xf3, 0x64, 0xc4], bytes: 144 },
};

/** The frame header plus side information of a silent frame. */
const SILENCE_BYTES = 40;
const WORDS_BYTES = 16;

/** One frame per part. */
export function mp3Saying(text: string, kilobits: keyof typeof FORMATS): Buffer[] {
  const { header, bytes } = FORMATS[kilobits];
  const words = Buffer.from(text);
  const frames: Buffer[] = [];
  for (let at = 0; at < words.length; at += WORDS_BYTES) {
    const frame = Buffer.alloc(bytes);
    frame.set(header);
    words.copy(frame, SILENCE_BYTES, at, at + WORDS_BYTES);
    frames.push(frame);
  }
  return frames;
}

/** Reads the text back, frame by frame. */
export function readSpokenText(mp3: Uint8Array): string {
  const bytes = Buffer.from(mp3);
  const words: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const format = Object.values(FORMATS).find(({ header }) =>
      Buffer.from(header).equals(bytes.subarray(at, at + 4)),
    );
    if (!format) throw new Error(`there is no frame at ${at}`);
    words.push(bytes.subarray(at + SILENCE_BYTES, at + SILENCE_BYTES + WORDS_BYTES));
    at += format.bytes;
  }
  return Buffer.concat(words).toString().replaceAll('\0', '');
}
