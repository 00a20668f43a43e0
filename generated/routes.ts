// Written by `make generate` from the contract. Do not edit.

export const acceptInvitation = {
  method: 'POST',
  path: '/api/invitations/accept',
  credential: 'none',
  retryable: false,
} as const;

export const archiveTranslation = {
  method: 'POST',
  path: '/api/tenants/:tenantId/knowledge/articles/:articleId/translations/:translationId/archive',
  credential: 'session',
  retryable: false,
} as const;

export const bootGuide = {
  method: 'POST',
  path: '/boot',
  credential: 'none',
  retryable: false,
} as const;

export const changeMemberRole = {
  method: 'PATCH',
  path: '/api/tenants/:tenantId/members/:memberId',
  credential: 'session',
  retryable: false,
} as const;

export const changePassword = {
  method: 'PUT',
  path: '/api/password',
  credential: 'session',
  retryable: true,
} as const;

export const changeTenant = {
  method: 'PATCH',
  path: '/api/tenants/:tenantId',
  credential: 'session',
  retryable: false,
} as const;

export const confirmPassword = {
  method: 'POST',
  path: '/api/session/confirm',
  credential: 'session',
  retryable: false,
} as const;

export const createApiKey = {
  method: 'POST',
  path: '/api/tenants/:tenantId/api-keys',
  credential: 'session',
  retryable: false,
} as const;

export const createArticle = {
  method: 'POST',
  path: '/api/tenants/:tenantId/knowledge/articles',
  credential: 'session',
  retryable: false,
} as const;

export const createInvitation = {
  method: 'POST',
  path: '/api/tenants/:tenantId/invitations',
  credential: 'session',
  retryable: false,
} as const;

export const createTranslation = {
  method: 'POST',
  path: '/api/tenants/:tenantId/knowledge/articles/:articleId/translations',
  credential: 'session',
  retryable: false,
} as const;

export const deleteArticle = {
  method: 'DELETE',
  path: '/api/tenants/:tenantId/knowledge/articles/:articleId',
  credential: 'session',
  retryable: true,
} as const;

export const deleteTenant = {
  method: 'DELETE',
  path: '/api/tenants/:tenantId',
  credential: 'session',
  retryable: true,
} as const;

export const editArticle = {
  method: 'PUT',
  path: '/api/tenants/:tenantId/knowledge/articles/:articleId',
  credential: 'session',
  retryable: true,
} as const;

export const editTranslation = {
  method: 'PUT',
  path: '/api/tenants/:tenantId/knowledge/articles/:articleId/translations/:translationId',
  credential: 'session',
  retryable: true,
} as const;

export const eraseVisitor = {
  method: 'DELETE',
  path: '/visitor',
  credential: 'visitor',
  retryable: true,
} as const;

export const exportAnalytics = {
  method: 'GET',
  path: '/api/export/analytics',
  credential: 'api-key',
  retryable: true,
} as const;

export const exportConversations = {
  method: 'GET',
  path: '/api/export/conversations',
  credential: 'api-key',
  retryable: true,
} as const;

export const exportEvents = {
  method: 'GET',
  path: '/api/export/events',
  credential: 'api-key',
  retryable: true,
} as const;

export const exportTenant = {
  method: 'GET',
  path: '/api/tenants/:tenantId/export',
  credential: 'session',
  retryable: true,
} as const;

export const exportTranscripts = {
  method: 'GET',
  path: '/api/export/transcripts',
  credential: 'api-key',
  retryable: true,
} as const;

export const getConversation = {
  method: 'GET',
  path: '/conversations/:conversation_id',
  credential: 'visitor',
  retryable: true,
} as const;

export const getTranscribeToken = {
  method: 'GET',
  path: '/transcribe-token',
  credential: 'visitor',
  retryable: true,
} as const;

export const listApiKeys = {
  method: 'GET',
  path: '/api/tenants/:tenantId/api-keys',
  credential: 'session',
  retryable: true,
} as const;

export const listArticleRevisions = {
  method: 'GET',
  path: '/api/tenants/:tenantId/knowledge/articles/:articleId/revisions',
  credential: 'session',
  retryable: true,
} as const;

