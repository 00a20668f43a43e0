import type { Express } from 'express';
import { HELP_PATH } from '../base/help-paths.ts';

/** Tells proxies whether to get a certificate for a domain, as Caddy asks before it does. */
const ASK_PATH = '/help-domain';

/**
 * Leads requests for a domain of a help centre to its pages, before any other route sees them, so that nothing else of the
 * service answers there. The pages have no other address then.
 */
export function mountHelpDomains(
  app: Express,
  {
    helpDomains,
    isOn,
  }: { helpDomains: ReadonlyMap<string, string>; isOn: (domain: string) => Promise<boolean> },
): void {
  const domainOf = new Map([...helpDomains].map(([domain, appId]) => [appId, domain]));
  const pagePath = new RegExp(`^${HELP_PATH}/([^/?]+)/?(.*)$`, 's');
  app.use((request, response, next) => {
    const appId = helpDomains.get(getHostName(request.headers.host));
    if (appId !== undefined) {
      request.url = `${HELP_PATH}/${appId}${request.url}`;
      return next();
    }
    const [, ofApp = '', rest = ''] = pagePath.exec(request.url) ?? [];
    const domain = domainOf.get(ofApp);
    if (domain === undefined) return next();
    response.redirect(301, `https://${domain}/${rest}`);
  });
  app.get(ASK_PATH, async (request, response) => {
    const { domain } = request.query;
    const isServed = typeof domain === 'string' && (await isOn(domain.toLowerCase()));
    response.status(isServed ? 200 : 404).end();
  });
}

/** Returns the name of a Host header, without its port. */
export const getHostName = (host = '') => host.toLowerCase().replace(/\.?(?::\d+)?$/, '');
