import type { Refusal } from '../document.ts';
import { RefusedFile } from './reader.ts';
import { listZip } from './zip.ts';

/** A file to read: the upload itself, or a file within an uploaded zip. */
export type FileEntry = {
  place: string;
  /** Its path in the zip below the common folder; its name if it was uploaded alone. */
  path: string;
  /** Its whole path in the zip; its name if it was uploaded alone. */
  fullPath: string;
  read(): Promise<Uint8Array>;
};

type Listing = { entries: readonly FileEntry[]; refusals: readonly Refusal[] };
type NamedBytes = { name: string; bytes: Uint8Array };

export async function listEntries({ name, bytes }: NamedBytes): Promise<Listing> {
  if (!isZip(name))
    return { entries: [{ place: name, path: name, fullPath: name, read: async () => bytes }], refusals: [] };
  try {
    return await listZipped(name, bytes);
  } catch (error) {
    if (!(error instanceof RefusedFile)) throw error;
    return { entries: [], refusals: [{ place: name, ...error.fault }] };
  }
}

async function listZipped(name: string, bytes: Uint8Array): Promise<Listing> {
  const { files, refused } = await listZip(bytes);
  const shown = files.filter(({ path }) => !isHidden(path));
  const folder = findCommonFolder(shown.map(({ path }) => path));
  const entries = shown.map(({ path, read }) => ({
    place: `${name}/${path}`,
    path: path.slice(folder.length),
    fullPath: path,
    read,
  }));
  const isEmpty = entries.length === 0 && refused.length === 0;
  return {
    entries: entries.sort((one, other) => (one.place < other.place ? -1 : 1)),
    refusals: isEmpty
      ? [{ place: name, reason: 'no_content' }]
      : refused.map(({ path, ...fault }) => ({ place: `${name}/${path}`, ...fault })),
  };
}

const isZip = (name: string) => /\.zip$/i.test(name);

/** Whether a file is hidden, or of a kind that operating systems add to folders. */
const isHidden = (path: string) =>
  path.split('/').some((part) => /^\.|^__MACOSX$|^(?:Thumbs\.db|desktop\.ini)$/i.test(part));

/** Returns the top folder that contains everything in the zip, with its slash, or an empty string. */
function findCommonFolder(paths: readonly string[]): string {
  const folder = /^[^/]+\//.exec(paths[0] ?? '')?.[0] ?? '';
  return paths.every((path) => path.startsWith(folder)) ? folder : '';
}
