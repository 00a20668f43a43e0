import { ARCHIVE_FORMAT, type ArchiveLine, archiveLine } from '../../contract/archive-line.ts';
import { toFieldProblems } from '../knowledge/import/article-input.ts';
import { readLines } from '../knowledge/import/json-lines.ts';

/**
 * The archive is invalid or conflicts with existing data. Nothing of it is imported; the message
 * states the reason.
 */
export class InvalidArchive extends Error {
  override readonly name = 'InvalidArchive';
}

export function expected(what: string, line: number, field?: string): InvalidArchive {
  const where = field === undefined ? `line ${line}` : `line ${line}, field ${field}`;
  return new InvalidArchive(`${where}: expected ${what}`);
}

/** More than a turn with a long answer needs, even with \u escapes. */
const LINE_BYTES_MAX = 64 * 1024 * 1024;

export type ReadLine = { readonly line: ArchiveLine; readonly number: number; readonly bytesRead: number };

/** Yields the lines of an archive, each validated on its own. Holds one line at a time. */
export async function* readArchive(file: string): AsyncGenerator<ReadLine> {
  try {
    for await (const { number, bytes, bytesRead } of readLines(file, LINE_BYTES_MAX)) {
      if (bytes === 'too_long') throw expected(`at most ${LINE_BYTES_MAX} bytes`, number);
      yield { line: checked(parsed(bytes, number), number), number, bytesRead };
    }
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (syscall === undefined) throw error;
    throw new InvalidArchive(`${file} cannot be read: ${code}`);
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function parsed(bytes: Buffer, number: number): unknown {
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch {
    throw expected('a JSON object in UTF-8', number);
  }
}

function checked(value: unknown, number: number): ArchiveLine {
  refuseNewer(value);
  const result = archiveLine.safeParse(value);
  if (result.success) return result.data;
  const [problem] = toFieldProblems(result.error);
  throw expected(problem?.expected ?? 'a line of an archive', number, problem?.field);
}

/** Check the version first, because a newer one may have changed everything else. */
function refuseNewer(value: unknown): void {
  const { type, format } = (value ?? {}) as { readonly type?: unknown; readonly format?: unknown };
  if (type !== 'workspace' || typeof format !== 'number' || format <= ARCHIVE_FORMAT) return;
  throw new InvalidArchive(
    `This archive has the format ${format}, and this version of the service reads formats up to ${ARCHIVE_FORMAT}: ` +
      'import it with the version that wrote it, or a newer one.',
  );
}
