/**
 * The system that a WASI program sees: its arguments, and one folder in memory in which it can write one file. There is nothing else
 * to open, read or wait for, and its clock stands still, so that the same arguments always write the same file.
 */
export type OneFileSystem = {
  /** For `WebAssembly.instantiate`; `memory` is asked for only once the program runs. */
  imports(memory: () => WebAssembly.Memory): WebAssembly.Imports;
  written(): Uint8Array;
};

/** Thrown where the program ends by itself. */
export class ProgramEnded extends Error {
  override readonly name = 'ProgramEnded';
  readonly status: number;

  constructor(status: number) {
    super(`the program ended with ${status}`);
    this.status = status;
  }
}

const OK = 0;
const BAD_DESCRIPTOR = 8;
const NOT_THERE = 44;
const NO_SPACE = 51;

const FOLDER = 3;
const FILE = 4;
const FOLDER_NAME = '/out';
const CREATES = 1;
const TYPE_FOLDER = 3;
const TYPE_FILE = 4;

export function createOneFileSystem(args: readonly string[], bytesMax: number): OneFileSystem {
  const texts = args.map((text) => Buffer.from(`${text}\0`));
  let file = Buffer.alloc(64 * 1024);
  let length = 0;
  let position = 0;

  function write(bytes: Uint8Array): boolean {
    const end = position + bytes.length;
    if (end > bytesMax) return false;
    if (end > file.length)
      file = Buffer.concat([file, Buffer.alloc(Math.max(file.length, end - file.length))]);
    file.set(bytes, position);
    position = end;
    length = Math.max(length, end);
    return true;
  }

  return {
    written: () => file.subarray(0, length),
    imports(memory) {
      const view = () => new DataView(memory().buffer);
      const bytesAt = (at: number, count: number) => new Uint8Array(memory().buffer, at, count);
      const system = {
        args_sizes_get(countAt: number, bytesAt: number) {
          view().setUint32(countAt, texts.length, true);
          view().setUint32(bytesAt, Buffer.concat(texts).length, true);
          return OK;
        },
        args_get(pointersAt: number, textsAt: number) {
          let at = textsAt;
          for (const [index, text] of texts.entries()) {
            view().setUint32(pointersAt + 4 * index, at, true);
            bytesAt(at, text.length).set(text);
            at += text.length;
          }
          return OK;
        },
        clock_time_get(_clock: number, _precision: bigint, at: number) {
          view().setBigUint64(at, 0n, true);
          return OK;
        },
        fd_close: () => OK,
        fd_fdstat_set_flags: () => OK,
        fd_fdstat_get(descriptor: number, at: number) {
          bytesAt(at, 24).fill(0);
          view().setUint8(at, descriptor === FOLDER ? TYPE_FOLDER : TYPE_FILE);
          // Every right, here and below.
          bytesAt(at + 8, 16).fill(0xff);
          return OK;
        },
        fd_prestat_get(descriptor: number, at: number) {
          if (descriptor !== FOLDER) return BAD_DESCRIPTOR;
          view().setUint32(at, 0, true);
          view().setUint32(at + 4, FOLDER_NAME.length, true);
          return OK;
        },
        fd_prestat_dir_name(_descriptor: number, at: number, count: number) {
          bytesAt(at, count).set(Buffer.from(FOLDER_NAME).subarray(0, count));
          return OK;
        },
        fd_read(_descriptor: number, _parts: number, _count: number, readAt: number) {
          view().setUint32(readAt, 0, true);
          return OK;
        },
        fd_seek(descriptor: number, offset: bigint, from: number, positionAt: number) {
          if (descriptor !== FILE) return BAD_DESCRIPTOR;
          position = Math.max(0, Number(offset) + ([0, position, length][from] ?? 0));
          view().setBigUint64(positionAt, BigInt(position), true);
          return OK;
        },
        fd_write(descriptor: number, partsAt: number, count: number, writtenAt: number) {
          let bytes = 0;
          for (let index = 0; index < count; index += 1) {
            const at = partsAt + 8 * index;
            const part = bytesAt(view().getUint32(at, true), view().getUint32(at + 4, true));
            // What it prints is for nobody.
            if (descriptor === FILE && !write(part)) return NO_SPACE;
            bytes += part.length;
          }
          view().setUint32(writtenAt, bytes, true);
          return OK;
        },
        path_open(
          _folder: number,
          _lookup: number,
          _path: number,
          _pathBytes: number,
          how: number,
          _rights: bigint,
          _rightsBelow: bigint,
          _flags: number,
          openedAt: number,
        ) {
          if ((how & CREATES) === 0) return NOT_THERE;
          view().setUint32(openedAt, FILE, true);
          return OK;
        },
        proc_exit(status: number) {
          throw new ProgramEnded(status);
        },
      };
      return { wasi_snapshot_preview1: system };
    },
  };
}
