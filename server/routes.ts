import type { Express } from 'express';
import { type Contract, contract } from '../contract/index.ts';
import { apiKeyHandlers } from './accounts/api-keys.ts';
import { automationSessionHandlers } from './accounts/automation-sessions.ts';
import { emailChangeHandlers } from './accounts/email-changes.ts';
import { identityProviderHandlers } from './accounts/identity-providers.ts';
import { memberHandlers } from './accounts/members.ts';
import { passwordResetHandlers } from './accounts/password-resets.ts';
import { providerSignInHandlers } from './accounts/provider-sign-in.ts';
import { secondFactorHandlers } from './accounts/second-factors.ts';
import { sessionHandlers } from './accounts/session.ts';
import { HELP_PATH } from './base/help-paths.ts';
import { PACKAGE_ROOT } from './base/package-root.ts';
import { chatHandlers } from './chat/chat.ts';
import { previewHandlers } from './chat/preview.ts';
import { DEMO_APP_ID } from './demo/demo.ts';
import type { Deps } from './dependencies.ts';
import { createHelpCentre } from './help/help-centre.ts';
import { helpDomainHandlers } from './help/help-domains.ts';
import type { Handlers } from './http/handler.ts';
import { mountHealth, mountSecurityTxt } from './http/health.ts';
import { mountHelpDomains } from './http/help-domains.ts';
import type { HttpServer } from './http/http-server.ts';
import { mountInboundMail } from './http/inbound-mail.ts';
import { mountPages } from './http/pages.ts';
import { mountContract, mountFallbacks } from './http/router.ts';
import { mountDashboard, mountEntrance, mountFiles, mountGuide, mountImages } from './http/static.ts';
import { mountUnsubscribe } from './http/unsubscribe.ts';
import { analyticsHandlers } from './insights/analytics.ts';
import { answerTestHandlers } from './insights/answer-tests.ts';
import { conversationNoteHandlers } from './insights/conversation-notes.ts';
import { exportHandlers } from './insights/export.ts';
import { inboxHandlers } from './insights/inbox.ts';
import { articlesHandlers } from './knowledge/articles.ts';
import { bulkArticlesHandlers } from './knowledge/bulk-articles.ts';
import { collectionsHandlers } from './knowledge/collections.ts';
import { findTextHandlers } from './knowledge/find-text.ts';
import { helpArticleHandlers } from './knowledge/help-articles.ts';
import { imageHandlers } from './knowledge/images/images.ts';
import { reviewQueueHandlers } from './knowledge/review-queue.ts';
import { translationsHandlers } from './knowledge/translations.ts';
import { mcpHandlers } from './mcp/mcp.ts';
import { customerHandlers } from './people/customers.ts';
import { createUnsubscriber, digestHandlers } from './people/digest.ts';
import { handoverHandlers } from './people/handovers.ts';
import { createMailReceiver } from './people/inbound-mail.ts';
import { renderUnsubscribePage } from './people/unsubscribe-page.ts';
import { webhookHandlers } from './people/webhooks.ts';
import { listPublicFiles } from './public/public-files.ts';
import type { Config } from './settings/config.ts';
import { siteCheckHandlers } from './sources/site-checks.ts';
import { sourceConflictHandlers, sourceHandlers, sourceRunHandlers } from './sources/sources.ts';
import { archiveHandlers } from './transfer/archive.ts';
import { bootHandlers, previewBootHandlers } from './visitors/boot.ts';
import { consentHandlers } from './visitors/consent/consent.ts';
import { consentPolicyPreviewHandlers } from './visitors/consent/consent-policy-preview.ts';
import { installationHandlers } from './visitors/installation.ts';
import { visitorHandlers } from './visitors/visitor.ts';
import { voiceHandlers } from './voice/voice.ts';
import { modelHandlers } from './workspaces/model.ts';
import { usageHandler } from './workspaces/usage.ts';
import { workspaceHandlers } from './workspaces/workspace.ts';

