import { createHash } from 'node:crypto';
import { imageSize } from 'image-size';
import { IMAGE_LIMITS } from '../../../contract/limits/images.ts';
import type { ImageMediaType, NewImage } from '../../storage/images.ts';
import { withoutMetadata } from './metadata.ts';

type ImageFile = Pick<
  NewImage,
  'mediaType' | 'width' | 'height' | 'content' | 'contentBytes' | 'contentHash'
>;

const MEDIA_TYPES: Readonly<Record<string, ImageMediaType>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
};

/** Recognizes an image by its bytes and removes its metadata. Returns undefined for other, broken or large files. */
export function readImage(bytes: Uint8Array): ImageFile | undefined {
  const size = measure(bytes);
  const mediaType = MEDIA_TYPES[size?.type ?? ''];
  if (!size || !mediaType) return undefined;
  const { width, height, orientation = 1 } = size;
  const sides = [width, height];
  if (sides.some((side) => !Number.isInteger(side) || side < 1 || side > IMAGE_LIMITS.imageSideMax))
    return undefined;
  const content = withoutMetadata(bytes, mediaType, orientation);
  if (!content || content.length > IMAGE_LIMITS.imageBytesMax) return undefined;
  const contentHash = createHash('sha256').update(content).digest('hex');
  // Photos that are stored rotated are shown upright.
  const [shownWidth, shownHeight] = orientation > 4 ? [height, width] : [width, height];
  return {
    mediaType,
    width: shownWidth,
    height: shownHeight,
    content,
    contentBytes: content.length,
    contentHash,
  };
}

function measure(bytes: Uint8Array) {
  try {
    return imageSize(bytes);
  } catch {
    return undefined;
  }
}
