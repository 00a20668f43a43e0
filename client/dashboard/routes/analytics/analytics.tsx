import { Alert, Box, SimpleGrid, Stack, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useFormatter, useTranslations } from 'use-intl';
import { isGuideError } from '../../../sdk/errors.ts';
import type { Analytics } from '../../../sdk/types.ts';
import { Loading } from '../../components/loading.tsx';
import { Page } from '../../components/page.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { Trouble } from '../../components/trouble.tsx';
import { useFilters } from '../../components/use-filters.ts';
import type { AnalyticsSearch } from '../../router.tsx';
import { useWorkspace } from '../../session.ts';
import { Charts } from './charts.tsx';
import { Cited } from './cited.tsx';
import { Figures } from './figures.tsx';
import { askedFor, rangeOf } from './range.ts';
import { RangeControls } from './range-controls.tsx';
import { Actions, Consents, Fallbacks, Hits } from './tallies.tsx';
import { Unanswered } from './unanswered.tsx';

/** What happened in the workspace, in figures beside those of the time before. */
export function AnalyticsPage() {
  const t = useTranslations('analytics');
  const { tenant, tenantId } = useWorkspace();
  const { filters } = useFilters<AnalyticsSearch>();
  const range = rangeOf(filters);
  const analytics = useQuery({
    queryKey: ['tenant', tenantId, 'analytics', range],
    queryFn: ({ signal }) => tenant.analytics({ ...askedFor(range), signal }),
    placeholderData: keepPreviousData,
  });
  return (
    <Page title={t('title')} lead={t('lead')}>
      <RangeControls range={range} />
      {analytics.isPending ? (
        <Loading />
      ) : analytics.isError ? (
        <NoFigures error={analytics.error} retry={analytics.refetch} />
      ) : (
        <Box aria-busy={analytics.isFetching}>
          <Report analytics={analytics.data} />
        </Box>
      )}
    </Page>
  );
}

/** A time that is too long to be cut so fine is something that the person can put right. */
function NoFigures({ error, retry }: { readonly error: unknown; readonly retry: () => void }) {
  const t = useTranslations('analytics');
  const codes = isGuideError(error) ? (error.issues ?? []).map(({ code }) => code) : [];
  if (!codes.includes('range_too_long')) return <Trouble error={error} retry={retry} />;
  return (
    <Alert color="orange" role="alert" title={t('tooLong')}>
      {t('tooLongLead')}
    </Alert>
  );
}

function Report({ analytics }: { readonly analytics: Analytics }) {
  const t = useTranslations('analytics');
  const format = useFormatter();
  const { from, to, zone, totals, previous } = analytics;
  const day = (moment: Date) => format.dateTime(moment, { dateStyle: 'medium', timeZone: zone });
  const begin = Date.parse(from);
  const end = Date.parse(to);
  const isEmpty = totals.boots + totals.turns === 0;
  return (
    <Stack gap="xl">
      <Text size="sm" c="dimmed" role="status">
        {t('compared', {
          from: day(new Date(begin)),
          to: day(new Date(end - 1)),
          previousFrom: day(new Date(2 * begin - end)),
          previousTo: day(new Date(begin - 1)),
        })}
      </Text>
      {isEmpty && <NothingYet />}
      <Figures now={totals} before={previous} />
      <Charts analytics={analytics} />
      <Unanswered analytics={analytics} />
      <Cited articles={analytics.articles} />
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <Fallbacks analytics={analytics} />
        <Actions analytics={analytics} />
        <Consents analytics={analytics} />
        <Hits analytics={analytics} />
      </SimpleGrid>
    </Stack>
  );
}

function NothingYet() {
  const t = useTranslations('analytics');
  const { tenantId } = useWorkspace();
  return (
    <Alert color="gray" title={t('empty')}>
      <Stack gap="xs" align="flex-start">
        <Text>{t('emptyLead')}</Text>
        <TextLink to="/w/$tenantId/welcome" params={{ tenantId }}>
          {t('install')}
        </TextLink>
      </Stack>
    </Alert>
  );
}
