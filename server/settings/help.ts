import { commaList } from './comma-list.ts';

/** Settings of the help centres' domains. */
export const helpSettings = {
  HELP_DOMAINS: commaList.describe(
    'Comma-separated domains of help centres, each with the app id of its workspace: `help.example.com=gp_…`. On such a domain ' +
      'nothing but the help centre answers.',
  ),
};

export type HelpDomains = ReadonlyMap<string, string>;

const ENTRY = /^((?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63})=(gp_[0-9A-Za-z_-]{1,64})$/i;

/** Returns the app ids by their domains, or what is wrong. */
export function parseHelpDomains(
  { HELP_DOMAINS: entries }: { HELP_DOMAINS: readonly string[] },
  publicUrl: string | undefined,
): HelpDomains | string {
  const domains = new Map<string, string>();
  for (const entry of entries) {
    const [, written, appId] = ENTRY.exec(entry) ?? [];
    const domain = written?.toLowerCase();
    if (!domain || !appId) return `HELP_DOMAINS: expected help.example.com=gp_…, not ${entry}`;
    if (domains.has(domain)) return `HELP_DOMAINS: ${domain} is there twice`;
    if (publicUrl !== undefined && new URL(publicUrl).hostname === domain)
      return `HELP_DOMAINS: ${domain} is the domain of PUBLIC_URL`;
    domains.set(domain, appId);
  }
  return domains;
}
