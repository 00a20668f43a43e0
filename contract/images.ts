import { z } from 'zod';
import {
  actor,
  articleId,
  buildPage,
  locale,
  moment,
  namedObject,
  okReply,
  pageQuery,
  typeId,
  workspaceId,
  yesOrNo,
} from './fields.ts';
import { ARTICLE_LIMITS } from './limits/articles.ts';
import { IMAGE_LIMITS } from './limits/images.ts';
import { editRoute, readRoute, route, router } from './route.ts';

/** The formats that every browser shows. SVG is left out, because it may contain scripts. */
const IMAGE_MEDIA_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif'] as const;

export const imageMediaType = z.enum(IMAGE_MEDIA_TYPES).meta({
  id: 'ImageMediaType',
  description: 'Media type of an image, recognized from its bytes.',
});

export const imageId = typeId('img', 'An image');

export const imageName = z
  .string()
  .max(IMAGE_LIMITS.imageNameCharsMax)
  .meta({ description: 'Name of the uploaded file. Empty if there was none.', example: 'checkout.png' });

export const imageSide = z.int32().min(1).max(IMAGE_LIMITS.imageSideMax).meta({ example: 1280 });

const imageUse = namedObject('ImageUse', 'An article that shows an image.', {
  articleId,
  title: z.string().max(ARTICLE_LIMITS.titleCharsMax).meta({ example: 'Paying by card' }),
  locales: z
    .array(locale)
    .max(ARTICLE_LIMITS.localesPerArticleMax + 1)
    .describe('Languages of the texts that show the image: of the article, and of its translations.'),
  live: z
    .boolean()
    .describe('Whether visitors get one of these texts. Otherwise only drafts and working copies show it.'),
});

const image = namedObject('Image', 'An image that articles can show.', {
  id: imageId,
  url: z
    .string()
    .max(64)
    .describe(
      "Where anyone can load the image, relative to the service's base address. It never changes. Use it in " +
        'Markdown: `![What the image shows](/images/…)`.',
    )
    .meta({ example: '/images/img_01kakv2fxse7wtg6x5r0h8rjbm' }),
  name: imageName,
  mediaType: imageMediaType,
  width: imageSide.describe('In pixels.'),
  height: imageSide.describe('In pixels.'),
  bytes: z.int().min(1).max(IMAGE_LIMITS.imageBytesMax).meta({ example: 48_213 }),
  createdAt: moment,
  createdBy: actor,
});

/**
 * An image is in use while a live text or a working copy shows it, whatever the status of that text. Earlier revisions
 * do not count: they are kept as long as their article, so an image that was shown once could never be deleted. A
 * restored revision shows the alternative text of a deleted image.
 */
const listedImage = namedObject('ListedImage', 'An image with the articles that show it.', {
  ...image.shape,
  usedBy: z
    .int32()
    .min(0)
    .describe(
      'How many articles show the image: in the live text or the working copy, of the article or of a translation, ' +
        'drafts and archived translations included. Earlier revisions do not count.',
    )
    .meta({ example: 2 }),
  uses: z
    .array(imageUse)
    .max(IMAGE_LIMITS.imageUsesMax)
    .describe('The first of these articles, oldest first.'),
});

const imagePage = buildPage('ImagePage', listedImage);

const imageFile = namedObject('ImageFile', 'A form with exactly one file.', {
  image: z
    .custom<Uint8Array>((value) => value instanceof Uint8Array)
    .meta({
      override: { type: 'string', format: 'binary' },
      description: 'The image. Its format is detected from its bytes, not from its name or media type.',
      example: 'the bytes of an image',
    }),
});

const usedFilter = yesOrNo('UsedFilter', 'Whether an article shows the image.');

export type ImageRecord = z.infer<typeof image>;
export type ListedImage = z.infer<typeof listedImage>;

const base = '/api/tenants/:tenantId/images';

export const images = router('Articles', {
  listImages: route({
    method: 'GET',
    path: base,
    summary: 'List images',
    description:
      'Returns the images of the workspace without their content, newest first, each with the articles that show it.',
    pathParams: z.strictObject({ tenantId: workspaceId }),
    query: z.strictObject({
      ...pageQuery,
      used: usedFilter.optional().describe('Only images that articles show, or only those that none shows.'),
    }),
    responses: { 200: imagePage },
    meta: readRoute,
  }),

  uploadImage: route({
    method: 'POST',
    path: base,
    summary: 'Upload an image',
    description:
      'Stores an image for articles: at most 5 MB, 8,192 pixels a side, PNG, JPEG, GIF, WebP or AVIF. Descriptive ' +
      'metadata of PNG, JPEG and WebP files, such as the position of a photo, is removed. Anyone who knows the URL ' +
      'can load the image. The same file again returns the existing image.',
    pathParams: z.strictObject({ tenantId: workspaceId }),
    query: z.strictObject({
      name: imageName.optional().describe('Name of the file. Defaults to none.'),
    }),
    body: imageFile,
    responses: { 201: image },
    errors: ['image/unsupported', 'image/too_many', 'tenant/storage_full'],
    meta: {
      ...editRoute,
      upload: {
        field: 'image',
        bytesMax: IMAGE_LIMITS.imageBytesMax,
        tooLarge: 'image/too_large',
        mediaTypes: IMAGE_MEDIA_TYPES,
      },
    },
  }),

  deleteImage: route({
    method: 'DELETE',
    path: `${base}/:imageId`,
    summary: 'Delete an image',
    description:
      'Deletes an image that no article shows. Earlier revisions that are restored show its alternative text instead. ' +
      'Otherwise the error says how many articles show it.',
    pathParams: z.strictObject({ tenantId: workspaceId, imageId }),
    responses: { 200: okReply },
    errors: ['image/not_found', 'image/in_use'],
    meta: editRoute,
  }),
});
