import type { ParsedPath } from '../../knowledge/import/markdown.ts';
import type { Refusal } from '../document.ts';
import type { ReadDocument } from './translations.ts';

export type FileFault = Pick<Refusal, 'reason' | 'detail'>;

/** Thrown by readers to refuse the whole file, with the reason in `fault`. */
export class RefusedFile extends Error {
  override readonly name = 'RefusedFile';
  readonly fault: FileFault;

  constructor(reason: Refusal['reason'], detail?: string) {
    super(detail ?? reason);
    this.fault = { reason, detail };
  }
}

/** Options for all files of an upload. */
export type FileSettings = {
  sourceLocale: string;
  /** Where visitors open the files. */
  baseUrl?: string | undefined;
};

/** Input of a reader. */
export type OpenedFile = {
  place: string;
  bytes: Uint8Array;
  /** Name without extension, and language, taken from its path. */
  parsedPath: ParsedPath;
  sourceLocale: string;
  /** Where visitors open the file. */
  address?: string | undefined;
};

export type Content = { documents: readonly ReadDocument[]; refusals: readonly Refusal[] };

/** Reads a file of one type. Throws `RefusedFile` to refuse the whole file. */
export type Reader = (file: OpenedFile) => Promise<Content> | Content;
