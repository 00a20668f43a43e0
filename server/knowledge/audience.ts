import { isPossibleEntry } from '../base/audience.ts';
import { throwInvalidRequest } from '../http/errors.ts';
import type { WorkspaceSettings } from '../storage/workspace-settings.ts';

/** Throws 400 if no customer could ever belong to one of the entries. */
export function parseAudience(
  audience: readonly string[],
  { customerAttributes = [] }: Pick<WorkspaceSettings, 'customerAttributes'>,
  path: string,
): string[] {
  return audience.map((entry, at) => {
    const normalized = entry.normalize('NFC');
    if (isPossibleEntry(normalized, customerAttributes)) return normalized;
    const message = 'Expected signed_in, or a declared attribute with a value that it can have.';
    return throwInvalidRequest({ path: `${path}.${at}`, code: 'unknown_audience', message });
  });
}