export const listArticles = {
  method: 'GET',
  path: '/api/tenants/:tenantId/knowledge/articles',
  credential: 'session',
  retryable: true,
} as const;

export const listAudit = {
  method: 'GET',
  path: '/api/tenants/:tenantId/audit',
  credential: 'session',
  retryable: true,
} as const;

export const listConsentDirectives = {
  method: 'GET',
  path: '/api/tenants/:tenantId/consent-directives',
  credential: 'session',
  retryable: true,
} as const;

export const listFeedback = {
  method: 'GET',
  path: '/api/tenants/:tenantId/feedback',
  credential: 'session',
  retryable: true,
} as const;

export const listInvitations = {
  method: 'GET',
  path: '/api/tenants/:tenantId/invitations',
  credential: 'session',
  retryable: true,
} as const;

export const listMembers = {
  method: 'GET',
  path: '/api/tenants/:tenantId/members',
  credential: 'session',
  retryable: true,
} as const;

export const listSessions = {
  method: 'GET',
  path: '/api/sessions',
  credential: 'session',
  retryable: true,
} as const;

export const listTenantConversations = {
  method: 'GET',
  path: '/api/tenants/:tenantId/conversations',
  credential: 'session',
  retryable: true,
} as const;

export const listTranslations = {
  method: 'GET',
  path: '/api/tenants/:tenantId/knowledge/articles/:articleId/translations',
  credential: 'session',
  retryable: true,
} as const;

export const listWaiting = {
  method: 'GET',
  path: '/api/tenants/:tenantId/knowledge/queue',
  credential: 'session',
  retryable: true,
} as const;

export const previewAnswer = {
  method: 'POST',
  path: '/api/tenants/:tenantId/preview',
  credential: 'session',
  retryable: false,
} as const;

export const publishArticle = {
  method: 'POST',
  path: '/api/tenants/:tenantId/knowledge/articles/:articleId/publish',
  credential: 'session',
  retryable: false,
} as const;

export const publishTranslation = {
  method: 'POST',
  path: '/api/tenants/:tenantId/knowledge/articles/:articleId/translations/:translationId/publish',
  credential: 'session',
  retryable: false,
} as const;

export const rateMessage = {
  method: 'POST',
  path: '/feedback',
  credential: 'visitor',
  retryable: false,
} as const;

export const readAnalytics = {
  method: 'GET',
  path: '/api/tenants/:tenantId/analytics',
  credential: 'session',
  retryable: true,
} as const;

export const readArticle = {
  method: 'GET',
  path: '/api/tenants/:tenantId/knowledge/articles/:articleId',
  credential: 'session',
  retryable: true,
} as const;

export const readArticleRevision = {
  method: 'GET',
  path: '/api/tenants/:tenantId/knowledge/articles/:articleId/revisions/:revision',
  credential: 'session',
  retryable: true,
} as const;

export const readCoverage = {
  method: 'GET',
  path: '/api/tenants/:tenantId/knowledge/coverage',
  credential: 'session',
  retryable: true,
} as const;

export const readInstallation = {
  method: 'GET',
  path: '/api/tenants/:tenantId/installation',
  credential: 'session',
  retryable: true,
} as const;

export const readInvitation = {
  method: 'POST',
  path: '/api/invitations/read',
  credential: 'none',
  retryable: false,
} as const;

export const readInvitationLink = {
  method: 'GET',
  path: '/api/invitations/accept',
  credential: 'none',
  retryable: true,
} as const;

export const readSession = {
  method: 'GET',
  path: '/api/session',
  credential: 'session',
  retryable: true,
} as const;

export const readSetupLink = {
  method: 'GET',
  path: '/api/setup',
  credential: 'none',
  retryable: true,
} as const;

export const readTenant = {
  method: 'GET',
  path: '/api/tenants/:tenantId',
  credential: 'session',
  retryable: true,
} as const;

export const readTenantConversation = {
  method: 'GET',
  path: '/api/tenants/:tenantId/conversations/:conversationId',
  credential: 'session',
  retryable: true,
} as const;

