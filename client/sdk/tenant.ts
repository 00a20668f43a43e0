import {
  archiveTranslation,
  askAgain,
  changeInboxGroup,
  changeMemberRole,
  changeTenant,
  createApiKey,
  createArticle,
  createAutomationSession,
  createInvitation,
  createTranslation,
  deleteArticle,
  deleteImage,
  deleteTenant,
  deleteTranslation,
  dismissAliasSuggestion,
  editArticle,
  editTranslation,
  exportTenant,
  listAliasSuggestions,
  listApiKeys,
  listArticleRevisions,
  listArticles,
  listAudit,
  listAutomationSessions,
  listConsentDirectives,
  listFeedback,
  listImages,
  listInbox,
  listInvitations,
  listMembers,
  listReviewQueue,
  listTenantConversations,
  listTranslations,
  previewAnswer,
  publishArticle,
  publishTranslation,
  readAnalytics,
  readArticle,
  readArticleRevision,
  readCoverage,
  readInboxGroup,
  readInstallation,
  readTenant,
  readTenantConversation,
  readTranslation,
  removeMember,
  restoreTranslation,
  reviewTranslation,
  revokeApiKey,
  revokeSession,
  rotateApiKey,
  searchKnowledge,
  submitTranslation,
  unpublishArticle,
  uploadImage,
  withdrawInvitation,
} from '../../generated/routes.ts';
import type { Operation } from '../../generated/types.ts';
import type { Connection, TenantConnection } from './connection.ts';
import type { AnyInput, CallOptions, LastCallOptions } from './http.ts';
import { openSources } from './sources.ts';
import type {
  AnalyticsOptions,
  ApiKeyRotation,
  ArchiveRow,
  Article,
  ArticleContent,
  ArticleFilters,
  AuditFilters,
  ConfirmName,
  ConversationFilters,
  DirectiveOptions,
  DismissedAlias,
  FeedbackFilters,
  ImageFilters,
  InboxChange,
  InboxFilters,
  ListOptions,
  MemberRole,
  NewApiKey,
  NewArticle,
  NewAutomationSession,
  NewInvitation,
  NewTranslation,
  PreviewQuestion,
  ReviewDecision,
  ReviewQueueFilters,
  SearchOptions,
  TenantSettingsChange,
  Translation,
  TranslationContent,
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
export type AutomationSessions = ReturnType<typeof openAutomationSessions>;

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
    automationSessions: openAutomationSessions(bound, connection),
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
      call(searchKnowledge, { query: { ...query, q: question }, signal }),
    /** Questions that were not answered well, in groups of similar ones. */
    inbox: openInbox(bound),
    /**
     * Analytics per day or hour from `from` up to but excluding `to`, with totals of the period before for comparison.
     * The last 28 days by default; at most 400 days, or 31 in hours.
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
     * Everything that the workspace owns, one archive line at a time, at any size. The request is sent when the loop
     * starts and ends when it is left. The last line has the type `end`. Rejects with `network` when the download is
     * cut off before, and with `timeout` when it goes silent.
     */
    export: ({ signal }: CallOptions = {}) =>
      connection.download<ArchiveRow>(exportTenant, { params: { tenantId }, signal }),
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
     * Lists how consent works in each region for a visitor who has not decided yet. Pass `strictness` and `byRegion` to
     * preview settings before they are saved.
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
    remove: (memberId: string, options?: LastCallOptions) =>
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
    /** Returns a new key with the name and scopes of an old one, which goes on working for the given time. */
    rotate: (keyId: string, rotation: ApiKeyRotation, options?: CallOptions) =>
      call(rotateApiKey, { params: { keyId }, body: rotation, ...options }),
    /** The key stops working at once, for good. */
    revoke: (keyId: string, options?: CallOptions) => send(revokeApiKey, { params: { keyId }, ...options }),
  };
}

function openAutomationSessions({ call, list }: TenantConnection, { send }: Connection) {
  return {
    /**
     * Creates a session for a program, in the name of the signed-in owner. Returns its token, which is never shown
     * again. Rejects with `session/password_needed` when the password was not confirmed within ten minutes.
     */
    create: (session: NewAutomationSession, options?: CallOptions) =>
      call(createAutomationSession, { body: session, ...options }),
    /** All automation sessions without their tokens, newest first, including those that have ended. */
    list: ({ signal, limit }: ListOptions = {}) => list(listAutomationSessions, { query: { limit }, signal }),
    /** Ends a session that the signed-in owner created, at once and for good. Rejects with `session/not_found`. */
    end: (sessionId: string, options?: CallOptions) =>
      send(revokeSession, { params: { sessionId }, ...options }),
  };
}

