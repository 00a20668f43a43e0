// Written by `make generate` from the contract. Do not edit.

import type { Operation } from './types.ts';

export const acceptInvitation: Operation<'acceptInvitation'> = {
  method: 'POST',
  path: '/api/invitations/accept',
  retryable: false,
};

export const addAuthenticatorApp: Operation<'addAuthenticatorApp'> = {
  method: 'PUT',
  path: '/api/authenticator-app',
  retryable: true,
};

export const addConversationNote: Operation<'addConversationNote'> = {
  method: 'POST',
  path: '/api/tenants/:tenantId/conversations/:conversationId/notes',
  retryable: true,
};

export const addHandoverNote: Operation<'addHandoverNote'> = {
  method: 'POST',
  path: '/api/tenants/:tenantId/handovers/:handoverId/notes',
  retryable: true,
};

export const addPasskey: Operation<'addPasskey'> = {
  method: 'POST',
  path: '/api/passkeys',
  retryable: false,
};

export const applySourceRun: Operation<'applySourceRun'> = {
  method: 'POST',
  path: '/api/tenants/:tenantId/knowledge/sources/:sourceId/runs/:runId/apply',
  retryable: false,
};

export const archiveTranslation: Operation<'archiveTranslation'> = {
  method: 'POST',
  path: '/api/tenants/:tenantId/knowledge/articles/:articleId/translations/:translationId/archive',
  retryable: false,
};

export const askAgain: Operation<'askAgain'> = {
  method: 'POST',
  path: '/api/tenants/:tenantId/inbox/:groupId/ask-again',
  retryable: false,
};

export const bootGuide: Operation<'bootGuide'> = {
  method: 'POST',
  path: '/boot',
  retryable: false,
};

export const cancelSourceRun: Operation<'cancelSourceRun'> = {
  method: 'POST',
  path: '/api/tenants/:tenantId/knowledge/sources/:sourceId/runs/:runId/cancel',
  retryable: false,
};

export const changeArticles: Operation<'changeArticles'> = {
  method: 'POST',
  path: '/api/tenants/:tenantId/knowledge/article-actions',
  retryable: false,
};

export const changeDigest: Operation<'changeDigest'> = {
  method: 'PUT',
  path: '/api/tenants/:tenantId/digest',
  retryable: true,
};

export const changeEmail: Operation<'changeEmail'> = {
  method: 'PUT',
  path: '/api/email-changes',
  retryable: true,
};

export const changeHandover: Operation<'changeHandover'> = {
  method: 'PATCH',
  path: '/api/tenants/:tenantId/handovers/:handoverId',
  retryable: false,
};

export const changeInboxGroup: Operation<'changeInboxGroup'> = {
  method: 'PATCH',
  path: '/api/tenants/:tenantId/inbox/:groupId',
  retryable: false,
};

export const changeMemberRole: Operation<'changeMemberRole'> = {
  method: 'PATCH',
  path: '/api/tenants/:tenantId/members/:memberId',
  retryable: false,
};

export const changePassword: Operation<'changePassword'> = {
  method: 'PUT',
  path: '/api/password',
  retryable: true,
};

export const changeSource: Operation<'changeSource'> = {
  method: 'PUT',
  path: '/api/tenants/:tenantId/knowledge/sources/:sourceId',
  retryable: true,
};

export const changeTenant: Operation<'changeTenant'> = {
  method: 'PATCH',
  path: '/api/tenants/:tenantId',
  retryable: false,
};

export const changeWebhook: Operation<'changeWebhook'> = {
  method: 'PATCH',
  path: '/api/tenants/:tenantId/webhooks/:webhookId',
  retryable: false,
};

export const checkAnswerTests: Operation<'checkAnswerTests'> = {
  method: 'POST',
  path: '/api/tenants/:tenantId/answer-test-checks',
  retryable: false,
};

export const checkSite: Operation<'checkSite'> = {
  method: 'POST',
  path: '/api/tenants/:tenantId/site-checks',
  retryable: false,
};

export const checkUserToken: Operation<'checkUserToken'> = {
  method: 'POST',
  path: '/api/tenants/:tenantId/customers/token-checks',
  retryable: false,
};

