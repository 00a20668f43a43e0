import type { ImageMediaType } from '../../storage/images.ts';

/**
 * Removes the metadata of a picture: the location and camera of a photo, comments, thumbnails, and any bytes after its
 * end. Returns undefined when the file is broken. Keeps GIF files, which cannot contain a location, and AVIF files
 * unchanged.
 */
export function withoutMetadata(
  bytes: Uint8Array,
  mediaType: ImageMediaType,
  orientation: number,
): Uint8Array | undefined {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (mediaType === 'image/jpeg') return cleanJpeg(file, orientation);
  if (mediaType === 'image/png') return cleanPng(file);
  return mediaType === 'image/webp' ? cleanWebp(file) : file;
}

const [PREFIX, START, END, SCAN] = [0xff, 0xd8, 0xd9, 0xda];
const [APP0, APP2, APP14, APP15, COMMENT] = [0xe0, 0xe2, 0xee, 0xef, 0xfe];

function cleanJpeg(file: Buffer, orientation: number): Buffer | undefined {
  const parts: Buffer[] = [Buffer.of(PREFIX, START)];
  if (orientation > 1 && orientation <= 8) parts.push(createOrientation(orientation));
  let at = 2;
  while (at + 4 <= file.length) {
    if (file[at] !== PREFIX) return undefined;
    const marker = file[at + 1]!;
    if (marker === END) return Buffer.concat([...parts, Buffer.of(PREFIX, END)]);
    if (marker === PREFIX) {
      at += 1;
      continue;
    }
    const end = at + 2 + file.readUInt16BE(at + 2);
    const scanEnd = marker === SCAN ? findScanEnd(file, end) : end;
    if (scanEnd > file.length) return undefined;
    if (isPicture(marker, file.subarray(at + 4, end))) parts.push(file.subarray(at, scanEnd));
    at = scanEnd;
  }
  // A photo without its end marker is incomplete: reject it, although browsers would show it.
  const isEnd = at + 2 <= file.length && file[at] === PREFIX && file[at + 1] === END;
  return isEnd ? Buffer.concat([...parts, file.subarray(at, at + 2)]) : undefined;
}

/** Returns false for metadata: comments, and APP segments other than JFIF, color profile and color transform. */
function isPicture(marker: number, content: Buffer): boolean {
  if (marker === COMMENT) return false;
  if (marker < APP0 || marker > APP15) return true;
  if (marker === APP2) return content.subarray(0, 11).toString('latin1') === 'ICC_PROFILE';
  return marker === APP0 || marker === APP14;
}

/** Finds the next marker after compressed data, in which 0xff is followed by zero or a restart marker. */
function findScanEnd(file: Buffer, from: number): number {
  for (let at = file.indexOf(PREFIX, from); at >= 0; at = file.indexOf(PREFIX, at + 1)) {
    const next = file[at + 1] ?? 0;
    if (next !== 0 && next !== PREFIX && (next < 0xd0 || next > 0xd7)) return at;
  }
  return file.length + 1;
}

/** Creates an EXIF segment with only the orientation, without which the photo would be shown rotated. */
function createOrientation(orientation: number): Buffer {
  const tiff = Buffer.alloc(26);
  tiff.write('MM\0*', 0, 'latin1');
  tiff.writeUInt32BE(8, 4);
  tiff.writeUInt16BE(1, 8);
  tiff.writeUInt16BE(0x0112, 10);
  tiff.writeUInt16BE(3, 12);
  tiff.writeUInt32BE(1, 14);
  tiff.writeUInt16BE(orientation, 18);
  const header = Buffer.from('\xff\xe1\0\0Exif\0\0', 'latin1');
  header.writeUInt16BE(tiff.length + 8, 2);
  return Buffer.concat([header, tiff]);
}

const PNG_SIGNATURE_BYTES = 8;
const PNG_METADATA = ['eXIf', 'tEXt', 'zTXt', 'iTXt', 'tIME'];

function cleanPng(file: Buffer): Buffer | undefined {
  const parts = [file.subarray(0, PNG_SIGNATURE_BYTES)];
  let at = PNG_SIGNATURE_BYTES;
  while (at + 12 <= file.length) {
    const end = at + 12 + file.readUInt32BE(at);
    if (end > file.length) return undefined;
    const type = file.toString('latin1', at + 4, at + 8);
    if (!PNG_METADATA.includes(type)) parts.push(file.subarray(at, end));
    if (type === 'IEND') return Buffer.concat(parts);
    at = end;
  }
  return undefined;
}

const WEBP_HEADER_BYTES = 12;
const WEBP_METADATA = ['EXIF', 'XMP '];
/** Flags in the extended header that announce EXIF and XMP chunks. */
const WEBP_METADATA_FLAGS = 0x0c;

function cleanWebp(file: Buffer): Buffer | undefined {
  const end = 8 + file.readUInt32LE(4);
  if (end > file.length) return undefined;
  const parts = [Buffer.from(file.subarray(0, WEBP_HEADER_BYTES))];
  let at = WEBP_HEADER_BYTES;
  while (at + 8 <= end) {
    const size = file.readUInt32LE(at + 4);
    const next = at + 8 + size + (size % 2);
    if (at + 8 + size > end) return undefined;
    const type = file.toString('latin1', at, at + 4);
    const chunk = Buffer.from(file.subarray(at, next));
    if (type === 'VP8X') chunk[8]! &= ~WEBP_METADATA_FLAGS;
    if (!WEBP_METADATA.includes(type)) parts.push(chunk);
    at = next;
  }
  const clean = Buffer.concat(parts);
  clean.writeUInt32LE(clean.length - 8, 4);
  return clean;
}
