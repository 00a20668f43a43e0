import {
  Alert,
  Anchor,
  Button,
  Group,
  List,
  Paper,
  Progress,
  SimpleGrid,
  Stack,
  Table,
  Text,
  Title,
} from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useLocale, useTranslations } from 'use-intl';
import type { Analytics } from '../../sdk/types.ts';
import { ErrorMessage, Loading, Page } from '../components/page.tsx';
import { UnansweredQuestions } from '../components/unanswered-questions.tsx';
import { languageNames } from '../languages.ts';
import { useCoverage, useTenantQuery, useWorkspace } from '../session.ts';
import { getAnsweredRatio, getHelpfulRatio, useMetricFormat } from './analytics/metrics.ts';
import { StorageWarning } from './settings/usage.tsx';

const QUESTIONS_SHOWN = 5;

export function OverviewPage() {
  const t = useTranslations('overview');
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const analytics = useTenantQuery(['analytics', { zone }], (tenant, { signal }) =>
    tenant.analytics({ zone, signal }),
  );
  return (
    <Page title={t('title')} lead={t('lead')}>
      <SetupReminder />
      <StorageWarning />
      {analytics.isPending && <Loading />}
      {analytics.isError && <ErrorMessage error={analytics.error} retry={analytics.refetch} />}
      {analytics.data && <Totals analytics={analytics.data} />}
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <TaskCard />
        <Languages />
      </SimpleGrid>
      {analytics.data && (
        <UnansweredQuestions analytics={analytics.data} shown={QUESTIONS_SHOWN} page="overview" />
      )}
    </Page>
  );
}

/** Hidden once the setup is complete. */
function SetupReminder() {
  const t = useTranslations('overview');
  const { tenantId } = useWorkspace();
  const installation = useTenantQuery(['installation'], (tenant, options) => tenant.installation(options));
  const coverage = useCoverage();
  if (!installation.data || !coverage.data) return null;
  const seen = installation.data.origins.some(({ lastSeenAt }) => lastSeenAt !== undefined);
  if (seen && coverage.data.published > 0) return null;
  return (
    <Alert color="blue" title={t('setUp')}>
      <Stack gap="xs" align="flex-start">
        <Text>{t('setUpLead')}</Text>
        <Button component={Link} to={`/w/${tenantId}/installation`}>
          {t('continueSetup')}
        </Button>
      </Stack>
    </Alert>
  );
}

export function Totals({ analytics: { totals, previous } }: { readonly analytics: Analytics }) {
  const t = useTranslations('overview');
  const { count, share } = useMetricFormat();
  const { tenantId } = useWorkspace();
  const ratings = totals.feedback.up + totals.feedback.down;
  const metrics = [
    { label: t('questions'), now: count(totals.turns), earlier: count(previous.turns) },
    {
      label: t('answered'),
      now: share(getAnsweredRatio(totals)),
      earlier: share(getAnsweredRatio(previous)),
    },
    { label: t('visitors'), now: count(totals.visitors), earlier: count(previous.visitors) },
    {
      label: t('helpful'),
      now: share(getHelpfulRatio(totals)),
      earlier: share(getHelpfulRatio(previous)),
      aside: ratings === 0 ? t('noRatings') : t('ofRatings', { count: ratings }),
    },
  ];
  return (
    <Stack gap="xs">
      <SimpleGrid cols={{ base: 1, xs: 2, lg: 4 }} spacing="md" component="dl" className="plain-list">
        {metrics.map(({ label, now, earlier, aside }) => (
          <Paper withBorder p="md" key={label}>
            <Text component="dt" size="sm" c="dimmed">
              {label}
            </Text>
            <Group component="dd" gap="xs" align="baseline" m={0}>
              <Text component="span" fz={28} fw={700}>
                {now}
              </Text>
              <Text component="span" size="sm" c="dimmed">
                {aside ? `${aside}, ` : ''}
                {t('previous', { value: earlier })}
              </Text>
            </Group>
          </Paper>
        ))}
      </SimpleGrid>
      <Anchor component={Link} to={`/w/${tenantId}/analytics`} size="sm" className="self-start">
        {t('more')}
      </Anchor>
    </Stack>
  );
}

const KINDS = ['review', 'changes', 'publish', 'stale'] as const;

function TaskCard() {
  const t = useTranslations();
  const { tenantId } = useWorkspace();
  const tasks = useTenantQuery(['review-queue', 'mine'], (tenant, options) =>
    tenant.translations.reviewQueue({ for: 'me' }).page(undefined, options),
  );
  const rows = tasks.data?.data ?? [];
  const kinds = KINDS.map((kind) => ({ kind, count: rows.filter((row) => row.kind === kind).length }));
  return (
    <Paper withBorder p="lg" component="section">
      <Stack>
        <Title order={2} size="h4">
          {t('overview.tasksTitle')}
        </Title>
        {tasks.isPending && <Loading />}
        {tasks.isError && <ErrorMessage error={tasks.error} retry={tasks.refetch} />}
        {tasks.data &&
          (rows.length === 0 ? (
            <Text>{t('overview.noTasks')}</Text>
          ) : (
            <>
              <List>
                {kinds
                  .filter(({ count }) => count > 0)
                  .map(({ kind, count }) => (
                    <List.Item key={kind}>
                      {t('reviewQueue.count', { name: t(`reviewQueue.kinds.${kind}`), count })}
                    </List.Item>
                  ))}
              </List>
              <Anchor component={Link} to={`/w/${tenantId}/review-queue`}>
                {t('overview.toTasks')}
              </Anchor>
            </>
          ))}
      </Stack>
    </Paper>
  );
}

export function Languages() {
  const t = useTranslations('overview');
  const name = languageNames(useLocale());
  const coverage = useCoverage();
  return (
    <Paper withBorder p="lg" component="section">
      <Stack>
        <Title order={2} size="h4">
          {t('languages')}
        </Title>
        {coverage.isPending && <Loading />}
        {coverage.isError && <ErrorMessage error={coverage.error} retry={coverage.refetch} />}
        {coverage.data && (
          <>
            <Text size="sm" c="dimmed">
              {t('languagesLead', { count: coverage.data.published })}
            </Text>
            <Table withRowBorders={false}>
              <Table.Tbody>
                {coverage.data.locales.map(({ locale, live, stale, missing }) => {
                  const words = t('coverage', { live, stale, missing });
                  const all = Math.max(1, live + stale + missing);
                  return (
                    <Table.Tr key={locale}>
                      <Table.Th scope="row" fw={400}>
                        {name(locale)}
                      </Table.Th>
                      <Table.Td>
                        <Progress.Root size="lg" aria-hidden>
                          <Progress.Section value={(live / all) * 100} color="green" />
                          <Progress.Section value={(stale / all) * 100} color="orange" />
                        </Progress.Root>
                        <Text size="xs" c="dimmed">
                          {words}
                        </Text>
                      </Table.Td>
                    </Table.Tr>
                  );
                })}
              </Table.Tbody>
            </Table>
          </>
        )}
      </Stack>
    </Paper>
  );
}