export const completeSignIn: Operation<'completeSignIn'> = {
  method: 'POST',
  path: '/api/session/factor',
  retryable: false,
};

export const confirmPassword: Operation<'confirmPassword'> = {
  method: 'POST',
  path: '/api/session/confirm',
  retryable: false,
};

export const createApiKey: Operation<'createApiKey'> = {
  method: 'POST',
  path: '/api/tenants/:tenantId/api-keys',
  retryable: true,
};

export const createArticle: Operation<'createArticle'> = {
  method: 'POST',
  path: '/api/tenants/:tenantId/knowledge/articles',
  retryable: true,
};

export const createAutomationSession: Operation<'createAutomationSession'> = {
  method: 'POST',
  path: '/api/tenants/:tenantId/automation-sessions',
  retryable: true,
};

export const createCollection: Operation<'createCollection'> = {
  method: 'POST',
  path: '/api/tenants/:tenantId/knowledge/collections',
  retryable: true,
};

export const createCustomerKey: Operation<'createCustomerKey'> = {
  method: 'POST',
  path: '/api/tenants/:tenantId/customer-keys',
  retryable: true,
};

export const createHandover: Operation<'createHandover'> = {
  method: 'POST',
  path: '/handovers',
  retryable: true,
};

export const createInvitation: Operation<'createInvitation'> = {
  method: 'POST',
  path: '/api/tenants/:tenantId/invitations',
  retryable: true,
};

export const createSource: Operation<'createSource'> = {
  method: 'POST',
  path: '/api/tenants/:tenantId/knowledge/sources',
  retryable: true,
};

export const createTranslation: Operation<'createTranslation'> = {
  method: 'POST',
  path: '/api/tenants/:tenantId/knowledge/articles/:articleId/translations',
  retryable: true,
};

export const createWebhook: Operation<'createWebhook'> = {
  method: 'POST',
  path: '/api/tenants/:tenantId/webhooks',
  retryable: true,
};

export const deleteAnswerTest: Operation<'deleteAnswerTest'> = {
  method: 'DELETE',
  path: '/api/tenants/:tenantId/answer-tests/:testId',
  retryable: true,
};

export const deleteArticle: Operation<'deleteArticle'> = {
  method: 'DELETE',
  path: '/api/tenants/:tenantId/knowledge/articles/:articleId',
  retryable: true,
};

export const deleteCollection: Operation<'deleteCollection'> = {
  method: 'DELETE',
  path: '/api/tenants/:tenantId/knowledge/collections/:collectionId',
  retryable: true,
};

export const deleteConversationNote: Operation<'deleteConversationNote'> = {
  method: 'DELETE',
  path: '/api/tenants/:tenantId/conversations/:conversationId/notes/:noteId',
  retryable: true,
};

export const deleteCustomerKey: Operation<'deleteCustomerKey'> = {
  method: 'DELETE',
  path: '/api/tenants/:tenantId/customer-keys/:keyId',
  retryable: true,
};

export const deleteHandoverNote: Operation<'deleteHandoverNote'> = {
  method: 'DELETE',
  path: '/api/tenants/:tenantId/handovers/:handoverId/notes/:noteId',
  retryable: true,
};

export const deleteImage: Operation<'deleteImage'> = {
  method: 'DELETE',
  path: '/api/tenants/:tenantId/images/:imageId',
  retryable: true,
};

export const deleteSource: Operation<'deleteSource'> = {
  method: 'DELETE',
  path: '/api/tenants/:tenantId/knowledge/sources/:sourceId',
  retryable: true,
};

export const deleteTenant: Operation<'deleteTenant'> = {
  method: 'DELETE',
  path: '/api/tenants/:tenantId',
  retryable: true,
};

export const deleteTranslation: Operation<'deleteTranslation'> = {
  method: 'DELETE',
  path: '/api/tenants/:tenantId/knowledge/articles/:articleId/translations/:translationId',
  retryable: true,
};

export const deleteWebhook: Operation<'deleteWebhook'> = {
  method: 'DELETE',
  path: '/api/tenants/:tenantId/webhooks/:webhookId',
  retryable: true,
};

