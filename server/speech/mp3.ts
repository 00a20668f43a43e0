/** Just as much of mp3 as tells it from something else, and how fast it plays. */

/** Kilobits a second by the index in a frame's header, for layer III: of MPEG 1, and of MPEG 2 and 2.5. */
const KILOBITS_MPEG1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const KILOBITS_MPEG2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];

export function isMp3(bytes: Uint8Array): boolean {
  return hasTag(bytes) || kilobitsOf(bytes, 0) !== undefined;
}

/** By its first frame: speech comes with a constant rate. Undefined when the frame isn't at hand. */
export function mp3BytesPerSecond(bytes: Uint8Array): number | undefined {
  const kilobits = kilobitsOf(bytes, hasTag(bytes) ? tagBytes(bytes) : 0);
  return kilobits === undefined ? undefined : (kilobits * 1000) / 8;
}

function hasTag(bytes: Uint8Array): boolean {
  return bytes[0] === 0x49 && bytes[1] === 0x44 && bytes[2] === 0x33;
}

/** Its length stands in four bytes of seven bits. */
function tagBytes(bytes: Uint8Array): number {
  const [a = 0, b = 0, c = 0, d = 0] = bytes.subarray(6, 10);
  return 10 + (((a & 127) << 21) | ((b & 127) << 14) | ((c & 127) << 7) | (d & 127));
}

function kilobitsOf(bytes: Uint8Array, at: number): number | undefined {
  const [first = 0, second = 0, third = 0] = bytes.subarray(at, at + 3);
  const isFrame = first === 0xff && (second & 0xe0) === 0xe0;
  const isLayer3 = (second & 0x06) === 0x02;
  if (!isFrame || !isLayer3) return undefined;
  const isMpeg1 = (second & 0x18) === 0x18;
  // 0 says nothing about the rate, 15 is not allowed.
  return (isMpeg1 ? KILOBITS_MPEG1 : KILOBITS_MPEG2)[third >> 4] || undefined;
}
