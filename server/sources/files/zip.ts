import { buffer } from 'node:stream/consumers';
import { type Entry, fromBufferPromise, validateFileName, type ZipFile } from 'yauzl';
import { SOURCE_LIMITS } from '../../../contract/limits/sources.ts';
import { decode, guessEncoding } from '../decode.ts';
import type { SkipCause, Skipped } from '../document.ts';
import { detectLocale } from '../html.ts';
import { findPartialTables, removeIds } from './notion-export.ts';
import { SkippedFile } from './reader.ts';
import { decodeName, isAmbiguous } from './zip-names.ts';

/** A file to read: the upload itself, or a file within an uploaded zip. */
export type FileEntry = {
  place: string;
  /** Its path in the zip below the common folder, without ids of Notion; its name if it was uploaded alone. */
  path: string;
  /** Its whole path in the zip; its name if it was uploaded alone. */
  fullPath: string;
  read(): Promise<Uint8Array>;
};

type Listing = {
  entries: readonly FileEntry[];
  skipped: readonly Skipped[];
  /** All files, also hidden ones. */
  all: readonly FileEntry[];
};

/** Lists the files of an upload. */
export async function listEntries(name: string, bytes: Uint8Array, sourceLocale: string): Promise<Listing> {
  if (!/\.zip$/i.test(name)) {
    const path = removeIds([name]).get(name)!;
    const entries = [{ place: name, path, fullPath: name, read: async () => bytes }];
    return { entries, skipped: [], all: entries };
  }
  try {
    return await listZipped(name, bytes, sourceLocale);
  } catch (error) {
    if (!(error instanceof SkippedFile)) throw error;
    return { entries: [], skipped: [{ place: name, ...error.skipCause }], all: [] };
  }
}

async function listZipped(name: string, bytes: Uint8Array, sourceLocale: string): Promise<Listing> {
  const { files, skipped: unread } = await listZip(bytes, sourceLocale);
  const shown = files.map(({ path }) => path).filter((path) => !isHidden(path));
  const folder = findCommonFolder(shown);
  const toInner = (path: string) => (path.startsWith(folder) ? path.slice(folder.length) : path);
  const names = removeIds(files.map(({ path }) => toInner(path)));
  const all = files.map(({ path, read }) => ({
    place: `${name}/${path}`,
    path: names.get(toInner(path))!,
    fullPath: path,
    read,
  }));
  const tables = findPartialTables(shown);
  const skipped = [
    ...unread,
    ...[...tables].map(([path, detail]) => ({ path, reason: 'duplicate' as const, detail })),
  ];
  const entries = all.filter(({ fullPath }) => !isHidden(fullPath) && !tables.has(fullPath));
  const isEmpty = entries.length === 0 && skipped.length === 0;
  return {
    all,
    entries: entries.sort((one, other) => (one.place < other.place ? -1 : 1)),
    skipped: isEmpty
      ? [{ place: name, reason: 'no_content' }]
      : skipped.map(({ path, ...cause }) => ({ place: `${name}/${path}`, ...cause })),
  };
}

/** Whether a file is hidden, or of a kind that operating systems add to folders. */
const isHidden = (path: string) =>
  path.split('/').some((part) => /^\.|^__MACOSX$|^(?:Thumbs\.db|desktop\.ini)$/i.test(part));

/** Returns the top folder that contains everything in the zip, with its slash, or an empty string. */
function findCommonFolder(paths: readonly string[]): string {
  const folder = /^[^/]+\//.exec(paths[0] ?? '')?.[0] ?? '';
  return paths.every((path) => path.startsWith(folder)) ? folder : '';
}

type ZipListing = {
  files: readonly { path: string; read(): Promise<Uint8Array> }[];
  skipped: readonly (SkipCause & { path: string })[];
};

/**
 * Lists the files of a zip, and which of them are skipped for their name, encryption or size. Throws
 * SkippedFile when the whole zip is skipped. Reading a file fails once it yields more bytes than the
 * zip states, so the limits also hold for unpacked bytes.
 */