export const dismissAliasSuggestion: Operation<'dismissAliasSuggestion'> = {
  method: 'POST',
  path: '/api/tenants/:tenantId/knowledge/articles/:articleId/alias-suggestions/dismiss',
  retryable: false,
};

export const editArticle: Operation<'editArticle'> = {
  method: 'PUT',
  path: '/api/tenants/:tenantId/knowledge/articles/:articleId',
  retryable: true,
};

export const editTranslation: Operation<'editTranslation'> = {
  method: 'PUT',
  path: '/api/tenants/:tenantId/knowledge/articles/:articleId/translations/:translationId',
  retryable: true,
};

export const eraseCustomer: Operation<'eraseCustomer'> = {
  method: 'POST',
  path: '/api/tenants/:tenantId/customers/erasures',
  retryable: false,
};

export const eraseVisitor: Operation<'eraseVisitor'> = {
  method: 'DELETE',
  path: '/visitor',
  retryable: true,
};

export const exportAnalytics: Operation<'exportAnalytics'> = {
  method: 'GET',
  path: '/api/export/analytics',
  retryable: true,
};

export const exportArticles: Operation<'exportArticles'> = {
  method: 'POST',
  path: '/api/tenants/:tenantId/knowledge/article-export',
  retryable: false,
};

export const exportConversations: Operation<'exportConversations'> = {
  method: 'GET',
  path: '/api/export/conversations',
  retryable: true,
};

export const exportEvents: Operation<'exportEvents'> = {
  method: 'GET',
  path: '/api/export/events',
  retryable: true,
};

export const exportTenant: Operation<'exportTenant'> = {
  method: 'GET',
  path: '/api/tenants/:tenantId/export',
  retryable: true,
};

export const exportTranscripts: Operation<'exportTranscripts'> = {
  method: 'GET',
  path: '/api/export/transcripts',
  retryable: true,
};

export const findCustomer: Operation<'findCustomer'> = {
  method: 'POST',
  path: '/api/tenants/:tenantId/customers/lookups',
  retryable: false,
};

export const findText: Operation<'findText'> = {
  method: 'GET',
  path: '/api/tenants/:tenantId/knowledge/text-matches',
  retryable: true,
};

export const finishProviderSignIn: Operation<'finishProviderSignIn'> = {
  method: 'POST',
  path: '/api/session/provider/return',
  retryable: false,
};

export const getConversation: Operation<'getConversation'> = {
  method: 'GET',
  path: '/conversations/:conversation_id',
  retryable: true,
};

export const getTranscribeToken: Operation<'getTranscribeToken'> = {
  method: 'GET',
  path: '/transcribe-token',
  retryable: true,
};

export const listAliasSuggestions: Operation<'listAliasSuggestions'> = {
  method: 'GET',
  path: '/api/tenants/:tenantId/knowledge/articles/:articleId/alias-suggestions',
  retryable: true,
};

export const listAnonymousQuestions: Operation<'listAnonymousQuestions'> = {
  method: 'GET',
  path: '/api/tenants/:tenantId/anonymous-questions',
  retryable: true,
};

export const listAnswerTests: Operation<'listAnswerTests'> = {
  method: 'GET',
  path: '/api/tenants/:tenantId/answer-tests',
  retryable: true,
};

export const listApiKeys: Operation<'listApiKeys'> = {
  method: 'GET',
  path: '/api/tenants/:tenantId/api-keys',
  retryable: true,
};

export const listArticleIds: Operation<'listArticleIds'> = {
  method: 'GET',
  path: '/api/tenants/:tenantId/knowledge/article-ids',
  retryable: true,
};

export const listArticleRevisions: Operation<'listArticleRevisions'> = {
  method: 'GET',
  path: '/api/tenants/:tenantId/knowledge/articles/:articleId/revisions',
  retryable: true,
};

export const listArticles: Operation<'listArticles'> = {
  method: 'GET',
  path: '/api/tenants/:tenantId/knowledge/articles',
  retryable: true,
};

export const listAudit: Operation<'listAudit'> = {
  method: 'GET',
  path: '/api/tenants/:tenantId/audit',
  retryable: true,
};

