import type { AuditEntry } from './audit.ts';

export type ImageMediaType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp' | 'image/avif';

/** An image without its content. */
export type ImageHead = {
  id: string;
  name: string;
  mediaType: ImageMediaType;
  width: number;
  height: number;
  contentBytes: number;
  createdAt: number;
  createdBy: string;
};

export type NewImage = ImageHead & {
  /** SHA-256 of the content, in hex. */
  contentHash: string;
  content: Uint8Array;
};

/** Limits of a workspace: the number of images, and their total size. */
type ImageLimits = { countMax: number; bytesMax: number };

/** A text that shows images: the live or newest revision of an article or translation. */
export type ImageText = {
  articleId: string;
  /** Title of the article. */
  title: string;
  locale: string;
  /** Whether visitors get this text. */
  isLive: boolean;
  /** Ids of images in the text, which may not exist. */
  imageIds: readonly string[];
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
  listTexts(afterArticleId?: string): Promise<{ texts: readonly ImageText[]; continueAfter?: string }>;
  /** Removes an image that no live or newest text shows. Otherwise returns how many articles show it. */
  remove(id: string, audit: AuditEntry): Promise<'removed' | 'gone' | { usedBy: number }>;
};

/** The images of all workspaces, which everybody may load. */
export type PublicImages = {
  find(id: string): Promise<{ mediaType: ImageMediaType; content: Uint8Array } | undefined>;
};
