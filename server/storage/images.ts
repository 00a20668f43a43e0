import type { AuditEntry } from './audit.ts';

export type ImageMediaType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp' | 'image/avif';

/** An image without its content. */
export type ImageHead = {
  readonly id: string;
  readonly name: string;
  readonly mediaType: ImageMediaType;
  readonly width: number;
  readonly height: number;
  readonly contentBytes: number;
  readonly createdAt: number;
  readonly createdBy: string;
};

export type NewImage = ImageHead & {
  /** SHA-256 of the content, in hex. */
  readonly contentHash: string;
  readonly content: Uint8Array;
};

/** Limits of a workspace: the number of images, and their total size. */
type ImageLimits = { readonly countMax: number; readonly bytesMax: number };

/** A text that shows images: the live or newest revision of an article or translation. */
export type ImageText = {
  readonly articleId: string;
  /** Title of the article. */
  readonly title: string;
  readonly locale: string;
  /** Whether visitors get this text. */
  readonly isLive: boolean;
  /** Ids of images in the text, which may not exist. */
  readonly imageIds: readonly string[];
};

/** The images of one workspace. */
export type Images = {
  /** Stores an image, or returns the one with the same content. Returns 'full' when it would exceed a limit. */
  put(image: NewImage, limits: ImageLimits, audit: AuditEntry): Promise<ImageHead | 'full'>;
  /** Lists all images, newest first. */
  list(): Promise<readonly ImageHead[]>;
  /**
   * Lists the texts that show images, a bounded number of articles at a time, in the order of their ids. Pass
   * `continueAfter` to the next call; it is absent when there are no more.
   */
  listTexts(
    afterArticleId?: string,
  ): Promise<{ readonly texts: readonly ImageText[]; readonly continueAfter?: string }>;
  /** Removes an image that no live or newest text shows. Otherwise returns how many articles show it. */
  remove(id: string, audit: AuditEntry): Promise<'removed' | 'gone' | { readonly usedBy: number }>;
};

/** The images of all workspaces, which everybody may load. */
export type PublicImages = {
  find(id: string): Promise<{ readonly mediaType: ImageMediaType; readonly content: Uint8Array } | undefined>;
};