export const listAutomationSessions: Operation<'listAutomationSessions'> = {
  method: 'GET',
  path: '/api/tenants/:tenantId/automation-sessions',
  retryable: true,
};

export const listCollections: Operation<'listCollections'> = {
  method: 'GET',
  path: '/api/tenants/:tenantId/knowledge/collections',
  retryable: true,
};

export const listConsentDirectives: Operation<'listConsentDirectives'> = {
  method: 'GET',
  path: '/api/tenants/:tenantId/consent-directives',
  retryable: true,
};

export const listCustomerKeys: Operation<'listCustomerKeys'> = {
  method: 'GET',
  path: '/api/tenants/:tenantId/customer-keys',
  retryable: true,
};

export const listFeedback: Operation<'listFeedback'> = {
  method: 'GET',
  path: '/api/tenants/:tenantId/feedback',
  retryable: true,
};

export const listHandovers: Operation<'listHandovers'> = {
  method: 'GET',
  path: '/api/tenants/:tenantId/handovers',
  retryable: true,
};

export const listHelpArticles: Operation<'listHelpArticles'> = {
  method: 'GET',
  path: '/articles',
  retryable: true,
};

export const listImages: Operation<'listImages'> = {
  method: 'GET',
  path: '/api/tenants/:tenantId/images',
  retryable: true,
};

export const listInbox: Operation<'listInbox'> = {
  method: 'GET',
  path: '/api/tenants/:tenantId/inbox',
  retryable: true,
};

export const listInvitations: Operation<'listInvitations'> = {
  method: 'GET',
  path: '/api/tenants/:tenantId/invitations',
  retryable: true,
};

export const listMembers: Operation<'listMembers'> = {
  method: 'GET',
  path: '/api/tenants/:tenantId/members',
  retryable: true,
};

export const listOwnConversations: Operation<'listOwnConversations'> = {
  method: 'GET',
  path: '/conversations',
  retryable: true,
};

export const listOwnHandovers: Operation<'listOwnHandovers'> = {
  method: 'GET',
  path: '/handovers',
  retryable: true,
};

export const listReviewQueue: Operation<'listReviewQueue'> = {
  method: 'GET',
  path: '/api/tenants/:tenantId/knowledge/queue',
  retryable: true,
};

export const listSessions: Operation<'listSessions'> = {
  method: 'GET',
  path: '/api/sessions',
  retryable: true,
};

export const listSourceConflicts: Operation<'listSourceConflicts'> = {
  method: 'GET',
  path: '/api/tenants/:tenantId/knowledge/sources/:sourceId/conflicts',
  retryable: true,
};

export const listSourceRunItems: Operation<'listSourceRunItems'> = {
  method: 'GET',
  path: '/api/tenants/:tenantId/knowledge/sources/:sourceId/runs/:runId/items',
  retryable: true,
};

export const listSourceRunReasons: Operation<'listSourceRunReasons'> = {
  method: 'GET',
  path: '/api/tenants/:tenantId/knowledge/sources/:sourceId/runs/:runId/refusals',
  retryable: true,
};

export const listSourceRuns: Operation<'listSourceRuns'> = {
  method: 'GET',
  path: '/api/tenants/:tenantId/knowledge/sources/:sourceId/runs',
  retryable: true,
};

export const listSources: Operation<'listSources'> = {
  method: 'GET',
  path: '/api/tenants/:tenantId/knowledge/sources',
  retryable: true,
};

export const listTags: Operation<'listTags'> = {
  method: 'GET',
  path: '/api/tenants/:tenantId/knowledge/tags',
  retryable: true,
};

export const listTenantConversations: Operation<'listTenantConversations'> = {
  method: 'GET',
  path: '/api/tenants/:tenantId/conversations',
  retryable: true,
};

export const listTranslations: Operation<'listTranslations'> = {
  method: 'GET',
  path: '/api/tenants/:tenantId/knowledge/articles/:articleId/translations',
  retryable: true,
};

export const listWebhookDeliveries: Operation<'listWebhookDeliveries'> = {
  method: 'GET',
  path: '/api/tenants/:tenantId/webhooks/:webhookId/deliveries',
  retryable: true,
};