export const readTranslation = {
  method: 'GET',
  path: '/api/tenants/:tenantId/knowledge/articles/:articleId/translations/:translationId',
  credential: 'session',
  retryable: true,
} as const;

export const readUsage = {
  method: 'GET',
  path: '/api/tenants/:tenantId/usage',
  credential: 'session',
  retryable: true,
} as const;

export const recordConsent = {
  method: 'POST',
  path: '/consent',
  credential: 'visitor',
  retryable: false,
} as const;

export const removeMember = {
  method: 'DELETE',
  path: '/api/tenants/:tenantId/members/:memberId',
  credential: 'session',
  retryable: true,
} as const;

export const reportBlockedPage = {
  method: 'POST',
  path: '/boot/blocked',
  credential: 'none',
  retryable: false,
} as const;

export const reportVoiceUsage = {
  method: 'POST',
  path: '/transcribe-usage',
  credential: 'visitor',
  retryable: false,
} as const;

export const restoreTranslation = {
  method: 'POST',
  path: '/api/tenants/:tenantId/knowledge/articles/:articleId/translations/:translationId/restore',
  credential: 'session',
  retryable: false,
} as const;

export const reviewTranslation = {
  method: 'POST',
  path: '/api/tenants/:tenantId/knowledge/articles/:articleId/translations/:translationId/review',
  credential: 'session',
  retryable: false,
} as const;

export const revokeApiKey = {
  method: 'DELETE',
  path: '/api/tenants/:tenantId/api-keys/:keyId',
  credential: 'session',
  retryable: true,
} as const;

export const revokeSession = {
  method: 'DELETE',
  path: '/api/sessions/:sessionId',
  credential: 'session',
  retryable: true,
} as const;

export const searchKnowledge = {
  method: 'GET',
  path: '/api/tenants/:tenantId/knowledge/search',
  credential: 'session',
  retryable: true,
} as const;

export const sendMessage = {
  method: 'POST',
  path: '/chat',
  credential: 'visitor',
  retryable: true,
} as const;

export const setUp = {
  method: 'POST',
  path: '/api/setup',
  credential: 'none',
  retryable: false,
} as const;

export const signIn = {
  method: 'POST',
  path: '/api/session',
  credential: 'none',
  retryable: false,
} as const;

export const signOut = {
  method: 'DELETE',
  path: '/api/session',
  credential: 'session',
  retryable: true,
} as const;

export const speakText = {
  method: 'POST',
  path: '/tts',
  credential: 'visitor',
  retryable: false,
} as const;

export const streamConversations = {
  method: 'GET',
  path: '/api/export/conversations.ndjson',
  credential: 'api-key',
  retryable: true,
} as const;

export const streamEvents = {
  method: 'GET',
  path: '/api/export/events.ndjson',
  credential: 'api-key',
  retryable: true,
} as const;

export const streamTranscripts = {
  method: 'GET',
  path: '/api/export/transcripts.ndjson',
  credential: 'api-key',
  retryable: true,
} as const;

export const submitTranslation = {
  method: 'POST',
  path: '/api/tenants/:tenantId/knowledge/articles/:articleId/translations/:translationId/submit-review',
  credential: 'session',
  retryable: false,
} as const;

export const tabulateConversations = {
  method: 'GET',
  path: '/api/export/conversations.csv',
  credential: 'api-key',
  retryable: true,
} as const;

export const tabulateEvents = {
  method: 'GET',
  path: '/api/export/events.csv',
  credential: 'api-key',
  retryable: true,
} as const;

export const tabulateTranscripts = {
  method: 'GET',
  path: '/api/export/transcripts.csv',
  credential: 'api-key',
  retryable: true,
} as const;

export const transcribeAudio = {
  method: 'POST',
  path: '/transcribe',
  credential: 'visitor',
  retryable: false,
} as const;

export const unpublishArticle = {
  method: 'POST',
  path: '/api/tenants/:tenantId/knowledge/articles/:articleId/unpublish',
  credential: 'session',
  retryable: false,
} as const;

export const withdrawInvitation = {
  method: 'DELETE',
  path: '/api/tenants/:tenantId/invitations/:invitationId',
  credential: 'session',
  retryable: true,
} as const;
