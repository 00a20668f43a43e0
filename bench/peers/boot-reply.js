/** The boot reply that both peers send, with as many fields and bytes as the reply of the service. */

/** A closed schema of the request body, as JSON Schema. */
export const bootBody = {
  type: 'object',
  additionalProperties: false,
  required: ['app_id', 'origin', 'path'],
  properties: {
    app_id: { type: 'string', minLength: 1, maxLength: 64 },
    origin: { type: 'string', minLength: 1, maxLength: 300 },
    path: { type: 'string', minLength: 1, maxLength: 2048 },
    visitor_id: { type: 'string', minLength: 1, maxLength: 128 },
    gpc: { type: 'boolean' },
    user_agent_hint: { type: 'string', maxLength: 1024 },
  },
};

const DISCLOSURE = {
  required: true,
  text: 'You are chatting with an AI assistant, not a person. Its answers come from published help articles and may contain mistakes.',
  locale: 'en',
  version: '2026-11-01.1',
  show: 'before_first_message',
};

const COPY = {
  version: '2026-11-01.1',
  locale: 'en',
  title: 'Before you start',
  text:
    'May we store this conversation and measure how the guide is used? It helps us to improve the answers and to see which articles are missing. ' +
    'You can change your mind at any time. If you decline, the guide still answers, but the conversation is deleted within a day.',
  accept: 'Accept',
  deny: 'Decline',
  gpc_notice: 'Your browser sends a Global Privacy Control signal. We honour it: nothing optional is stored.',
};

const BRANDING = {
  name: 'Guide',
  accent: '#2255cc',
  position: 'end',
  greeting: 'How can we help?',
};

/** Builds the reply for a new or returning visitor, without the token. */
export function buildReply(workspace, visitorId, acceptLanguage) {
  const { settings } = workspace;
  return {
    visitor_id: visitorId,
    config: {
      workspace_id: workspace.id,
      name: workspace.name,
      source_locale: settings.sourceLocale,
      locales: [settings.sourceLocale],
      content_locale: settings.sourceLocale,
      suggestions: settings.suggestions,
      message_chars_max: 4000,
      consent: { strictness: settings.consentStrictness, copy: COPY },
      branding: BRANDING,
    },
    consent_directive: {
      mode: 'opt_in',
      policy_version: '2026-11-01.1',
      reason: 'region_unknown',
      region_code: 'ZZ',
      ai_disclosure: DISCLOSURE,
      ask: true,
      purposes: { essential: true, analytics: false, storage: false, screenshot: false },
      gpc: { received: false, honored: false },
    },
    region: { country_code: 'ZZ', region_code: 'ZZ', accept_language: acceptLanguage.slice(0, 1024) },
    features: {
      chat: true,
      page_actions: settings.features.pageActions,
      screenshot: false,
      feedback: settings.features.feedback,
      voice: false,
      persist_visitor: false,
    },
    show_branding: settings.showBranding,
  };
}

export const TOKEN_SECONDS = 900;
export const BOOTS_PER_MINUTE = 120;