/** An article as last read, listed or returned. A change is based on its revision. */
export type SeenArticle = Pick<Article, 'id' | 'revision'>;
/** A translation as last read, listed or returned. A change is based on its revision. */
export type SeenTranslation = Pick<Translation, 'id' | 'articleId' | 'revision'>;
/** A translation as last read, with the revision of its article that its author has read too. */
export type ReadTranslation = SeenTranslation & Pick<Translation, 'currentSourceRevision'>;

/**
 * Articles. A change takes the article as last read and returns the changed article, ready for the next change. When
 * someone else has changed it meanwhile, nothing is saved and the call rejects with a conflict; see `isConflict`.
 */
export type Articles = ReturnType<typeof openArticles>;

/**
 * Translations and their review. As with articles, a change takes the translation as last seen. An action that the status
 * does not allow rejects with `translation/not_allowed` and `currentStatus`, one that needs a newer text with
 * `translation/stale` and `currentSourceRevision`.
 */
export type Translations = ReturnType<typeof openTranslations>;

/** The review queue, longest waiting first. Each page also counts the entries of each kind. */
export type ReviewQueue = ReturnType<Translations['reviewQueue']>;

function openConversations({ call, list }: TenantConnection) {
  return {
    /** Newest first. A page can be empty even when more follow. */
    list: ({ signal, ...query }: ConversationFilters = {}) =>
      list(listTenantConversations, { query, signal }),
    /** One conversation with all its turns. */
    read: (conversationId: string, options?: CallOptions) =>
      call(readTenantConversation, { params: { conversationId }, ...options }),
  };
}

function openInbox({ call, list }: TenantConnection) {
  return {
    /** Open groups by default, most questions first. Each page also counts the open groups. */
    list: ({ signal, ...query }: InboxFilters = {}) => list(listInbox, { query, signal }),
    /** A group with its newest questions. Rejects with `inbox/not_found`. */
    read: (groupId: string, options?: CallOptions) =>
      call(readInboxGroup, { params: { groupId }, ...options }),
    /** Assigns a group, resolves, dismisses or reopens it, or links the article that answers. */
    change: (groupId: string, change: InboxChange, options?: CallOptions) =>
      call(changeInboxGroup, { params: { groupId }, body: change, idempotent: true, ...options }),
    /** Asks the questions of a group again, and returns what changed. Takes up to a minute. */
    askAgain: (groupId: string, options?: CallOptions) =>
      call(askAgain, { params: { groupId }, deadlineSeconds: PREVIEW_SECONDS, ...options }),
  };
}

function openArticles({ call, send, list }: TenantConnection) {
  const changeStatus =
    (operation: typeof publishArticle | typeof unpublishArticle) =>
    ({ id, revision: baseRevision }: SeenArticle, options?: CallOptions) =>
      call(operation, { params: { articleId: id }, body: { baseRevision }, ...options });
  return {
    /** Without their texts, newest first. */
    list: ({ signal, ...query }: ArticleFilters = {}) => list(listArticles, { query, signal }),
    /** The newest revision of an article. Rejects with `article/not_found`. */
    read: (articleId: string, options?: CallOptions) =>
      call(readArticle, { params: { articleId }, ...options }),
    /** Creates a draft. Rejects with `article/slug_taken` when another article has the slug. */
    create: (article: NewArticle, options?: CallOptions) =>
      call(createArticle, { body: article, ...options }),
    /** Replaces the whole content of the working copy. The live version stays until the next publication. */
    edit: ({ id, revision: baseRevision }: SeenArticle, content: ArticleContent, options?: CallOptions) =>
      // A repeated request would conflict with its own success.
      call(editArticle, {
        params: { articleId: id },
        body: { ...content, baseRevision },
        idempotent: false,
        ...options,
      }),
    /** Makes the working copy live. */
    publish: changeStatus(publishArticle),
    /** Takes the article and all its translations offline. */
    unpublish: changeStatus(unpublishArticle),
    /** Deletes the article with its translations and all revisions of both. This cannot be undone. */
    delete: (articleId: string, options?: LastCallOptions) =>
      send(deleteArticle, { params: { articleId }, ...options }),
    /** All revisions with their texts, newest first. */
    revisions: (articleId: string, { signal, limit }: ListOptions = {}) =>
      list(listArticleRevisions, { params: { articleId }, query: { limit }, signal }),
    /** One revision, such as the `sourceRevision` of a translation. */
    revision: (articleId: string, revision: number, options?: CallOptions) =>
      call(readArticleRevision, { params: { articleId, revision }, ...options }),
    /**
     * Suggests synonyms of the title's words that the article does not contain. To accept one, add it to the aliases.
     */
    aliasSuggestions: async (articleId: string, options?: CallOptions) =>
      (await call(listAliasSuggestions, { params: { articleId }, ...options })).data,
    /** Keeps a suggested alias from being suggested again for this article. */
    dismissAlias: (articleId: string, dismissed: DismissedAlias, options?: CallOptions) =>
      send(dismissAliasSuggestion, { params: { articleId }, body: dismissed, ...options }),
    /** For each language, how many articles are live, stale, in progress or missing. */
    coverage: (options?: CallOptions) => call(readCoverage, options),
  };
}

