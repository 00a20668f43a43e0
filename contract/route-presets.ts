/** What the routes of a workspace have in common: its members call them, and are counted one by one. */
const ofMembers = {
  credential: 'session',
  unauthorized: 'session/unauthorized',
  limitsWithoutCredential: ['session/ip-rate-limited'],
} as const;

export const EVERYBODY = ['owner', 'admin', 'member'] as const;
export const WHO_CHANGES = ['owner', 'admin'] as const;

/** Of a route that reads, for all members unless it says otherwise. */
export const reading = { ...ofMembers, roles: EVERYBODY, limits: ['tenant/member-reads'] } as const;

/** Of a route that changes something, for owners and admins unless it says otherwise. */
export const changing = { ...ofMembers, roles: WHO_CHANGES, limits: ['tenant/member-mutations'] } as const;
