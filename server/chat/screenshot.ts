import type { ViewportScreenshot } from '../../contract/capture.ts';
import { LIMITS } from '../../contract/limits.ts';

/** Whether a capture is a JPEG by its own bytes, and of a size that the service reads. Never trusts what the client says of it. */
export function isUsableScreenshot(screenshot: ViewportScreenshot): boolean {
  if (screenshot.mime !== 'image/jpeg') return false;
  if (screenshot.width <= 0 || screenshot.height <= 0) return false;
  // Four characters of base64 are three bytes: refused before anything is decoded.
  if (screenshot.data.length > Math.ceil(LIMITS.screenshotBytesMax / 3) * 4) return false;
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(screenshot.data) || screenshot.data.length % 4 !== 0) return false;
  const size = jpegSize(Buffer.from(screenshot.data, 'base64'));
  if (!size) return false;
  return [size.width, size.height].every((side) => side > 0 && side <= LIMITS.screenshotSideMax);
}

const MARKER = 0xff;
const START_OF_IMAGE = 0xd8;
const END_OF_IMAGE = 0xd9;

/** The size in the frame header of a whole JPEG; undefined when the bytes are not one. */
export function jpegSize(bytes: Buffer): { width: number; height: number } | undefined {
  const isWhole =
    bytes.length > 4 &&
    bytes[0] === MARKER &&
    bytes[1] === START_OF_IMAGE &&
    bytes[bytes.length - 2] === MARKER &&
    bytes[bytes.length - 1] === END_OF_IMAGE;
  if (!isWhole) return undefined;
  let at = 2;
  while (at + 9 < bytes.length) {
    if (bytes[at] !== MARKER) return undefined;
    const kind = bytes[at + 1]!;
    if (isFrameHeader(kind)) return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}

/** SOF0 to SOF15 without the three that are tables. */
function isFrameHeader(kind: number): boolean {
  return kind >= 0xc0 && kind <= 0xcf && kind !== 0xc4 && kind !== 0xc8 && kind !== 0xcc;
}
