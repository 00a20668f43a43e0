import { createKey } from '../../server/accounts/api-keys.ts';
import type { ApiKey, ApiKeyScope } from '../../server/storage/api-keys.ts';
import type { Harness } from '../harness.ts';

export const SCOPES: readonly ApiKeyScope[] = ['analytics:read', 'events:read'];

/** Creates an API key and returns its text and its stored row. */
export function makeKey(
  { service, clock, workspace }: Harness,
  scopes: readonly ApiKeyScope[] = SCOPES,
  workspaceId = workspace.id,
): Promise<{ readonly key: ApiKey; readonly text: string }> {
  const wanted = { workspaceId, name: 'Nightly report', scopes, createdBy: 'operator' };
  return createKey({ store: service.store, clock }, wanted);
}
