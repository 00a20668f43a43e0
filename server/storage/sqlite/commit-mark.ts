import { closeSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import type { Database } from 'better-sqlite3';

/**
 * Detects lost commits. A row counts up at most once a second while there are commits, and the same number is
 * kept in a file beside the database once that commit is on disk. The file is never ahead, unless acknowledged
 * commits are missing from the database: its log was cut, or an older file was put in its place.
 */

/** Padded to one length, so that a write replaces the whole content within one disk sector. */
const BYTES = 96;

export type Mark = {
  commits: number;
  at: string;
  /** Damage was found: the next start checks the file before it serves. */
  damaged: boolean;
};

const getMarkPath = (file: string) => `${file}-mark`;

/** Returns undefined without a mark, or if it is unreadable, as after a power failure. */
export function readMark(file: string): Mark | undefined {
  try {
    const mark = JSON.parse(readFileSync(getMarkPath(file), 'utf8')) as Mark;
    return Number.isSafeInteger(mark.commits) ? mark : undefined;
  } catch {
    return undefined;
  }
}

/** Removes the mark, because a restored database has a history of its own. */
export function removeMark(file: string): void {
  rmSync(getMarkPath(file), { force: true });
}

export class CommitMark {
  readonly #file: string;
  readonly #count: () => number;
  readonly #read: () => number;
  #damaged: boolean;
  #handle: number | undefined;

  constructor(writer: Database, file: string, damaged: boolean) {
    this.#file = file;
    this.#damaged = damaged;
    const count = writer.prepare('UPDATE database_marks SET commits = commits + 1 RETURNING commits').pluck();
    const read = writer.prepare('SELECT commits FROM database_marks').pluck();
    this.#count = () => count.get() as number;
    this.#read = () => read.get() as number;
  }

  /** A write job that counts up in the database. Pass the result to `keep` once it is committed. */
  get count(): () => number {
    return this.#count;
  }

  /** The number stored in the database. */
  get read(): () => number {
    return this.#read;
  }

  /** Stores the number in the file beside the database. Without the file, only lost commits go unnoticed. */
  keep(commits: number): void {
    const mark: Mark = { commits, at: new Date().toISOString(), damaged: this.#damaged };
    try {
      this.#handle ??= openSync(getMarkPath(this.#file), 'w', 0o600);
      writeSync(this.#handle, JSON.stringify(mark).padEnd(BYTES), 0);
    } catch {
      // A full or read-only disk also fails the writes themselves, which report it.
    }
  }

  keepDamage(damaged: boolean): void {
    this.#damaged = damaged;
    this.keep(readMark(this.#file)?.commits ?? 0);
  }

  close(): void {
    if (this.#handle !== undefined) closeSync(this.#handle);
    this.#handle = undefined;
  }
}
