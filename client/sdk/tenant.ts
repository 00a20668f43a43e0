import {
  changeMemberRole,
  changeTenant,
  createApiKey,
  createInvitation,
  deleteTenant,
  exportTenant,
  listApiKeys,
  listAudit,
  listConsentDirectives,
  listFeedback,
  listInvitations,
  listMembers,
  listTenantConversations,
  previewAnswer,
  readAnalytics,
  readInstallation,
  readTenant,
  readTenantConversation,
  removeMember,
  revokeApiKey,
  rotateApiKey,
  searchKnowledge,
  withdrawInvitation,
} from '../../generated/routes.ts';
import type { Operation } from '../../generated/types.ts';
import type { Connection, TenantConnection } from './connection.ts';
import type { AnyInput, CallOptions } from './http.ts';
import { openArticles, openTranslations } from './knowledge.ts';
import type {
  AnalyticsOptions,
  ApiKeyRotation,
  ArchiveLine,
  AuditFilters,
  ConfirmName,
  ConversationFilters,
  DirectiveOptions,
  FeedbackFilters,
  ListOptions,
  MemberRole,
  NewApiKey,
  NewInvitation,
  PreviewQuestion,
  SearchOptions,
  TenantSettingsChange,
} from './types.ts';

/**
 * One workspace, for its members. Every method rejects with a `GuideError`: `session/unauthorized` without a session,
 * `tenant/not_found` when the user is not a member, `tenant/role_required` when their role does not allow the call.
 */
export type Tenant = ReturnType<typeof openTenant>;
export type Settings = Tenant['settings'];
/** Conversations of visitors who consented to storage. */
export type Conversations = Tenant['conversations'];
/** Members of the workspace. Rejects with `member/last_owner` when a change would leave it without an owner. */
export type Members = ReturnType<typeof openMembers>;
export type Invitations = ReturnType<typeof openInvitations>;
export type ApiKeys = ReturnType<typeof openApiKeys>;

/** Slightly longer than the service takes at most. */
const PREVIEW_SECONDS = 75;

export function openTenant(connection: Connection, tenantId: string) {
  const bound = bindTenant(connection, tenantId);
  const { call, list } = bound;
  return {
    id: tenantId,
    /**
     * Calls any operation of this workspace by its constant from `@guidepost/client/operations`, such as
     * `tenant.call(changeMemberRole, { params: { memberId }, body: { role } })`.
     */
    call,
    /** Lists the rows of any operation that returns pages, such as `tenant.list(listMembers)`. */
    list,
    settings: openSettings(bound),
    members: openMembers(bound),
    invitations: openInvitations(bound),
    apiKeys: openApiKeys(bound),
    articles: openArticles(bound),
    translations: openTranslations(bound),
    conversations: {
      /** Newest first. A page can be empty even when more follow. */
      list: ({ signal, ...query }: ConversationFilters = {}) =>
        list(listTenantConversations, { query, signal }),
      /** One conversation with all its turns. */
      read: (conversationId: string, options?: CallOptions) =>
        call(readTenantConversation, { params: { conversationId }, ...options }),
    },
    /** The articles that a visitor with this locale would get, best match first. 10 unless `limit` says otherwise, at most 50. */
    search: (question: string, { signal, ...query }: SearchOptions = {}) =>
      call(searchKnowledge, { query: { ...query, q: question }, signal }),
    /**
     * Analytics per day or hour from `from` up to but excluding `to`, with totals of the period before for comparison. The last
     * 28 days by default; at most 400 days, or 31 in hours.
     */
    analytics: ({ signal, ...query }: AnalyticsOptions = {}) => call(readAnalytics, { query, signal }),
    /**
     * Asks the guide as a visitor with this locale and region, and returns the answer with what it is based on. Nothing is
     * stored, and only the tokens of a language model are counted. Takes up to a minute. Rejects with
     * `chat/answer_broke_off` when there was no answer.
     */
    preview: (question: PreviewQuestion, options?: CallOptions) =>
      call(previewAnswer, { body: question, deadlineSeconds: PREVIEW_SECONDS, ...options }),
    /** When the guide last started on each allowed origin, and which other origins tried. */
    installation: (options?: CallOptions) => call(readInstallation, options),
    /** Ratings of answers, newest first. A page can be empty even when more follow. */
    feedback: ({ signal, ...query }: FeedbackFilters = {}) => list(listFeedback, { query, signal }),
    /** The audit log, newest first. A page can be empty even when more follow. */
    audit: ({ signal, ...query }: AuditFilters = {}) => list(listAudit, { query, signal }),
    /**
     * Everything that the workspace owns, one archive line at a time, at any size. The request is sent when the loop starts and
     * ends when it is left. The last line has the type `end`. Rejects with `network` when the download is cut off before, and
     * with `timeout` when it goes silent.
     */
    export: ({ signal }: CallOptions = {}) =>
      connection.download<ArchiveLine>(exportTenant, { params: { tenantId }, signal }),
  };
}

