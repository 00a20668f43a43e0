/** An archive was not imported, and nothing of it was kept; the message says why. */
export class ArchiveRefused extends Error {
  override readonly name = 'ArchiveRefused';
}

/** What was expected at a place of an archive. */
export function expected(what: string, line: number, field?: string): ArchiveRefused {
  const place = field === undefined ? `line ${line}` : `line ${line}, field ${field}`;
  return new ArchiveRefused(`${place}: expected ${what}`);
}