export const listWebhooks: Operation<'listWebhooks'> = {
  method: 'GET',
  path: '/api/tenants/:tenantId/webhooks',
  retryable: true,
};

export const previewAnswer: Operation<'previewAnswer'> = {
  method: 'POST',
  path: '/api/tenants/:tenantId/preview',
  retryable: false,
};

export const previewBoot: Operation<'previewBoot'> = {
  method: 'GET',
  path: '/api/tenants/:tenantId/preview/boot',
  retryable: true,
};

export const proveHelpDomain: Operation<'proveHelpDomain'> = {
  method: 'POST',
  path: '/api/tenants/:tenantId/help-domain/proofs',
  retryable: false,
};

export const proveSignInDomain: Operation<'proveSignInDomain'> = {
  method: 'POST',
  path: '/api/tenants/:tenantId/identity-provider/domains/proofs',
  retryable: false,
};

export const publishArticle: Operation<'publishArticle'> = {
  method: 'POST',
  path: '/api/tenants/:tenantId/knowledge/articles/:articleId/publish',
  retryable: false,
};

export const publishTranslation: Operation<'publishTranslation'> = {
  method: 'POST',
  path: '/api/tenants/:tenantId/knowledge/articles/:articleId/translations/:translationId/publish',
  retryable: false,
};

export const putAnswerTests: Operation<'putAnswerTests'> = {
  method: 'PUT',
  path: '/api/tenants/:tenantId/answer-tests',
  retryable: true,
};

export const rateMessage: Operation<'rateMessage'> = {
  method: 'POST',
  path: '/feedback',
  retryable: false,
};

export const readAnalytics: Operation<'readAnalytics'> = {
  method: 'GET',
  path: '/api/tenants/:tenantId/analytics',
  retryable: true,
};

export const readArticle: Operation<'readArticle'> = {
  method: 'GET',
  path: '/api/tenants/:tenantId/knowledge/articles/:articleId',
  retryable: true,
};

export const readArticleRevision: Operation<'readArticleRevision'> = {
  method: 'GET',
  path: '/api/tenants/:tenantId/knowledge/articles/:articleId/revisions/:revision',
  retryable: true,
};

export const readCoverage: Operation<'readCoverage'> = {
  method: 'GET',
  path: '/api/tenants/:tenantId/knowledge/coverage',
  retryable: true,
};

export const readDigest: Operation<'readDigest'> = {
  method: 'GET',
  path: '/api/tenants/:tenantId/digest',
  retryable: true,
};

export const readHandover: Operation<'readHandover'> = {
  method: 'GET',
  path: '/api/tenants/:tenantId/handovers/:handoverId',
  retryable: true,
};

export const readHelpArticle: Operation<'readHelpArticle'> = {
  method: 'GET',
  path: '/articles/:article_id',
  retryable: true,
};

export const readHelpDomain: Operation<'readHelpDomain'> = {
  method: 'GET',
  path: '/api/tenants/:tenantId/help-domain',
  retryable: true,
};

export const readIdentityProvider: Operation<'readIdentityProvider'> = {
  method: 'GET',
  path: '/api/tenants/:tenantId/identity-provider',
  retryable: true,
};

export const readInboxGroup: Operation<'readInboxGroup'> = {
  method: 'GET',
  path: '/api/tenants/:tenantId/inbox/:groupId',
  retryable: true,
};

export const readInstallation: Operation<'readInstallation'> = {
  method: 'GET',
  path: '/api/tenants/:tenantId/installation',
  retryable: true,
};

export const readInvitation: Operation<'readInvitation'> = {
  method: 'POST',
  path: '/api/invitations/read',
  retryable: false,
};

export const readInvitationLink: Operation<'readInvitationLink'> = {
  method: 'GET',
  path: '/api/invitations/accept',
  retryable: true,
};

export const readModel: Operation<'readModel'> = {
  method: 'GET',
  path: '/api/tenants/:tenantId/model',
  retryable: true,
};

export const readPasswordResetLink: Operation<'readPasswordResetLink'> = {
  method: 'GET',
  path: '/api/password-resets',
  retryable: true,
};

