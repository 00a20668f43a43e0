import type { RefusalReason } from '../../contract/source-fields.ts';
import type { RunFailure } from '../../contract/source-runs.ts';

/** Input and output of the readers of sources. */

/** A text found in a source. Not validated: `reading.ts` checks and normalizes it. */
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
  /** Place of the document that this one translates. */
  translationOf?: string;
};

/** Something that was left out, and why. */
export type Refusal = {
  place: string;
  reason: RefusalReason;
  detail?: string;
};

export type FileContents = {
  documents: readonly SourceDocument[];
  refusals: readonly Refusal[];
};

/** The validators of a response, for conditional requests. */
export type Validators = { etag?: string; lastModified?: string };

/** The outcome of one address of the frontier. `url` is the address as the frontier returned it. */
export type CrawlStep =
  | {
      kind: 'document';
      url: string;
      document: SourceDocument;
      validators: Validators;
    }
  /** 304: the documents last read from the address are still valid. `place` is the one that the frontier returned. */
  | { kind: 'unchanged'; url: string; place: string }
  | { kind: 'refused'; url: string; refusal: Refusal }
  /** 404 or 410. `place` is that of the document last read from the address, else the address. */
  | { kind: 'gone'; url: string; place: string };

export type FrontierEntry = Validators & {
  url: string;
  /** The place of the document that an earlier run read from the address. Only then are there validators. */
  place?: string;
};

/** Addresses that a run still has to read. Stored, so that the run can resume after a crash. */
export type Frontier = {
  /** Adds each address once per run, up to the source's maximum. Returns the first one beyond the maximum. */
  add(urls: readonly string[]): Promise<string | undefined>;
  /**
   * Returns the next address that no step has settled, in the order in which they were added, each once per
   * process; undefined when there is none at the moment. Several may be under way at once. The consumer of the
   * generator stores each step and settles its address in one transaction, before it asks for the next step.
   */
  next(): Promise<FrontierEntry | undefined>;
  /** Returns addresses from which earlier runs read documents: a 304 response contains no links to find them by. */
  listKnown(): Promise<readonly string[]>;
};

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
