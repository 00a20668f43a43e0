import type { siteChecks } from '../../contract/site-checks.ts';
import { throwInvalidRequest } from '../http/errors.ts';
import type { Handlers } from '../http/handler.ts';
import { isAllowedOrigin } from '../visitors/allowed-origin.ts';
import type { NetworkSettings } from './public-addresses.ts';
import type { SiteFinding } from './website/check-page.ts';

/** A page that answers slower hinders visitors too. */
const SECONDS_MAX = 10;

type Deps = { network: NetworkSettings };

export function siteCheckHandlers({ network }: Deps): Handlers<typeof siteChecks> {
  return {
    async checkSite({ body: { url }, caller: { workspace } }) {
      const { allowedOrigins } = workspace.settings;
      if (!isAllowedOrigin(new URL(url).origin, allowedOrigins))
        throwInvalidRequest({
          path: 'body.url',
          code: 'origin_not_allowed',
          message: 'Only pages on an allowed origin can be tried.',
        });
      // Loaded late: few requests need the parser of HTML.
      const { checkPage } = await import('./website/check-page.ts');
      const checkOrigin = async (app: string, origin: string) => {
        if (app !== workspace.appId) return 'unknown';
        return isAllowedOrigin(origin, allowedOrigins) ? 'allowed' : 'refused';
      };
      const findings: SiteFinding[] = [];
      for await (const finding of checkPage(url, { ...network, secondsMax: SECONDS_MAX }, checkOrigin))
        findings.push(finding);
      return { status: 200, body: { findings } };
    },
  };
}
