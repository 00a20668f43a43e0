import { MIB } from './units.ts';

/** Limits of uploaded images. */
export const IMAGE_LIMITS = {
  imageBytesMax: 5 * MIB,
  /** Width and height, in pixels. */
  imageSideMax: 8192,
  imageNameCharsMax: 200,
  /** The images of one workspace. */
  imagesMax: 2000,
  /** Articles that the list of images names for each image. */
  imageUsesMax: 10,
  /** Total size of the images of one workspace. */
  imagesBytesMax: 500 * MIB,
} as const;
