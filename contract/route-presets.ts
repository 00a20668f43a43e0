/** Shared metadata of workspace routes: members call them, and each member has a rate limit. */
const memberRoute = {
  credential: 'session',
  unauthorized: 'session/unauthorized',
  limitsWithoutCredential: ['session/ip-rate-limited'],
} as const;

export const ALL_ROLES = ['owner', 'admin', 'member'] as const;
export const EDITOR_ROLES = ['owner', 'admin'] as const;

/** For routes that read. All members may call them by default. */
export const readRoute = { ...memberRoute, roles: ALL_ROLES, limits: ['tenant/member-reads'] } as const;

/** For routes that change something. Owners and admins may call them by default. */
export const editRoute = {
  ...memberRoute,
  roles: EDITOR_ROLES,
  limits: ['tenant/member-mutations'],
} as const;
