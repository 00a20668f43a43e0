import type { installation } from '../../contract/installation.ts';
import { momentOf } from '../clock.ts';
import type { Handlers } from '../http/handler.ts';
import { isAllowedOrigin } from './allowed-origin.ts';
import type { Sightings } from './sightings.ts';

/** Whether the script tag was seen where it should be, and where it should not. */
export function installationHandlers({
  sightings,
}: {
  readonly sightings: Pick<Sightings, 'newest' | 'refusals'>;
}): Handlers<typeof installation> {
  return {
    async readInstallation({ caller: { workspace } }) {
      const { allowedOrigins } = workspace.settings;
      const newest = await sightings.newest(workspace.id, allowedOrigins);
      const origins = allowedOrigins.map((origin) => {
        const seen = newest.get(origin);
        return { origin, ...(seen && { seenOrigin: seen.origin, lastSeenAt: momentOf(seen.atMillis) }) };
      });
      const refused = sightings
        .refusals(workspace.id)
        .filter(({ origin }) => !isAllowedOrigin(origin, allowedOrigins))
        .map(({ origin, atMillis, count }) => ({ origin, lastAskedAt: momentOf(atMillis), count }));
      return { status: 200, body: { origins, refused } };
    },
  };
}
