import type { SkipReason } from '../../contract/source-fields.ts';
import type { RunFailure } from '../../contract/source-runs.ts';

/** Input and output of the readers of sources. */

/** A text found in a source. Not validated: `snapshot.ts` checks and normalizes it. */
export type SourceDocument = {
  /** Where the text is in its source, at most `LIMITS.placeBytesMax` bytes; see `place` in contract/fields.ts. */
  place: string;
  title: string;
  /** Markdown. */
  answer: string;
  /** A BCP 47 tag. */
  locale: string;
  aliases: readonly string[];
  url?: string;
  /** The stable name that the document itself states; else one is derived from its title. */
  slug?: string;
  /** Name of a collection. */
  collection?: string;
  tags?: readonly string[];
  /** What the owner should check, such as a guessed encoding. */
  remark?: string;
  /** Place of the document that this one translates. */
  translationOf?: string;
};

/** Why something was left out. */
export type SkipCause = { reason: SkipReason; detail?: string };

/** Something that was left out. */
export type Skipped = SkipCause & { place: string };

export type FileContents = {
  documents: readonly SourceDocument[];
  skipped: readonly Skipped[];
};

/** The validators of a response, for conditional requests. */
export type Validators = { etag?: string; lastModified?: string };

/** The outcome of one address of the queue. `url` is the address as the queue returned it. */
export type CrawlStep =
  | { kind: 'document'; url: string; document: SourceDocument; validators: Validators }
  /** 304: the document last read from the address is still valid. `place` is the one that the queue returned. */
  | { kind: 'unchanged'; url: string; place: string }
  | { kind: 'skipped'; url: string; skipped: Skipped }
  /** A list of documents, which precede this step; it has no document of its own. */
  | { kind: 'listed'; url: string }
  /** 404 or 410. `place` is that of the document last read from the address, else the address. */
  | { kind: 'gone'; url: string; place: string };

/** Thrown by a reader when the whole run fails. */
export class RunFailed extends Error {
  override readonly name = 'RunFailed';
  readonly reason: RunFailure;
  readonly detail: string | undefined;
  constructor(reason: RunFailure, detail?: string) {
    super(detail === undefined ? reason : `${reason}: ${detail}`);
    this.reason = reason;
    this.detail = detail;
  }
}
