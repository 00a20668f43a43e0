/** The smallest possible images in all formats, and the metadata that cameras and editors add. */

/** A GIF of one pixel whose bytes are all ASCII. */
export const GIF_IMAGE = 'GIF89a\x01\0\x01\0\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x01\0\0;';

export function toForm(content: string | Uint8Array<ArrayBuffer>, name = 'pixel.gif'): FormData {
  const form = new FormData();
  form.append('image', new Blob([content]), name);
  return form;
}

export const createGif = (comment: string) =>
  `GIF89a\x01\0\x01\0\0\0\0!\xfe${String.fromCharCode(comment.length)}${comment}\0,\0\0\0\0\x01\0\x01\0\0\x02\x01\0\0;`;

const latin1 = (text: string) => Buffer.from(text, 'latin1');

function createChunk(type: string, content: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length);
  return Buffer.concat([length, latin1(type), content, Buffer.alloc(4)]);
}

export function createPng(
  width: number,
  height: number,
  ...more: readonly (readonly [string, string])[]
): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 8;
  return Buffer.concat([
    latin1('\x89PNG\r\n\x1a\n'),
    createChunk('IHDR', header),
    ...more.map(([type, content]) => createChunk(type, latin1(content))),
    createChunk('IDAT', latin1('pixels')),
    createChunk('IEND', Buffer.alloc(0)),
  ]);
}

function createSegment(marker: number, content: Buffer): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(content.length + 2);
  return Buffer.concat([Buffer.of(0xff, marker), length, content]);
}

/** Creates an EXIF segment with the orientation (1 is upright) and the location as text. */
export function createExif(orientation: number, place: string): Buffer {
  const tiff = Buffer.alloc(26);
  tiff.write('MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01', 0, 'latin1');
  tiff.writeUInt16BE(orientation, 18);
  return createSegment(0xe1, Buffer.concat([latin1('Exif\0\0'), tiff, latin1(place)]));
}

export const createComment = (text: string) => createSegment(0xfe, latin1(text));
export const createProfile = (text: string) => createSegment(0xe2, latin1(`ICC_PROFILE\0${text}`));

export function createJpeg(width: number, height: number, ...more: readonly Buffer[]): Buffer {
  const frame = Buffer.alloc(15);
  frame[0] = 8;
  frame.writeUInt16BE(height, 1);
  frame.writeUInt16BE(width, 3);
  return Buffer.concat([
    Buffer.of(0xff, 0xd8),
    createSegment(0xe0, latin1('JFIF\0\x01\x01\0\0\x01\0\x01\0\0')),
    ...more,
    createSegment(0xc0, frame),
    createSegment(0xda, Buffer.alloc(10)),
    // Compressed data with a stuffed byte and a restart marker.
    latin1('pixels\xff\x00more\xff\xd0pixels'),
    Buffer.of(0xff, 0xd9),
  ]);
}

function createRiffChunk(type: string, content: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(content.length);
  return Buffer.concat([latin1(type), length, content, Buffer.alloc(content.length % 2)]);
}

/** Writes a WebP file whose extended header has the flags for EXIF and XMP. */
export function createWebp(
  width: number,
  height: number,
  ...more: readonly (readonly [string, string])[]
): Buffer {
  const header = Buffer.alloc(10);
  header[0] = 0x0c;
  header.writeUIntLE(width - 1, 4, 3);
  header.writeUIntLE(height - 1, 7, 3);
  const chunks = Buffer.concat([
    latin1('WEBP'),
    createRiffChunk('VP8X', header),
    createRiffChunk('VP8L', latin1('pixels')),
    ...more.map(([type, content]) => createRiffChunk(type, latin1(content))),
  ]);
  return createRiffChunk('RIFF', chunks);
}
