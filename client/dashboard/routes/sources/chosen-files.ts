import { Zip, ZipDeflate } from 'fflate';

/** A file that the user has chosen, with its path if it came in a folder. */
export type ChosenFile = { path: string; file: File };

/** The files of one request. */
export type Upload = { name: string; content: Blob };

/** The largest upload that the service takes, less room for the zip's directory. */
const ZIP_BYTES_MAX = 48 * 1024 * 1024;
const ZIP_FILES_MAX = 5000;

/**
 * Puts files together into zips, so that the service can tell which files are languages of the same article. Zips, and
 * files too large to be part of one, are sent as they are.
 */
export async function toUploads(
  chosen: readonly ChosenFile[],
  zipName: string,
  onRead: (files: number) => void,
): Promise<readonly Upload[]> {
  const isAlone = ({ path, file }: ChosenFile) => /\.zip$/i.test(path) || file.size > ZIP_BYTES_MAX / 2;
  const singleUploads = chosen.filter(isAlone).map(toUpload);
  const filesToZip = chosen.filter((each) => !isAlone(each));
  if (filesToZip.length < 2) return [...singleUploads, ...filesToZip.map(toUpload)];
  const zips: Upload[] = [];
  let read = 0;
  for (const part of divide(filesToZip)) {
    const name = zips.length === 0 ? zipName : zipName.replace(/\.zip$/, `-${zips.length + 1}.zip`);
    const content = await zip(part, (files) => {
      read += files;
      onRead(read);
    });
    zips.push({ name, content });
  }
  return [...singleUploads, ...zips];
}

const READ_AT_ONCE = 20;

/** Reads a few files at a time, so that the page stays responsive. */
async function zip(files: readonly ChosenFile[], onRead: (files: number) => void): Promise<Blob> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const archive = new Zip((error, part) => {
    if (error) throw error;
    parts.push(part as Uint8Array<ArrayBuffer>);
  });
  for (let at = 0; at < files.length; at += READ_AT_ONCE) {
    const batch = files.slice(at, at + READ_AT_ONCE);
    const contents = await Promise.all(batch.map(({ file }) => file.arrayBuffer()));
    for (const [index, content] of contents.entries()) {
      const entry = new ZipDeflate(batch[index]!.path, { level: 1 });
      archive.add(entry);
      entry.push(new Uint8Array(content), true);
    }
    onRead(batch.length);
  }
  archive.end();
  return new Blob(parts);
}

const toUpload = ({ path, file }: ChosenFile): Upload => ({ name: path, content: file });

/** Divides files into parts that each fit into one zip. */
function divide(files: readonly ChosenFile[]): ChosenFile[][] {
  const parts: ChosenFile[][] = [[]];
  let bytes = 0;
  for (const each of files) {
    bytes += each.file.size;
    if (bytes > ZIP_BYTES_MAX || parts.at(-1)!.length === ZIP_FILES_MAX) {
      parts.push([]);
      bytes = each.file.size;
    }
    parts.at(-1)!.push(each);
  }
  return parts;
}

/** Reads the dropped files, including those in folders. */
export async function readDropped(items: DataTransferItemList): Promise<readonly ChosenFile[]> {
  // The browser empties the list after the first await.
  const reading = [...items].map((item) => {
    const entry = item.webkitGetAsEntry();
    const file = item.getAsFile();
    if (entry) return readEntry(entry);
    return file ? [{ path: file.name, file }] : [];
  });
  return (await Promise.all(reading)).flat();
}

async function readEntry(entry: FileSystemEntry): Promise<ChosenFile[]> {
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) =>
      (entry as FileSystemFileEntry).file(resolve, reject),
    );
    return [{ path: entry.fullPath.replace(/^\//, ''), file }];
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const files: ChosenFile[] = [];
  for (;;) {
    const entries = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (entries.length === 0) return files;
    files.push(...(await Promise.all(entries.map(readEntry))).flat());
  }
}
