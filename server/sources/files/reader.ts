import type { ParsedPath } from '../../knowledge/import/markdown.ts';
import type { Refusal } from '../document.ts';
import type { ReadDocument } from './translations.ts';

export type Why = Pick<Refusal, 'reason' | 'detail'>;

/** Thrown by readers of files: why the whole file is refused. */
export class RefusedFile extends Error {
  override readonly name = 'RefusedFile';
  readonly why: Why;

  constructor(reason: Refusal['reason'], detail?: string) {
    super(detail ?? reason);
    this.why = { reason, ...(detail === undefined ? {} : { detail }) };
  }
}

/** How all files of an upload are read. */
export type FileSettings = {
  readonly sourceLocale: string;
  /** Where visitors open the files. */
  readonly baseUrl?: string | undefined;
};

/** What a reader of one type gets. */
export type OpenedFile = {
  readonly place: string;
  readonly bytes: Uint8Array;
  /** What its path tells: its name without extension, and a language. */
  readonly named: ParsedPath;
  readonly sourceLocale: string;
  /** Where visitors open it. */
  readonly address?: string | undefined;
};

export type Content = { readonly documents: readonly ReadDocument[]; readonly refusals: readonly Refusal[] };

/** Reads a file of one type. Throws RefusedFile when all of it is refused. */
export type Reader = (file: OpenedFile) => Promise<Content> | Content;