export const readSecondFactors: Operation<'readSecondFactors'> = {
  method: 'GET',
  path: '/api/second-factors',
  retryable: true,
};

export const readSecondStep: Operation<'readSecondStep'> = {
  method: 'GET',
  path: '/api/session/factor',
  retryable: true,
};

export const readSession: Operation<'readSession'> = {
  method: 'GET',
  path: '/api/session',
  retryable: true,
};

export const readSetupLink: Operation<'readSetupLink'> = {
  method: 'GET',
  path: '/api/setup',
  retryable: true,
};

export const readSignInOptions: Operation<'readSignInOptions'> = {
  method: 'GET',
  path: '/api/session/options',
  retryable: true,
};

export const readSource: Operation<'readSource'> = {
  method: 'GET',
  path: '/api/tenants/:tenantId/knowledge/sources/:sourceId',
  retryable: true,
};

export const readSourceRun: Operation<'readSourceRun'> = {
  method: 'GET',
  path: '/api/tenants/:tenantId/knowledge/sources/:sourceId/runs/:runId',
  retryable: true,
};

export const readSourceRunText: Operation<'readSourceRunText'> = {
  method: 'GET',
  path: '/api/tenants/:tenantId/knowledge/sources/:sourceId/runs/:runId/text',
  retryable: true,
};

export const readTenant: Operation<'readTenant'> = {
  method: 'GET',
  path: '/api/tenants/:tenantId',
  retryable: true,
};

export const readTenantConversation: Operation<'readTenantConversation'> = {
  method: 'GET',
  path: '/api/tenants/:tenantId/conversations/:conversationId',
  retryable: true,
};

export const readTopics: Operation<'readTopics'> = {
  method: 'GET',
  path: '/api/tenants/:tenantId/analytics/topics',
  retryable: true,
};

export const readTranslation: Operation<'readTranslation'> = {
  method: 'GET',
  path: '/api/tenants/:tenantId/knowledge/articles/:articleId/translations/:translationId',
  retryable: true,
};

export const readUsage: Operation<'readUsage'> = {
  method: 'GET',
  path: '/api/tenants/:tenantId/usage',
  retryable: true,
};

export const recordConsent: Operation<'recordConsent'> = {
  method: 'POST',
  path: '/consent',
  retryable: false,
};

export const removeAuthenticatorApp: Operation<'removeAuthenticatorApp'> = {
  method: 'DELETE',
  path: '/api/authenticator-app',
  retryable: true,
};

export const removeHelpDomain: Operation<'removeHelpDomain'> = {
  method: 'DELETE',
  path: '/api/tenants/:tenantId/help-domain',
  retryable: true,
};

export const removeIdentityProvider: Operation<'removeIdentityProvider'> = {
  method: 'DELETE',
  path: '/api/tenants/:tenantId/identity-provider',
  retryable: true,
};

export const removeMember: Operation<'removeMember'> = {
  method: 'DELETE',
  path: '/api/tenants/:tenantId/members/:memberId',
  retryable: true,
};

export const removeModel: Operation<'removeModel'> = {
  method: 'DELETE',
  path: '/api/tenants/:tenantId/model',
  retryable: true,
};

export const removePasskey: Operation<'removePasskey'> = {
  method: 'DELETE',
  path: '/api/passkeys/:passkeyId',
  retryable: true,
};

export const renameCollection: Operation<'renameCollection'> = {
  method: 'PUT',
  path: '/api/tenants/:tenantId/knowledge/collections/:collectionId',
  retryable: true,
};

export const renamePasskey: Operation<'renamePasskey'> = {
  method: 'PATCH',
  path: '/api/passkeys/:passkeyId',
  retryable: false,
};

export const renewRecoveryCodes: Operation<'renewRecoveryCodes'> = {
  method: 'POST',
  path: '/api/recovery-codes',
  retryable: false,
};

export const replyToHandover: Operation<'replyToHandover'> = {
  method: 'POST',
  path: '/api/tenants/:tenantId/handovers/:handoverId/replies',
  retryable: true,
};

export const reportVoiceUsage: Operation<'reportVoiceUsage'> = {
  method: 'POST',
  path: '/transcribe-usage',
  retryable: false,
};

