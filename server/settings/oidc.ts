import { z } from 'zod';
import { isLoopbackHost } from '../base/network.ts';
import { commaList } from './comma-list.ts';

/** Settings of the identity provider of the installation. Workspaces set theirs in the dashboard. */

export const oidcSettings = {
  OIDC_ISSUER: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe(
      'Issuer of an OpenID Connect provider with which people sign in to the dashboard, such as `https://login.example.com`, exactly as its ' +
        'discovery document states it. http only on this machine. Needs OIDC_CLIENT_ID and OIDC_CLIENT_SECRET.',
    ),
  OIDC_CLIENT_ID: z.string().max(255).optional().describe('The id that the provider gave to this service.'),
  OIDC_CLIENT_SECRET: z
    .string()
    .max(512)
    .optional()
    .describe('The secret that the provider gave to this service.'),
  OIDC_NAME: z
    .string()
    .max(100)
    .optional()
    .describe('Name of the provider on the button of the sign-in page. Without it, the host of OIDC_ISSUER.'),
  OIDC_EMAIL_DOMAINS: commaList.describe(
    'Comma-separated domains of e-mail addresses for which the provider vouches; other addresses are refused. Empty: any address that it ' +
      'marks as verified (`email_verified`).',
  ),
  OIDC_REQUIRED: z
    .enum(['on', 'off'])
    .default('off')
    .describe(
      '`on` refuses passwords to everybody but owners, except in workspaces with a provider of their own.',
    ),
  OIDC_APP_ID: z
    .string()
    .max(67)
    .optional()
    .describe(
      'App id of the workspace that people join when they sign in for the first time. Without it, only people with an account sign in.',
    ),
  OIDC_DEFAULT_ROLE: z.enum(['admin', 'member']).default('member').describe('The role of people who join.'),
  OIDC_GROUPS_CLAIM: z.string().max(200).default('groups').describe('The claim with the groups of a person.'),
  OIDC_GROUP_ROLES: commaList.describe(
    'Comma-separated roles of groups in the workspace that people join, such as `support-leads=admin`, set at each sign-in. Owners keep ' +
      'their role.',
  ),
};

export type GroupRole = { group: string; role: 'admin' | 'member' };

export type OidcSettings = {
  issuer: string;
  clientId: string;
  clientSecret: string;
  name: string;
  /** Lower case; empty for any verified address. */
  emailDomains: readonly string[];
  isRequired: boolean;
  /** Undefined if nobody joins by signing in. */
  appId: string | undefined;
  defaultRole: 'admin' | 'member';
  groupsClaim: string;
  groupRoles: readonly GroupRole[];
};

/** Returns undefined without a provider, and a sentence for settings that are invalid together. */
export function parseOidcSettings(
  values: z.infer<z.ZodObject<typeof oidcSettings>>,
): OidcSettings | string | undefined {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = values;
  if (issuer === undefined && clientId === undefined && clientSecret === undefined)
    return values.OIDC_REQUIRED === 'on' ? 'OIDC_REQUIRED: set OIDC_ISSUER first' : undefined;
  if (issuer === undefined || clientId === undefined || clientSecret === undefined)
    return 'OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET: set all three, or none';
  const { protocol, hostname, host, search, hash } = new URL(issuer);
  if (protocol === 'http:' && !isLoopbackHost(hostname))
    return 'OIDC_ISSUER: expected https; without it, anybody on the way could sign in';
  if (search !== '' || hash !== '') return 'OIDC_ISSUER: expected an address without a query';
  const groupRoles = values.OIDC_GROUP_ROLES.map(parseGroupRole);
  if (groupRoles.includes(undefined))
    return 'OIDC_GROUP_ROLES: expected entries such as support-leads=admin, with the role admin or member';
  return {
    ...{ issuer, clientId, clientSecret },
    name: values.OIDC_NAME ?? host,
    emailDomains: values.OIDC_EMAIL_DOMAINS.map((domain) => domain.toLowerCase()),
    isRequired: values.OIDC_REQUIRED === 'on',
    appId: values.OIDC_APP_ID,
    defaultRole: values.OIDC_DEFAULT_ROLE,
    groupsClaim: values.OIDC_GROUPS_CLAIM,
    groupRoles: groupRoles.filter((each) => each !== undefined),
  };
}

function parseGroupRole(entry: string): GroupRole | undefined {
  const { group, role } = /^(?<group>.+)=(?<role>admin|member)$/.exec(entry)?.groups ?? {};
  return group && role ? { group, role: role as GroupRole['role'] } : undefined;
}
