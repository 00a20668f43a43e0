import { describe, expect, it } from 'vitest';
import { IMAGE_LIMITS } from '../../../contract/limits/images.ts';
import { readImage } from '../../../server/knowledge/images/image-file.ts';
import {
  createComment,
  createExif,
  createGif,
  createJpeg,
  createPng,
  createProfile,
  createWebp,
} from '../../support/image-files.ts';

const PLACE = 'N 48.8584 E 2.2945';
const contentOf = (file: Buffer) => Buffer.from(readImage(file)!.content);

describe('an image', () => {
  it.each([
    ['image/png', createPng(320, 200)],
    ['image/jpeg', createJpeg(320, 200)],
    ['image/webp', createWebp(320, 200)],
  ])('is recognized by its bytes as %s, with its size', (mediaType, file) => {
    expect(readImage(file)).toMatchObject({ mediaType, width: 320, height: 200, contentBytes: file.length });
  });

  it('is recognized by its bytes as image/gif', () => {
    const file = Buffer.from(createGif('made by hand'), 'latin1');
    expect(readImage(file)).toMatchObject({ mediaType: 'image/gif', width: 1, height: 1 });
  });

  it.each([
    [
      'SVG',
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><script>1</script></svg>'),
    ],
    ['HTML', Buffer.from('<!doctype html><script>alert(1)</script>')],
    [
      'BMP',
      Buffer.concat([
        Buffer.from('BM'),
        Buffer.alloc(12),
        Buffer.from([40, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]),
        Buffer.alloc(40),
      ]),
    ],
    ['a PNG without its end', createPng(10, 10).subarray(0, -12)],
    ['a JPEG that breaks off', createJpeg(10, 10).subarray(0, -4)],
    ['a WebP that breaks off', createWebp(10, 10, ['EXIF', PLACE]).subarray(0, -6)],
    ['a picture that is too wide', createPng(IMAGE_LIMITS.imageSideMax + 1, 1)],
    ['a picture without height', createPng(1, 0)],
    ['nothing', Buffer.alloc(0)],
  ])('is not recognized in %s', (_what, file) => {
    expect(readImage(file)).toBeUndefined();
  });

  it.each([
    ['PNG', createPng(9, 9, ['eXIf', PLACE], ['tEXt', `Comment\0${PLACE}`], ['iTXt', PLACE])],
    ['JPEG', createJpeg(9, 9, createExif(1, PLACE), createComment(PLACE))],
    ['WebP', createWebp(9, 9, ['EXIF', PLACE], ['XMP ', PLACE])],
  ])('loses the location of a photo: %s', (_type, file) => {
    expect(file.includes(PLACE)).toBe(true);
    expect(contentOf(file).includes(PLACE)).toBe(false);
    expect(contentOf(file).includes('pixels')).toBe(true);
    // Cleaning a stored image again changes nothing.
    expect(contentOf(contentOf(file))).toEqual(contentOf(file));
  });

  it('loses any bytes after its end', () => {
    const more = Buffer.from('<script>alert(1)</script>');
    for (const file of [createPng(9, 9), createJpeg(9, 9), createWebp(9, 9)])
      expect(contentOf(Buffer.concat([file, more]))).toEqual(contentOf(file));
  });

  it('keeps its orientation and colors', () => {
    const file = createJpeg(40, 30, createExif(6, PLACE), createProfile('sRGB'));
    const image = readImage(file)!;
    expect(image).toMatchObject({ width: 30, height: 40 });
    expect(Buffer.from(image.content).includes('sRGB')).toBe(true);
    expect(readImage(Buffer.from(image.content))).toMatchObject({ width: 30, height: 40 });
  });

  it('announces no metadata in the header of a WebP file', () => {
    const file = contentOf(createWebp(9, 9, ['EXIF', PLACE]));
    expect(file[20]).toBe(0);
    expect(file.readUInt32LE(4)).toBe(file.length - 8);
  });
});