export const requestEmailChange: Operation<'requestEmailChange'> = {
  method: 'POST',
  path: '/api/email-changes',
  retryable: false,
};

export const requestPasswordReset: Operation<'requestPasswordReset'> = {
  method: 'POST',
  path: '/api/password-resets',
  retryable: false,
};

export const resendWebhookDelivery: Operation<'resendWebhookDelivery'> = {
  method: 'POST',
  path: '/api/tenants/:tenantId/webhooks/:webhookId/deliveries/:deliveryId/resend',
  retryable: false,
};

export const resetPassword: Operation<'resetPassword'> = {
  method: 'PUT',
  path: '/api/password-resets',
  retryable: true,
};

export const resolveSourceConflicts: Operation<'resolveSourceConflicts'> = {
  method: 'POST',
  path: '/api/tenants/:tenantId/knowledge/sources/:sourceId/conflicts/resolve',
  retryable: false,
};

export const restoreTranslation: Operation<'restoreTranslation'> = {
  method: 'POST',
  path: '/api/tenants/:tenantId/knowledge/articles/:articleId/translations/:translationId/restore',
  retryable: false,
};

export const reviewTranslation: Operation<'reviewTranslation'> = {
  method: 'POST',
  path: '/api/tenants/:tenantId/knowledge/articles/:articleId/translations/:translationId/review',
  retryable: false,
};

export const revokeApiKey: Operation<'revokeApiKey'> = {
  method: 'DELETE',
  path: '/api/tenants/:tenantId/api-keys/:keyId',
  retryable: true,
};

export const revokeSession: Operation<'revokeSession'> = {
  method: 'DELETE',
  path: '/api/sessions/:sessionId',
  retryable: true,
};

export const rotateApiKey: Operation<'rotateApiKey'> = {
  method: 'POST',
  path: '/api/tenants/:tenantId/api-keys/:keyId/rotate',
  retryable: true,
};

export const rotateWebhookSecret: Operation<'rotateWebhookSecret'> = {
  method: 'POST',
  path: '/api/tenants/:tenantId/webhooks/:webhookId/rotate',
  retryable: true,
};

export const runAnswerTests: Operation<'runAnswerTests'> = {
  method: 'POST',
  path: '/api/tenants/:tenantId/answer-test-runs',
  retryable: false,
};

export const scheduleArticle: Operation<'scheduleArticle'> = {
  method: 'PUT',
  path: '/api/tenants/:tenantId/knowledge/articles/:articleId/schedule',
  retryable: true,
};

export const scheduleTranslation: Operation<'scheduleTranslation'> = {
  method: 'PUT',
  path: '/api/tenants/:tenantId/knowledge/articles/:articleId/translations/:translationId/schedule',
  retryable: true,
};

export const searchHelpArticles: Operation<'searchHelpArticles'> = {
  method: 'GET',
  path: '/articles/search',
  retryable: true,
};

export const searchKnowledge: Operation<'searchKnowledge'> = {
  method: 'GET',
  path: '/api/tenants/:tenantId/knowledge/search',
  retryable: true,
};

export const sendMcpMessage: Operation<'sendMcpMessage'> = {
  method: 'POST',
  path: '/mcp',
  retryable: false,
};

export const sendMessage: Operation<'sendMessage'> = {
  method: 'POST',
  path: '/chat',
  retryable: true,
};

export const setHelpDomain: Operation<'setHelpDomain'> = {
  method: 'PUT',
  path: '/api/tenants/:tenantId/help-domain',
  retryable: true,
};

export const setIdentityProvider: Operation<'setIdentityProvider'> = {
  method: 'PUT',
  path: '/api/tenants/:tenantId/identity-provider',
  retryable: true,
};

export const setModel: Operation<'setModel'> = {
  method: 'PUT',
  path: '/api/tenants/:tenantId/model',
  retryable: true,
};

export const setUp: Operation<'setUp'> = {
  method: 'POST',
  path: '/api/setup',
  retryable: false,
};

export const signIn: Operation<'signIn'> = {
  method: 'POST',
  path: '/api/session',
  retryable: false,
};

export const signInWithPasskey: Operation<'signInWithPasskey'> = {
  method: 'POST',
  path: '/api/session/passkey',
  retryable: false,
};

