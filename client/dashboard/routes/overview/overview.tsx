import { Alert, Button, SimpleGrid, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import { Loading } from '../../components/loading.tsx';
import { Page } from '../../components/page.tsx';
import { Trouble } from '../../components/trouble.tsx';
import { UnansweredQuestions } from '../../components/unanswered-questions.tsx';
import { useWorkspace } from '../../session.ts';
import { Figures } from './figures.tsx';
import { Languages } from './languages.tsx';
import { WaitingCard } from './waiting-card.tsx';

const QUESTIONS_SHOWN = 5;

/** How things stand, and what to do next. */
export function OverviewPage() {
  const t = useTranslations('overview');
  const { tenant, tenantId } = useWorkspace();
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const analytics = useQuery({
    queryKey: ['tenant', tenantId, 'analytics', { zone }],
    queryFn: ({ signal }) => tenant.analytics({ zone, signal }),
  });
  return (
    <Page title={t('title')} lead={t('lead')}>
      <GoOn />
      {analytics.isPending && <Loading />}
      {analytics.isError && <Trouble error={analytics.error} retry={analytics.refetch} />}
      {analytics.data && <Figures analytics={analytics.data} />}
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <WaitingCard />
        <Languages />
      </SimpleGrid>
      {analytics.data && (
        <UnansweredQuestions analytics={analytics.data} shown={QUESTIONS_SHOWN} page="overview" />
      )}
    </Page>
  );
}

/** Only for as long as there is something to set up. */
function GoOn() {
  const t = useTranslations('overview');
  const { tenant, tenantId } = useWorkspace();
  const installation = useQuery({
    queryKey: ['tenant', tenantId, 'installation'],
    queryFn: ({ signal }) => tenant.installation({ signal }),
  });
  const coverage = useQuery({
    queryKey: ['tenant', tenantId, 'articles', 'coverage'],
    queryFn: ({ signal }) => tenant.articles.coverage({ signal }),
  });
  if (!installation.data || !coverage.data) return null;
  const seen = installation.data.origins.some(({ lastSeenAt }) => lastSeenAt !== undefined);
  if (seen && coverage.data.published > 0) return null;
  return (
    <Alert color="blue" title={t('setUp')}>
      <Stack gap="xs" align="flex-start">
        <Text>{t('setUpLead')}</Text>
        <Button component={Link} to={`/w/${tenantId}/welcome`}>
          {t('goOn')}
        </Button>
      </Stack>
    </Alert>
  );
}
