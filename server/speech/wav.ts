/** WAV of one channel with 16 bits, with a mark inside that says what made it. */
export type Sound = {
  readonly samplesPerSecond: number;
  /** Two bytes a sample, little endian. */
  readonly samples: Uint8Array;
};

/** Programs that read LIST/INFO find it as the comment: what sounds was never said by anybody. */
export const SYNTHETIC_MARK = 'synthetic-speech=true; generator=guidepost-mock';

const BYTES_PER_SAMPLE = 2;

export function bytesPerSecondOf({ samplesPerSecond }: Sound): number {
  return samplesPerSecond * BYTES_PER_SAMPLE;
}

export function wavOf(sound: Sound): Uint8Array {
  const format = Buffer.alloc(16);
  format.writeUInt16LE(1, 0);
  format.writeUInt16LE(1, 2);
  format.writeUInt32LE(sound.samplesPerSecond, 4);
  format.writeUInt32LE(bytesPerSecondOf(sound), 8);
  format.writeUInt16LE(BYTES_PER_SAMPLE, 12);
  format.writeUInt16LE(8 * BYTES_PER_SAMPLE, 14);
  const info = Buffer.concat([Buffer.from('INFO'), chunk('ICMT', Buffer.from(`${SYNTHETIC_MARK}\0`))]);
  // The mark stands before the sound, where a reader of a stream meets it first.
  const parts = [chunk('fmt ', format), chunk('LIST', info), chunk('data', sound.samples)];
  return chunk('RIFF', Buffer.concat([Buffer.from('WAVE'), ...parts]));
}

/** Undefined when the bytes aren't such a WAV. */
export function soundOf(wav: Uint8Array): Sound | undefined {
  const bytes = Buffer.from(wav.buffer, wav.byteOffset, wav.byteLength);
  if (bytes.toString('latin1', 0, 4) !== 'RIFF' || bytes.toString('latin1', 8, 12) !== 'WAVE')
    return undefined;
  const format = chunkNamed('fmt ', bytes);
  const samples = chunkNamed('data', bytes);
  if (!format || format.length < 16 || !samples || samples.length === 0) return undefined;
  const isOurs = format.readUInt16LE(2) === 1 && format.readUInt16LE(14) === 8 * BYTES_PER_SAMPLE;
  return isOurs ? { samplesPerSecond: format.readUInt32LE(4), samples } : undefined;
}

function chunk(name: string, content: Uint8Array): Buffer {
  const header = Buffer.alloc(8);
  header.write(name, 'latin1');
  header.writeUInt32LE(content.length, 4);
  return Buffer.concat([header, content, Buffer.alloc(content.length % 2)]);
}

function chunkNamed(name: string, bytes: Buffer): Buffer | undefined {
  let at = 12;
  while (at + 8 <= bytes.length) {
    const length = bytes.readUInt32LE(at + 4);
    const content = bytes.subarray(at + 8, at + 8 + length);
    if (bytes.toString('latin1', at, at + 4) === name) return content;
    at += 8 + length + (length % 2);
  }
  return undefined;
}