export const signOut: Operation<'signOut'> = {
  method: 'DELETE',
  path: '/api/session',
  retryable: true,
};

export const speakText: Operation<'speakText'> = {
  method: 'POST',
  path: '/tts',
  retryable: false,
};

export const startAuthenticatorApp: Operation<'startAuthenticatorApp'> = {
  method: 'POST',
  path: '/api/authenticator-app/options',
  retryable: false,
};

export const startPasskey: Operation<'startPasskey'> = {
  method: 'POST',
  path: '/api/passkey-options',
  retryable: false,
};

export const startPasskeySignIn: Operation<'startPasskeySignIn'> = {
  method: 'POST',
  path: '/api/session/passkey/options',
  retryable: false,
};

export const startProviderSignIn: Operation<'startProviderSignIn'> = {
  method: 'POST',
  path: '/api/session/provider',
  retryable: false,
};

export const startSourceRun: Operation<'startSourceRun'> = {
  method: 'POST',
  path: '/api/tenants/:tenantId/knowledge/sources/:sourceId/runs',
  retryable: true,
};

export const streamConversations: Operation<'streamConversations'> = {
  method: 'GET',
  path: '/api/export/conversations.ndjson',
  retryable: true,
};

export const streamEvents: Operation<'streamEvents'> = {
  method: 'GET',
  path: '/api/export/events.ndjson',
  retryable: true,
};

export const streamTranscripts: Operation<'streamTranscripts'> = {
  method: 'GET',
  path: '/api/export/transcripts.ndjson',
  retryable: true,
};

export const submitTranslation: Operation<'submitTranslation'> = {
  method: 'POST',
  path: '/api/tenants/:tenantId/knowledge/articles/:articleId/translations/:translationId/submit-review',
  retryable: false,
};

export const suggestAnswerTests: Operation<'suggestAnswerTests'> = {
  method: 'GET',
  path: '/api/tenants/:tenantId/answer-test-suggestions',
  retryable: true,
};

export const tabulateConversations: Operation<'tabulateConversations'> = {
  method: 'GET',
  path: '/api/export/conversations.csv',
  retryable: true,
};

export const tabulateEvents: Operation<'tabulateEvents'> = {
  method: 'GET',
  path: '/api/export/events.csv',
  retryable: true,
};

export const tabulateTranscripts: Operation<'tabulateTranscripts'> = {
  method: 'GET',
  path: '/api/export/transcripts.csv',
  retryable: true,
};

export const testModel: Operation<'testModel'> = {
  method: 'POST',
  path: '/api/tenants/:tenantId/model/test',
  retryable: false,
};

export const testWebhook: Operation<'testWebhook'> = {
  method: 'POST',
  path: '/api/tenants/:tenantId/webhooks/:webhookId/test',
  retryable: false,
};

export const transcribeAudio: Operation<'transcribeAudio'> = {
  method: 'POST',
  path: '/transcribe',
  retryable: false,
};

export const tryIdentityProvider: Operation<'tryIdentityProvider'> = {
  method: 'POST',
  path: '/api/tenants/:tenantId/identity-provider/trials',
  retryable: false,
};

export const unpublishArticle: Operation<'unpublishArticle'> = {
  method: 'POST',
  path: '/api/tenants/:tenantId/knowledge/articles/:articleId/unpublish',
  retryable: false,
};

export const uploadImage: Operation<'uploadImage'> = {
  method: 'POST',
  path: '/api/tenants/:tenantId/images',
  retryable: true,
};

export const uploadSourceFile: Operation<'uploadSourceFile'> = {
  method: 'POST',
  path: '/api/tenants/:tenantId/knowledge/sources/:sourceId/files',
  retryable: true,
};

export const verifyArticle: Operation<'verifyArticle'> = {
  method: 'PUT',
  path: '/api/tenants/:tenantId/knowledge/articles/:articleId/verification',
  retryable: true,
};

export const withdrawInvitation: Operation<'withdrawInvitation'> = {
  method: 'DELETE',
  path: '/api/tenants/:tenantId/invitations/:invitationId',
  retryable: true,
};