/** Mounts the help centres before the contract's many routes, each of which a request tries, and the fallbacks last. */
export function mountRoutes(app: Express, config: Config, deps: Deps, http: HttpServer) {
  const { metrics, store, coordination } = deps;
  const pipelineDeps = {
    ...deps,
    bodySilenceMillis: config.bodySilenceMillis,
    isShuttingDown: http.isShuttingDown,
  };
  mountHelpDomains(app, {
    readDomains: deps.helpDomains.read,
    serviceHost: () => new URL(http.baseUrl()).hostname,
    isOn: async (domain) => (await deps.helpSites.findByDomain(domain)) !== undefined,
  });
  mountPages(app, HELP_PATH, createHelpCentre(deps), deps);
  mountContract(app, contract, createHandlers(deps), pipelineDeps);
  const { registry } = metrics;
  const { dataDir, metricsToken } = config;
  mountHealth(app, {
    store,
    coordination,
    dataDir,
    registry,
    metricsToken,
    isShuttingDown: http.isShuttingDown,
  });
  const receiveMail = createMailReceiver(config.mail?.from.address ?? '', deps);
  mountInboundMail(app, config.mail?.inbound?.secret, receiveMail, pipelineDeps);
  mountUnsubscribe(app, { unsubscribe: createUnsubscriber(deps), render: renderUnsubscribePage });
  mountSecurityTxt(app, config.securityContacts, deps.clock, http.baseUrl);
  mountFiles(app, listPublicFiles(config, http.baseUrl));
  mountImages(app, store.images);
  mountEntrance(app, async () =>
    config.demo && (await store.workspaces.findByAppId(DEMO_APP_ID)) ? 'demo' : 'dashboard',
  );
  mountGuide(app, new URL('dist/', PACKAGE_ROOT));
  mountDashboard(app, new URL('dist/dashboard/', PACKAGE_ROOT));
  mountFallbacks(app, pipelineDeps);
}

/** Creates the handlers of each router. A missing or superfluous handler does not compile. */
function createHandlers(deps: Deps): { readonly [R in keyof Contract]: Handlers<Contract[R]> } {
  const { log, metrics, recordLimitHit } = deps;
  return {
    boot: bootHandlers({
      ...deps,
      onUncounted: (error) => log.error({ err: error }, 'could not store a boot event'),
    }),
    chat: chatHandlers({
      ...deps,
      onTurnFinish(finishReason, { actions, ...others }) {
        metrics.chat.turns.inc({ finish_reason: finishReason });
        metrics.chat.droppedActions.inc(actions);
        for (const [what, count] of Object.entries(others)) metrics.chat.droppedOutput.inc({ what }, count);
      },
    }),
    consent: consentHandlers(deps),
    visitor: visitorHandlers(deps),
    handovers: handoverHandlers(deps),
    helpArticles: helpArticleHandlers(deps),
    voice: voiceHandlers({
      ...deps,
      onUse: metrics.voice.recordUse,
      onCap(visitor) {
        metrics.voice.capExceeded.inc();
        recordLimitHit('voice/cap', visitor);
      },
    }),
    session: sessionHandlers(deps),
    helpDomains: helpDomainHandlers(deps),
    identityProviders: { ...identityProviderHandlers(deps), ...providerSignInHandlers(deps) },
    secondFactors: secondFactorHandlers(deps),
    passwordResets: passwordResetHandlers(deps),
    emailChanges: emailChangeHandlers(deps),
    automationSessions: automationSessionHandlers(deps),
    apiKeys: apiKeyHandlers(deps),
    members: memberHandlers(deps),
    workspace: {
      ...workspaceHandlers(deps),
      ...usageHandler({
        ...deps,
        readEmbeddingUsage: deps.embeddings.readEmbeddingUsage,
      }),
    },
    models: modelHandlers({ ...deps, ...deps.engines }),
    webhooks: webhookHandlers(deps),
    customers: customerHandlers(deps),
    digest: digestHandlers(deps),
    articles: articlesHandlers(deps),
    findText: findTextHandlers(deps),
    collections: collectionsHandlers(deps),
    bulkArticles: bulkArticlesHandlers(deps),
    translations: translationsHandlers(deps),
    images: imageHandlers(deps),
    sources: sourceHandlers({
      ...deps,
      readFile: async (file, options) =>
        (await import('./sources/files/read-file.ts')).readFile(file, options),
    }),
    sourceRuns: sourceRunHandlers(deps),
    sourceConflicts: sourceConflictHandlers(deps),
    analytics: analyticsHandlers(deps),
    conversationNotes: conversationNoteHandlers(deps),
    installation: installationHandlers(deps),
    siteChecks: siteCheckHandlers(deps),
    reviewQueue: reviewQueueHandlers(deps),
    inbox: inboxHandlers(deps),
    answerTests: answerTestHandlers(deps),
    preview: previewHandlers(deps),
    bootPreview: previewBootHandlers(deps),
    directives: consentPolicyPreviewHandlers(deps),
    archive: archiveHandlers(deps),
    export: exportHandlers(deps),
    mcp: mcpHandlers(deps),
  };
}
