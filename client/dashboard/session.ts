import { queryOptions, useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { Tenant } from '../sdk/tenant.ts';
import type { MemberRole, SessionState } from '../sdk/types.ts';
import { SESSION } from './queries.ts';
import { account } from './service.ts';

/** Who is signed in; null when nobody is. */
export const sessionQuery = queryOptions({
  queryKey: SESSION,
  queryFn: async ({ signal }) => (await account.session({ signal })) ?? null,
  staleTime: 60_000,
});

/** The person on whose behalf a page below the shell is shown. */
export function useSession(): SessionState {
  const { data } = useQuery(sessionQuery);
  if (!data) throw new Error('a page of a workspace is shown to nobody');
  return data;
}

export type Workspace = {
  readonly tenant: Tenant;
  readonly tenantId: string;
  readonly name: string;
  readonly appId: string;
  readonly memberId: string;
  readonly role: MemberRole;
  /** Owners and admins change things; members read. */
  readonly mayChange: boolean;
};

/** The workspace that the address names, and what the person is in it. */
export function useWorkspace(): Workspace {
  const { tenantId } = useParams({ strict: false });
  const { memberships } = useSession();
  const membership = memberships.find((each) => each.tenantId === tenantId);
  if (!membership) throw new Error('the person does not belong to this workspace');
  const { name, appId, memberId, role } = membership;
  return {
    tenant: account.tenant(membership.tenantId),
    tenantId: membership.tenantId,
    name,
    appId,
    memberId,
    role,
    mayChange: role !== 'member',
  };
}
