import * as operations from '../../generated/routes.ts';
import type { Operation } from '../../generated/types.ts';
import { openArticles, openImages, openTranslations } from './articles.ts';
import type { Connection, TenantConnection } from './connection.ts';
import type { AnyInput, CallOptions } from './http.ts';
import { bindMethods } from './methods.ts';
import { openSources } from './sources.ts';
import type {
  AnalyticsOptions,
  ArchiveRow,
  ConfirmName,
  DirectiveOptions,
  MemberRole,
  PreviewBootOptions,
  SearchOptions,
  WorkspaceModelChange,
} from './types.ts';

/**
 * One workspace, for its members. Every method rejects with a `GuideError`: `session/unauthorized` without a session,
 * `tenant/not_found` when the user is not a member, `tenant/role_required` when their role does not allow the call.
 */
export type Tenant = ReturnType<typeof openTenant>;
export type Settings = Tenant['settings'];
/** Conversations of visitors who consented to storage. */
export type Conversations = ReturnType<typeof openConversations>;
/** Members of the workspace. Rejects with `member/last_owner` when a change would leave it without an owner. */
export type Members = ReturnType<typeof openMembers>;
export type Invitations = ReturnType<typeof openInvitations>;
export type ApiKeys = ReturnType<typeof openApiKeys>;
export type Webhooks = ReturnType<typeof openWebhooks>;

/** Slightly longer than the service takes at most. */
const PREVIEW_SECONDS = 75;

