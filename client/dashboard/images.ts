import { IMAGE_LIMITS } from '../../contract/limits/images.ts';
import type { useWorkspace } from './session.ts';

/** The types of images that the service stores. */
export const IMAGE_TYPES = 'image/png,image/jpeg,image/gif,image/webp,image/avif';

/** Uploads an image and returns its address. */
export const uploadImage = async ({ tenant }: ReturnType<typeof useWorkspace>, file: File) =>
  (await tenant.images.upload(file, { name: file.name.slice(0, IMAGE_LIMITS.imageNameCharsMax) })).url;
