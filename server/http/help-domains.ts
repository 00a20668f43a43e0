import { isIP } from 'node:net';
import type { Express } from 'express';
import { HELP_PATH } from '../base/help-paths.ts';
import { toLiteral } from '../base/network.ts';

/** Tells proxies whether to get a certificate for a domain, as Caddy asks before it does. */
const ASK_PATH = '/help-domain';

/** The domains that have the pages of a workspace, and nothing else of the service. */
export type HelpDomainTable = {
  findAppId(domain: string): string | undefined;
  findDomain(appId: string): string | undefined;
};

/**
 * Leads requests for a domain of a help centre to its pages, before any other route sees them, so that nothing else of the
 * service answers there. The pages have no other address then.
 */
export function mountHelpDomains(
  app: Express,
  {
    readDomains,
    isOn,
    serviceHost,
  }: {
    readDomains: () => Promise<HelpDomainTable>;
    isOn: (domain: string) => Promise<boolean>;
    /** The name under which browsers reach the service. */
    serviceHost: () => string;
  },
): void {
  const pagePath = new RegExp(`^${HELP_PATH}/([^/?]+)/?(.*)$`, 's');
  app.use(async (request, response, next) => {
    const host = getHostName(request.headers.host);
    const [, ofApp = '', rest = ''] = pagePath.exec(request.url) ?? [];
    // Health checks must not wait for the database.
    if (ofApp === '' && (host === serviceHost() || !isDomain(host))) return next();
    const { findAppId, findDomain } = await readDomains();
    const appId = findAppId(host);
    if (appId !== undefined) {
      request.url = `${HELP_PATH}/${appId}${request.url}`;
      return next();
    }
    const domain = findDomain(ofApp);
    if (domain === undefined) return next();
    response.redirect(301, `https://${domain}/${rest}`);
  });
  app.get(ASK_PATH, async (request, response) => {
    const { domain } = request.query;
    const isServed = typeof domain === 'string' && (await isOn(domain.toLowerCase()));
    response.status(isServed ? 200 : 404).end();
  });
}

const isDomain = (host: string) => host.includes('.') && isIP(toLiteral(host)) === 0;

/** Returns the name of a Host header, without its port. */
export const getHostName = (host = '') => host.toLowerCase().replace(/\.?(?::\d+)?$/, '');
