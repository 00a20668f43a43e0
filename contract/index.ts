import { analytics } from './analytics.ts';
import { answerTests } from './answer-tests.ts';
import { apiKeys } from './api-keys.ts';
import { archive } from './archive.ts';
import { articles } from './articles.ts';
import { automationSessions } from './automation-sessions.ts';
import { boot, bootPreview, installation } from './boot.ts';
import { bulkArticles } from './bulk-articles.ts';
import { chat } from './chat.ts';
import { collections } from './collections.ts';
import { consent } from './consent.ts';
import { directives } from './consent-policy-preview.ts';
import { conversationNotes } from './conversation-notes.ts';
import { customers } from './customers.ts';
import { digest } from './digest.ts';
import { emailChanges } from './email-changes.ts';
import { exporting } from './export.ts';
import { findText } from './find-text.ts';
import { handovers } from './handovers.ts';
import { helpArticles } from './help-articles.ts';
import { helpDomains } from './help-domains.ts';
import { identityProviders } from './identity-providers.ts';
import { images } from './images.ts';
import { inbox } from './inbox.ts';
import { mcp } from './mcp.ts';
import { members } from './members.ts';
import { models } from './model.ts';
import { passwordResets } from './password-resets.ts';
import { preview } from './preview.ts';
import { reviewQueue } from './review-queue.ts';
import { secondFactorRoutes } from './second-factors.ts';
import { session } from './session.ts';
import { siteChecks } from './site-checks.ts';
import { sourceConflicts } from './source-conflicts.ts';
import { sourceRuns } from './source-runs.ts';
import { sources } from './sources.ts';
import { translations } from './translations.ts';
import { visitor } from './visitor.ts';
import { voice } from './voice.ts';
import { webhooks } from './webhooks.ts';
import { workspace } from './workspace.ts';

/**
 * Every router, in the order in which Express matches routes: the frequent routes of visitors come
 * first.
 */
export const contract = {
  boot,
  chat,
  consent,
  visitor,
  handovers,
  helpArticles,
  voice,
  session,
  helpDomains,
  identityProviders,
  secondFactors: secondFactorRoutes,
  passwordResets,
  emailChanges,
  automationSessions,
  apiKeys,
  members,
  workspace,
  models,
  webhooks,
  customers,
  digest,
  articles,
  findText,
  collections,
  bulkArticles,
  translations,
  images,
  sources,
  sourceRuns,
  sourceConflicts,
  analytics,
  conversationNotes,
  installation,
  siteChecks,
  reviewQueue,
  inbox,
  answerTests,
  preview,
  bootPreview,
  directives,
  archive,
  export: exporting,
  mcp,
};

export type Contract = typeof contract;
