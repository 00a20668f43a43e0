import { buffer } from 'node:stream/consumers';
import { type Entry, fromBufferPromise, getFileNameLowLevel, validateFileName, type ZipFile } from 'yauzl';
import { LIMITS } from '../../../contract/limits.ts';
import { type FileFault, RefusedFile } from './reader.ts';

type ZippedFile = { path: string; read(): Promise<Uint8Array> };

type ZipListing = {
  files: readonly ZippedFile[];
  refused: readonly (FileFault & { path: string })[];
};

/**
 * Lists the files of a zip, and which of them are refused for their name, encryption or size. Throws
 * RefusedFile when the whole zip is refused. Reading a file fails once it yields more bytes than the
 * zip states, so the limits also hold for unpacked bytes.
 */
export async function listZip(bytes: Uint8Array): Promise<ZipListing> {
  const zip = await open(bytes);
  if (zip.entryCount > LIMITS.zipFilesMax) throw new RefusedFile('too_many_files', `${zip.entryCount} files`);
  const files: ZippedFile[] = [];
  const refused: (FileFault & { path: string })[] = [];
  const taken = new Set<string>();
  let unpacked = 0;
  for await (const entry of eachEntry(zip)) {
    const { generalPurposeBitFlag, fileNameRaw, extraFields } = entry;
    const path = getFileNameLowLevel(generalPurposeBitFlag, fileNameRaw, extraFields, false);
    if (path.endsWith('/')) continue;
    unpacked += entry.uncompressedSize;
    if (unpacked > LIMITS.unpackedBytesMax)
      throw new RefusedFile('zip_bomb', `over ${LIMITS.unpackedBytesMax} bytes`);
    const fault = findFault(entry, path, taken);
    taken.add(path);
    if (fault) refused.push({ path: toShownPath(path), ...fault });
    else files.push({ path, read: () => unpack(zip, entry) });
  }
  return { files, refused };
}

async function open(bytes: Uint8Array): Promise<ZipFile> {
  try {
    // The names are decoded later, because yauzl would stop at the first invalid one.
    return await fromBufferPromise(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), {
      decodeStrings: false,
    });
  } catch (error) {
    throw new RefusedFile('unreadable', (error as Error).message);
  }
}

async function* eachEntry(zip: ZipFile): AsyncGenerator<Entry> {
  try {
    yield* zip.eachEntry();
  } catch (error) {
    throw new RefusedFile('unreadable', (error as Error).message);
  }
}

const PATH_CHARS_MAX = 500;
const SYMBOLIC_LINK = 0o120000;
const FILE_TYPE = 0o170000;

function findFault(entry: Entry, path: string, taken: ReadonlySet<string>): FileFault | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: file names that people choose contain none
  if (validateFileName(path) !== null || /[\x00-\x1f\x7f]/.test(path) || path.length > PATH_CHARS_MAX) {
    return { reason: 'invalid_path' };
  }
  if (taken.has(path)) return { reason: 'duplicate', detail: path };
  if (entry.isEncrypted()) return { reason: 'encrypted' };
  if (((entry.externalFileAttributes >>> 16) & FILE_TYPE) === SYMBOLIC_LINK) {
    return { reason: 'unsupported_type', detail: 'symbolic link' };
  }
  if (entry.uncompressedSize > LIMITS.sourceFileBytesMax) {
    return { reason: 'too_large', detail: `${entry.uncompressedSize} bytes` };
  }
  if (!entry.canDecodeFileData()) return { reason: 'unreadable', detail: 'unknown compression' };
  return undefined;
}

const toShownPath = (path: string) => path.slice(0, PATH_CHARS_MAX).replace(/\p{Cc}/gu, '\ufffd');

async function unpack(zip: ZipFile, entry: Entry): Promise<Uint8Array> {
  try {
    return await buffer(await zip.openReadStreamPromise(entry));
  } catch (error) {
    throw new RefusedFile('unreadable', (error as Error).message);
  }
}
