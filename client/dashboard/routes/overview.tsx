import { SimpleGrid, Stack } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { useTranslations } from 'use-intl';
import type { Analytics } from '../../sdk/types.ts';
import { Icon } from '../components/icon.tsx';
import { ButtonLink, PageLink } from '../components/links.tsx';
import { ErrorMessage, Loading } from '../components/loading.tsx';
import { Page } from '../components/page.tsx';
import { useRecentAnalytics, useWorkspace } from '../session.ts';
import { StorageWarning } from './settings/usage.tsx';

/** Lazy, as the next ones, so that the first page stays small. */
const KeyFigures = lazy(async () => ({ default: (await import('./analytics/figures.tsx')).KeyFigures }));

const InboxTop = lazy(async () => ({
  default: (await import('../components/inbox-top.tsx')).InboxTop,
}));

const NextSteps = lazy(async () => ({ default: (await import('./next-steps.tsx')).NextSteps }));

const loadCards = () => import('./overview-cards.tsx');
const TaskCard = lazy(async () => ({ default: (await loadCards()).TaskCard }));
const Languages = lazy(async () => ({ default: (await loadCards()).Languages }));

/** Lazy: only new workspaces show it. */
const Onboarding = lazy(async () => ({ default: (await import('./onboarding.tsx')).Onboarding }));

export default function OverviewPage() {
  const t = useTranslations('overview');
  const { canEdit } = useWorkspace();
  const analytics = useRecentAnalytics();
  return (
    <Page title={t('title')} lead={t('lead')} actions={canEdit && <NewArticle />}>
      <Suspense>
        <Onboarding />
      </Suspense>
      <StorageWarning />
      {analytics.isPending && <Loading shape="cards" />}
      {analytics.isError && <ErrorMessage error={analytics.error} retry={analytics.refetch} />}
      {analytics.data && <Totals analytics={analytics.data} />}
      {analytics.data && (
        <Suspense>
          <NextSteps analytics={analytics.data} />
        </Suspense>
      )}
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <Suspense fallback={<Loading />}>
          <Stack gap="lg">
            {analytics.data && <InboxTop totals={analytics.data.totals} />}
            <TaskCard />
          </Stack>
          <Languages />
        </Suspense>
      </SimpleGrid>
    </Page>
  );
}

function NewArticle() {
  const t = useTranslations('articles');
  return (
    <ButtonLink to="/articles/new" variant="default" leftSection={<Icon name="file-plus" size={18} />}>
      {t('new')}
    </ButtonLink>
  );
}

function Totals({ analytics }: { analytics: Analytics }) {
  const t = useTranslations('overview');
  return (
    <Stack gap="xs">
      <Suspense fallback={<Loading shape="cards" />}>
        <KeyFigures {...analytics} />
      </Suspense>
      <PageLink to="/analytics" size="sm" className="self-start">
        {t('more')}
      </PageLink>
    </Stack>
  );
}
