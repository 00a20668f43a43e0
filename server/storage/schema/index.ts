/**
 * The tables, stated once: `make generate` writes both engines' first migration from them, and rows, inserts and the lines of
 * archives derive from them. Column names are the snake case of the keys.
 */

import { idempotencyKeys, passwordResets, setupLinks } from './accounts.ts';
import { answerTestRuns } from './answer-tests.ts';
import { conversationPositions, exportWatermarks, turnPositions } from './conversations.ts';
import { events, eventWatermarks } from './events.ts';
import { authenticatorApps, factorChallenges, recoveryCodes } from './factors.ts';
import { articleAddresses, helpDomains } from './help.ts';
import { inboxProgress } from './inbox.ts';
import { featureFlags, rateWindows } from './operations.ts';
import { dictionaryBuilds } from './search.ts';
import { embeddingMonths, tokenMonths, voiceMonths } from './usage.ts';
import { consentCurrent, consentSubjects, erasedVisitors } from './visitors.ts';
import { installations, workspaceOrigins } from './workspaces.ts';

export * from './accounts.ts';
export * from './answer-tests.ts';
export * from './conversations.ts';
export * from './customers.ts';
export * from './digests.ts';
export * from './events.ts';
export * from './factors.ts';
export * from './handovers.ts';
export * from './help.ts';
export * from './identity-providers.ts';
export * from './inbox.ts';
export * from './knowledge.ts';
export * from './mail.ts';
export * from './operations.ts';
export * from './search.ts';
export * from './sources.ts';
export * from './usage.ts';
export * from './visitors.ts';
export * from './webhooks.ts';
export { audit, installations, workspaceModels, workspaceOrigins, workspaces } from './workspaces.ts';

/** Tables of short rows, which SQLite stores in the index of their key. */
export const CLUSTERED = new Set<unknown>([
  workspaceOrigins,
  idempotencyKeys,
  setupLinks,
  passwordResets,
  authenticatorApps,
  recoveryCodes,
  factorChallenges,
  featureFlags,
  rateWindows,
  consentSubjects,
  erasedVisitors,
  consentCurrent,
  events,
  eventWatermarks,
  exportWatermarks,
  conversationPositions,
  turnPositions,
  voiceMonths,
  tokenMonths,
  installations,
  dictionaryBuilds,
  embeddingMonths,
  inboxProgress,
  answerTestRuns,
  articleAddresses,
  helpDomains,
]);
