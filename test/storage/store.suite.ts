/** The contract of a store: an adapter is correct when this suite passes. */
import { afterEach, beforeEach, describe } from 'vitest';
import type { Store } from '../../server/storage/store.ts';
import { workspace } from '../support/stored-samples.ts';
import { describeAccounts, describeSessions } from './suite/accounts.ts';
import { describeAnswerTests } from './suite/answer-tests.ts';
import { describeApiKeys } from './suite/api-keys.ts';
import { describeArticleAddresses } from './suite/article-addresses.ts';
import { describeArticleSteps } from './suite/article-steps.ts';
import { describeArticleImports, describeArticles } from './suite/articles.ts';
import { describeAutomationSessions } from './suite/automation-sessions.ts';
import { describeCollections } from './suite/collections.ts';
import { describeConsents, describeErasure } from './suite/consents.ts';
import { describeConversationReading, describeConversations } from './suite/conversations.ts';
import { describeEvents } from './suite/events.ts';
import { describeExportReading } from './suite/export-reading.ts';
import { describeImages } from './suite/images.ts';
import { describeInbox } from './suite/inbox.ts';
import { describeIsolation, describeOperation } from './suite/isolation.ts';
import { describeInvitations, describeMembers } from './suite/members.ts';
import { describeQuotas } from './suite/quotas.ts';
import { describeDictionaries, describeEmbeddings, describePassageIndex } from './suite/search-data.ts';
import { describeSources } from './suite/sources.ts';
import { describeInstallations, describeTenants } from './suite/tenants.ts';
import { describeTransfer } from './suite/transfer.ts';
import { describeTranslations, describeWaitingTranslations } from './suite/translations.ts';
import { describeTokenMonths, describeVoiceReservations } from './suite/voice-reservations.ts';
import { describeWorkspaceModels } from './suite/workspace-models.ts';
import type { Subject } from './temporary-store.ts';

type OpenedStore = {
  store: Store;
  /** Closes the store and opens another one on the same data. */
  reopen: () => Promise<Store>;
};

export function describeStore(name: string, open: () => Promise<OpenedStore>): void {
  describe(name, () => {
    let current: Subject;
    const subject = () => current;

    beforeEach(async () => {
      const opened = await open();
      const [here, there] = [workspace(), workspace()];
      await opened.store.workspaces.create(here);
      await opened.store.workspaces.create(there);
      const reopen = async () => {
        const store = await opened.reopen();
        current = { ...current, store };
        return store;
      };
      current = { store: opened.store, here: here.id, there: there.id, reopen };
    });

    afterEach(() => current.store.close());

    describeInstallations(subject);
    describeTenants(subject);
    describeTokenMonths(subject);
    describeWorkspaceModels(subject);
    describeAccounts(subject);
    describeSessions(subject);
    describeMembers(subject);
    describeInvitations(subject);
    describeApiKeys(subject);
    describeAutomationSessions(subject);
    describeImages(subject);
    describeConsents(subject);
    describeConversations(subject);
    describeDictionaries(subject);
    describeEmbeddings(subject);
    describeConversationReading(subject);
    describeEvents(subject);
    describeExportReading(subject);
    describeArticles(subject);
    describeArticleAddresses(subject);
    describeCollections(subject);
    describeTranslations(subject);
    describeArticleSteps(subject);
    describeArticleImports(subject);
    describePassageIndex(subject);
    describeErasure(subject);
    describeInbox(subject);
    describeAnswerTests(subject);
    describeQuotas(subject);
    describeSources(subject);
    describeVoiceReservations(subject);
    describeWaitingTranslations(subject);
    describeTransfer(subject);
    describeIsolation(subject);
    describeOperation(subject);
  });
}
