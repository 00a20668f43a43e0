import { List, Progress, SimpleGrid, Stack, Table, Text } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { useLocale, useTranslations } from 'use-intl';
import type { Analytics } from '../../sdk/types.ts';
import { CsvButton } from '../components/download.tsx';
import { PageLink } from '../components/links.tsx';
import { ErrorMessage, Loaded, Loading } from '../components/loading.tsx';
import { Card, Muted, Note, Page } from '../components/page.tsx';
import { languageNames } from '../languages.ts';
import { useCoverage, useRecentAnalytics, useTenantQuery, useWorkspace } from '../session.ts';
import { StorageWarning } from './settings/usage.tsx';

/** Lazy, as the next: they render only after the analytics have loaded. */
const KeyFigures = lazy(async () => ({ default: (await import('./analytics/figures.tsx')).KeyFigures }));

const InboxTop = lazy(async () => ({
  default: (await import('../components/inbox-top.tsx')).InboxTop,
}));

/** Lazy: only new workspaces show it. */
const Onboarding = lazy(async () => ({ default: (await import('./onboarding.tsx')).Onboarding }));

export default function OverviewPage() {
  const t = useTranslations('overview');
  const analytics = useRecentAnalytics();
  return (
    <Page title={t('title')} lead={t('lead')}>
      <Suspense>
        <Onboarding />
      </Suspense>
      <StorageWarning />
      {analytics.isPending && <Loading shape="cards" />}
      {analytics.isError && <ErrorMessage error={analytics.error} retry={analytics.refetch} />}
      {analytics.data && <Totals analytics={analytics.data} />}
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <Stack gap="lg">
          {analytics.data && (
            <Suspense fallback={<Loading />}>
              <InboxTop totals={analytics.data.totals} />
            </Suspense>
          )}
          <TaskCard />
        </Stack>
        <Languages />
      </SimpleGrid>
    </Page>
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

const KINDS = ['review', 'changes', 'publish', 'stale'] as const;

function TaskCard() {
  const t = useTranslations();
  const tasks = useTenantQuery(['review-queue', 'mine'], (tenant, options) =>
    tenant.translations.reviewQueue({ for: 'me' }).page(undefined, options),
  );
  return (
    <Card title={t('overview.tasksTitle')} wide>
      <Loaded query={tasks}>
        {({ data, counts }) =>
          data.length === 0 ? (
            <Text>{t('overview.noTasks')}</Text>
          ) : (
            <>
              <List>
                {KINDS.filter((kind) => counts[kind] > 0).map((kind) => (
                  <List.Item key={kind}>
                    {t('reviewQueue.count', { name: t(`reviewQueue.kinds.${kind}`), count: counts[kind] })}
                  </List.Item>
                ))}
              </List>
              <PageLink to="/review-queue">{t('overview.toTasks')}</PageLink>
            </>
          )
        }
      </Loaded>
    </Card>
  );
}

function Languages() {
  const t = useTranslations('overview');
  const name = languageNames(useLocale());
  const { canEdit } = useWorkspace();
  const coverage = useCoverage();
  const csv = coverage.data && coverage.data.published > 0 && (
    <CsvButton
      title={t('languages')}
      columns={[t('language'), t('live'), t('outdated'), t('missing')]}
      rows={coverage.data.locales.map((row) => [row.locale, row.live, row.stale, row.missing])}
    />
  );
  return (
    <Card title={t('languages')} aside={csv} wide>
      <Loaded query={coverage}>
        {({ published, locales }) =>
          published === 0 ? (
            <>
              <Text>{t('nothingPublished')}</Text>
              {canEdit && <PageLink to="/articles">{t('toArticles')}</PageLink>}
            </>
          ) : (
            <>
              <Muted>{t('languagesLead', { count: published })}</Muted>
              <Table withRowBorders={false}>
                <Table.Tbody>
                  {locales.map(({ locale, live, stale, missing }) => {
                    const total = Math.max(1, live + stale + missing);
                    return (
                      <Table.Tr key={locale}>
                        <Table.Th scope="row" fw={400}>
                          {name(locale)}
                        </Table.Th>
                        <Table.Td>
                          <Progress.Root size="lg" aria-hidden>
                            <Progress.Section value={(live / total) * 100} color="green" />
                            <Progress.Section value={(stale / total) * 100} color="orange" />
                          </Progress.Root>
                          <Note>{t('coverage', { live, stale, missing })}</Note>
                        </Table.Td>
                      </Table.Tr>
                    );
                  })}
                </Table.Tbody>
              </Table>
            </>
          )
        }
      </Loaded>
    </Card>
  );
}