/** A file of a few megabytes over a slow connection takes longer than other calls. */
const UPLOAD_SECONDS = 120;

function openImages({ call, list }: TenantConnection) {
  return {
    /** Newest first, each with the articles that show it; `used: false` lists images that no article shows. */
    list: ({ signal, ...query }: ImageFilters = {}) => list(listImages, { query, signal }),
    /**
     * Stores an image for articles. Rejects with `image/unsupported` or `image/too_large` for files that guides cannot show,
     * and with `image/too_many` when the workspace has no room for it.
     */
    upload: (file: Blob, { name = '', ...options }: CallOptions & { name?: string } = {}) => {
      const body = new FormData();
      body.append('image', file);
      return call(uploadImage, { query: { name }, body, deadlineSeconds: UPLOAD_SECONDS, ...options });
    },
    /** Rejects with `image/in_use` and `usedBy` while articles show the image. */
    delete: (imageId: string, options?: LastCallOptions) =>
      call(deleteImage, { params: { imageId }, ...options }),
  };
}

const bindStatusChange =
  ({ call }: TenantConnection) =>
  (
    operation:
      | typeof submitTranslation
      | typeof publishTranslation
      | typeof archiveTranslation
      | typeof restoreTranslation,
  ) =>
  ({ articleId, id, revision: baseRevision }: SeenTranslation, options?: LastCallOptions) =>
    call(operation, { params: { articleId, translationId: id }, body: { baseRevision }, ...options });

function openTranslations(bound: TenantConnection) {
  const { call, send, list } = bound;
  const changeStatus = bindStatusChange(bound);
  return {
    /** All translations of an article, sorted by locale. */
    list: (articleId: string, options?: CallOptions) =>
      list(listTranslations, { params: { articleId }, ...options }),
    /** A translation with its newest 100 revisions. */
    read: (articleId: string, translationId: string, options?: CallOptions) =>
      call(readTranslation, { params: { articleId, translationId }, ...options }),
    /** Creates a draft: one per locale, at most 32. */
    create: (articleId: string, translation: NewTranslation, options?: CallOptions) =>
      call(createTranslation, { params: { articleId }, body: translation, ...options }),
    /**
     * Replaces the whole text and makes it a draft. The live version stays live. Rejects with `translation/source_changed`
     * and `currentSourceRevision` when the article has changed since it was read.
     */
    edit: (
      { articleId, id, revision: baseRevision, currentSourceRevision: sourceRevision }: ReadTranslation,
      content: TranslationContent,
      options?: CallOptions,
    ) =>
      // A repeated request would conflict with its own success.
      call(editTranslation, {
        params: { articleId, translationId: id },
        body: { ...content, baseRevision, sourceRevision },
        idempotent: false,
        ...options,
      }),
    /** Deletes a translation that was never published. Rejects with `translation/was_published`. This cannot be undone. */
    delete: ({ articleId, id, revision }: SeenTranslation, options?: LastCallOptions) =>
      send(deleteTranslation, {
        params: { articleId, translationId: id },
        query: { baseRevision: String(revision) },
        ...options,
      }),
    /** Submits a draft for review. */
    submit: changeStatus(submitTranslation),
    /** Reviews exactly the revision that was seen. Requesting changes takes a note. */
    review: (
      { articleId, id, revision: baseRevision }: SeenTranslation,
      decision: ReviewDecision,
      { note: reviewNote, signal }: CallOptions & { note?: string | undefined } = {},
    ) =>
      call(reviewTranslation, {
        params: { articleId, translationId: id },
        body: { baseRevision, decision, reviewNote },
        signal,
      }),
    /** Makes the approved revision live. Visitors get it while the article itself is published. */
    publish: changeStatus(publishTranslation),
    /** Takes the translation offline. */
    archive: changeStatus(archiveTranslation),
    /** Turns an archived translation into a draft, which has to be reviewed and published again. */
    restore: changeStatus(restoreTranslation),
    /** The review queue, of the caller or of everyone: to review, change, publish or bring up to date. */
    reviewQueue: ({ signal, ...query }: ReviewQueueFilters = {}) => list(listReviewQueue, { query, signal }),
  };
}
