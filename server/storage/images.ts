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

/** How many images a workspace may have, and how large they may be together. */
export type ImageLimits = { readonly countMax: number; readonly bytesMax: number };

/** The images of one workspace. */
export type Images = {
  /** Stores an image, or returns the one with the same content. Returns 'full' when it would exceed a limit. */
  put(image: NewImage, limits: ImageLimits, audit: AuditEntry): Promise<ImageHead | 'full'>;
  /** Lists all images, newest first. */
  list(): Promise<readonly ImageHead[]>;
  remove(id: string, audit: AuditEntry): Promise<'removed' | 'gone'>;
};

/** The images of all workspaces, which everybody may load. */
export type PublicImages = {
  find(id: string): Promise<{ readonly mediaType: ImageMediaType; readonly content: Uint8Array } | undefined>;
};
