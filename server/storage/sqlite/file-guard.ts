import { statSync } from 'node:fs';
import { StorageUnavailable } from '../availability.ts';
import { asStorageError, isCorrupt } from './storage-errors.ts';

/** How often commits check the files, so that thousands of them share one check. */
const CHECK_MILLIS = 25;

type Identity = { dev: number; ino: number };

/** Called when a problem begins, with a sentence for the log, and when it ends. */
export type ProblemObserver = {
  began: (message: string) => void;
  ended: (message: string) => void;
};

/**
 * Tracks whether the files behind the open connections are still those of the data folder, and whether they are
 * undamaged. SQLite keeps writing into files that were removed or replaced, and those writes are lost.
 */
export class FileGuard {
  readonly #file: string;
  readonly #observer: ProblemObserver;
  readonly #identities = new Map<string, Identity>();
  #checkedAt = Number.NEGATIVE_INFINITY;
  #replaced: StorageUnavailable | undefined;
  #corrupt: StorageUnavailable | undefined;

  /** Create it once the connections are open: it assumes that the files at the path are theirs. */
  constructor(file: string, observer: ProblemObserver) {
    this.#file = file;
    this.#observer = observer;
    for (const path of [file, `${file}-wal`, `${file}-shm`]) {
      const stats = statSync(path, { throwIfNoEntry: false });
      if (stats) this.#identities.set(path, stats);
    }
  }

  get isReplaced(): boolean {
    return this.#replaced !== undefined;
  }

  get isCorrupt(): boolean {
    return this.#corrupt !== undefined;
  }

  /** Why writes are refused; undefined when no problem is known. */
  readonly writeError = (): StorageUnavailable | undefined => this.#replaced ?? this.#corrupt;

  /** Checks the files, unless a commit has just done so, and returns why writes are refused. */
  readonly check = (): StorageUnavailable | undefined => {
    const now = performance.now();
    if (now - this.#checkedAt >= CHECK_MILLIS) this.checkNow(now);
    return this.writeError();
  };

  checkNow(now = performance.now()): void {
    this.#checkedAt = now;
    const changed = this.#findChanged();
    if ((changed !== undefined) === this.isReplaced) return;
    if (changed === undefined) {
      this.#replaced = undefined;
      this.#observer.ended('the files of the database are in place again');
      return;
    }
    const message = `${changed} was removed or replaced while the service was using it; nothing is written until it is back or the service restarts`;
    this.#replaced = new StorageUnavailable(message);
    this.#observer.began(message);
  }

  /** Remembers damage. Writing to a damaged file would make the damage worse. */
  readonly reportDamage = (description: string): void => {
    if (this.#corrupt) return;
    const message = `${this.#file} is damaged (${description}); nothing is written until a backup is restored`;
    this.#corrupt = new StorageUnavailable(message);
    this.#observer.began(message);
  };

  /** Called when a check of the whole file has found no damage. */
  readonly clearDamage = (): void => {
    if (!this.#corrupt) return;
    this.#corrupt = undefined;
    this.#observer.ended('the database is sound');
  };

  /** Like `asStorageError`, and remembers damage that SQLite reports. */
  readonly toStorageError = (error: unknown): unknown => {
    const mapped = asStorageError(error);
    if (isCorrupt(error)) this.reportDamage((error as Error).message);
    return mapped;
  };

  #findChanged(): string | undefined {
    for (const [path, { dev, ino }] of this.#identities) {
      const stats = statSync(path, { throwIfNoEntry: false });
      const isSame = stats?.dev === dev && stats.ino === ino && (stats.size > 0 || path !== this.#file);
      if (!isSame) return path;
    }
    return undefined;
  }
}
