import { Tabs } from '@mantine/core';
import { useTranslations } from 'use-intl';
import { Page } from '../../components/page.tsx';
import { useFilters } from '../../components/use-filters.ts';
import type { ConversationSearch } from '../../router.tsx';
import { ConversationList } from './conversation-list.tsx';
import { FeedbackList } from './feedback-list.tsx';

/** What visitors asked who allowed that it is kept, and what they thought of the answers. */
export function ConversationsPage() {
  const t = useTranslations('conversations');
  const { filters, change } = useFilters<ConversationSearch>();
  return (
    <Page title={t('title')} lead={t('lead')}>
      <Tabs
        value={filters.view === 'feedback' ? 'feedback' : 'conversations'}
        onChange={(view) => change({ view: view === 'feedback' ? view : null })}
        keepMounted={false}
      >
        <Tabs.List mb="lg">
          <Tabs.Tab value="conversations">{t('title')}</Tabs.Tab>
          <Tabs.Tab value="feedback">{t('feedback')}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="conversations">
          <ConversationList />
        </Tabs.Panel>
        <Tabs.Panel value="feedback">
          <FeedbackList />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}