function bindTenant({ call, send, list, download }: Connection, tenantId: string): TenantConnection {
  type Method = (operation: Operation, input?: AnyInput) => never;
  const bind =
    (method: Method): Method =>
    (operation, { params, ...input } = {}) =>
      method(operation, { ...input, params: { ...params, tenantId } });
  return {
    call: bind(call as Method) as TenantConnection['call'],
    send: bind(send as Method) as TenantConnection['send'],
    list: bind(list as Method) as TenantConnection['list'],
    download,
  };
}

function openSettings({ call, send }: TenantConnection) {
  return {
    /** The settings of the workspace. */
    read: (options?: CallOptions) => call(readTenant, options),
    /** Changes the given settings and keeps the others. Visitors see the change within five seconds. */
    change: (change: TenantSettingsChange, options?: CallOptions) =>
      call(changeTenant, { body: change, ...options }),
    /**
     * How consent works in each region for a visitor who has not decided yet. `strictness` and `byRegion` preview settings that
     * are not saved.
     */
    directives: ({ signal, byRegion, ...query }: DirectiveOptions = {}) => {
      const rules = byRegion?.map(({ region, strictness }) => `${region}:${strictness}`).join();
      return call(listConsentDirectives, {
        query: { ...query, byRegion: rules === '' ? 'none' : rules },
        signal,
      });
    },
    /**
     * Deletes the workspace and everything in it. Only for owners who confirmed their password within ten minutes.
     * `confirmName` is the name of the workspace as the user typed it; a different name rejects with `tenant/name_mismatch`.
     * The request is never repeated: after 503 or `timeout` the service continues the deletion by itself.
     */
    delete: (confirmName: ConfirmName, options?: CallOptions) =>
      send(deleteTenant, { query: { confirmName }, once: true, ...options }),
  };
}

function openMembers({ call, send, list }: TenantConnection) {
  return {
    /** Oldest first. */
    list: ({ signal, limit }: ListOptions = {}) => list(listMembers, { query: { limit }, signal }),
    /** Granting or removing ownership takes an owner who confirmed their password within ten minutes. */
    changeRole: (memberId: string, role: MemberRole, options?: CallOptions) =>
      call(changeMemberRole, { params: { memberId }, body: { role }, ...options }),
    /** Removes a member. Pass your own id to leave. */
    remove: (memberId: string, options?: CallOptions) =>
      send(removeMember, { params: { memberId }, ...options }),
  };
}

function openInvitations({ call, send, list }: TenantConnection) {
  return {
    /** Returns the link to pass on. It works once, for seven days, and is never shown again. */
    create: (invitation: NewInvitation, options?: CallOptions) =>
      call(createInvitation, { body: invitation, ...options }),
    /** Open invitations, newest first. */
    list: ({ signal, limit }: ListOptions = {}) => list(listInvitations, { query: { limit }, signal }),
    /** Makes the link of an invitation invalid. */
    withdraw: (invitationId: string, options?: CallOptions) =>
      send(withdrawInvitation, { params: { invitationId }, ...options }),
  };
}

function openApiKeys({ call, send, list }: TenantConnection) {
  return {
    /**
     * Returns the complete key, which is never shown again. Rejects with `session/password_needed` when the password was not
     * confirmed within ten minutes; call `account.confirmPassword` first.
     */
    create: (apiKey: NewApiKey, options?: CallOptions) => call(createApiKey, { body: apiKey, ...options }),
    /** All keys without their secrets, newest first, including revoked ones. */
    list: ({ signal, limit }: ListOptions = {}) => list(listApiKeys, { query: { limit }, signal }),
    /** The key stops working at once, for good. */
    rotate: (keyId: string, rotation: ApiKeyRotation, options?: CallOptions) =>
      call(rotateApiKey, { params: { keyId }, body: rotation, ...options }),
    revoke: (keyId: string, options?: CallOptions) => send(revokeApiKey, { params: { keyId }, ...options }),
  };
}
