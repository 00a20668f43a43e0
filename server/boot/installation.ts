import type { installation } from '../../contract/installation.ts';
import { toIsoString } from '../clock.ts';
import type { Handlers } from '../http/handler.ts';
import { isAllowedOrigin } from './allowed-origin.ts';
import type { Installations } from './installation-checks.ts';

/** Whether the script tag was seen where it should be, and where it should not. */
export function installationHandlers({
  installations,
}: {
  readonly installations: Pick<Installations, 'newest' | 'rejections'>;
}): Handlers<typeof installation> {
  return {
    async readInstallation({ caller: { workspace } }) {
      const { allowedOrigins } = workspace.settings;
      const newest = await installations.newest(workspace.id, allowedOrigins);
      const origins = allowedOrigins.map((origin) => {
        const seen = newest.get(origin);
        return { origin, ...(seen && { seenOrigin: seen.origin, lastSeenAt: toIsoString(seen.atMillis) }) };
      });
      const refused = installations
        .rejections(workspace.id)
        .filter(({ origin }) => !isAllowedOrigin(origin, allowedOrigins))
        .map(({ origin, atMillis, count }) => ({ origin, lastAskedAt: toIsoString(atMillis), count }));
      return { status: 200, body: { origins, refused } };
    },
  };
}