export function openTenant(connection: Connection, tenantId: string) {
  const bound = bindTenant(connection, tenantId);
  const { call, list } = bound;
  const { read, write, pages } = bindMethods(bound);
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
    /** The language model that answers in the workspace, in place of the installation's. */
    model: openModel(bound),
    members: openMembers(bound),
    invitations: openInvitations(bound),
    apiKeys: openApiKeys(bound),
    automationSessions: openAutomationSessions(bound, connection),
    /** Where the pages of the help centre are, and the domain of their own. */
    helpDomain: openHelpDomain(bound),
    /** The identity provider with which members sign in. For owners. */
    identityProvider: openIdentityProvider(bound),
    /** Servers that get events of the workspace. */
    webhooks: openWebhooks(bound),
    /** Visitors whom the site has signed in. */
    customers: openCustomers(bound),
    articles: openArticles(bound),
    translations: openTranslations(bound),
    images: openImages(bound),
    /** Websites and uploaded files that articles come from. */
    sources: openSources(bound),
    conversations: openConversations(bound),
    /**
     * The articles that a visitor with this locale would get, best match first. 10 unless `limit` says otherwise, at
     * most 50.
     */
    search: (question: string, { signal, ...query }: SearchOptions = {}) =>
      call(operations.searchKnowledge, { query: { ...query, q: question }, signal }),
    /** Questions of visitors to a person. */
    handovers: openHandovers(bound),
    /** Questions that were not answered well, in groups of similar ones. */
    inbox: openInbox(bound),
    /**
     * Analytics per day or hour from `from` up to but excluding `to`, with totals of the period before for comparison.
     * The last 28 days by default; at most 400 days, or 31 in hours.
     */
    analytics: ({ signal, ...query }: AnalyticsOptions = {}) =>
      call(operations.readAnalytics, { query, signal }),
    /**
     * Asks the guide as a visitor with this locale and region, and returns the answer with what it is based on. Nothing is
     * stored, and only the tokens of a language model are counted. Takes up to a minute. Rejects with
     * `chat/answer_broke_off` when there was no answer.
     */
    preview: write(operations.previewAnswer, { deadlineSeconds: PREVIEW_SECONDS }),
    /** What `POST /boot` returns to a new visitor with this locale and region, besides the visitor. */
    previewBoot: ({ signal, ...query }: PreviewBootOptions = {}) =>
      call(operations.previewBoot, { query, signal }),
    /** When the guide last started on each allowed origin, and which other origins tried. */
    installation: read(operations.readInstallation),
    /** Ratings of answers, newest first. A page can be empty even when more follow. */
    feedback: pages(operations.listFeedback),
    /** The audit log, newest first. A page can be empty even when more follow. */
    audit: pages(operations.listAudit),
    /**
     * Everything that the workspace owns, one archive line at a time, at any size. The request is sent when the loop
     * starts and ends when it is left. The last line has the type `end`. Rejects with `network` when the download is
     * cut off before, and with `timeout` when it goes silent.
     */
    export: ({ signal }: CallOptions = {}) =>
      connection.download<ArchiveRow>(operations.exportTenant, { params: { tenantId }, signal }),
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

function openSettings(bound: TenantConnection) {
  const { call, send } = bound;
  const { read, write } = bindMethods(bound);
  return {
    /** The settings of the workspace. */
    read: read(operations.readTenant),
    /** Changes the given settings and keeps the others. Visitors see the change within five seconds. */
    change: write(operations.changeTenant),
    /**
     * Lists how consent works in each region for a visitor who has not decided yet. Pass `strictness` and `byRegion` to
     * preview settings before they are saved.
     */
    directives: ({ signal, byRegion, ...query }: DirectiveOptions = {}) => {
      const rules = byRegion?.map(({ region, strictness }) => `${region}:${strictness}`).join();
      return call(operations.listConsentDirectives, {
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
      send(operations.deleteTenant, { query: { confirmName }, once: true, ...options }),
  };
}

function openModel(bound: TenantConnection) {
  const { read, write } = bindMethods(bound);
  return {
    /** Which model answers, never its key. */
    read: read(operations.readModel),
    /** Without `key`, the stored key is kept, for the same address only. */
    set: write(operations.setModel),
    /** Deletes the model of the workspace with its key. */
    remove: (options?: CallOptions) => bound.call(operations.removeModel, { ...options }),
    /** Asks a draft, else the model that answers, three questions and returns what works. Takes up to a minute. */
    test: (draft?: WorkspaceModelChange, options?: CallOptions) =>
      bound.call(operations.testModel, { body: { draft }, deadlineSeconds: PREVIEW_SECONDS, ...options }),
  };
}

function openMembers(bound: TenantConnection) {
  const { pages, removeById } = bindMethods(bound);
  return {
    /** Oldest first. */
    list: pages(operations.listMembers),
    /** Granting or removing ownership takes an owner who confirmed their password within ten minutes. */
    changeRole: (memberId: string, role: MemberRole, options?: CallOptions) =>
      bound.call(operations.changeMemberRole, { params: { memberId }, body: { role }, ...options }),
    /** Removes a member. Pass your own id to leave. */
    remove: removeById(operations.removeMember, 'memberId'),
  };
}

function openInvitations(bound: TenantConnection) {
  const { write, pages, removeById } = bindMethods(bound);
  return {
    /** Returns the link to pass on. It works once, for seven days, and is never shown again. */
    create: write(operations.createInvitation),
    /** Open invitations, newest first. */
    list: pages(operations.listInvitations),
    /** Makes the link of an invitation invalid. */
    withdraw: removeById(operations.withdrawInvitation, 'invitationId'),
  };
}

function openApiKeys(bound: TenantConnection) {
  const { write, writeById, pages, removeById } = bindMethods(bound);
  return {
    /**
     * Returns the complete key, which is never shown again. Rejects with `session/password_needed` when the password was not
     * confirmed within ten minutes; call `account.confirmPassword` first.
     */
    create: write(operations.createApiKey),
    /** All keys without their secrets, newest first, including revoked ones. */
    list: pages(operations.listApiKeys),
    /** Returns a new key with the name and scopes of an old one, which goes on working for the given time. */
    rotate: writeById(operations.rotateApiKey, 'keyId'),
    /** The key stops working at once, for good. */
    revoke: removeById(operations.revokeApiKey, 'keyId'),
  };
}

function openIdentityProvider(bound: TenantConnection) {
  const { read, write } = bindMethods(bound);
  return {
    /** How members sign in, never the secret. */
    read: read(operations.readIdentityProvider),
    /** Without `clientSecret`, the stored one is kept, for the same issuer and client only. */
    set: write(operations.setIdentityProvider),
    remove: (options?: CallOptions) => bound.call(operations.removeIdentityProvider, { ...options }),
    /** Reads the discovery document of a provider, and returns the first problem with it. */
    try: write(operations.tryIdentityProvider),
    /** Looks for the TXT record. Rejects with `identity_provider/record_not_found` while it is missing. */
    proveDomain: write(operations.proveSignInDomain),
  };
}

function openHelpDomain(bound: TenantConnection) {
  const { read, write } = bindMethods(bound);
  return {
    read: read(operations.readHelpDomain),
    /** For owners, as are the other two. The domain has the pages once it is proved. */
    set: write(operations.setHelpDomain),
    remove: (options?: CallOptions) => bound.call(operations.removeHelpDomain, { ...options }),
    /** Looks for the TXT record and the file. Rejects with `help_domain/not_proved` while both are missing. */
    prove: write(operations.proveHelpDomain),
  };
}

function openCustomers(bound: TenantConnection) {
  const { read, write, removeById } = bindMethods(bound);
  return {
    /** The keys that prove user tokens, newest first, without their secrets. */
    keys: read(operations.listCustomerKeys),
    /**
     * Returns a new secret, which is never shown again, or stores the address of a key set. Rejects with
     * `session/password_needed` when the password was not confirmed within ten minutes.
     */
    createKey: write(operations.createCustomerKey),
    /** The tokens that the key proved are refused from the next boot on. */
    deleteKey: removeById(operations.deleteCustomerKey, 'keyId'),
    /** Returns whether a boot would accept a user token, and if not, why. */
    checkToken: write(operations.checkUserToken, { idempotent: true }),
    /** Returns the pseudonym under which the data of a customer are stored. */
    find: write(operations.findCustomer, { idempotent: true }),
    /** Erases everything about a customer. */
    erase: write(operations.eraseCustomer, { idempotent: true }),
  };
}

function openWebhooks(bound: TenantConnection) {
  const { read, readById, write, writeById, pagesOf, removeById } = bindMethods(bound);
  return {
    /** All webhooks without their secrets, oldest first. */
    list: read(operations.listWebhooks),
    /**
     * Returns the secret, which is never shown again. Rejects with `session/password_needed` when the password was not
     * confirmed within ten minutes; so do `change` and `rotate`.
     */
    create: write(operations.createWebhook),
    /** Changes name, address or events, and turns it off and on. */
    change: writeById(operations.changeWebhook, 'webhookId', { idempotent: true }),
    /** Deletes a webhook with its log. */
    delete: removeById(operations.deleteWebhook, 'webhookId'),
    /** Returns a new secret. The old one signs too, for the given time. */
    rotate: writeById(operations.rotateWebhookSecret, 'webhookId'),
    /** Sends a test event within seconds. */
    test: readById(operations.testWebhook, 'webhookId'),
    /** What was sent and waits, with the responses, newest first. */
    deliveries: pagesOf(operations.listWebhookDeliveries, 'webhookId'),
    /** Sends an event again, with the same id. */
    resend: (webhookId: string, deliveryId: string, options?: CallOptions) =>
      bound.call(operations.resendWebhookDelivery, { params: { webhookId, deliveryId }, ...options }),
  };
}

function openAutomationSessions(bound: TenantConnection, connection: Connection) {
  const { write, pages } = bindMethods(bound);
  return {
    /**
     * Creates a session for a program, in the name of the signed-in owner. Returns its token, which is never shown
     * again. Rejects with `session/password_needed` when the password was not confirmed within ten minutes.
     */
    create: write(operations.createAutomationSession),
    /** All automation sessions without their tokens, newest first, including those that have ended. */
    list: pages(operations.listAutomationSessions),
    /** Ends a session that the signed-in owner created, at once and for good. Rejects with `session/not_found`. */
    end: bindMethods(connection).removeById(operations.revokeSession, 'sessionId'),
  };
}

function openConversations(bound: TenantConnection) {
  const { readById, pages } = bindMethods(bound);
  return {
    /** Newest first. A page can be empty even when more follow. */
    list: pages(operations.listTenantConversations),
    /** One conversation with all its turns. */
    read: readById(operations.readTenantConversation, 'conversationId'),
  };
}

function openHandovers(bound: TenantConnection) {
  const { readById, writeById, pages } = bindMethods(bound);
  return {
    /** Open ones by default, newest first. Each page also counts the open ones. */
    list: pages(operations.listHandovers),
    /** One with transcript, replies and notes. Rejects with `handover/not_found`. */
    read: readById(operations.readHandover, 'handoverId'),
    /** Assigns one, or marks it as open, answered or closed. */
    change: writeById(operations.changeHandover, 'handoverId', { idempotent: true }),
    /** Adds a reply, which the visitor reads, and marks it as answered. */
    reply: writeById(operations.replyToHandover, 'handoverId'),
    addNote: writeById(operations.addHandoverNote, 'handoverId'),
  };
}

function openInbox(bound: TenantConnection) {
  const { read, readById, writeById, pages } = bindMethods(bound);
  return {
    /** Open groups by default, most questions first. Each page also counts the open groups. */
    list: pages(operations.listInbox),
    /** A group with its newest questions. Rejects with `inbox/not_found`. */
    read: readById(operations.readInboxGroup, 'groupId'),
    /** Assigns a group, resolves, dismisses or reopens it, or links the article that answers. */
    change: writeById(operations.changeInboxGroup, 'groupId', { idempotent: true }),
    /** Unanswered questions of undecided visitors, if the workspace keeps their words. */
    anonymousQuestions: read(operations.listAnonymousQuestions),
    /** Asks the questions of a group again, and returns what changed. Takes up to a minute. */
    askAgain: readById(operations.askAgain, 'groupId', { deadlineSeconds: PREVIEW_SECONDS }),
  };
}
