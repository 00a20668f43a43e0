import {
  changeMemberRole,
  createApiKey,
  createInvitation,
  listApiKeys,
  listInvitations,
  listMembers,
  removeMember,
  revokeApiKey,
  withdrawInvitation,
} from '../../generated/routes.ts';
import type { Connection } from './connection.ts';
import type { CallOptions } from './guide.ts';
import type { Answer } from './http.ts';
import type { RowList } from './pages.ts';
import type {
  ApiKey,
  ApiKeyCreated,
  Invitation,
  InvitationCreated,
  ListOptions,
  Member,
  MemberRole,
  NewApiKey,
  NewInvitation,
} from './types.ts';

/** Who belongs to the workspace. Rejects with `member/last_owner` rather than leave it without an owner. */
export type Members = {
  /** Oldest first. */
  list(options?: ListOptions): RowList<Member>;
  /** Making or lowering an owner takes an owner whose password was given within ten minutes. */
  changeRole(memberId: string, role: MemberRole, options?: CallOptions): Answer<Member>;
  /** Removes a member; one's own id to leave. */
  remove(memberId: string, options?: CallOptions): Answer<void>;
};

export type Invitations = {
  /** Answers with the link to hand over; it works once and for seven days, and is never shown again. */
  create(invitation: NewInvitation, options?: CallOptions): Answer<InvitationCreated>;
  /** The open ones, newest first. */
  list(options?: ListOptions): RowList<Invitation>;
  withdraw(invitationId: string, options?: CallOptions): Answer<void>;
};

export type ApiKeys = {
  /**
   * Answers with the whole key, which is never shown again. Rejects with `session/password_needed` when the password was
   * not given within ten minutes: `account.confirmPassword` first.
   */
  create(apiKey: NewApiKey, options?: CallOptions): Answer<ApiKeyCreated>;
  /** Without their secrets, newest first, the revoked ones too. */
  list(options?: ListOptions): RowList<ApiKey>;
  /** The key stops working at once and for ever. */
  revoke(keyId: string, options?: CallOptions): Answer<void>;
};

export function openMembers({ ask, tell, list }: Connection, tenantId: string): Members {
  const at = (memberId: string) => ({ parameters: { tenantId, memberId } });
  return {
    list: ({ signal, limit } = {}) =>
      list(listMembers, { parameters: { tenantId }, query: { limit } }, { signal }),
    changeRole: (id, role, options) => ask(changeMemberRole, { ...at(id), body: { role } }, options),
    remove: (id, options) => tell(removeMember, at(id), options),
  };
}

export function openInvitations({ ask, tell, list }: Connection, tenantId: string): Invitations {
  const parameters = { tenantId };
  return {
    create: (body, options) => ask(createInvitation, { parameters, body }, options),
    list: ({ signal, limit } = {}) => list(listInvitations, { parameters, query: { limit } }, { signal }),
    withdraw: (invitationId, options) =>
      tell(withdrawInvitation, { parameters: { tenantId, invitationId } }, options),
  };
}

export function openApiKeys({ ask, tell, list }: Connection, tenantId: string): ApiKeys {
  const parameters = { tenantId };
  return {
    create: (body, options) => ask(createApiKey, { parameters, body }, options),
    list: ({ signal, limit } = {}) => list(listApiKeys, { parameters, query: { limit } }, { signal }),
    revoke: (keyId, options) => tell(revokeApiKey, { parameters: { tenantId, keyId } }, options),
  };
}