export async function listZip(bytes: Uint8Array, sourceLocale?: string): Promise<ZipListing> {
  // The names are decoded later, because yauzl would stop at the first invalid one.
  const archive = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const zip = await fromBufferPromise(archive, { decodeStrings: false }).catch(throwUnreadable);
  if (zip.entryCount > SOURCE_LIMITS.zipFilesMax)
    throw new SkippedFile('too_many_files', `${zip.entryCount} files`);
  const files = [];
  const skipped = [];
  const taken = new Set<string>();
  let unpacked = 0;
  const entries = await listAll(zip).catch(throwUnreadable);
  const locale = entries.some(isAmbiguous) ? await findLocale(zip, entries, sourceLocale) : sourceLocale;
  for (const entry of entries) {
    const path = decodeName(entry, locale);
    if (path.endsWith('/')) continue;
    unpacked += entry.uncompressedSize;
    if (unpacked > SOURCE_LIMITS.unpackedBytesMax)
      throw new SkippedFile('zip_bomb', `over ${SOURCE_LIMITS.unpackedBytesMax} bytes`);
    const cause = findSkipCause(entry, path, taken);
    taken.add(path);
    if (cause) skipped.push({ path: path.slice(0, PATH_CHARS_MAX).replace(/\p{Cc}/gu, '\ufffd'), ...cause });
    else files.push({ path, read: () => unpack(zip, entry) });
  }
  return { files, skipped };
}

/** Texts of this size say in which language the names of the files are. */
const SAMPLE_BYTES_MAX = 256 * 1024;
const SAMPLES_MAX = 3;
const SAMPLE = /\.(?:md|mdx|markdown|txt|csv|html?)$/i;
const LANGUAGES: Readonly<Record<string, string>> = {
  shift_jis: 'ja',
  'euc-jp': 'ja',
  'euc-kr': 'ko',
  gb18030: 'zh',
  big5: 'zh-Hant',
};

/** Finds the language of the content, for names whose encoding the zip does not state. */
async function findLocale(zip: ZipFile, entries: readonly Entry[], sourceLocale = 'en'): Promise<string> {
  const samples = entries.filter(
    (entry) =>
      isAmbiguous(entry) &&
      !entry.isEncrypted() &&
      SAMPLE.test(entry.fileNameRaw.toString('latin1')) &&
      entry.uncompressedSize <= SAMPLE_BYTES_MAX,
  );
  for (const entry of samples.slice(0, SAMPLES_MAX)) {
    const content = await unpack(zip, entry).catch(() => undefined);
    const text = content && decode(content, { isMarkup: true, locale: sourceLocale })?.text;
    const locale = text && detectLocale(text.replace(/<[^>]*>/g, ' '), undefined, sourceLocale);
    if (locale && locale !== sourceLocale) return locale;
  }
  const names = Buffer.concat(entries.filter(isAmbiguous).map(({ fileNameRaw }) => fileNameRaw));
  return LANGUAGES[guessEncoding(names, sourceLocale) ?? ''] ?? sourceLocale;
}

async function listAll(zip: ZipFile): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  for await (const entry of zip.eachEntry()) entries.push(entry);
  return entries;
}

function throwUnreadable(error: Error): never {
  throw new SkippedFile('unreadable', error.message);
}

const PATH_CHARS_MAX = 500;
const SYMBOLIC_LINK = 0o120000;
const FILE_TYPE = 0o170000;

function findSkipCause(entry: Entry, path: string, taken: ReadonlySet<string>): SkipCause | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: file names that people choose contain none
  if (validateFileName(path) !== null || /[\x00-\x1f\x7f]/.test(path) || path.length > PATH_CHARS_MAX) {
    return { reason: 'invalid_path' };
  }
  if (taken.has(path)) return { reason: 'duplicate', detail: path };
  if (entry.isEncrypted()) return { reason: 'encrypted' };
  if (((entry.externalFileAttributes >>> 16) & FILE_TYPE) === SYMBOLIC_LINK) {
    return { reason: 'unsupported_type', detail: 'symbolic link' };
  }
  if (entry.uncompressedSize > SOURCE_LIMITS.sourceFileBytesMax) {
    return { reason: 'too_large', detail: `${entry.uncompressedSize} bytes` };
  }
  if (!entry.canDecodeFileData()) return { reason: 'unreadable', detail: 'unknown compression' };
  return undefined;
}

const unpack = (zip: ZipFile, entry: Entry): Promise<Uint8Array> =>
  zip.openReadStreamPromise(entry).then(buffer).catch(throwUnreadable);
