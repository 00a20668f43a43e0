import type { MemberRole } from '../storage/members.ts';

/** What a session's identity provider is called if it is that of the installation. */
export const INSTALLATION_PROVIDER = 'installation';

type Membership = {
  workspaceId: string;
  role: MemberRole;
  /** Of the workspace's own provider; null without one. */
  providerMode: 'off' | 'optional' | 'required' | null;
};

/**
 * Whether the workspace is closed to a person who signed in this way. Owners may always come in by other ways, which the audit
 * tells: a provider that fails must not lock everybody out.
 */
export function isClosedTo(
  identityProvider: string | null,
  { workspaceId, role, providerMode }: Membership,
  isInstallationRequired: boolean,
): boolean {
  if (role === 'owner' || identityProvider === workspaceId) return false;
  if (providerMode === 'required') return true;
  return isInstallationRequired && identityProvider !== INSTALLATION_PROVIDER;
}
